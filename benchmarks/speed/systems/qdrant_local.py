"""Qdrant's local mode: dense vectors, words as sparse vectors with its inverse document frequencies, its own fusion."""

from __future__ import annotations

import re
import uuid
import warnings
from collections import Counter
from zlib import crc32

from qdrant_client import QdrantClient, models

from benchmarks.speed.corpus import Block
from benchmarks.speed.systems import FUSED, Vector

PACKAGES = ("qdrant-client",)
NOTE = "`QdrantClient(path=…)`; words as sparse vectors with `Modifier.IDF`, fused by `FusionQuery`; exact scans"
warnings.filterwarnings("ignore", message="Local mode is not recommended")


def words(text: str) -> models.SparseVector:
    counts = Counter(crc32(word.encode()) for word in re.findall(r"\w+", text.lower()))
    return models.SparseVector(indices=[*counts], values=[n * 2.2 / (n + 1.2) for n in counts.values()])


class Qdrant:
    def __init__(self, path: str, dimension: int) -> None:
        self._client = QdrantClient(path=path)
        if not self._client.collection_exists("notes"):
            self._client.create_collection(
                "notes",
                vectors_config={"dense": models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
                sparse_vectors_config={"words": models.SparseVectorParams(modifier=models.Modifier.IDF)},
            )

    def store(self, block: Block) -> None:
        points = [
            models.PointStruct(
                id=str(uuid.uuid5(uuid.NAMESPACE_OID, name)),
                vector={"dense": row.tolist(), "words": words(text)},
                payload={"id": name, "text": text},
            )
            for name, text, row in zip(block.ids, block.texts, block.vectors, strict=True)
        ]
        self._client.upsert("notes", points)

    def _ids(self, **query: object) -> list[str]:
        return [point.payload["id"] for point in self._client.query_points("notes", limit=10, **query).points]

    def text(self, text: str) -> list[str]:
        return self._ids(query=words(text), using="words")

    def vector(self, vector: Vector) -> list[str]:
        return self._ids(query=vector.tolist(), using="dense")

    def hybrid(self, text: str, vector: Vector) -> list[str]:
        legs = [
            models.Prefetch(query=words(text), using="words", limit=FUSED),
            models.Prefetch(query=vector.tolist(), using="dense", limit=FUSED),
        ]
        return self._ids(prefetch=legs, query=models.FusionQuery(fusion=models.Fusion.RRF))

    def close(self) -> None:
        self._client.close()


def open(path: str, dimension: int) -> Qdrant:
    return Qdrant(path, dimension)
