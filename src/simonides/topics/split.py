"""How does a group that grew too large become two? By 2-means, neither half smaller than a fifth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simonides.topics.codes import Floats, unit_rows

MINORITY = 0.2
ROUNDS = 6


def two_means(rows: Floats) -> npt.NDArray[np.bool_]:
    """Which of the rows (n, d), n ≥ 2, go into the second half: (n,) bool, each half with at least a fifth, rounded up.

    Depends on nothing but the rows and their order. Rows that are all alike are cut in the middle.
    """
    least = max(1, int(np.ceil(len(rows) * MINORITY)))
    least = min(least, len(rows) // 2)
    mean = rows.mean(axis=0)
    first = rows[int(np.argmin(rows @ mean))]
    second = rows[int(np.argmin(rows @ first))]
    for _ in range(ROUNDS):
        side = rows @ (second - first)
        right = side > 0
        if not 0 < np.count_nonzero(right) < len(rows):
            break
        first, second = unit_rows(np.stack([rows[~right].sum(axis=0), rows[right].sum(axis=0)]))
    side = rows @ (second - first)
    if np.ptp(side) <= 1e-6:
        return np.arange(len(rows)) >= (len(rows) + 1) // 2
    cut = int(np.clip(np.count_nonzero(side <= 0), least, len(rows) - least))
    out = np.ones(len(rows), np.bool_)
    out[np.argsort(side, kind="stable")[:cut]] = False
    return out
