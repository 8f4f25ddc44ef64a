"""Which systems are timed? One module each: `open(path, dimension)` gives an object with verbs of `System`.

A module imports its package at the top, so that importing is over before a clock runs. `PACKAGES` are the
distributions whose versions are reported, `NOTE` says how the system is used. A verb that a system does not have is
left out of its class.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.speed.corpus import Block

NAMES = (
    "simonides",
    "fifty_lines",
    "engrava_numpy",
    "engrava_sqlite_vec",
    "lancedb_flat",
    "lancedb_ivf",
    "chroma",
    "qdrant_local",
    "sqlite_vec_rrf",
    "tantivy_text",
    "bm25s_text",
)
MAIN = ("simonides", "fifty_lines", "engrava_numpy", "lancedb_flat", "sqlite_vec_rrf")
FUSED = 50  # candidates of each leg, for who fuses by hand
RRF_K = 60
Vector = npt.NDArray[np.float32]


class System(Protocol):
    """A store under test. Searches return ids, best first, ten of them."""

    def store(self, block: Block) -> None: ...
    def finish(self) -> None:
        """What has to be built once all rows are there; optional."""
        ...

    def hybrid(self, text: str, vector: Vector) -> list[str]: ...
    def text(self, text: str) -> list[str]: ...
    def vector(self, vector: Vector) -> list[str]: ...
    def close(self) -> None: ...


def load(name: str) -> ModuleType:
    """The module of a system. Raises ImportError when its package is not installed."""
    return import_module(f"benchmarks.speed.systems.{name}")


def fuse(*legs: list[str]) -> list[str]:
    """Reciprocal rank fusion of ranked ids: the best ten."""
    points: dict[str, float] = {}
    for leg in legs:
        for place, name in enumerate(leg, 1):
            points[name] = points.get(name, 0.0) + 1 / (RRF_K + place)
    return sorted(points, key=lambda name: (-points[name], name))[:10]
