"""What does a token mean? A packed table with one row of numbers per known token.

The file (`.npz`, uncompressed) holds: `tokens` (UTF-8, one token a line, the reference vocabulary first),
`reference_size`, `has_row` (bit per token), `nibbles` ((rows, d/2) uint8: two 4-bit values a byte, low half first,
each value + 8), `scale` ((rows,) float16), `dimension` and `model_id`.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np
import numpy.typing as npt

from simonides.embedders.port import ModelInfo, Vectors
from simonides.embedders.wordpiece import UNKNOWN
from simonides.errors import EmbeddingError

_HASHED = ("tokens", "reference_size", "has_row", "nibbles", "scale", "dimension", "model_id")
# Byte → the two values it packs, as one complex number so that a single gather unpacks a row.
_PAIRS = np.array([complex((byte & 15) - 8, (byte >> 4) - 8) for byte in range(256)], dtype=np.complex64)


@dataclass(frozen=True, slots=True, eq=False)
class TokenTable:
    """Rows stay packed in memory; only those that a text needs are unpacked.

    tokens: the vocabulary, reference tokens first. reference_size: how many those are.
    row_of: (len(tokens) + 2,) int32, -1 where a token has no row. The last two serve `UNKNOWN` and `UNKNOWN_SYMBOL`.
    is_word: same length, bool: the token has a letter or a digit. `UNKNOWN` counts as a word.
    nibbles: (rows, d/2) uint8. scale: (rows,) float32.
    """

    tokens: tuple[str, ...]
    reference_size: int
    row_of: npt.NDArray[np.int32]
    is_word: npt.NDArray[np.bool_]
    nibbles: npt.NDArray[np.uint8]
    scale: npt.NDArray[np.float32]
    info: ModelInfo

    def sums(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """Sum of the rows of each text's tokens, or zeros for a text the table cannot judge.

        texts: token ids per text, with `UNKNOWN` and `UNKNOWN_SYMBOL`. Returns (n, d) float32.
        A text is judged if it has a word and at most half of its word tokens lack a row. The sum of a text
        does not depend on the texts beside it.
        """
        out = np.zeros((len(texts), self.info.dimension), dtype=np.float32)
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        ids = np.fromiter((token for text in texts for token in text), dtype=np.int64, count=int(lengths.sum()))
        owner = np.repeat(np.arange(len(texts)), lengths)
        rows, word = self.row_of[ids], self.is_word[ids]
        words = np.bincount(owner, weights=word, minlength=len(texts))
        lacking = np.bincount(owner, weights=word & (rows < 0), minlength=len(texts))
        judged = (words > 0) & (2 * lacking <= words)
        keep = (rows >= 0) & judged[owner]
        rows, owner = rows[keep], owner[keep]
        if len(rows):
            first = np.flatnonzero(np.diff(owner, prepend=-1))
            distinct, place = np.unique(rows, return_inverse=True)  # each row is unpacked once
            out[owner[first]] = np.add.reduceat(self.unpack(distinct)[place], first, axis=0)
        return out

    def unpack(self, rows: npt.NDArray[np.int32]) -> Vectors:
        """The numbers of some rows. rows: (m,) row numbers → (m, d) float32."""
        values: Vectors = _PAIRS[self.nibbles[rows]].view(np.float32)
        values *= self.scale[rows, None]
        return values


def read_table(file: IO[bytes]) -> TokenTable:
    """Read a packed table. Raises EmbeddingError if the file is not one or its parts do not fit together."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            part = {name: archive[name] for name in _HASHED}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise EmbeddingError(f"the embedding table cannot be read: {error}", hint="reinstall simonides") from error
    dimension, size = int(part["dimension"]), int(part["reference_size"])
    tokens = tuple(part["tokens"].tobytes().decode().split("\n"))
    has_row = np.unpackbits(part["has_row"], count=len(tokens)).astype(bool)
    count = int(has_row.sum())
    if part["nibbles"].shape != (count, dimension // 2) or part["scale"].shape != (count,) or size > len(tokens):
        raise EmbeddingError(f"the embedding table is damaged: {count} rows of {dimension} were expected")
    row_of = np.full(len(tokens) + 2, -1, dtype=np.int32)
    row_of[:-2][has_row] = np.arange(count, dtype=np.int32)
    is_word = np.zeros(len(tokens) + 2, dtype=np.bool_)
    is_word[:-2] = [token.isalnum() or any(map(str.isalnum, token)) for token in tokens]
    is_word[UNKNOWN] = True
    info = ModelInfo(part["model_id"].tobytes().decode(), dimension, fingerprint(part))
    return TokenTable(tokens, size, row_of, is_word, part["nibbles"], part["scale"].astype(np.float32), info)


def fingerprint(part: dict[str, npt.NDArray[np.generic]]) -> str:
    """SHA-256 over the contents of a table file, independent of how the archive was written."""
    digest = hashlib.sha256()
    for name in _HASHED:
        array = np.ascontiguousarray(part[name])
        digest.update(f"{name}:{array.dtype.str}:{array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
