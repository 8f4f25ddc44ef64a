"""Which systems are timed? Each module has `open(path)` that gives an object with the verbs of `System`."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.speed.corpus import Block

NAMES = ("simonides", "fifty_lines", "engrava_numpy", "engrava_sqlite_vec")
Vector = npt.NDArray[np.float32]


class System(Protocol):
    """A store under test. Searches return ids, best first, ten of them."""

    def store(self, block: Block) -> None: ...
    def hybrid(self, text: str, vector: Vector) -> list[str]: ...
    def text(self, text: str) -> list[str]: ...
    def vector(self, vector: Vector) -> list[str]: ...
    def close(self) -> None: ...


def open_system(name: str, path: str) -> System:
    """Opens a system by name. Raises ImportError when its package is not installed."""
    system: System = import_module(f"benchmarks.speed.systems.{name}").open(path)
    return system
