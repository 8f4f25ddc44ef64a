"""How is a slow model asked only once per text? Vectors are kept in memory and, when wanted, in a file."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simonides.embedders.port import Embedder, ModelInfo, Vectors

_DIGEST_BYTES = 16


class CachedEmbedder:
    """An embedder that asks another one only for texts it has not seen; documents and queries are kept apart.

    folder: where vectors outlive the process, in one file per model; None keeps them in memory. `save` writes it.
    """

    def __init__(self, inner: Embedder, folder: Path | None = None) -> None:
        self._inner = inner
        self._known: dict[bytes, np.ndarray] = {}
        self._fresh = 0
        self._file: Path | None = None
        if folder is not None:
            info = inner.info
            name = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{info.model_id}-{info.fingerprint[:16]}-{info.dimension}")
            self._file = folder / f"{name}.npz"
            self._load()

    @property
    def info(self) -> ModelInfo:
        """Identity of the other embedder."""
        return self._inner.info

    @property
    def zero_means_unknown(self) -> bool:
        """As the other embedder says."""
        return self._inner.zero_means_unknown

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text: (n, d) float32."""
        return self._embed(b"d", texts, self._inner.embed_documents)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One row per text: (n, d) float32."""
        return self._embed(b"q", texts, self._inner.embed_queries)

    def save(self) -> None:
        """Write the file if there is one and something new. It is replaced in one step."""
        if self._file is None or not self._fresh:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        keys = np.frombuffer(b"".join(self._known), np.uint8).reshape(-1, _DIGEST_BYTES)
        partial = self._file.with_suffix(".partial.npz")
        np.savez(partial, keys=keys, rows=np.stack(list(self._known.values())))
        os.replace(partial, self._file)
        self._fresh = 0

    def _load(self) -> None:
        if self._file is not None and self._file.is_file():
            with np.load(self._file, allow_pickle=False) as stored:
                keys, rows = stored["keys"], stored["rows"]
            self._known = {key.tobytes(): row for key, row in zip(keys, rows, strict=True)}

    def _embed(self, kind: bytes, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
        keys = [_key(kind, text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            for key, row in zip(missing, embed(list(missing.values())), strict=True):
                self._known[key] = np.asarray(row, np.float32)
            self._fresh += len(missing)
        if not keys:
            return np.zeros((0, self.info.dimension), np.float32)
        return np.stack([self._known[key] for key in keys])


def _key(kind: bytes, text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES, person=kind).digest()
