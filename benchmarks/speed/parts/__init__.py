"""Parts of Simonides measured by themselves. Each module has `measure(folder)`, which gives a `Table`.

`python -m benchmarks.speed.parts NAME FOLDER` runs one and prints it as one JSON object on the last line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

PARTS = ("growth", "writes", "bulk", "words", "asynchronous", "embedding", "imports", "profile")


@dataclass(frozen=True, slots=True)
class Table:
    """What a part found. The first column is text. figures: single values that goals are compared with."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    figures: dict[str, float] = field(default_factory=dict)


def measure(name: str, folder: Path) -> Table:
    found: Table = import_module(f"benchmarks.speed.parts.{name}").measure(folder)
    return found
