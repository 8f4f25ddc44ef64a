"""How do vectors lie in memory, and how are they compared without rounding by place? As eight-bit codes.

A unit row v is kept as round(v · 127 / max|v|) with the factor that undoes it. A query is coded the same way, so
the sums are whole numbers below 2**24 (up to d = 1,040) that float32 holds exactly: a row's value does not depend
on who else is compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BLOCK = 4_096  # rows turned into float32 at a time: they stay in the cache
Codes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]
Index = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Coded:
    """Coded unit rows. codes: (n, d) int8; factors: (n,) float32."""

    codes: Codes
    factors: Floats

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def dimension(self) -> int:
        return int(self.codes.shape[1])

    def rows(self, which: Index | slice) -> Floats:
        """About the unit rows at some places: (m, d) float32."""
        out: Floats = self.codes[which].astype(np.float32)
        out *= self.factors[which][:, None]
        return out

    def pick(self, which: Index) -> Coded:
        return Coded(self.codes[which], self.factors[which])

    def cosines(self, which: Index, query: CodedQuery) -> Floats:
        """Approximate cosines of some rows with a query: (m,) float32, off by about 0.003."""
        out = np.empty(len(which), np.float32)
        for start in range(0, len(which), BLOCK):
            part = which[start : start + BLOCK]
            np.matmul(self.codes[part].astype(np.float32), query.codes, out=out[start : start + BLOCK])
        out *= self.factors[which]
        out *= query.factor
        return out


@dataclass(frozen=True, slots=True)
class CodedQuery:
    """A coded unit row. codes: (d,) float32 whole numbers of at most 127."""

    codes: Floats
    factor: np.float32


def encode(vectors: Floats) -> Coded:
    """Codes of unit rows (n, d) float32; a row of zeros gets codes and a factor of zero."""
    codes = np.empty(vectors.shape, np.int8)
    factors = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK]
        largest = np.abs(block).max(axis=1, initial=0.0)
        scale = 127 / np.where(largest > 0, largest, 1)
        codes[start : start + BLOCK] = np.rint(block * scale[:, None])
        factors[start : start + BLOCK] = largest / 127
    return Coded(codes, factors)


def encode_query(query: Floats) -> CodedQuery:
    """The code of one unit row (d,) float32."""
    largest = float(np.abs(query).max())
    coded = np.rint(query * (127 / (largest or 1.0))).astype(np.float32)
    return CodedQuery(coded, np.float32(largest / 127))


def unit_rows(sums: npt.NDArray[np.floating]) -> Floats:
    """Sums (n, d) as unit rows float32; a sum of zero becomes the first axis, so that no NaN arises."""
    wide = sums.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    out = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 1e-12)
    out[lengths[:, 0] <= 1e-12, 0] = 1.0
    units: Floats = out.astype(np.float32)
    return units
