"""Which rows of a store can be recognised on the pages of a damaged file? By their number and kinds of columns.

What was erased later, as the journal says, is not taken from there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import apsw

from simonides.backend.sqlite.pages import Pages, Row

# Columns. An edge has as many as a thought, a session as many as a namespace.
VERSION, THOUGHT, JOURNAL, SPACE, SPEAKER = 29, 12, 10, 5, 3
CONFIDENCE = 15  # a fraction, which SQLite stores as a whole number where it is one


@dataclass(slots=True)
class Leaves:
    """By row id, as the statements of salvage.sql give them."""

    versions: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    namespaces: dict[int, str] = field(default_factory=dict)
    sessions: dict[int, str] = field(default_factory=dict)
    speakers: dict[int, str] = field(default_factory=dict)
    _heads: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    _edges: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    _erased: dict[tuple[int, str], int] = field(default_factory=dict)

    def version(self, vid: int) -> list[tuple[Any, ...]]:
        """One row, or none."""
        found = self.versions.get(vid)
        return [] if found is None or self._was_erased(found) else [found]

    def head(self, tid: int) -> list[tuple[Any, ...]]:
        """One row, or none."""
        found = self._heads.get(tid)
        return [] if found is None else [found]

    def edges(self) -> list[tuple[Any, ...]]:
        """Those whose ends are there."""
        found = []
        for ns, edge_id, one, other, *values in self._edges.values():
            if one in self._heads and other in self._heads:
                found.append((ns, edge_id, self._heads[one][2], self._heads[other][2], *values))
        return found

    def take(self, row: Row) -> None:
        """A row of any table."""
        values, count = row.values, len(row.values)
        kinds = tuple(type(value) for value in values[1:6])
        if count == VERSION and isinstance(values[9], str):
            made = (values[1], *values[3:7], values[28], *values[7:28])
            self.versions[row.rowid] = _fraction(made, 6 + CONFIDENCE)
        elif count == THOUGHT and kinds == (int, str, int, int, int):
            self._heads[row.rowid] = (row.rowid, *values[1:])
        elif count == THOUGHT and kinds == (int, str, int, int, str):
            self._edges[row.rowid] = _fraction(values[1:], 5)
        elif count == JOURNAL and values[5] == "thought.erased" and isinstance(values[2], int):
            self._erased[values[2], str(values[6])] = row.rowid
        elif count == SPACE and kinds == (str, int, int, int):
            self.namespaces[row.rowid] = str(values[1])
        elif count == SPACE and kinds[:3] == (int, str, int):
            self.sessions[row.rowid] = str(values[2])
        elif count == SPEAKER and kinds == (int, str):
            self.speakers[row.rowid] = str(values[2])

    def _was_erased(self, version: tuple[Any, ...]) -> bool:
        head = self._heads.get(version[0])
        return head is not None and self._erased.get((head[1], head[2]), 0) > version[2]


def read_leaves(path: str) -> Leaves:
    """Read as SQLite reads: closing a file by oneself drops the locks this process has on it."""
    found = Leaves()
    file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        for row in Pages(file.xRead, os.path.getsize(path)).rows():
            found.take(row)
    finally:
        file.xClose()
    return found


def _fraction(values: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    value = values[at]
    return (*values[:at], None if value is None else float(value), *values[at + 1 :])
