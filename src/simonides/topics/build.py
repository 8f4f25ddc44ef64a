"""How does a set of vectors become a tree at once? Divide it from the top, settle the leaves, then build upwards.

1. Spherical k-means divides groups of at most `fan_out`, until a group fits into a leaf.
2. A few passes over all leaves: centroids anew, every vector to the nearest of the leaves around its own.
3. Leaves above the soft cap are split, the smallest are dissolved.
4. The leaves are grouped from the top with room for so many each, so that all come to lie equally deep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from simonides.topics.cluster import Labels, centres_of, kmeans, place
from simonides.topics.codes import BLOCK, Coded, Floats, encode, unit_rows
from simonides.topics.keys import ROOT
from simonides.topics.split import two_means
from simonides.topics.tree import Ints, Level, Shape, Tree

Progress = Callable[[str, int, int], None]
AROUND = 512  # leaves that a member of a leaf compares itself with: 64 cost .04 recall, 256 cost .005
DISSOLVE = 0.35  # of the cap: smaller groups are given to their neighbours, which fills leaves to two thirds


def silent(stage: str, done: int, total: int) -> None:
    """A progress callback that tells nobody."""


def build(coded: Coded, shape: Shape, seed: int = 0, progress: Progress = silent) -> Tree:
    """The tree of all rows (n ≥ 1); members are row numbers, keys count from the root down. Same input, same tree.

    progress(stage, done, total) hears of "divide", "settle" and "group".
    """
    labels = divide(coded, shape, seed, progress)
    labels = settle(coded, labels, shape, progress)
    return grown_up(coded, labels, shape, seed, progress)


def divide(coded: Coded, shape: Shape, seed: int, progress: Progress = silent) -> Labels:
    """A leaf for every row, by dividing from the top: (n,) int32 without gaps."""
    random = np.random.default_rng(seed)
    labels = np.zeros(len(coded), np.int32)
    aim = shape.leaf_soft * shape.fill
    waiting = [np.arange(len(coded))]
    leaves = done = 0
    while waiting:
        ids = waiting.pop()
        if len(ids) <= shape.leaf_soft:
            labels[ids] = leaves
            leaves += 1
            done += len(ids)
            progress("divide", done, len(coded))
            continue
        parts = _divided(coded, ids, _groups(len(ids) / aim, shape.fan_out), random)
        waiting += parts[::-1]
    return labels


def _groups(leaves: float, fan_out: int) -> int:
    """Into how many parts a group of so many leaves is divided, so that the levels below are alike."""
    levels = max(1, int(np.ceil(np.log(leaves) / np.log(fan_out) - 1e-9)))
    return int(np.clip(round(leaves ** (1 / levels)), 2, fan_out))


def _divided(coded: Coded, ids: Ints, groups: int, random: np.random.Generator) -> list[Ints]:
    if len(ids) <= BLOCK:
        labels = kmeans(coded.rows(ids), groups, random)
    else:
        sample = np.sort(random.choice(ids, min(len(ids), groups * 1024), replace=False))
        centres = centres_of(coded.rows(sample), groups, random)
        blocks = [ids[n : n + BLOCK] for n in range(0, len(ids), BLOCK)]
        labels = np.concatenate([place(coded.rows(block) @ centres.T, None) for block in blocks])
    parts = [ids[labels == group] for group in range(groups)]
    parts = [part for part in parts if len(part)]
    return parts if len(parts) > 1 else list(np.array_split(ids, 2))


@dataclass(frozen=True, slots=True)
class Leaves:
    """Rows by leaf. order: (n,) row numbers, leaf after leaf; starts: (leaves + 1,). centroids: (leaves, d)."""

    order: Ints
    starts: Ints
    centroids: Floats
    lengths: Floats

    def members(self, leaf: int) -> Ints:
        return self.order[self.starts[leaf] : self.starts[leaf + 1]]

    def __len__(self) -> int:
        return len(self.starts) - 1


def gather(coded: Coded, labels: Labels) -> Leaves:
    """The leaves that the labels describe; labels that nobody has vanish, the others keep their order."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    starts = np.append(0, np.cumsum(sizes[sizes > 0]))
    sums = np.empty((len(starts) - 1, coded.dimension), np.float64)
    for leaf in range(len(sums)):
        sums[leaf] = coded.rows(order[starts[leaf] : starts[leaf + 1]]).sum(axis=0, dtype=np.float64)
    return Leaves(order, starts, unit_rows(sums), np.sqrt((sums * sums).sum(axis=1)).astype(np.float32))


def settle(coded: Coded, labels: Labels, shape: Shape, progress: Progress = silent) -> Labels:
    """The labels after some passes, every leaf within the soft cap."""
    for number in range(shape.passes):
        labels = one_pass(coded, labels)
        labels = fitted(coded, labels, shape)
        progress("settle", number + 1, shape.passes)
    return fitted(coded, labels, shape)


def one_pass(coded: Coded, labels: Labels) -> Labels:
    """Every row to the nearest of the leaves around its own: one step of Lloyd's method."""
    leaves = gather(coded, labels)
    near = around(leaves.centroids, AROUND)
    out = np.empty(len(labels), np.int32)
    for leaf in range(len(leaves)):
        members = leaves.members(leaf)
        choice = np.argmax(coded.rows(members) @ leaves.centroids[near[leaf]].T, axis=1)
        out[members] = near[leaf][choice]
    return out


