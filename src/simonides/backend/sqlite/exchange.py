"""How is every row of the file read in order, and put back as it was?"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simonides.backend import sqlfile
from simonides.backend.exchange_port import (
    Space,
    StoredAlias,
    StoredConflict,
    StoredEdge,
    StoredPassage,
    StoredPast,
    StoredPastEdge,
    StoredSession,
    StoredTopic,
    StoredVersion,
    TablePage,
    WholeThought,
)
from simonides.backend.rows import JournalRow, NewEdge, NewVersion
from simonides.backend.sqlite.run import row, rows

if TYPE_CHECKING:
    import apsw

SQL = sqlfile.load("simonides.backend.sqlite", "exchange.sql")


class ExchangeRows:
    """`ExchangeReader` and, inside a transaction, `ExchangeWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _all(self, name: str, *values: object) -> list[Any]:
        return rows(self._connection, SQL[name], values)

    def spaces(self) -> list[Space]:
        return [Space(*found) for found in self._all("spaces")]

    def thoughts(self, after_tid: int, limit: int) -> list[WholeThought]:
        heads = self._all("thoughts_page", after_tid, limit)
        tids = json.dumps([head[0] for head in heads])
        versions: dict[int, list[StoredVersion]] = defaultdict(list)
        for tid, *found in self._all("versions_of", tids):
            versions[tid].append(_version(found))
        labels: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for tid, kind, label in self._all("labels_of", tids):
            labels[tid][kind].append(label)
        passages: dict[int, list[StoredPassage]] = defaultdict(list)
        for tid, *found in self._all("passages_of", tids):
            passages[tid].append(StoredPassage(*found))
        past: dict[int, list[StoredPast]] = defaultdict(list)
        for tid, *found in self._all("past_passages_of", tids):
            past[tid].append(StoredPast(*found))
        sets: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
        for tid, until, kind, label in self._all("past_labels_of", tids):
            sets[tid].append((until, kind, label))
        return [
            WholeThought._make((
                *h, labels[h[0]], *(tuple(found[h[0]]) for found in (versions, passages, past, sets)),
            ))
            for h in heads
        ]  # fmt: skip

    def versions(self, tid: int) -> list[StoredVersion]:
        return [_version(found) for _, *found in self._all("versions_of", f"[{tid}]")]

    def sessions(self) -> list[StoredSession]:
        return [StoredSession(*found) for found in self._all("sessions")]

    def aliases(self) -> list[StoredAlias]:
        return [StoredAlias(*found) for found in self._all("aliases")]

    def user_topics(self) -> list[StoredTopic]:
        return [StoredTopic(*found) for found in self._all("user_topics")]

    def edges(self, after_eid: int, limit: int) -> list[StoredEdge]:
        return [StoredEdge(*found) for found in self._all("edges_page", after_eid, limit)]

    def past_edges(self, after: tuple[int, str, int], limit: int) -> list[StoredPastEdge]:
        """By namespace number, edge id and end; beginning after such a key."""
        found = self._all("past_edges_page", *after, limit)
        return [StoredPastEdge(until, StoredEdge(0, *values)) for until, *values in found]

    def conflicts(self, after_cid: int, limit: int) -> list[StoredConflict]:
        return [StoredConflict(*found) for found in self._all("conflicts_page", after_cid, limit)]

    def left_out(self) -> dict[str, int]:
        names = ("retrieval_log", "jobs", "vectors_next", "topic_trees")
        return dict(zip(names, row(self._connection, SQL["left_out"]), strict=True))

    def table(self, name: str, namespaces: Sequence[str], page: int) -> Iterator[TablePage]:
        """A view for analysts ("thoughts", "edges", "retrieval_log"), in pages; one at least, so columns are known."""
        cursor = self._connection.execute(SQL[f"table_{name}"], (json.dumps(list(namespaces)),))
        columns: tuple[str, ...] = ()
        waiting: list[tuple[object, ...]] = []
        for found in cursor:
            columns = columns or tuple(column[0] for column in cursor.get_description())
            waiting.append(found)
            if len(waiting) == page:
                yield TablePage(columns, waiting)
                waiting = []
        if waiting:
            yield TablePage(columns, waiting)

    def has_edge(self, edge: NewEdge) -> bool:
        """Whether an edge of this id, or of these ends and type, is there."""
        found = row(
            self._connection, SQL["edge_known"], (edge.ns, edge.edge_id, edge.from_tid, edge.to_tid, edge.edge_type)
        )
        return bool(found[0])

    def add_space(self, space: Space) -> None:
        self._all("add_space", space.ns, space.name, space.created_at)

    def add_journal(self, rows: Sequence[JournalRow]) -> None:
        self._connection.executemany(SQL["add_journal"], ((*r[:3], *r[4:]) for r in rows))

    def add_counts(self, tid: int, thought: WholeThought) -> None:
        counts = (thought.access_count, thought.confirmation_count, thought.last_accessed_at)
        self._all("add_counts", *counts, tid)

    def add_version(self, tid: int, ns: int, stored: StoredVersion) -> None:
        times = (stored.revision, stored.seq, stored.recorded_from, stored.recorded_to)
        self._all("add_version", tid, ns, *times, stored.salt, *stored.version)

    def add_past(self, tid: int, ns: int, thought: WholeThought) -> None:
        """What belonged to a thought earlier."""
        self._connection.executemany(SQL["add_past_passage"], ((tid, *passage) for passage in thought.past))
        self._connection.executemany(SQL["add_past_label"], ((tid, ns, *one) for one in thought.past_labels))

    def add_past_edge(self, until: int, edge: NewEdge) -> None:
        self._all("add_past_edge", until, *edge)

    def set_session(self, ns: int, session: StoredSession) -> None:
        values = {"ns": ns, "name": session.name, "turns": session.turns, "last": session.last}
        self._connection.execute(SQL["set_session"], values)

    def drop_meta(self, key: str) -> None:
        self._all("drop_meta", key)

    def finish(self) -> None:
        self._all("finish")


def _version(found: Sequence[Any]) -> StoredVersion:
    revision, seq, recorded_from, recorded_to, salt, *fields = found
    return StoredVersion(revision, seq, recorded_from, recorded_to, salt, NewVersion(*fields))
