"""Which members also stand in a second leaf? Those at a border: the second centroid is hardly farther than the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simonides.topics.codes import Coded
from simonides.topics.tree import Ints, Shape

if TYPE_CHECKING:
    from simonides.topics.build import Leaves

AROUND = 32  # leaves that are looked at for a second one


def spill(coded: Coded, leaves: Leaves, shape: Shape) -> tuple[Ints, Ints]:
    """Copies leaf after leaf (c,), and where each leaf's begin (leaves + 1,).

    The rule is that of SPANN's closures (Chen et al., NeurIPS 2021): 1 − cosine to the second leaf is at most
    `shape.spill` times that to the first. The closest calls come first when there are more than `shape.copies` allows.
    """
    from simonides.topics.build import around

    near = around(leaves.centroids, AROUND)
    ids, homes, ratios = [], [], []
    for leaf in range(len(leaves)):
        others = near[leaf][near[leaf] != leaf]
        if not len(others):
            continue
        members = leaves.members(leaf)
        rows = coded.rows(members)
        first = np.maximum(1.0 - rows @ leaves.centroids[leaf], 1e-6)
        scores = rows @ leaves.centroids[others].T
        second = np.argmax(scores, axis=1)
        ratio = np.maximum(1.0 - scores[np.arange(len(rows)), second], 0.0) / first
        kept = np.flatnonzero(ratio <= shape.spill)
        ids.append(members[kept])
        homes.append(others[second[kept]])
        ratios.append(ratio[kept])
    return _admitted(leaves, shape, ids, homes, ratios)


def _admitted(leaves: Leaves, shape: Shape, ids: list[Ints], homes: list[Ints], ratios: list[Ints]) -> tuple[Ints, Ints]:
    if not ids:
        return np.empty(0, np.int64), np.zeros(len(leaves) + 1, np.int64)
    which, leaf, ratio = np.concatenate(ids), np.concatenate(homes), np.concatenate(ratios)
    order = np.lexsort((which, ratio))[: int(len(leaves.order) * shape.copies)]
    which, leaf = which[order], leaf[order]
    by_leaf = np.argsort(leaf, kind="stable")
    which, leaf = which[by_leaf], leaf[by_leaf]
    starts = np.append(0, np.cumsum(np.bincount(leaf, minlength=len(leaves))))
    room = np.maximum(shape.leaf_hard - np.diff(leaves.starts), 0)
    kept = np.arange(len(which)) - starts[leaf] < room[leaf]
    which, leaf = which[kept], leaf[kept]
    return which, np.append(0, np.cumsum(np.bincount(leaf, minlength=len(leaves))))
