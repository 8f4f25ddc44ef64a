"""Chroma, persistent: vectors through its HNSW index. It filters by words but does not rank by them."""

from __future__ import annotations

import chromadb
from chromadb.config import Settings

from benchmarks.speed.corpus import Block
from benchmarks.speed.systems import Vector

PACKAGES = ("chromadb",)
NOTE = "`PersistentClient`, cosine, default HNSW; it has no ranking by words, so no text and no hybrid questions"


class Chroma:
    def __init__(self, path: str) -> None:
        self._client = chromadb.PersistentClient(path, Settings(anonymized_telemetry=False))
        self._notes = self._client.get_or_create_collection(
            "notes", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        self._at_once = self._client.get_max_batch_size()

    def store(self, block: Block) -> None:
        for start in range(0, len(block.ids), self._at_once):
            part = slice(start, start + self._at_once)
            self._notes.add(ids=block.ids[part], documents=block.texts[part], embeddings=block.vectors[part])

    def vector(self, vector: Vector) -> list[str]:
        return self._notes.query(query_embeddings=[vector], n_results=10, include=["documents"])["ids"][0]

    def close(self) -> None:
        pass


def open(path: str, dimension: int) -> Chroma:
    return Chroma(path)
