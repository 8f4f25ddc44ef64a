"""How fresh is a thought? 0.5 ** (age / half-life), along cycles or along time; never both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.clock import DAY
from simonides.index.catalogue import UNKNOWN
from simonides.read.scales import Column

if TYPE_CHECKING:
    from simonides.model.query import Recency
    from simonides.read.candidates import Pool

Floats = npt.NDArray[np.float64]


def recency(pool: Pool, axis: Recency) -> Column:
    """(m,) in [0, 1]. Ages below 0 count as 0; a row without a usable time gets 0."""
    return Column(decay(pool.take(axis.field), axis))


def decay(moments: npt.NDArray[np.int64], axis: Recency) -> Floats:
    known = moments != UNKNOWN
    age = np.maximum(axis.reference - np.where(known, moments, axis.reference).astype(np.float64), 0.0)
    with np.errstate(over="ignore"):  # a half-life next to nothing: the age in half-lives is infinite
        return np.where(known, np.exp2(-age / axis.half_life), 0.0)


def hyperbolic(pool: Pool, field: str, now: int) -> Floats:
    """1 / (1 + age in days): the factor of the recency boost. Future and unknown rows: age 0, and 0."""
    moments = pool.take(field)
    known = moments != UNKNOWN
    days = np.maximum(now - np.where(known, moments, now).astype(np.float64), 0.0) / DAY
    return np.where(known, 1.0 / (1.0 + days), 0.0)
