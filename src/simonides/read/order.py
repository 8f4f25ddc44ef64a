"""In which order do results stand? Score descending, then the order of the stage before, then thought id ascending."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.read.candidates import ties_by_id

if TYPE_CHECKING:
    from simonides.read.fuse import Ranking

Ints = npt.NDArray[np.int64]


def order_of(ranking: Ranking, stage: Ints | None = None, first: int | None = None) -> Ints:
    """Indices of the pool, best first. stage: (m,) earlier places; without one, equal scores are ordered by id.

    first: how many of them will be looked at; behind them equal scores stand in the order of the ids' hashes.
    """
    scores, pool = ranking.scores, ranking.pool
    if stage is not None or first is None or first >= len(scores):
        stage = ties_by_id(pool, np.arange(len(scores)), scores) if stage is None else stage
        return np.lexsort((stage, -scores))
    order = np.lexsort((pool.take("keys"), -scores))
    seen = scores[order]
    last = int(np.searchsorted(-seen, -seen[first - 1], side="right")) if first else 0
    head = order[:last]
    if (seen[1:last] == seen[: last - 1]).any():
        head = head[np.lexsort((ties_by_id(pool, head, scores[head]), -scores[head]))]
    return np.concatenate([head, order[last:]])
