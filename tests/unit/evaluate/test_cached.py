"""A model is asked once per text, also in the next process when there is a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from simonides.embedders import HashingEmbedder
from simonides.evaluate.cached import CachedEmbedder


class Counting(HashingEmbedder):
    """Notes what it is asked, and marks queries."""

    def __init__(self, dimension: int = 8) -> None:
        super().__init__(dimension)
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return super().embed_documents(texts)

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += [f"?{text}" for text in texts]
        return -super().embed_documents(texts)


def test_a_text_is_embedded_once_as_a_document_and_once_as_a_query() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner)
    plain = HashingEmbedder(8).embed_documents(["a", "b"])
    assert np.array_equal(cached.embed_documents(["a", "b", "a"]), plain[[0, 1, 0]])
    assert np.array_equal(cached.embed_documents(["b"]), plain[1:])
    assert np.array_equal(cached.embed_queries(["a", "a"]), -plain[[0, 0]])
    assert inner.asked == ["a", "b", "?a"]
    assert cached.embed_documents([]).shape == (0, 8)
    assert cached.info == inner.info
    assert cached.zero_means_unknown is False


def test_a_file_keeps_the_vectors_per_model(tmp_path: Path) -> None:
    first = CachedEmbedder(Counting(), tmp_path / "new")
    row = first.embed_documents(["a"])
    first.save()
    first.save()
    inner = Counting()
    again = CachedEmbedder(inner, tmp_path / "new")
    assert np.array_equal(again.embed_documents(["a"]), row)
    assert inner.asked == []
    other = CachedEmbedder(Counting(16), tmp_path / "new")
    assert other.embed_documents(["a"]).shape == (1, 16)
    assert len(list((tmp_path / "new").iterdir())) == 1
