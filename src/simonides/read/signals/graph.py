"""Do a thought's neighbours match the question as well? One hop, weighted; and what reflections point to.

boost = Σ over its strongest edges of  edge weight · max(text, cosine) of the neighbour · decay
Neighbours outside the pool count 0; only the two legs propagate, never recency, priority or another boost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.model.edge import EdgeType
from simonides.read.scales import Column

if TYPE_CHECKING:
    from simonides.backend.rows import Relation
    from simonides.read.candidates import Pool, Space
    from simonides.read.plan import Graph

Floats = npt.NDArray[np.float64]
CHUNK = 450  # ids per query


def graph(pool: Pool, base: Floats, settings: Graph, holds_at: int | None = None) -> Column:
    """(m,) boost of every competitor. base: (m,) the larger of its two leg scores. holds_at: of edges in force."""
    out = np.zeros(pool.size)
    if not settings.neighbours_max:
        return Column(out)
    for n, space in enumerate(pool.spaces):
        mine = np.flatnonzero(pool.space == n)
        tids = pool.tids[mine].tolist()
        place = dict(zip(tids, mine.tolist(), strict=True))
        for start in range(0, len(tids), CHUNK):
            for row in space.snapshot.neighbours(tids[start : start + CHUNK], settings.neighbours_max, holds_at):
                other = place.get(row.neighbour)
                if other is not None:
                    out[place[row.tid]] += row.weight * base[other] * settings.decay
    return Column(out)


def sources_of(space: Space, tids: Sequence[int], settings: Graph) -> list[Relation]:
    """The CONSOLIDATED_FROM edges of some reflections, strongest first; reflections with too many sources give none."""
    limit = len(tids) * (settings.sources_ceiling + 1) + 1
    found: dict[int, list[Relation]] = {}
    for tid in tids:
        rows = space.snapshot.relations([tid], [EdgeType.CONSOLIDATED_FROM.value], incoming=False, limit=limit)
        found[tid] = rows
    return [row for tid in tids if len(found[tid]) <= settings.sources_ceiling for row in found[tid]]
