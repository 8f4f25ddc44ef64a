"""How do vectors lie in memory, and how are they compared without rounding by place? As eight-bit codes.

A unit row v is kept as round(v · 127 / max|v|) with the factor that undoes it. A query is coded the same way, so
the sums are whole numbers, added without rounding: a row's value does not depend on who else is compared. The sums are
SimSIMD's, whose eight-bit kernels read a quarter of the bytes of float32 (docs/adr/0007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

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
        return scaled(products(self.codes[which], query), self.factors[which], query)

    def everything(self, query: CodedQuery) -> Floats:
        """The same of all rows, without picking them out: (n,) float32."""
        out = np.empty(len(self), np.float32)
        for start in range(0, len(self), BLOCK):
            block = self.codes[start : start + BLOCK]
            np.matmul(block.astype(np.float32), query.codes, out=out[start : start + BLOCK])
        out *= self.factors
        out *= query.factor
        return out


@dataclass(frozen=True, slots=True)
class CodedQuery:
    """A coded unit row. codes: (d,) int8."""

    codes: Codes
    factor: np.float32


def products(codes: Codes, query: CodedQuery) -> npt.NDArray[np.float64]:
    """Whole-number products of coded rows (m, d) with a coded query: (m,) float64, exact."""
    if not len(codes):
        return np.empty(0)
    return np.frombuffer(_kernel()(codes, query.codes[None]), np.float64)


def scaled(whole: npt.NDArray[np.float64], factors: Floats, query: CodedQuery) -> Floats:
    """Products (m,) as cosines: (m,) float32."""
    cosines: Floats = whole.astype(np.float32)
    cosines *= factors
    cosines *= query.factor
    return cosines


@cache
def _kernel() -> Callable[[Codes, Codes], Any]:
    from simsimd import dot  # here: a store without vectors does not need it

    return cast("Callable[[Codes, Codes], Any]", dot)


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
    coded = np.rint(query * (127 / (largest or 1.0))).astype(np.int8)
    return CodedQuery(coded, np.float32(largest / 127))


def unit_rows(sums: npt.NDArray[np.floating]) -> Floats:
    """Sums (n, d) as unit rows float32; a sum of zero becomes the first axis, so that no NaN arises."""
    wide = sums.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    out = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 1e-12)
    out[lengths[:, 0] <= 1e-12, 0] = 1.0
    units: Floats = out.astype(np.float32)
    return units
