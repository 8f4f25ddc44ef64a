"""How are texts embedded in tests? By seeded hashing of words: deterministic, instant, without meaning."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from simonides.embedders.port import ModelInfo, Vectors
from simonides.errors import ConfigError

_WORD = re.compile(r"\w+")
_DIMENSION_MAX = 65_536


class HashingEmbedder:
    """Feature hashing of lower-cased words: texts that share words are near, everything else is chance.

    dimension: 2 to 65,536. seed: another seed makes another model. Rows have unit length and are the same on
    every machine and in every process. Never gives a row of zeros. Raises ConfigError on a bad dimension.

    >>> a, b, c = HashingEmbedder(256).embed_documents(["red kite", "a red kite", "blue sea"])
    >>> bool(a @ b > a @ c)
    True
    """

    zero_means_unknown = False
    is_local = True

    def __init__(self, dimension: int = 64, *, seed: int = 0) -> None:
        if not 2 <= dimension <= _DIMENSION_MAX:
            raise ConfigError(f"the hashing embedder's dimension is {dimension}; expected 2..{_DIMENSION_MAX}")
        self._key = seed.to_bytes(8, "little", signed=True)
        self._info = ModelInfo(f"hashing:{dimension}", dimension, f"hashing-v1:seed={seed}")

    @property
    def info(self) -> ModelInfo:
        """Identity: dimension and seed."""
        return self._info

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text. Returns (n, d) float32."""
        out = np.zeros((len(texts), self._info.dimension), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            for word in _WORD.findall(text.lower()):
                self._add(row, word)
            if not row.any():  # no word, or words that cancelled each other out
                self._add(row, f"\0{text}")
        out /= np.sqrt((out * out).sum(axis=1, keepdims=True))
        return out

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Same as `embed_documents`."""
        return self.embed_documents(texts)

    def _add(self, row: Vectors, feature: str) -> None:
        digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8, key=self._key).digest()
        number = int.from_bytes(digest, "little")
        row[(number >> 1) % len(row)] += 1.0 if number & 1 else -1.0
