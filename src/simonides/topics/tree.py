"""What is a topic tree? Levels of topics from the root down to leaves of equal depth, as immutable arrays.

The topics of a level lie in the order of their parents, so the children of a topic are one run of the next level,
and the members of a leaf are one run of `members`. A leaf that stands higher than the others is carried down: it is
its own only child, with the same key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.topics.keys import ROOT

if TYPE_CHECKING:
    from simonides.topics.codes import Floats

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shape:
    """How large things may be. A leaf above `leaf_soft` wants to be split, above `leaf_hard` it must be."""

    fan_out: int = 16  # children of a topic
    leaf_soft: int = 64  # members of a leaf
    leaf_hard: int = 128
    fill: float = 1.0  # of leaf_soft that a division aims at; more division and settling leave two thirds
    passes: int = 6  # over all leaves after the first partition; each later one gains less


@dataclass(frozen=True, slots=True)
class Level:
    """Topics of equal depth.

    keys: (t,) int64, never used again for another topic. centroids: (t, d) float32 unit rows. lengths: (t,) float32,
    what undoes that: sum of members = centroid · length. counts: (t,) int64 members below.
    starts: (t + 1,) int64: children of topic i are starts[i]..starts[i + 1] of the next level; on the last level,
    of `Tree.members`.
    """

    keys: Ints
    centroids: Floats
    lengths: Floats
    counts: Ints
    starts: Ints

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class Tree:
    """levels: the root alone first, leaves last. members: (n,) int64 ids in leaf order, each exactly once.

    next_key: above every key that was ever used.
    """

    levels: tuple[Level, ...]
    members: Ints
    next_key: int
    shape: Shape

    @property
    def leaves(self) -> Level:
        return self.levels[-1]

    @property
    def height(self) -> int:
        """Rounds of a descent: levels below the root."""
        return len(self.levels) - 1

    @property
    def dimension(self) -> int:
        return int(self.levels[0].centroids.shape[1])

    @property
    def size(self) -> int:
        return len(self.members)

    def members_of(self, leaf: int) -> Ints:
        """The ids in one leaf."""
        starts = self.leaves.starts
        members: Ints = self.members[starts[leaf] : starts[leaf + 1]]
        return members

    def leaf_of_member(self) -> npt.NDArray[np.int32]:
        """The leaf of every place of `members`: (n,) int32."""
        return np.repeat(np.arange(len(self.leaves), dtype=np.int32), np.diff(self.leaves.starts))

    def span(self, level: int, topic: int) -> tuple[int, int]:
        """The run of leaves below a topic."""
        low, high = topic, topic + 1
        for part in self.levels[level:-1]:
            low, high = int(part.starts[low]), int(part.starts[high])
        return low, high

    def parents(self, level: int) -> npt.NDArray[np.int32]:
        """The parent of every topic of a level, as a place on the level above: (t,) int32; level ≥ 1."""
        above = self.levels[level - 1]
        return np.repeat(np.arange(len(above), dtype=np.int32), np.diff(above.starts))

    def find(self, key: int) -> tuple[int, int] | None:
        """(level, place) of a key; the highest place of a carried leaf."""
        for n, level in enumerate(self.levels):
            places = np.flatnonzero(level.keys == key)
            if len(places):
                return n, int(places[0])
        return None


def runs(starts: npt.NDArray[np.integer], stops: npt.NDArray[np.integer]) -> Ints:
    """The numbers of several runs one after the other: starts[0]..stops[0], starts[1]..stops[1], …"""
    sizes = (stops - starts).astype(np.int64)
    ends = np.cumsum(sizes)
    found: Ints = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - (ends - sizes), sizes)
    return found


def faults(tree: Tree) -> Iterator[str]:
    """Whatever is wrong with a tree; nothing when it is sound."""
    if len(tree.levels[0]) != 1 or tree.levels[0].keys[0] != ROOT:
        yield "the first level is not the root alone"
    for n, level in enumerate(tree.levels):
        below = tree.size if level is tree.leaves else len(tree.levels[n + 1])
        if level.starts[0] != 0 or level.starts[-1] != below or (np.diff(level.starts) < 0).any():
            yield f"level {n}: its runs do not cover what is below"
        if len(np.unique(level.keys)) != len(level) or level.keys.max() >= tree.next_key:
            yield f"level {n}: keys are not unique or not below next_key"
        if not np.isfinite(level.centroids).all() or not np.isfinite(level.lengths).all():
            yield f"level {n}: a centroid is not finite"
        if level is not tree.leaves and (np.diff(level.starts) < 1).any():
            yield f"level {n}: a topic without children"
        if level is not tree.leaves and np.diff(level.starts).max() > tree.shape.fan_out:
            yield f"level {n}: more than {tree.shape.fan_out} children"
        ends = np.array([tree.leaves.starts[high] for _, high in (tree.span(n, t) for t in range(len(level)))])
        if not np.array_equal(np.diff(np.append(0, ends)), level.counts):
            yield f"level {n}: counts differ from the members below"
    if len(np.unique(tree.members)) != tree.size:
        yield "a member stands in two leaves"
    if np.diff(tree.leaves.starts).max(initial=0) > tree.shape.leaf_hard:
        yield f"a leaf has more than {tree.shape.leaf_hard} members"
