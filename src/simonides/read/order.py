"""In which order do results stand? Score descending, then the order of the stage before, then thought id ascending."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simonides.read.candidates import ties_by_id
from simonides.read.fuse import Ranking

Ints = npt.NDArray[np.int64]


def order_of(ranking: Ranking, stage: Ints | None = None) -> Ints:
    """Indices of the pool, best first. stage: (m,) earlier places; without one, equal scores are ordered by id."""
    scores = ranking.scores
    if stage is None:
        stage = ties_by_id(ranking.pool, np.arange(len(scores)), scores)
    return np.lexsort((stage, -scores))
