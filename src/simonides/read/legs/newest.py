"""What is there when nothing is asked for? The newest thoughts, under the same filters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from simonides.read.candidates import Pool, Space, ties_by_id
from simonides.read.scales import Column

Ints = npt.NDArray[np.int64]


def newest(spaces: Sequence[Space], field: str, limit: int, *, but: int | None = None) -> Pool:
    """The `limit` thoughts that are newest by a catalogue field, then by thought id ascending; in that order.

    but: a thought type that may be thinned out later; as many newest thoughts of other types follow as spares.
    """
    chosen = _first(spaces, field, limit, None)
    if but is not None and limit and (chosen.take("thought_type") == but).any():
        spares = _first(spaces, field, limit, but)
        known = set(zip(chosen.space.tolist(), chosen.tids.tolist(), strict=True))
        keys = zip(spares.space.tolist(), spares.tids.tolist(), strict=True)
        fresh = spares.pick(np.array([n for n, key in enumerate(keys) if key not in known], np.int64))
        chosen = chosen._replace(
            space=np.concatenate([chosen.space, fresh.space]),
            tids=np.concatenate([chosen.tids, fresh.tids]),
            rows=np.concatenate([chosen.rows, fresh.rows]),
        )
    places = np.arange(1, chosen.size + 1, dtype=np.int64)
    return chosen._replace(columns={"window": Column(np.zeros(chosen.size), places)})


def _first(spaces: Sequence[Space], field: str, limit: int, but: int | None) -> Pool:
    """The newest rows in order, without those of one type."""
    parts = [_newest_of(space, field, limit, but) for space in spaces]
    pool = Pool(
        tuple(spaces),
        np.repeat(np.arange(len(parts)), [len(rows) for rows in parts]).astype(np.int32),
        _joined([space.catalogue.tids[rows] for space, rows in zip(spaces, parts, strict=True)]),
        _joined(parts),
        {},
    )
    values = pool.take(field).astype(np.int64)
    ties = ties_by_id(pool, np.arange(pool.size), values.astype(np.float64))
    return pool.pick(np.lexsort((ties, -values))[:limit])


def _newest_of(space: Space, field: str, limit: int, but: int | None) -> Ints:
    """One passage per thought of a space, as many as may be among the newest."""
    catalogue = space.catalogue
    rows = np.arange(catalogue.size) if space.mask is None else np.flatnonzero(space.mask)
    if but is not None:
        rows = rows[catalogue.thought_type[rows] != but]
    _, first = np.unique(catalogue.tids[rows], return_index=True)
    rows = rows[first]
    values = getattr(catalogue, field)[rows]
    if 0 < limit < len(rows):
        cut = np.partition(values, len(values) - limit)[len(values) - limit]
        rows = rows[values >= cut]
    return rows


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate(parts).astype(np.int64) if parts else np.empty(0, np.int64)
