"""How is the file read? One method per set that the engine asks for; the SQL is in queries/snapshot.sql."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import apsw

from simonides.backend import sqlfile
from simonides.backend.port import HISTORY_FROM, Opening
from simonides.backend.rows import (
    STATUSES,
    TYPES,
    CatalogueRow,
    Ints,
    JournalRow,
    NamespaceState,
    Neighbour,
    NewVersion,
    PassageRow,
    PendingPassage,
    Relation,
    StoredThought,
)
from simonides.backend.sqlite.edges import read_edge
from simonides.backend.sqlite.predicate import compile_predicate
from simonides.backend.sqlite.run import row, rows
from simonides.backend.sqlite.thoughts import THOUGHT, read_thought
from simonides.backend.topics_port import TreeHead
from simonides.clock import to_datetime
from simonides.errors import HistoryPrunedError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from simonides.backend.sqlite.audit import AuditRows
    from simonides.backend.sqlite.conflicts import ConflictRows
    from simonides.backend.sqlite.doctor import DoctorRows
    from simonides.backend.sqlite.erasure import ErasureRows
    from simonides.backend.sqlite.exchange import ExchangeRows
    from simonides.backend.sqlite.history import HistoryRows
    from simonides.backend.sqlite.hygiene import HygieneRows
    from simonides.backend.sqlite.jobs import JobRows
    from simonides.backend.sqlite.journal import JournalRows
    from simonides.backend.sqlite.kept import KeptRows
    from simonides.backend.sqlite.lexicon import LexiconRows
    from simonides.backend.sqlite.past import PastView
    from simonides.backend.sqlite.renewal import RenewalRows
    from simonides.backend.sqlite.topics import TopicTables
    from simonides.model.edge import Edge
    from simonides.model.predicate import Predicate
    from simonides.model.trail import Problem

SQL = sqlfile.load("simonides.backend.sqlite", "snapshot.sql")
Floats: TypeAlias = "npt.NDArray[np.float32]"
PORTION = 16_384  # rows of a catalogue read at a time
_FROM = "FROM thoughts t JOIN versions v ON v.tid = t.tid AND v.recorded_to IS NULL WHERE t.ns = ?"


class SqliteSnapshot:
    """Reads inside one read transaction. Instances are cheap and belong to one thread."""

    _thought_sql = THOUGHT
    _from_sql = _FROM
    _with_sql = ""
    _labels = "labels"

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _all(self, name: str, *values: object) -> list[Any]:
        return rows(self._connection, SQL[name], values)

    def _one(self, name: str, *values: object) -> Any:
        return row(self._connection, SQL[name], values)

    @property
    def lexicon(self) -> LexiconRows:
        from simonides.backend.sqlite.lexicon import LexiconRows

        return LexiconRows(self._connection)

    @property
    def topics(self) -> TopicTables:
        from simonides.backend.sqlite.topics import TopicTables

        return TopicTables(self._connection)

    @property
    def kept(self) -> KeptRows:
        from simonides.backend.sqlite.kept import KeptRows

        return KeptRows(self._connection)

    @property
    def erasure(self) -> ErasureRows:
        from simonides.backend.sqlite.erasure import ErasureRows

        return ErasureRows(self._connection)

    @property
    def exchange(self) -> ExchangeRows:
        from simonides.backend.sqlite.exchange import ExchangeRows

        return ExchangeRows(self._connection)

    @property
    def renewal(self) -> RenewalRows:
        from simonides.backend.sqlite.renewal import RenewalRows

        return RenewalRows(self._connection)

    @property
    def history(self) -> HistoryRows:
        from simonides.backend.sqlite.history import HistoryRows

        return HistoryRows(self._connection)

    @property
    def chain(self) -> JournalRows:
        from simonides.backend.sqlite.journal import JournalRows

        return JournalRows(self._connection)

    @property
    def doctor(self) -> DoctorRows:
        from simonides.backend.sqlite.doctor import DoctorRows

        return DoctorRows(self._connection)

    @property
    def audit(self) -> AuditRows:
        from simonides.backend.sqlite.audit import AuditRows

        return AuditRows(self._connection)

    @property
    def jobs(self) -> JobRows:
        from simonides.backend.sqlite.jobs import JobRows

        return JobRows(self._connection)

    @property
    def conflicts(self) -> ConflictRows:
        from simonides.backend.sqlite.conflicts import ConflictRows

        return ConflictRows(self._connection)

    @property
    def hygiene(self) -> HygieneRows:
        from simonides.backend.sqlite.hygiene import HygieneRows

        return HygieneRows(self._connection)

    def state(self, namespace: str) -> NamespaceState:
        return NamespaceState(*(self._one("state", namespace) or (0, 0, 0)))

    def opening(self, namespace: str) -> Opening:
        """What every question begins with, in one statement."""
        found = self._one("opening", namespace)
        state = NamespaceState(0, 0, 0) if found[0] is None else NamespaceState(*found[:3])
        return Opening(state, found[3], None if found[4] is None else TreeHead(*found[4:]))

    def namespaces(self) -> dict[int, str]:
        return dict(self._all("namespaces"))

    def meta(self, key: str) -> str | None:
        found = self._one("meta", key)
        return None if found is None else str(found[0])

    def speakers(self, ns: int) -> dict[int, str]:
        return dict(self._all("speakers", ns))

    def catalogue(self, ns: int) -> Iterator[list[CatalogueRow]]:
        """Every live passage, ids ascending, in portions: a million rows at once would take half a gigabyte."""
        found = self._all("catalogue_all", ns, 0, PORTION)
        while found:
            yield list(map(CatalogueRow._make, found))
            more = len(found) == PORTION
            found = self._all("catalogue_all", ns, found[-1][0], PORTION) if more else []

    def catalogue_changed(self, ns: int, after_seq: int) -> list[CatalogueRow]:
        return [CatalogueRow(*values) for values in self._all("catalogue_changed", ns, after_seq)]

    def dead_since(self, ns: int, seq: int) -> Ints:
        return _ints(self._all("dead_since", ns, seq))

    def vectors_since(self, ns: int, seq: int, dimension: int) -> tuple[Ints, Floats]:
        """pids (n,) ascending and unit vectors (n, dimension) float32."""
        return _matrix(self._all("vectors_since", ns, seq), dimension)

    def vectors_of(self, pids: Sequence[int], dimension: int) -> tuple[Ints, Floats]:
        """The same for given passages; those without a vector are left out."""
        return _matrix(self._all("vectors_of", _ids(pids)), dimension)

    def tokens_of(self, pids: Sequence[int]) -> list[tuple[int, bytes]]:
        """(passage, tokens): uint32 CRC-32 of the base terms in reading order."""
        return self._all("tokens_of", _ids(pids))

    def passages_of(self, pids: Sequence[int]) -> list[PassageRow]:
        return [PassageRow(*values) for values in self._all("passages_of", _ids(pids))]

    def passage_text(self, pid: int) -> str | None:
        """What a passage says; None when it is gone."""
        found = self._one("passage_text", pid)
        return None if found is None else str(found[0][found[1] : found[2]])

    def thought_ids(self, tids: Sequence[int]) -> dict[int, str]:
        return dict(self._all("thought_ids", _ids(tids)))

    def tids_of(self, ns: int, thought_ids: Sequence[str]) -> dict[str, int]:
        return dict(self._all("tids_of", ns, json.dumps(list(thought_ids))))

    def thoughts(self, ns: int, tids: Sequence[int]) -> list[StoredThought]:
        """Current thoughts in the order asked for; those that are gone are left out."""
        sql = self._thought_sql + "WHERE +t.ns = ? AND t.tid IN (SELECT value FROM json_each(?))"
        stored = rows(self._connection, sql, (ns, _ids(tids)))
        found = {r[0]: StoredThought(r[0], bool(r[1]), read_thought(r[2:])) for r in stored}
        return [found[tid] for tid in tids if tid in found]

    def version(self, tid: int) -> tuple[int, NewVersion] | None:
        """(revision, fields) of the current version."""
        found = self._one("version_of", tid)
        return None if found is None else (found[0], NewVersion(*found[1:]))

    def tids_where(self, ns: int, predicate: Predicate) -> Ints:
        """The row ids of the current thoughts that satisfy a filter, ascending."""
        condition, bindings = compile_predicate(predicate, self._labels)
        sql = f"{self._with_sql}SELECT t.tid {self._from_sql} AND {condition} ORDER BY t.tid"
        return _ints(rows(self._connection, sql, (ns, *bindings)))

    def page(
        self, ns: int, predicate: Predicate | None, after: tuple[int, int] | None, limit: int, *, newest: bool = False
    ) -> list[int]:
        """Row ids by (created_at, tid), ascending or newest first, beginning after a pair."""
        condition, bindings = ("1", []) if predicate is None else compile_predicate(predicate, self._labels)
        key, sign, way = "", "<" if newest else ">", "DESC" if newest else "ASC"
        if after is not None:
            key, bindings = f"AND (t.created_at, t.tid) {sign} (?, ?)", [*bindings, *after]
        order = f"ORDER BY t.created_at {way}, t.tid {way} LIMIT ?"
        sql = f"{self._with_sql}SELECT t.tid {self._from_sql} AND {condition} {key} {order}"
        return [tid for (tid,) in rows(self._connection, sql, (ns, *bindings, limit))]

    def page_key(self, ns: int, thought_id: str) -> tuple[int, int] | None:
        """Where a thought stands in the order of `page`; None when it never existed."""
        sql = "SELECT created_at, tid FROM thoughts WHERE ns = ? AND thought_id = ?"
        found: tuple[int, int] | None = row(self._connection, sql, (ns, thought_id))
        return found

    def newest_cycle(self, ns: int) -> int:
        """The largest updated_cycle of a namespace's current thoughts; 0 when there are none."""
        (found,) = self._one("newest_cycle", ns)
        return int(found or 0)

    def count(self, ns: int, predicate: Predicate | None) -> int:
        condition, bindings = ("1", []) if predicate is None else compile_predicate(predicate, self._labels)
        sql = f"{self._with_sql}SELECT count(*) {self._from_sql} AND {condition}"
        (count,) = row(self._connection, sql, (ns, *bindings))
        return int(count)

    def match(self, expression: str) -> Ints | None:
        """The passages of all namespaces that an expert query finds, ascending; None when FTS5 cannot read it."""
        try:
            return _ints(self._all("match", expression))
        except apsw.SQLError:
            return None

    def edges(self, ns: int, tid: int | None, limit: int, edge_type: str | None) -> list[Edge]:
        if tid is None:
            found = self._all("edges_all", ns, limit, edge_type)
        else:
            found = self._all("edges_of", ns, tid, limit, edge_type)
        name = self.namespaces().get(ns, "")
        return [read_edge(values, name) for values in found]

    def neighbours(self, tids: Sequence[int], limit: int, holds_at: int | None = None) -> list[Neighbour]:
        """The strongest edges of some thoughts. holds_at: only those in force then."""
        return [Neighbour(*values) for values in self._all("neighbours", _ids(tids), limit, holds_at)]

    def has_meaning(self, ns: int) -> bool:
        """Whether any edge of a namespace supersedes, contradicts or supports."""
        return bool(self._one("has_meaning", ns)[0])

    def related(
        self, tids: Sequence[int], reaching: Sequence[str], leaving: Sequence[str], limit: int
    ) -> tuple[list[Relation], list[Relation]]:
        """Edges of some types that reach some thoughts, and such that leave them, as `relations` has them."""
        found = self._all("related", _ids(tids), json.dumps(reaching), json.dumps(leaving), limit)
        rows = [(bool(incoming), Relation(*values)) for incoming, *values in found]
        return [row for incoming, row in rows if incoming], [row for incoming, row in rows if not incoming]

    def relations(self, tids: Sequence[int], types: Sequence[str], *, incoming: bool, limit: int) -> list[Relation]:
        name = "incoming" if incoming else "outgoing"
        return [Relation(*values) for values in self._all(name, _ids(tids), json.dumps(list(types)), limit)]

    def label_counts(self, ns: int, kind: str) -> dict[str, int]:
        """Label → thoughts that carry it; kind is "concept" or "topic"."""
        return dict(self._all("label_counts", ns, kind))

    def aliases(self, ns: int) -> dict[str, str]:
        """Alias → concept."""
        return dict(self._all("aliases", ns))

    def user_topics(self, ns: int) -> dict[str, str | None]:
        """Key → title of the topics that people made."""
        return dict(self._all("user_topics", ns))

    def _labels_at(self, tids: Sequence[int]) -> list[tuple[int, str, str]]:
        return self._all("labels_of", _ids(tids))

    def labels_of(self, tid: int) -> dict[str, list[str]]:
        """Kind → labels of one thought."""
        found: dict[str, list[str]] = {}
        for _, kind, label in self._labels_at([tid]):
            found.setdefault(kind, []).append(label)
        return found

    def pending(self, ns: int, after_pid: int, limit: int) -> list[PendingPassage]:
        waiting = self._all("pending", ns, after_pid, limit)
        return [PendingPassage(pid, tid, name, text[start:stop]) for pid, tid, name, text, start, stop in waiting]

    def changes(self, ns: int | None, after_seq: int, limit: int) -> list[JournalRow]:
        found = self._all("journal", after_seq, limit) if ns is None else self._all("changes", ns, after_seq, limit)
        return [JournalRow(*values) for values in found]

    def counts(self, ns: int) -> Mapping[str, object]:
        """by_type, by_status, passages, edges, vectors, pending, sessions, speakers, journal."""
        by_type: dict[str, int] = {}
        by_status: dict[str, int] = {}
        for kind, status, count in self._all("counts", ns):
            by_type[TYPES[kind]] = by_type.get(TYPES[kind], 0) + count
            by_status[STATUSES[status]] = by_status.get(STATUSES[status], 0) + count
        names = ("passages", "edges", "vectors", "pending", "sessions", "speakers")
        sizes: dict[str, object] = dict(zip(names, self._one("sizes", ns), strict=True))
        (journal,) = self._one("journal_count", ns)
        return {**sizes, "by_type": by_type, "by_status": by_status, "journal": journal}

    def check(self) -> list[Problem]:
        """What is wrong with the file, its indexes and its chain; see check.py."""
        from simonides.backend.sqlite.check import find_problems

        return find_problems(self._connection)

    def past(self, at: int) -> PastView:
        """The store as it was at an instant."""
        from simonides.backend.sqlite.past import PastView  # which is a snapshot itself

        since = int(self.meta(HISTORY_FROM) or at)
        if at < since:
            asked, kept = to_datetime(at).isoformat(), to_datetime(since).isoformat()
            raise HistoryPrunedError(
                f"as_of is {asked}; what was known is kept since {kept}", hint="the journal before it was pruned"
            )
        return PastView(self._connection, at)


def _ids(values: Iterable[int]) -> str:
    return "[" + ",".join(map(str, values)) + "]"


def _ints(found: list[tuple[int]]) -> Ints:
    """The rows of one column, (n,) int64."""
    import numpy as np

    return np.array([number for (number,) in found], np.int64)


def _matrix(stored: list[tuple[int, bytes]], dimension: int) -> tuple[Ints, Floats]:
    import numpy as np

    pids = np.array([pid for pid, _ in stored], np.int64)
    vectors = np.frombuffer(b"".join(v for _, v in stored), np.float32).reshape(len(stored), dimension)
    return pids, vectors
