"""Where do measured figures stay? One JSON object per line, appended as soon as a cell is done.

A run that was stopped goes on where it was: a cell of the same settings and versions is not measured again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

Row = dict[str, object]


class Kept:
    """The lines of one file. `key` is what makes a cell: equal keys are the same measurement."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: list[Row] = []
        if path.exists():
            self._rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def find(self, key: Row) -> Row | None:
        """The newest line of that key."""
        for row in reversed(self._rows):
            if row["key"] == key:
                return row
        return None

    def add(self, key: Row, figures: Row, versions: dict[str, str]) -> Row:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        row: Row = {"key": key, "at": at, "versions": versions, "figures": figures}
        self._rows.append(row)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        return row
