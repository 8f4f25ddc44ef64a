"""How does a measure become comparable? Monotone scales that look at one row only, ranks excepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]


class Column(NamedTuple):
    """One leg's or signal's measure of a pool. values: (m,) float64, NaN where unknown.

    ranks: (m,) int64 place in the leg from 1, 0 where the leg did not return the row; None for signals.
    ideal: (m,) the most a row of its namespace could get; only for text.
    """

    values: Floats
    ranks: Ranks | None = None
    ideal: Floats | None = None


def share_of_ideal(column: Column, k: int) -> Floats:
    """value / ideal, at most 1: a row that has all that could be asked for gets 1. Unknown is 0."""
    assert column.ideal is not None
    share = np.divide(column.values, column.ideal, out=np.zeros(len(column.values)), where=column.ideal > 0)
    return np.asarray(np.minimum(np.fmax(share, 0.0), 1.0))


def cosine(column: Column, k: int) -> Floats:
    """The cosine, negative ones as 0. Unknown is 0."""
    return np.asarray(np.minimum(np.fmax(column.values, 0.0), 1.0))


def identity(column: Column, k: int) -> Floats:
    """The value itself. Unknown is 0."""
    return np.where(np.isnan(column.values), 0.0, column.values)


def reciprocal_rank(column: Column, k: int) -> Floats:
    """1 / (k + rank), 0 for a row that the leg did not return (Cormack, Clarke, Büttcher, SIGIR 2009)."""
    assert column.ranks is not None
    return np.asarray(np.where(column.ranks > 0, 1.0 / (k + np.maximum(column.ranks, 1)), 0.0))


SCALES: dict[str, Callable[[Column, int], Floats]] = {
    "share_of_ideal": share_of_ideal,
    "cosine": cosine,
    "identity": identity,
    "reciprocal_rank": reciprocal_rank,
}
