"""Which leaves does a question reach? A beam goes down level by level and keeps the best topics of all candidates.

frontier = [root]
for round in 0..max_depth:
    candidates = the children of every topic of the frontier; a leaf that lies higher stays as it is
    frontier   = the best `width` of them by cosine with the question, equal ones by key ascending
    stop when all are leaves
a topic that is no leaf by then goes on to its best child, down to a leaf
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.topics.tree import Ints, Level, Tree, runs

if TYPE_CHECKING:
    from simonides.topics.codes import Floats

DECIMALS = 6  # of a score: BLAS sums in an order that depends on the shape, and ties must be ties
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Reached:
    """leaves: places on the last level, best first. scores: (m,) float32 cosines with their centroids.

    scored: how many centroids were compared.
    """

    leaves: Ints
    scores: Floats
    scored: int


def descend(
    tree: Tree,
    query: Floats,
    width: int,
    max_depth: int | None = None,
    allowed: tuple[Mask, ...] | None = None,
    hurry: Callable[[], bool] | None = None,
) -> Reached:
    """The leaves that a unit query (d,) reaches with a beam of `width` topics.

    max_depth: the number of the last round, from 0; None for the height of the tree, and more changes nothing.
    allowed: per level which topics have anything that may be seen; the others are not scored at all.
    hurry: asked before every round but the first; once it says so, that round counts as after the last one.
    Raises ValueError for a width below 1 or a max_depth below 0.
    """
    if width < 1 or (max_depth is not None and max_depth < 0):
        raise ValueError(f"width is {width}, max_depth is {max_depth}; expected at least 1 and 0")
    rounds = tree.height if max_depth is None else min(max_depth + 1, tree.height)
    frontier, scores = np.zeros(1, np.int64), np.ones(1, np.float32)
    scored = 0
    for depth in range(tree.height):
        if depth and hurry is not None and hurry():
            rounds = min(rounds, depth)
        owner, children = _children(tree.levels[depth], frontier)
        level = tree.levels[depth + 1]
        if allowed is not None:
            kept = allowed[depth + 1][children]
            owner, children = owner[kept], children[kept]
        values, fresh = _scores(tree.levels[depth], level, frontier[owner], scores[owner], children, query)
        scored += fresh
        order = np.lexsort((level.keys[children], -values))
        if depth < rounds:
            order = order[:width]
        else:
            _, first = np.unique(owner[order], return_index=True)
            order = order[np.sort(first)]
        frontier, scores = children[order], values[order]
    assert scored <= tree.height * width * tree.shape.fan_out, "more centroids than the beam may touch"
    return Reached(frontier, scores, scored)


def _children(level: Level, topics: Ints) -> tuple[Ints, Ints]:
    """The children of some topics, and for each the index of its parent among them."""
    starts, stops = level.starts[topics], level.starts[topics + 1]
    return np.repeat(np.arange(len(topics)), stops - starts), runs(starts, stops)


def _scores(
    above: Level, level: Level, parents: Ints, kept: Floats, children: Ints, query: Floats
) -> tuple[Floats, int]:
    """Cosines of children (m,); a leaf that is carried down keeps its score and costs nothing."""
    values = np.round(level.centroids[children] @ query, DECIMALS)
    carried = level.keys[children] == above.keys[parents]
    if carried.any():
        values[carried] = kept[carried]
    return values, len(children) - int(np.count_nonzero(carried))
