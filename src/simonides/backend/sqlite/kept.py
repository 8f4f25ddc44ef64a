"""Where in SQLite are packed arrays kept? In parts, which are read straight to where they are used.

A statement would put a body together from its pages and then copy it: three times the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simonides.backend.sqlfile import load
from simonides.backend.sqlite.run import row, rows

if TYPE_CHECKING:
    import apsw

PART_BYTES = 16 << 20
_SQL = load("simonides.backend.sqlite", "kept.sql")


class KeptRows:
    """`KeptReader` and, inside a transaction, `KeptWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def catalogue(self, ns: int) -> tuple[int, bytearray] | None:
        found = rows(self._connection, _SQL["catalogue_parts"], (ns,))
        return (found[0][1], self._body("catalogues", [rowid for rowid, _ in found])) if found else None

    def catalogue_seq(self, ns: int) -> int:
        return int(row(self._connection, _SQL["catalogue_seq"], (ns,))[0])

    def tree(self, ns: int, version: int, epoch: int) -> bytearray | None:
        found = rows(self._connection, _SQL["tree_parts"], (ns, version, epoch))
        return self._body("kept_trees", [rowid for (rowid,) in found]) if found else None

    def has_tree(self, ns: int) -> bool:
        return bool(row(self._connection, _SQL["has_tree"], (ns,))[0])

    def keep_catalogue(self, ns: int, seq: int, body: bytes) -> None:
        self.drop_catalogue(ns)
        self._put("catalogue_keep", (ns, seq), body)

    def drop_catalogue(self, ns: int) -> None:
        self._connection.execute(_SQL["catalogue_drop"], (ns,))

    def keep_tree(self, ns: int, version: int, epoch: int, body: bytes) -> None:
        self._connection.execute(_SQL["tree_drop"], (ns,))
        self._put("tree_keep", (ns, version, epoch), body)

    def _put(self, name: str, head: tuple[int, ...], body: bytes) -> None:
        parts = (body[start : start + PART_BYTES] for start in range(0, len(body), PART_BYTES))
        self._connection.executemany(_SQL[name], ((*head, n, part) for n, part in enumerate(parts)))

    def _body(self, table: str, parts: list[int]) -> bytearray:
        blobs = [self._connection.blob_open("main", table, "columns", rowid, False) for rowid in parts]
        try:
            body = bytearray(sum(blob.length() for blob in blobs))
            at = 0
            for blob in blobs:
                blob.read_into(body, at, blob.length())
                at += blob.length()
            return body
        finally:
            for blob in blobs:
                blob.close()
