"""What do all remote embedders share? Batches in order, one check of the answer, a dimension learned once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from simonides.embedders.port import Vectors, as_vectors
from simonides.errors import ConfigError

_PROBE = "dimension"


class Batches:
    """Embeds texts batch by batch and remembers the length of the vectors.

    send: texts of one batch → rows, in the order of the texts. source: the model id, for messages.
    dimension: the length if it is known beforehand. Raises ConfigError on a bad batch size or dimension.
    """

    def __init__(
        self, send: Callable[[list[str]], object], *, source: str, batch_size: int, dimension: int | None = None
    ) -> None:
        if batch_size < 1:
            raise ConfigError(f"batch_size is {batch_size}; expected at least 1")
        if dimension is not None and dimension < 1:
            raise ConfigError(f"dimension is {dimension}; expected at least 1")
        self._send, self._source, self._size, self._dimension = send, source, batch_size, dimension
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text. Returns (n, d) float32. Raises EmbeddingError if an answer has a wrong shape."""
        parts = [self._checked(list(texts[at : at + self._size])) for at in range(0, len(texts), self._size)]
        return np.concatenate(parts) if parts else np.zeros((0, self._dimension or 0), dtype=np.float32)

    def dimension(self) -> int:
        """Length of a vector; embeds one word if nothing was embedded yet."""
        if self._dimension is None:
            self._checked([_PROBE])
        assert self._dimension is not None
        return self._dimension

    def _checked(self, texts: list[str]) -> Vectors:
        rows = self._send(texts)
        with self._lock:
            vectors = as_vectors(rows, count=len(texts), dimension=self._dimension, source=self._source)
            self._dimension = vectors.shape[1]
        return vectors
