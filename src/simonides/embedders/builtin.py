"""What does the embedder inside the package do? It looks tokens up in a small table and adds the rows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simonides.errors import EmbeddingError

if TYPE_CHECKING:
    from pathlib import Path

    from simonides.embedders.port import ModelInfo, Vectors
    from simonides.embedders.table import TokenTable
    from simonides.embedders.wordpiece import WordPiece

TABLE = "static-v1.npz"
_TOKENS_PER_STEP = 4_096  # summed at a time: 6 MB at 384 numbers a token


class StaticEmbedder:
    """The built-in embedder: English, no network, no model to install, no limit on the length of a text.

    A text of which more than half of the words are unknown (Chinese, Arabic, …), or without any word, gets a row
    of zeros: the table knows nothing about it. Every other row has unit length. Queries and documents are
    embedded alike. The table (6 MB) is read on first use and stays packed.

    >>> vectors = StaticEmbedder().embed_documents(["my dog is ill", "the puppy feels sick", "stock prices fell"])
    >>> bool(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
    True
    """

    zero_means_unknown = True
    is_local = True

    def __init__(self, path: str | Path | None = None) -> None:
        """path: a table made by `training/embedder` in place of the one in the package."""
        self._path = path
        self._lock = threading.Lock()
        self._loaded: tuple[TokenTable, WordPiece] | None = None

    @property
    def info(self) -> ModelInfo:
        """Identity of the table; reads it on first use. Raises EmbeddingError if it is damaged."""
        return self._load()[0].info

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One unit row, or a row of zeros, per text. Returns (n, d) float32."""
        import numpy as np

        table, tokenizer = self._load()
        out = np.zeros((len(texts), table.info.dimension), dtype=np.float32)
        for start, ids in _steps(tokenizer, texts):
            out[start : start + len(ids)] = table.sums(ids)
        length = np.sqrt((out * out).sum(axis=1, keepdims=True))
        np.divide(out, length, out=out, where=length > 0)
        return out

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Same as `embed_documents`."""
        return self.embed_documents(texts)

    def _load(self) -> tuple[TokenTable, WordPiece]:
        loaded = self._loaded
        if loaded is None:
            with self._lock:
                loaded = self._loaded
                if loaded is None:
                    from simonides.embedders.wordpiece import WordPiece

                    table = load_table(self._path)
                    self._loaded = loaded = (table, WordPiece(table.tokens, symbols_apart=True))
        return loaded


def load_table(path: str | Path | None = None) -> TokenTable:
    """The table in the package, or the one in a file. Raises EmbeddingError if it cannot be read."""
    from pathlib import Path

    from simonides.embedders.table import read_table

    source = Path(__file__).with_name("data") / TABLE if path is None else Path(path)
    try:
        with source.open("rb") as file:
            return read_table(file)
    except OSError as error:
        raise EmbeddingError(f"the embedding table cannot be read: {error}") from error


def _steps(tokenizer: WordPiece, texts: Sequence[str]) -> Iterator[tuple[int, list[list[int]]]]:
    """Consecutive texts with their token ids, about `_TOKENS_PER_STEP` tokens at a time, and the first one's place."""
    start, size, step = 0, 0, list[list[int]]()
    for text in texts:
        ids = tokenizer.ids(text)
        if step and size + len(ids) > _TOKENS_PER_STEP:
            yield start, step
            start, size, step = start + len(step), 0, []
        step.append(ids)
        size += len(ids)
    if step:
        yield start, step
