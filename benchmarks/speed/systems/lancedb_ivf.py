"""LanceDB with its default vector index, an inverted file of product codes."""

from __future__ import annotations

from benchmarks.speed.systems.lancedb_flat import PACKAGES as PACKAGES
from benchmarks.speed.systems.lancedb_flat import Lance

NOTE = "the same with its default vector index (`create_index()`: IVF_PQ, default probes, no refining)"


def open(path: str, dimension: int) -> Lance:
    return Lance(path, dimension, ivf=True)
