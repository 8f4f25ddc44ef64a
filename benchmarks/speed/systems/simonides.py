"""Simonides with vectors given by the caller, journal, retrieval log and both indexes on."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

import simonides
from benchmarks.speed.corpus import Block
from benchmarks.speed.systems import Vector

PACKAGES = ("simonides", "apsw", "numpy", "simsimd", "PyStemmer")
NOTE = "`recall`, `search_fts`, `search_similar`; default settings, journal and retrieval log on"


class Simonides:
    def __init__(self, path: str) -> None:
        self._store = simonides.open(path, embedder=False)
        self._stages: dict[str, list[float]] = defaultdict(list)

    def store(self, block: Block) -> None:
        rows = zip(block.ids, block.texts, block.vectors, strict=True)
        self._store.remember_many([simonides.Draft(content=t, thought_id=i, vector=v) for i, t, v in rows])

    def hybrid(self, text: str, vector: Vector) -> list[str]:
        answer = self._store.recall(text, query_vector=vector)
        for stage, seconds in answer.timings.items():
            self._stages[stage].append(seconds * 1e3)
        return [hit.thought_id for hit in answer.hits]

    def text(self, text: str) -> list[str]:
        return [name for name, _ in self._store.search_fts(text)]

    def vector(self, vector: Vector) -> list[str]:
        return [name for name, _ in self._store.search_similar(vector)]

    def stages(self) -> dict[str, float]:
        """Median milliseconds of each stage of the hybrid questions so far; then counting starts anew."""
        found = {stage: round(median(times), 3) for stage, times in self._stages.items()}
        self._stages.clear()
        return found

    def close(self) -> None:
        self._store.close()


def open(path: str, dimension: int) -> Simonides:
    return Simonides(path)
