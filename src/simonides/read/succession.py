"""What has been replaced? Hits that something in scope supersedes can be marked, put lower, or left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.model.edge import EdgeType
from simonides.read.augment import in_force

if TYPE_CHECKING:
    from simonides.read.candidates import Pool

DEMOTION = 0.5  # what is left of the score of something superseded


def superseded(pool: Pool, now: int) -> npt.NDArray[np.bool_]:
    """(m,) whether a thought that may be seen supersedes the row, by an edge in force."""
    out = np.zeros(pool.size, np.bool_)
    for n, space in enumerate(pool.spaces):
        mine = np.flatnonzero(pool.space == n)
        tids = pool.tids[mine].tolist()
        edges = in_force(space.snapshot, tids, (EdgeType.SUPERSEDES,), now, incoming=True)
        if not edges:
            continue
        rows = space.catalogue.ordinals_of_tids(np.array([edge.other for edge in edges], np.int64))
        seen = rows if space.mask is None else rows[space.mask[rows]]
        visible = set(space.catalogue.tids[seen].tolist())
        replaced = {edge.tid for edge in edges if edge.other in visible}
        out[mine] = [tid in replaced for tid in tids]
    return out


def demotion(pool: Pool, now: int) -> npt.NDArray[np.float64]:
    """(m,) what scores are multiplied by: superseded rows keep half."""
    return np.where(superseded(pool, now), DEMOTION, 1.0)
