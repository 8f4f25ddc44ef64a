"""How much does a beam miss? Beam against exhaustive comparison, on vectors that are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simonides.topics.beam import Reached, descend
from simonides.topics.codes import BLOCK, Coded, Floats, encode_query
from simonides.topics.tree import Ints, Tree, runs

WIDTHS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)


@dataclass(frozen=True, slots=True)
class Measured:
    """recall: share of the nearest that the beam found. scored: centroids and members compared, a share of all."""

    width: int
    recall: float
    scored: float


def places_of(tree: Tree, reached: Reached) -> Ints:
    """The places of `Tree.members` in the leaves that a beam reached."""
    starts = tree.leaves.starts
    return runs(starts[reached.leaves], starts[reached.leaves + 1])


def nearest(coded: Coded, queries: Floats, wanted: int) -> list[Ints]:
    """The places of the nearest of all coded rows, per query (q, d), best first: exhaustive, for whole sets at once."""
    asked = [encode_query(query) for query in queries]
    codes = np.stack([query.codes for query in asked]).astype(np.float32)
    best = [np.empty(0, np.int64)] * len(asked)
    scores = [np.empty(0, np.float32)] * len(asked)
    for start in range(0, len(coded), BLOCK):
        block = coded.codes[start : start + BLOCK].astype(np.float32) @ codes.T
        block *= coded.factors[start : start + BLOCK, None]
        for n in range(len(asked)):
            places = np.append(best[n], np.arange(start, start + len(block)))
            values = np.append(scores[n], block[:, n])
            order = np.lexsort((places, -values))[:wanted]
            best[n], scores[n] = places[order], values[order]
    return best


def measure(tree: Tree, queries: Floats, width: int, truth: Sequence[Ints]) -> Measured:
    """Recall of a beam. truth: places (in the order of `Tree.members`) of the nearest, per query (q, d)."""
    found, scored = 0, 0
    for query, wanted in zip(queries, truth, strict=True):
        reached = descend(tree, query, width)
        places = places_of(tree, reached)
        found += int(np.count_nonzero(np.isin(wanted, places)))
        scored += reached.scored + len(places)
    asked = sum(len(wanted) for wanted in truth)
    recall = found / asked if asked else 1.0
    return Measured(width, recall, scored / max(1, len(queries)) / max(1, tree.size))


def narrowest(tree: Tree, queries: Floats, truth: Sequence[Ints], goal: float) -> Measured:
    """The narrowest of some beams that reaches a recall goal, or the widest of them."""
    low, high = 0, len(WIDTHS) - 1
    best: Measured | None = None
    while low <= high:
        middle = (low + high) // 2
        tried = measure(tree, queries, WIDTHS[middle], truth)
        if tried.recall >= goal:
            best, high = tried, middle - 1
        else:
            low = middle + 1
    return best or measure(tree, queries, WIDTHS[-1], truth)
