"""Simonides with vectors given by the caller, journal and both indexes on."""

from __future__ import annotations

import simonides
from benchmarks.speed.corpus import Block
from benchmarks.speed.systems import Vector


class Simonides:
    def __init__(self, path: str) -> None:
        self._store = simonides.open(path, embedder=False)

    def store(self, block: Block) -> None:
        rows = zip(block.ids, block.texts, block.vectors, strict=True)
        self._store.remember_many([simonides.Draft(content=t, thought_id=i, vector=v) for i, t, v in rows])

    def hybrid(self, text: str, vector: Vector) -> list[str]:
        return [hit.thought_id for hit in self._store.recall(text, query_vector=vector).hits]

    def text(self, text: str) -> list[str]:
        return [name for name, _ in self._store.search_fts(text)]

    def vector(self, vector: Vector) -> list[str]:
        return [name for name, _ in self._store.search_similar(vector)]

    def close(self) -> None:
        self._store.close()


def open(path: str) -> Simonides:
    return Simonides(path)
