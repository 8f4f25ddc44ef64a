"""What is there when nothing is asked for? The newest thoughts, under the same filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from simonides.read.candidates import Pool, Space, ties_by_id
from simonides.read.scales import Column


def newest(spaces: Sequence[Space], field: str, limit: int) -> Pool:
    """The `limit` thoughts that are newest by a catalogue field, then by thought id ascending; in that order."""
    parts: list[Pool] = []
    for n, space in enumerate(spaces):
        catalogue = space.catalogue
        rows = np.arange(catalogue.size) if space.mask is None else np.flatnonzero(space.mask)
        _, first = np.unique(catalogue.tids[rows], return_index=True)
        rows = rows[first]
        values = getattr(catalogue, field)[rows]
        if 0 < limit < len(rows):
            cut = np.partition(values, len(values) - limit)[len(values) - limit]
            rows = rows[values >= cut]
        parts.append(Pool((space,), np.full(len(rows), n, np.int32), catalogue.tids[rows], rows, {}))
    pool = Pool(
        tuple(spaces),
        np.concatenate([p.space for p in parts]) if parts else np.empty(0, np.int32),
        np.concatenate([p.tids for p in parts]) if parts else np.empty(0, np.int64),
        np.concatenate([p.rows for p in parts]) if parts else np.empty(0, np.int64),
        {},
    )
    values = pool.take(field).astype(np.int64)
    order = np.lexsort((ties_by_id(pool, np.arange(pool.size), values.astype(np.float64)), -values))[:limit]
    chosen = pool.pick(order)
    places = np.arange(1, chosen.size + 1, dtype=np.int64)
    return replace(chosen, columns={"window": Column(np.zeros(chosen.size), places)})
