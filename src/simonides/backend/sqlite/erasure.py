"""How is something erased from the file? Section by section of queries/erasure.sql, one for each table.

A table that is added later adds its section there; nothing here changes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simonides.backend import sqlfile
from simonides.backend.erasure_port import Extent
from simonides.backend.sqlite.predicate import compile_predicate
from simonides.backend.sqlite.run import row, rows

if TYPE_CHECKING:
    import apsw

    from simonides.model.predicate import Predicate

SQL = sqlfile.load("simonides.backend.sqlite", "erasure.sql")
FORGET = tuple(sql for name, sql in SQL.items() if name.startswith("forget_"))
PURGE = tuple(sql for name, sql in SQL.items() if name.startswith("purge_"))
TRACED = 5_000  # questions looked at in one transaction
_LAST_VERSIONS = (
    "FROM thoughts t JOIN versions v ON v.tid = t.tid "
    "AND v.revision = (SELECT max(w.revision) FROM versions w WHERE w.tid = t.tid) WHERE +t.ns = ?"
)


class ErasureRows:
    """`ErasureReader` and, inside a transaction, `ErasureWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def newest(self) -> int:
        return int(row(self._connection, SQL["newest_tid"])[0])

    def where(self, ns: int, predicate: Predicate, after: int, upto: int, limit: int) -> list[int]:
        condition, bindings = compile_predicate(predicate)
        sql = f"SELECT t.tid {_LAST_VERSIONS} AND t.tid > ? AND t.tid <= ? AND {condition} ORDER BY t.tid LIMIT ?"
        return [tid for (tid,) in rows(self._connection, sql, (ns, after, upto, *bindings, limit))]

    def count(self, ns: int, predicate: Predicate) -> int:
        condition, bindings = compile_predicate(predicate)
        return int(row(self._connection, f"SELECT count(*) {_LAST_VERSIONS} AND {condition}", (ns, *bindings))[0])

    def of_ids(self, ns: int, thought_ids: Sequence[str]) -> list[int]:
        return [tid for (tid,) in rows(self._connection, SQL["ids_of"], (ns, json.dumps(list(thought_ids))))]

    def some(self, ns: int, limit: int) -> list[int]:
        return [tid for (tid,) in rows(self._connection, SQL["all_of"], (ns, limit))]

    def names(self, tids: Sequence[int]) -> dict[int, str]:
        return dict(rows(self._connection, SQL["thought_names"], (json.dumps(list(tids)),)))

    def reflections_on(self, ns: int, tids: Sequence[int]) -> list[int]:
        names = json.dumps(list(self.names(tids).values()))
        found = rows(self._connection, SQL["reflections_quoting"], (ns, json.dumps(list(tids)), names))
        return [tid for (tid,) in found]

    def edges_of(self, tids: Sequence[int]) -> list[str]:
        return [name for (name,) in rows(self._connection, SQL["touching_edges"], (json.dumps(list(tids)),))]

    def texts(self, tids: Sequence[int]) -> list[str]:
        return [text for (text,) in rows(self._connection, SQL["texts_of"], (json.dumps(list(tids)),))]

    def erased_since(self, ns: int, seq: int) -> bool:
        return bool(row(self._connection, SQL["erased_since"], (ns, seq))[0])

    def stale_trees(self) -> list[int]:
        return [ns for (ns,) in rows(self._connection, SQL["stale_trees"])]

    def erase(self, ns: int, seq: int, tids: Sequence[int]) -> Extent:
        wanted = json.dumps(list(tids))
        extent = Extent(*row(self._connection, SQL["extent"], (wanted,)))
        values = {"ns": ns, "seq": seq, "tids": wanted, "ids": json.dumps(list(self.names(tids).values()))}
        for sql in FORGET:
            self._connection.execute(sql, values)
        return extent

    def trace(self, after: int) -> int | None:
        upto = after + TRACED
        self._connection.execute(SQL["trace_retrieval_log"], {"after": after, "upto": upto})
        if upto < row(self._connection, SQL["trace_retrieval_log_end"])[0]:
            return upto
        self._connection.execute(SQL["sweep_retrieval_plans"])
        return None

    def end_namespace(self, ns: int) -> None:
        for sql in PURGE:
            self._connection.execute(sql, {"ns": ns})

    def sweep(self) -> None:
        for name in ("sweep_sessions", "sweep_speakers", "optimise_fulltext"):
            self._connection.execute(SQL[name])
