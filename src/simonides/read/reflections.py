"""What is special about reflections in a ranking? A boost, an expansion to their sources, and a cap."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.backend.rows import TYPE_CODES
from simonides.model.thought import ThoughtType
from simonides.read.candidates import Pool, Space, without_veto
from simonides.read.order import order_of
from simonides.read.scales import Column
from simonides.read.signals.graph import sources_of

if TYPE_CHECKING:
    from simonides.read.fuse import Ranking
    from simonides.read.plan import Graph

REFLECTION = TYPE_CODES[ThoughtType.REFLECTION]
ROWS_PER_REFLECTION = 5  # so many of the best rows are looked at for each reflection that may be followed
_log = logging.getLogger(__name__)
Mask = npt.NDArray[np.bool_]


def are_reflections(pool: Pool) -> Mask:
    return np.asarray(pool.take("thought_type") == REFLECTION)


def boost(ranking: Ranking, factor: float) -> Ranking:
    """Multiplies the scores of reflections."""
    if factor == 1.0:
        return ranking
    return ranking.multiply("reflection_boost", np.where(are_reflections(ranking.pool), factor, 1.0))


def expand(ranking: Ranking, settings: Graph) -> tuple[Ranking, bool]:
    """Sources of the best reflections get at least parent · factor · edge weight; True when any score rose.

    Only sources that may be seen and are no reflections themselves count; those outside the pool join it.
    """
    scores = ranking.scores
    order = order_of(ranking)[: ROWS_PER_REFLECTION * settings.expand_top_n]
    chosen = order[are_reflections(ranking.pool)[order]][: settings.expand_top_n]
    if not len(chosen):
        return ranking, False
    gains: dict[tuple[int, int], float] = {}
    for parent in chosen.tolist():
        n = int(ranking.pool.space[parent])
        space = ranking.pool.spaces[n]
        edges = sources_of(space, [int(ranking.pool.tids[parent])], settings)
        edges = [edge for edge in edges if _seen(space, edge.other) is not None]
        for edge in edges[: settings.sources_max]:
            propagated = float(scores[parent]) * settings.expand_factor * edge.weight
            key = (n, edge.other)
            gains[key] = max(gains.get(key, 0.0), propagated)
    ranking = _admit(ranking, list(gains))
    place = {
        key: row for row, key in enumerate(zip(ranking.pool.space.tolist(), ranking.pool.tids.tolist(), strict=True))
    }
    scores, added = ranking.scores, np.zeros(ranking.pool.size)
    for key, propagated in gains.items():
        added[place[key]] = max(0.0, propagated - scores[place[key]])
    return ranking.add("graph_expansion", added), bool(added.any())


def _admit(ranking: Ranking, wanted: list[tuple[int, int]]) -> Ranking:
    """Adds thoughts that may be seen and are not in the pool yet, with nothing measured."""
    pool = ranking.pool
    known = set(zip(pool.space.tolist(), pool.tids.tolist(), strict=True))
    fresh: list[tuple[int, int, int]] = []
    for n, tid in wanted:
        if (n, tid) in known:
            continue
        row = _seen(pool.spaces[n], tid)
        if row is not None:
            fresh.append((n, tid, row))
    if not fresh:
        return ranking
    more = len(fresh)
    columns = {name: _longer(column, more) for name, column in pool.columns.items()}
    grown = Pool(
        pool.spaces,
        np.append(pool.space, [n for n, _, _ in fresh]).astype(np.int32),
        np.append(pool.tids, [tid for _, tid, _ in fresh]),
        np.append(pool.rows, [row for _, _, row in fresh]),
        columns,
    )
    zeros = np.zeros(more)
    return ranking._replace(
        pool=grown,
        parts=tuple((name, np.append(part, zeros)) for name, part in ranking.parts),
        scaled={name: np.append(part, zeros) for name, part in ranking.scaled.items()},
        scores=np.append(ranking.scores, zeros),
    )


def _seen(space: Space, tid: int) -> int | None:
    """The first passage of a thought that may be seen and is no reflection."""
    rows = space.catalogue.ordinals_of_tids(np.array([tid], np.int64))
    mask = without_veto(space, space.mask)
    if mask is not None:
        rows = rows[mask[rows]]
    rows = rows[space.catalogue.thought_type[rows] != REFLECTION]
    return int(rows[0]) if len(rows) else None


def _longer(column: Column, more: int) -> Column:
    return Column(
        np.append(column.values, np.full(more, np.nan)),
        None if column.ranks is None else np.append(column.ranks, np.zeros(more, np.int64)),
        None if column.ideal is None else np.append(column.ideal, np.zeros(more)),
    )


def cap(
    ranking: Ranking, order: npt.NDArray[np.int64], top_k: int, share: float
) -> tuple[npt.NDArray[np.int64], list[int]]:
    """The window of `top_k` with at most int(top_k · share) reflections, and the rows that were evicted.

    The lowest go, others from below the cut fill up; the window is shorter when there are none. When nothing but
    reflections was found they all stay.
    """
    window = order[:top_k]
    reflections = are_reflections(ranking.pool)
    inside = window[reflections[window]]
    slots = int(top_k * share)
    if len(inside) <= slots or not (~reflections[order]).any():
        return window, []
    evicted = set(inside[slots:].tolist())
    kept = [row for row in window.tolist() if row not in evicted]
    below = [row for row in order[top_k:].tolist() if not reflections[row]]
    filled = kept + below[: top_k - len(kept)]
    if len(filled) < top_k and len(filled) < len(window):
        _log.warning(
            "the reflection cap of %d slots evicted %d and only %d others were there", slots, len(evicted), len(below)
        )
    return np.array(filled, np.int64), sorted(evicted)
