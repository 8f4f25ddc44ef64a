"""Where in SQLite are the vectors of the model to come, and how do they take the old ones' place?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simonides.backend import sqlfile
from simonides.backend.renewal_port import Unrenewed
from simonides.backend.sqlite.run import row, rows

if TYPE_CHECKING:
    import apsw

SQL = sqlfile.load("simonides.backend.sqlite", "renewal.sql")
SWITCH = tuple(sql for name, sql in SQL.items() if name.startswith("switch_"))


class RenewalRows:
    """`RenewalReader` and, inside a transaction, `RenewalWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def todo(self, after_pid: int, limit: int) -> list[Unrenewed]:
        found = rows(self._connection, SQL["todo"], (after_pid, limit))
        return [Unrenewed(pid, content[start:stop]) for pid, start, stop, content in found]

    def progress(self) -> tuple[int, int]:
        total, done = row(self._connection, SQL["progress"])
        return int(total), int(done)

    def total(self) -> int:
        return int(row(self._connection, SQL["total"])[0])

    def sizes(self) -> dict[int, int]:
        return {int(ns): int(count) for ns, count in rows(self._connection, SQL["sizes"])}

    def page(self, ns: int, after_pid: int, limit: int) -> list[tuple[int, bytes]]:
        return rows(self._connection, SQL["page"], (ns, after_pid, limit))

    def put(self, vectors: Sequence[tuple[int, bytes]]) -> None:
        self._connection.executemany(SQL["put"], ({"pid": pid, "vector": vector} for pid, vector in vectors))

    def clear(self) -> None:
        self._connection.execute(SQL["clear"])

    def switch(self) -> None:
        for sql in SWITCH:
            self._connection.execute(sql)
