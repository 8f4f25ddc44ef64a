"""Which few of many values are best? Deterministic: ties at the cut go by thought id, and not by age."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Names = Callable[[Ints], Sequence[str]]
TIES_READ_MAX = 5_000  # equal rows at a cut whose ids are read; more of them go by a hash of the id


def best(
    values: npt.NDArray[np.floating], keys: Ints, limit: int, names: Names | None = None, rows: Ints | None = None
) -> Ints:
    """Indices of the `limit` largest values, largest first.

    values: (n,) finite. keys: int64, the order of equal values, (n,) or, with rows (n,), to be looked up there: few
    are needed. names: ids of some indices, asked for only when equal values stand on both sides of the cut; then the
    smallest ids stay.
    """
    if limit <= 0 or not len(values):
        return np.empty(0, np.int64)
    if len(values) <= limit:
        return np.lexsort((keys if rows is None else keys[rows], -values))
    cut = np.partition(values, len(values) - limit)[len(values) - limit]
    places = np.flatnonzero(values >= cut)
    order = places[np.lexsort((keys[places if rows is None else rows[places]], -values[places]))]
    if len(places) == limit or names is None:
        return order[:limit]
    tied = places[values[places] == cut]
    if len(tied) > TIES_READ_MAX:
        return order[:limit]
    ids = names(tied)
    first = tied[sorted(range(len(tied)), key=ids.__getitem__)]
    return np.concatenate([order[: len(order) - len(tied)], first])[:limit]
