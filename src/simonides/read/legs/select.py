"""Which few of many values are best? Deterministic, ties at the cut settled by key and not by age."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def best(values: npt.NDArray[np.floating], keys: npt.NDArray[np.int64], limit: int) -> npt.NDArray[np.int64]:
    """Indices of the `limit` largest values, largest first, equal ones by key ascending.

    values: (n,) finite; keys: (n,) int64.
    """
    if limit <= 0 or not len(values):
        return np.empty(0, np.int64)
    if len(values) > limit:
        cut = np.partition(values, len(values) - limit)[len(values) - limit]
        places = np.flatnonzero(values >= cut)
    else:
        places = np.arange(len(values))
    order = np.lexsort((keys[places], -values[places]))
    return places[order[:limit]]
