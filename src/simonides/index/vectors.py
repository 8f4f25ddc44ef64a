"""How are vectors scanned fast and compared exactly? Eight-bit codes in memory, float32 rows for the few that matter.

Scanning codes reads a quarter of the bytes of float32 in less than half of its time; the candidates it finds are
compared again in float64. Their float32 rows are read from the file, or kept as well while they are few bytes.
See `topics/codes.py` for the codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from simonides.topics.codes import Coded, CodedQuery, Codes, encode, products, scaled

if TYPE_CHECKING:
    from simonides.backend.rows import Ints

WHOLE_MAX = 32 << 20  # bytes of float32 rows up to which a namespace keeps them beside the codes
DECIMALS = 12  # of a cosine: BLAS sums in an order that depends on the shape
Scores = npt.NDArray[np.float64]


class VectorTable:
    """The vectors of one namespace at one seq. rows: ordinals (m,) int64 in the catalogue, aligned with codes.

    Never changes; `extend` gives another that shares the buffers.
    """

    __slots__ = ("_codes", "_factors", "_rows", "_whole", "dimension", "generation", "places", "seq", "size")

    def __init__(self, dimension: int, generation: int, seq: int = 0) -> None:
        """No vectors yet, and none wanted that were stored up to a seq."""
        self.dimension = dimension
        self.generation = generation
        self.seq = seq
        self.size = 0
        self._codes: Codes = np.empty((0, dimension), np.int8)
        self._factors: npt.NDArray[np.float32] = np.empty(0, np.float32)
        self._rows: Ints = np.empty(0, np.int64)
        self._whole: npt.NDArray[np.float32] | None = np.empty((0, dimension), np.float32)
        self.places: npt.NDArray[np.int32] = np.full(1, -1, np.int32)

    @property
    def rows(self) -> Ints:
        return self._rows[: self.size]

    def extend(self, ordinals: Ints, vectors: npt.NDArray[np.float32], catalogue_size: int, seq: int) -> VectorTable:
        """With more vectors (m, d) at ordinals (m,).

        `places` (n + 1,) maps an ordinal to its row: −1 without a vector and for the ordinal n, "none".
        """
        new = VectorTable(self.dimension, self.generation)
        new.seq, new.size = seq, self.size + len(ordinals)
        new._codes = _grown(self._codes, self.size, new.size)
        new._factors = _grown(self._factors, self.size, new.size)
        new._rows = _grown(self._rows, self.size, new.size)
        coded = encode(vectors)
        new._codes[self.size : new.size] = coded.codes
        new._factors[self.size : new.size] = coded.factors
        new._rows[self.size : new.size] = ordinals
        new._whole = None
        if self._whole is not None and new.size * self.dimension * 4 <= WHOLE_MAX:
            new._whole = _grown(self._whole, self.size, new.size)
            new._whole[self.size : new.size] = vectors
        new.places = np.full(catalogue_size + 1, -1, np.int32)
        new.places[: len(self.places) - 1] = self.places[:-1]
        new.places[ordinals] = np.arange(self.size, new.size, dtype=np.int32)
        return new

    def apart(self) -> VectorTable:
        """The same vectors in buffers without spare room: extending it copies."""
        new = VectorTable(self.dimension, self.generation, self.seq)
        new.size = self.size
        new._codes, new._factors = self._codes[: self.size], self._factors[: self.size]
        new._rows, new.places = self._rows[: self.size], self.places
        new._whole = None if self._whole is None else self._whole[: self.size]
        return new

    def row(self, ordinal: int) -> CodedQuery | None:
        """The coded row of an ordinal, to ask with; None without a vector."""
        place = int(self.places[ordinal])
        return None if place < 0 else CodedQuery(self._codes[place], self._factors[place])

    def exactly(self, ordinals: Ints, query: npt.NDArray[np.float32]) -> Scores | None:
        """Exact cosines for some ordinals, NaN without a vector; None when the rows are not kept."""
        if self._whole is None:
            return None
        places = self.places[ordinals]
        out = np.full(len(places), np.nan)
        has = places >= 0
        out[has] = exact(self._whole[places[has]], query)
        return out

    def some(self, ordinals: npt.NDArray[np.integer], query: CodedQuery) -> npt.NDArray[np.float64]:
        """`scan` for some ordinals only: (k,) float64, NaN without a vector and for the ordinal n, "none"."""
        places = self.places[ordinals]
        out = np.full(len(places), np.nan)
        has = places >= 0
        out[has] = Coded(self._codes, self._factors).cosines(places[has], query)
        return out

    def scan(self, query: CodedQuery) -> npt.NDArray[np.float32]:
        """Approximate cosines of every row with a coded query: (m,) float32, off by about 0.003.

        A row's value does not depend on its place or on who else is there.
        """
        return scaled(products(self._codes[: self.size], query), self._factors[: self.size], query)


def exact(vectors: npt.NDArray[np.float32], query: npt.NDArray[np.float32]) -> Scores:
    """Cosines of unit rows (m, d) with a unit query (d,), row by row in float64, rounded to 12 digits."""
    wide = vectors.astype(np.float64)
    products = wide * query.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1))
    length = np.sqrt(float(query.astype(np.float64) @ query))
    return np.asarray(np.round(products.sum(axis=1) / lengths / length, DECIMALS))


def _grown(buffer: npt.NDArray[Any], used: int, size: int) -> npt.NDArray[Any]:
    if len(buffer) >= size:
        return buffer
    grown = np.empty((max(size, len(buffer) * 3 // 2 + 64), *buffer.shape[1:]), buffer.dtype)
    grown[:used] = buffer[:used]
    return grown
