"""In which order do results stand? Score descending, then the order of the stage before, then thought id ascending."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simonides.read.candidates import id_order
from simonides.read.fuse import Ranking


def order_of(ranking: Ranking, stage: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
    """Indices of the pool, best first. stage: (m,) earlier places; ids are only read when scores are equal."""
    scores = ranking.scores
    before = np.zeros(len(scores), np.int64) if stage is None else stage
    distinct = len(np.unique(scores)) == len(scores)
    ids = before if distinct else id_order(ranking.pool.thought_ids(), ranking.pool.space)
    return np.lexsort((ids, before, -scores))
