"""How does one snapshot show the store as it was at an instant? The same reads, over the versions of then.

Passages, postings and vectors of ended versions are in no index; who asks makes them again and stocks them here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import apsw

from simonides.backend.rows import Ints, Neighbour, PassageRow, Relation
from simonides.backend.sqlite.edges import read_edge
from simonides.backend.sqlite.history import SQL
from simonides.backend.sqlite.run import named, rows
from simonides.backend.sqlite.snapshot import SQL as READ
from simonides.backend.sqlite.snapshot import SqliteSnapshot

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from simonides.backend.history_port import PastPassage
    from simonides.model.edge import Edge
    from simonides.model.thought import Thought

Floats: TypeAlias = "npt.NDArray[np.float32]"
NOW = "v.recorded_to IS NULL"
_FULLTEXT = """CREATE VIRTUAL TABLE fulltext USING fts5 (
  content, essence, content_more, essence_more, content = '', tokenize = "ascii tokenchars '_'")"""


class PastView(SqliteSnapshot):
    """`Past`: reads inside the same read transaction as the snapshot that it was made from."""

    _labels = "labels_then"

    def __init__(self, connection: apsw.Connection, at: int) -> None:
        super().__init__(connection)
        self._at = int(at)
        then = f"v.recorded_from <= {self._at} AND (v.recorded_to IS NULL OR v.recorded_to > {self._at})"
        self._from_sql = SqliteSnapshot._from_sql.replace(NOW, then)
        self._with_sql = f"WITH labels_then AS ({self._filled('with_labels')})\n"
        self._thought_sql = self._thoughts_with(then)
        self._edges_sql = f"WITH edges_then AS ({self._filled('with_edges')})\n"
        self._stocked: dict[int, PastPassage] = {}
        self._words: apsw.Connection | None = None

    def _filled(self, name: str) -> str:
        """A statement with the instant in it: a whole number, so nothing has to be quoted."""
        return SQL[name].replace(":at", str(self._at))

    def _thoughts_with(self, condition: str) -> str:
        """The thoughts of versions that satisfy a condition, with the labels of the instant."""
        sql = SqliteSnapshot._thought_sql.replace(NOW, condition).replace("FROM labels l", "FROM labels_then l")
        return self._with_sql + sql

    def stock(self, passages: Sequence[PastPassage]) -> None:
        """Takes passages that were made again; their pids are above every stored one."""
        self._stocked = {passage.pid: passage for passage in passages}
        self._words = None

    def version_of(self, ns: int, tid: int, vid: int) -> Thought:
        """One version as a thought, with the labels of this instant."""
        kept, self._thought_sql = self._thought_sql, self._thoughts_with(f"v.vid = {int(vid)}")
        try:
            return self.thoughts(ns, [tid])[0].thought
        finally:
            self._thought_sql = kept

    def _labels_at(self, tids: Sequence[int]) -> list[tuple[int, str, str]]:
        return named(self._connection, SQL["labels_then"], {"tids": json.dumps(list(tids)), "at": self._at})

    def speakers(self, ns: int) -> dict[int, str]:
        return dict(named(self._connection, SQL["speakers_then"], {"ns": ns, "at": self._at}))

    def tids_of(self, ns: int, thought_ids: Sequence[str]) -> dict[str, int]:
        values: dict[str, str | int] = {"ns": ns, "ids": json.dumps(list(thought_ids)), "at": self._at}
        return dict(named(self._connection, SQL["tids_then"], values))

    def newest_cycle(self, ns: int) -> int:
        [(found,)] = named(self._connection, SQL["newest_cycle_then"], {"ns": ns, "at": self._at})
        return int(found or 0)

    def label_counts(self, ns: int, kind: str) -> dict[str, int]:
        sql = self._with_sql + READ["label_counts"].replace("FROM labels l", "FROM labels_then l")
        return dict(rows(self._connection, sql, (ns, kind)))

    def edges(self, ns: int, tid: int | None, limit: int, edge_type: str | None) -> list[Edge]:
        values = (ns, limit, edge_type) if tid is None else (ns, tid, limit, edge_type)
        name = "edges_all" if tid is None else "edges_of"
        namespace = self.namespaces().get(ns, "")
        return [read_edge(found, namespace) for found in self._over_edges(name, values)]

    def neighbours(self, tids: Sequence[int], limit: int, holds_at: int | None = None) -> list[Neighbour]:
        return [Neighbour(*v) for v in self._over_edges("neighbours", (json.dumps(list(tids)), limit, holds_at))]

    def has_meaning(self, ns: int) -> bool:
        """Edges of then may be gone: the index of today's says nothing."""
        return True

    def related(
        self, tids: Sequence[int], reaching: Sequence[str], leaving: Sequence[str], limit: int
    ) -> tuple[list[Relation], list[Relation]]:
        ends = (json.dumps(list(tids)), json.dumps(reaching), json.dumps(leaving), limit)
        found = [(bool(incoming), Relation(*values)) for incoming, *values in self._over_edges("related", ends)]
        return [row for incoming, row in found if incoming], [row for incoming, row in found if not incoming]

    def relations(self, tids: Sequence[int], types: Sequence[str], *, incoming: bool, limit: int) -> list[Relation]:
        name = "incoming" if incoming else "outgoing"
        values = (json.dumps(list(tids)), json.dumps(list(types)), limit)
        return [Relation(*found) for found in self._over_edges(name, values)]

    def _over_edges(self, name: str, values: Sequence[Any]) -> list[Any]:
        sql = READ[name].replace("FROM edges e", "FROM edges_then e").replace("JOIN edges e", "JOIN edges_then e")
        return rows(self._connection, self._edges_sql + sql, values)

    def tokens_of(self, pids: Sequence[int]) -> list[tuple[int, bytes]]:
        return super().tokens_of(self._stored(pids)) + [(p.pid, p.tokens) for p in self._made(pids)]

    def passages_of(self, pids: Sequence[int]) -> list[PassageRow]:
        made = [PassageRow(p.pid, p.tid, p.part, p.start, p.stop) for p in self._made(pids)]
        return super().passages_of(self._stored(pids)) + made

    def passage_text(self, pid: int) -> str | None:
        made = self._stocked.get(pid)
        return super().passage_text(pid) if made is None else made.text

    def vectors_of(self, pids: Sequence[int], dimension: int) -> tuple[Ints, Floats]:
        import numpy as np

        found, vectors = super().vectors_of(self._stored(pids), dimension)
        made = [(p.pid, p.vector) for p in self._made(pids) if p.vector is not None]
        if not made:
            return found, vectors
        more = np.frombuffer(b"".join(vector for _, vector in made), np.float32).reshape(len(made), dimension)
        return np.concatenate([found, np.array([pid for pid, _ in made], np.int64)]), np.concatenate([vectors, more])

    def match(self, expression: str) -> Ints | None:
        """The passages of now and of then that an expert query finds, ascending; which of them count is not said."""
        import numpy as np

        found = super().match(expression)
        if found is None or not self._stocked:
            return found
        if self._words is None:
            self._words = apsw.Connection(":memory:")
            self._words.execute(_FULLTEXT)
            add = "INSERT INTO fulltext (rowid, content, essence, content_more, essence_more) VALUES (?, ?, ?, ?, ?)"
            self._words.executemany(add, ((p.pid, *p.columns) for p in self._stocked.values()))
        made = [pid for (pid,) in rows(self._words, READ["match"], (expression,))]
        return np.concatenate([found, np.array(made, np.int64)])

    def _stored(self, pids: Sequence[int]) -> list[int]:
        return [pid for pid in pids if pid not in self._stocked]

    def _made(self, pids: Sequence[int]) -> list[PastPassage]:
        return [self._stocked[pid] for pid in pids if pid in self._stocked]