def around(centroids: Floats, count: int, which: Ints | None = None) -> npt.NDArray[np.int32]:
    """The nearest leaves of every leaf, or of some, itself first: (leaves, ≤ count) int32, nearest first."""
    which = np.arange(len(centroids)) if which is None else which
    count = min(count, len(centroids))
    out = np.empty((len(which), count), np.int32)
    for start in range(0, len(which), 1_024):
        own = which[start : start + 1_024]
        scores = centroids[own] @ centroids.T
        scores[np.arange(len(own)), own] = 2.0
        out[start : start + 1_024] = _largest(scores, count)
    return out


def _largest(scores: Floats, count: int) -> Ints:
    """The columns of the `count` largest values of every row, largest first; not a sort of all of them."""
    found = np.argpartition(-scores, count - 1, axis=1)[:, :count]
    order = np.argsort(-np.take_along_axis(scores, found, axis=1), axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1)


def fitted(coded: Coded, labels: Labels, shape: Shape) -> Labels:
    """Leaves above the soft cap are split until none is; very small ones join their nearest neighbours with room."""
    leaves = gather(coded, labels)
    sizes = np.diff(leaves.starts)
    out = np.empty(len(labels), np.int32)
    out[leaves.order] = np.repeat(np.arange(len(leaves), dtype=np.int32), sizes)
    _dissolve(coded, leaves, sizes, shape, out)
    count = len(leaves)
    order, ends = np.argsort(out, kind="stable"), np.append(0, np.cumsum(np.bincount(out, minlength=count)))
    for leaf in np.flatnonzero(np.diff(ends) > shape.leaf_soft).tolist():
        waiting = [order[ends[leaf] : ends[leaf + 1]]]
        first = True
        while waiting:
            ids = waiting.pop()
            if len(ids) > shape.leaf_soft:
                right = two_means(coded.rows(ids))
                waiting += [ids[right], ids[~right]]
                continue
            out[ids] = leaf if first else count
            count += not first
            first = False
    return out


def _dissolve(coded: Coded, leaves: Leaves, sizes: Ints, shape: Shape, out: Labels) -> None:
    room = np.maximum(shape.leaf_soft - sizes, 0)
    small = np.flatnonzero(sizes < shape.leaf_soft * DISSOLVE)
    if len(small) == len(leaves):
        return
    room[small] = 0
    for leaf in small.tolist():
        members = leaves.members(leaf)
        nearest = _largest(coded.rows(members) @ leaves.centroids.T, min(AROUND, len(leaves)))
        for row, choices in zip(members.tolist(), nearest.tolist(), strict=True):
            free = next((c for c in choices if room[c] > 0), None)
            if free is not None:
                room[free] -= 1
                out[row] = free


def grown_up(coded: Coded, labels: Labels, shape: Shape, seed: int = 0, progress: Progress = silent) -> Tree:
    """The tree over given leaves: their centroids are divided and settled like members, up to a root."""
    bottom = gather(coded, labels)
    stages = [bottom]
    above = replace(shape, leaf_soft=shape.fan_out, leaf_hard=shape.fan_out)
    while len(stages[-1]) > shape.fan_out:
        rows = encode(stages[-1].centroids)
        stages.append(gather(rows, settle(rows, divide(rows, above, seed), above)))
        progress("group", len(stages) - 1, len(stages))
    return _assembled(stages, shape)


def _assembled(stages: list[Leaves], shape: Shape) -> Tree:
    """Levels from the root down. stages: leaves first, then groups of the groups before; keys go by level."""
    order = np.arange(len(stages[-1]))
    runs_down = [np.array([0, len(order)])]
    for stage in stages[:0:-1]:
        runs_down.append(np.append(0, np.cumsum(np.diff(stage.starts)[order])))
        order = np.concatenate([stage.members(topic) for topic in order.tolist()])
    leaves = stages[0]
    sizes = np.diff(leaves.starts)[order]
    runs_down.append(np.append(0, np.cumsum(sizes)))
    members = np.concatenate([leaves.members(leaf) for leaf in order.tolist()])
    sums = leaves.centroids[order].astype(np.float64) * leaves.lengths[order, None]
    levels = [Level(np.arange(len(order)), leaves.centroids[order], leaves.lengths[order], sizes, runs_down[-1])]
    counts = sizes
    for starts in runs_down[-2::-1]:
        sums = np.add.reduceat(sums, starts[:-1], axis=0)
        counts = np.add.reduceat(counts, starts[:-1])
        lengths = np.sqrt((sums * sums).sum(axis=1)).astype(np.float32)
        levels.append(Level(np.arange(len(sums)), unit_rows(sums), lengths, counts, starts))
    firsts = np.append(ROOT, np.cumsum([len(level) for level in levels[::-1]]))
    numbered = [replace(x, keys=x.keys + n) for x, n in zip(levels[::-1], firsts.tolist(), strict=False)]
    return Tree(tuple(numbered), members, int(firsts[-1]), shape)
