"""Which vectors of a large namespace are compared with a question? The members of the leaves that a beam reaches.

Filters act before the cut: topics without anything visible are not walked, and the beam is widened by as much as the
filter thins its leaves. Few visible vectors are compared all, and so are those of a tree of fewer than 20,000, which
is a map for people. The tail, not yet in any leaf, is compared always.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.index.topics import TREE_FROM, TopicTable
from simonides.topics.beam import descend
from simonides.topics.codes import CodedQuery, encode_query
from simonides.topics.tree import Tree, runs

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.embedders.door import Unit

EXACT_MAX = 2_000  # visible vectors: comparing them all is as quick as a beam, and misses nothing
OVERDRAW = 4  # members reached per one wanted, at least
PORTION = 1_024  # vectors compared between two looks at the time that is left
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Hurry = Callable[[], bool]  # whether the time is used up


@dataclass(frozen=True, slots=True)
class Walk:
    """How a tree is walked. width: topics kept per round, exactly; None for the tree's own, more for long lists.

    width_max: how far a filter may widen it before only the number wanted counts. depth_max: the last round, from 0;
    None for as many as the tree has.
    """

    width: int | None
    width_max: int
    depth_max: int | None


PLAIN = Walk(None, 1_024, None)  # for whoever asks without settings


class BeamScan:
    """One question against one tree. vectors_scored, centroids_scored: what was compared so far.

    hurry: asked between rounds and between portions of vectors; when it says so, what was compared by then counts.
    """

    def __init__(
        self, snapshot: Snapshot, table: TopicTable, query: Unit, walk: Walk, hurry: Hurry | None = None
    ) -> None:
        self._snapshot = snapshot
        self._table = table
        self._folded = table.folded
        self._query = query
        self._coded = encode_query(query)
        self._tail = table.tail.scan(self._coded)
        self._walk = walk
        self._hurry = hurry
        self._beam = walk.width or table.folded.head.beam
        self.dimension = table.dimension
        self.tree: int | None = table.folded.head.epoch
        self.vectors_scored = table.tail.size
        self.centroids_scored = 0

    def near(self, wanted: int, mask: Mask | None) -> tuple[Ints, npt.NDArray[np.float32]]:
        """Visible ordinals near the question, at least `wanted` if there are as many, and approximate cosines."""
        seen = self._folded.visible(mask)
        if seen is None and self._hurry is None and self._folded.tree.size < TREE_FROM:
            places = np.arange(self._folded.tree.size)
            scores = self._folded.codes.everything(self._snapshot, self._coded)
        else:
            places, scores = self._compared(self._reached(wanted, seen))
        self.vectors_scored += len(places)
        tail, tail_scores = self._table.tail.rows, self._tail
        if mask is not None:
            chosen = np.flatnonzero(mask[tail])
            tail, tail_scores = tail[chosen], tail_scores[chosen]
        return np.concatenate([self._folded.ordinals[places], tail]), np.concatenate([scores, tail_scores])

    def _compared(self, places: Ints) -> tuple[Ints, npt.NDArray[np.float32]]:
        """Places with their cosines; in a hurry, those of the best leaves only."""
        if self._hurry is None:
            return places, self._folded.codes.cosines(self._snapshot, places, self._coded)
        done = [np.empty(0, np.float32)]
        for start in range(0, len(places), PORTION):
            if start and self._hurry():
                break
            part = places[start : start + PORTION]
            done.append(self._folded.codes.cosines(self._snapshot, part, self._coded))
        scores = np.concatenate(done)
        return places[: len(scores)], scores

    def _reached(self, wanted: int, seen: Mask | None) -> Ints:
        """The places to compare."""
        tree = self._folded.tree
        total = tree.size if seen is None else int(np.count_nonzero(seen))
        if total <= max(EXACT_MAX, wanted) or tree.size < TREE_FROM:
            return np.arange(tree.size) if seen is None else np.flatnonzero(seen)
        counts = tree.leaves.counts
        allowed = None
        if seen is not None:
            allowed = allowed_topics(tree, seen)
            ends = np.append(0, np.cumsum(seen))[tree.leaves.starts]
            counts = np.diff(ends)
        leaves = int(np.count_nonzero(counts))
        width = self._width(wanted, total, leaves)
        while True:
            reached = descend(tree, self._query, width, self._walk.depth_max, allowed, self._hurry)
            self.centroids_scored += reached.scored
            if counts[reached.leaves].sum() >= wanted or width >= leaves or (self._hurry and self._hurry()):
                break
            width *= 2
        starts = tree.leaves.starts
        places = runs(starts[reached.leaves], starts[reached.leaves + 1])
        assert len(places) <= width * tree.shape.leaf_hard, "more members than the beam may touch"
        return places if seen is None else places[seen[places]]

    def _width(self, wanted: int, total: int, leaves: int) -> int:
        """As many leaves as hold what the beam would hold without a filter, and enough for what is wanted.

        A width that the caller named is kept, as far as no filter thins its leaves.
        """
        tree = self._folded.tree
        without = self._beam * tree.size / len(tree.leaves)
        mean = total / leaves
        least = without if self._walk.width is not None else max(without, wanted * OVERDRAW)
        return max(self._beam, min(self._walk.width_max, math.ceil(least / mean)))

    def approximately(self, ordinals: npt.NDArray[np.integer]) -> Floats:
        """Cosines for some ordinals; NaN without a vector and for the ordinal n, "none"."""
        return self.some(ordinals, self._coded)

    def some(self, ordinals: npt.NDArray[np.integer], query: CodedQuery) -> Floats:
        """The same with another question."""
        out = self._table.tail.some(ordinals, query)
        places = self._places(ordinals)
        has = places >= 0
        out[has] = self._folded.codes.cosines(self._snapshot, places[has], query)
        return out

    def exactly(self, ordinals: Ints, query: Unit) -> Floats | None:
        """None: whole vectors are in the file."""
        return None

    def row(self, ordinal: int) -> CodedQuery | None:
        """The coded row of an ordinal, to ask with; None without a vector."""
        place = self._places(np.array([ordinal]))
        if place[0] < 0:
            return self._table.tail.row(ordinal)
        return self._folded.codes.row(self._snapshot, int(place[0]))

    def everything(self) -> npt.NDArray[np.float32]:
        """Approximate cosines of all vectors: reads every leaf."""
        places = np.flatnonzero(self._folded.ordinals >= 0)
        self.vectors_scored += len(places)
        return np.append(self._folded.codes.cosines(self._snapshot, places, self._coded), self._tail)

    def _places(self, ordinals: npt.NDArray[np.integer]) -> Ints:
        """Where ordinals stand in the tree, −1 for nowhere."""
        known = self._folded.places
        return known[np.where(np.asarray(ordinals) < len(known), ordinals, -1)].astype(np.int64)


def allowed_topics(tree: Tree, seen: Mask) -> tuple[Mask, ...]:
    """Per level, which topics have a visible member: counts from the leaves up."""
    ends = np.append(0, np.cumsum(seen))
    return tuple(np.diff(np.append(0, ends[np.cumsum(level.counts)])) > 0 for level in tree.levels)
