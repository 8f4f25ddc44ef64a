"""How is the file changed? Only from inside a job of the writer; the SQL is in queries/transaction.sql."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simonides.backend import sqlfile
from simonides.backend.chain import GENESIS, link
from simonides.backend.rows import (
    NO_VECTOR,
    PENDING,
    STORED,
    Analysed,
    JournalEntry,
    NamespaceState,
    NewEdge,
    NewPassage,
    NewThought,
    NewVersion,
    TailRow,
    VersionAt,
)
from simonides.backend.sqlite.edges import read_edge
from simonides.backend.sqlite.run import insert, row, rows
from simonides.backend.sqlite.snapshot import SQL as READ
from simonides.backend.sqlite.snapshot import SqliteSnapshot

if TYPE_CHECKING:
    import apsw

    from simonides.backend.port import Opening
    from simonides.model.edge import Edge

BATCH = 2_000
SQL = sqlfile.load("simonides.backend.sqlite", "transaction.sql")
Mark = tuple[int, bytes]


class SqliteTransaction(SqliteSnapshot):
    """Reads see what was written before them in the same transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        last = row(connection, READ["journal_last"])
        self._last: Mark = (0, GENESIS) if last is None else (last[0], last[1])
        self._touched: dict[int, int] = {}

    def mark(self) -> Mark:
        """Where the chain stands, to come back to when a job is undone."""
        return self._last

    def reset(self, mark: Mark) -> None:
        self._last = mark
        self._touched.clear()

    def _do(self, name: str, *values: object) -> Any:
        return row(self._connection, SQL[name], values)

    def _rows(self, name: str, *values: object) -> list[Any]:
        return rows(self._connection, SQL[name], values)

    def namespace(self, name: str, at: int) -> int:
        """The number of a namespace, made when it is new."""
        found = self.state(name)
        return found.ns or int(self._do("add_namespace", name, at)[0])

    def session(self, ns: int, name: str) -> tuple[int, int, int | None]:
        """(session, number of turns so far, row id of the last turn), made when it is new."""
        found = self._do("session_find", ns, name)
        return (found[0], found[1], found[2]) if found else (int(self._do("session_add", ns, name)[0]), 0, None)

    def advance(self, session: int, tid: int) -> None:
        self._do("session_advance", session, tid)

    def speaker(self, ns: int, name: str) -> int:
        found = self._do("speaker_find", ns, name) or self._do("speaker_add", ns, name)
        return int(found[0])

    def find(self, ns: int, thought_id: str) -> tuple[int, int, bool] | None:
        """(row id, latest revision, is it current) of an id, deleted ones included."""
        found = self._do("thought_find", ns, thought_id)
        return None if found is None else (found[0], found[1] or 0, bool(found[2]))

    def unknown(self, ns: int, thought_ids: Sequence[str]) -> set[str]:
        """Those of some ids that the namespace never had."""
        return {name for (name,) in self._rows("thoughts_unknown", json.dumps(list(thought_ids)), ns)}

    def find_dedup(self, ns: int, dedup: bytes) -> tuple[int, str] | None:
        found = self._do("thought_by_dedup", ns, dedup)
        return None if found is None else (found[0], found[1])

    def move_dedup(self, ns: int, tid: int, dedup: bytes) -> None:
        """A thought that stood for one text stands for another one now, unless another thought does already."""
        self._do("thought_moves_dedup", ns, dedup, tid)

    def set_dedup(self, tid: int, dedup: bytes | None) -> None:
        self._do("thought_dedup", dedup, tid)

    def add_thoughts(self, thoughts: Sequence[NewThought]) -> list[int]:
        """Their row ids. They are of one namespace, and no row has their ids yet."""
        added = dict(insert(self._connection, SQL["thought_add"], thoughts))
        return [added[thought.thought_id] for thought in thoughts]

    def set_place(self, tid: int, session: int, position: int | None, speaker: int) -> None:
        """Where a thought stands in which session, and who said it; 0 for none."""
        self._do("thought_place", session, position, speaker, tid)

    def confirm(self, tid: int, at: int) -> None:
        """Counts that the same was remembered again."""
        self._do("thought_confirmed", at, tid)

    def add_version(self, at: VersionAt, version: NewVersion, salt: bytes) -> None:
        """Closes the current version, if there is one, and opens another."""
        if at.revision > 1:
            ended = self._do("version_close", at.recorded_from, at.tid)
            if ended is not None:
                at = at._replace(recorded_from=ended[0])  # not before the one that it follows, whatever the clock says
        self._do("version_add", *at, *version, salt)

    def add_versions(self, versions: Sequence[tuple[VersionAt, NewVersion, bytes]]) -> None:
        """First versions, each with its salt: there is none to close."""
        insert(self._connection, SQL["version_add"], [(*at, *version, salt) for at, version, salt in versions])

    def close_version(self, tid: int, at: int) -> None:
        self._do("version_close", at, tid)

    def add_passages(self, ns: int, tid: int, seq: int, passages: Sequence[NewPassage]) -> None:
        """Writes passages, both text indexes and the vectors that are there."""
        pids = self.add_passage_rows(ns, [(tid, p) for p in passages])
        self.index_passages(ns, [(pid, seq, p) for pid, p in zip(pids, passages, strict=True)])

    def add_passage_rows(self, ns: int, passages: Sequence[tuple[int, NewPassage]]) -> list[int]:
        """The rows of passages of some thoughts alone; their new ids. `index_passages` has to follow."""
        values = [
            (
                tid,
                ns,
                p.part,
                p.start,
                p.stop,
                p.text.words,
                p.text.essence_words,
                p.text.asks,
                p.text.tokens,
                p.embedding,
            )
            for tid, p in passages
        ]
        added = {(tid, part): pid for tid, part, pid in insert(self._connection, SQL["passage_add"], values)}
        return [added[tid, p.part] for tid, p in passages]

    def index_passages(self, ns: int, passages: Sequence[tuple[int, int, NewPassage]]) -> None:
        """Puts passages (id, seq) into both text indexes, and their vectors where they are there."""
        texts = [
            (pid, p.text.content, p.text.essence, p.text.content_more, p.text.essence_more) for pid, _, p in passages
        ]
        vectors = [(pid, ns, seq, p.vector) for pid, seq, p in passages if p.vector is not None]
        insert(self._connection, SQL["fulltext_add"], texts)
        insert(self._connection, SQL["vector_put"], vectors)
        self.lexicon.add_tail(ns, [TailRow(pid, p.text.terms, p.text.frequencies) for pid, _, p in passages])

    def rebuild_text(self, ns: int, analyse: Callable[[str, str | None, str | None], Analysed]) -> None:
        """Makes both text indexes of a namespace anew from its rows; counts of words may change with them."""
        from simonides.index.segments import rebuild

        self.kept.drop_catalogue(ns)
        rebuild(self.lexicon, ns, self._analysed(ns, analyse), 1 << 62)

    def _analysed(self, ns: int, analyse: Callable[[str, str | None, str | None], Analysed]) -> Iterator[TailRow]:
        last = 0
        while stored := rows(self._connection, READ["texts"], (ns, last, BATCH)):
            for pid, start, stop, part, content, essence, speaker in stored:
                text = analyse(content[start:stop], essence if part == 0 else None, speaker)
                self._do("passage_analysed", text.words, text.essence_words, text.asks, text.tokens, pid)
                self._do("fulltext_delete", pid)
                self._do("fulltext_add", pid, text.content, text.essence, text.content_more, text.essence_more)
                yield TailRow(pid, text.terms, text.frequencies)
            last = stored[-1][0]

    def remove_passages(self, ns: int, tid: int, seq: int) -> None:
        """Takes a thought's passages out of every index and tells the caches."""
        pids = [pid for (pid,) in self._rows("passages_of_thought", tid)]
        self.history.keep_passages(tid, seq)
        for pid in pids:
            self._do("fulltext_delete", pid)
            self._do("vector_delete", pid)
            self._do("passage_delete", pid)
            self._do("passage_dead", seq, ns, pid)

    def vector_of(self, tid: int) -> bytes | None:
        """The stored vector of a thought's first passage."""
        row = self._do("vector_of_thought", tid)
        return None if row is None else bytes(row[0])

    def set_vectors(self, ns: int, seq: int, vectors: Sequence[tuple[int, bytes | None]]) -> int:
        """Stores vectors of pending passages (None: the text has none); returns how many were still pending."""
        stored = 0
        for pid, vector in vectors:
            found = self._do("passage_alive", pid)
            if found is None or found[0] != PENDING:
                continue
            if vector is not None:
                self._do("vector_put", pid, ns, seq, vector)
            self._do("passage_embedding", NO_VECTOR if vector is None else STORED, pid)
            stored += 1
        return stored

    def set_labels(self, ns: int, tid: int, labels: Mapping[str, Sequence[str]]) -> None:
        """Replaces the labels of a thought; kinds are "concept" and "topic"."""
        self._do("labels_delete", tid)
        for kind, names in labels.items():
            for name in names:
                self._do("label_add", ns, kind, name, tid)

    def put_alias(self, ns: int, alias: str, concept: str) -> None:
        self._do("alias_put", ns, alias, concept)

    def put_user_topic(self, ns: int, key: str, title: str | None, at: int) -> None:
        self._do("user_topic_put", ns, key, title, at)

    def put_edge(self, edge: NewEdge) -> str:
        """Writes an edge; returns its id, the old one when the same link stood before."""
        added = self._do("edge_put", *edge)
        if added is not None:
            return str(added[0])
        self.history.keep_edge(edge.from_tid, edge.to_tid, edge.edge_type, edge.created_at)
        values = (edge.weight, edge.valid_from, edge.valid_until, edge.source, edge.metadata)
        return str(self._do("edge_change", *values, edge.from_tid, edge.to_tid, edge.edge_type)[0])

    def edge(self, ns: int, edge_id: str) -> Edge:
        """An edge that was just written."""
        row = self._connection.execute(READ["edge_by_id"], (ns, edge_id)).fetchone()
        assert row is not None
        return read_edge(row, self.namespaces()[ns])

    def remove_edge(self, from_tid: int, to_tid: int, edge_type: str) -> str | None:
        """The id of the edge that was removed, or None."""
        found = row(self._connection, READ["edge_find"], (from_tid, to_tid, edge_type))
        if found is None:
            return None
        self._do("edge_delete", found[0])
        return str(found[1])

    def remove_edges(self, tid: int) -> list[str]:
        """Removes every edge that touches a thought; returns their ids."""
        touching = self._rows("edges_of_thought", tid)
        for eid, _ in touching:
            self._do("edge_delete", eid)
        return sorted(edge_id for _, edge_id in touching)

    def sources_state(self, tid: int) -> list[tuple[int, int, int]]:
        """(row id, sources, active sources) of every reflection made from a thought."""
        found = []
        for (reflection,) in self._rows("reflections_of", tid):
            total, active = self._do("active_sources", reflection)
            found.append((reflection, total, active))
        return found

    def sources_of(self, tid: int) -> tuple[int, int]:
        """(sources, active sources) of a reflection."""
        total, active = self._do("active_sources", tid)
        return int(total), int(active)

    def journal(self, entries: Sequence[JournalEntry]) -> list[int]:
        """Appends to the chain; returns the seqs. The namespaces of the entries count as changed."""
        seq, digest = self._last
        values = []
        for entry in entries:
            seq += 1
            digest = link(digest, seq, entry)
            values.append((seq, *entry, digest))
            self._touched[entry.ns] = seq
        insert(self._connection, SQL["journal_add"], values)
        self._last = (seq, digest)
        return [row[0] for row in values]

    def settle(self) -> None:
        """Writes down how far the namespaces are, before anybody looks: once a job, not once a change."""
        for ns, seq in self._touched.items():
            self._do("touch", seq, ns)
        self._touched.clear()

    def state(self, namespace: str) -> NamespaceState:
        self.settle()
        return super().state(namespace)

    def opening(self, namespace: str) -> Opening:
        self.settle()
        return super().opening(namespace)

    def set_meta(self, key: str, value: str) -> None:
        self._do("set_meta", key, value)
