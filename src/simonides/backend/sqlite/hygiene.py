"""How does SQLite find what may be forgotten?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simonides.backend import sqlfile
from simonides.backend.hygiene_port import AgedRow, ShelvedRow
from simonides.backend.sqlite.run import row, rows

if TYPE_CHECKING:
    import apsw

SQL = sqlfile.load("simonides.backend.sqlite", "hygiene.sql")


class HygieneRows:
    """`HygieneReader`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _all(self, name: str, *values: object) -> list[Any]:
        return rows(self._connection, SQL[name], values)

    def living(self, ns: int, now: int) -> int:
        return int(row(self._connection, SQL["living"], (ns, now))[0])

    def cold(self, ns: int, before: int, now: int, after_tid: int, limit: int) -> list[AgedRow]:
        return [AgedRow(*found) for found in self._all("cold", ns, before, now, after_tid, limit)]

    def shelved(self, ns: int, reason: str, after_tid: int, limit: int) -> list[ShelvedRow]:
        return [ShelvedRow(*found) for found in self._all("shelved", ns, reason, after_tid, limit)]

    def expired(self, ns: int, before: int, *, archived: bool, limit: int) -> list[ShelvedRow]:
        return [ShelvedRow(*found) for found in self._all("expired", ns, before, archived, limit)]
