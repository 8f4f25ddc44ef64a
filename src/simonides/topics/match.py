"""Which new topic is an old one? The one that shares most of its members, so that keys survive a rebuild."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simonides.topics.keys import ROOT

if TYPE_CHECKING:
    from simonides.topics.tree import Ints, Level, Tree

ALIKE = 0.3  # shared members against all members of both (Jaccard), at least


def matched(old: Tree, new: Tree) -> Tree:
    """The new tree with the keys of old topics of the same height above the leaves; the others get unused keys.

    Members are ids in both trees. A key is given once, to the closest pairs first.
    """
    next_key = old.next_key
    levels: list[Level] = []
    for depth in range(len(new.levels) - 1, -1, -1):
        level = new.levels[depth]
        if depth == 0:
            keys = np.array([ROOT], np.int64)
        else:
            up = len(new.levels) - 1 - depth
            keys = np.full(len(level), -1, np.int64)
            if up < len(old.levels) - 1:
                keys = _inherited(old, len(old.levels) - 1 - up, new, depth)
            fresh = np.flatnonzero(keys < 0)
            keys[fresh] = next_key + np.arange(len(fresh))
            next_key += len(fresh)
        levels.append(replace(level, keys=keys))
    return replace(new, levels=tuple(levels[::-1]), next_key=next_key)


def _inherited(old: Tree, old_depth: int, new: Tree, new_depth: int) -> Ints:
    """Old keys per new topic of a level, −1 for none."""
    ids, old_places, new_places = np.intersect1d(old.members, new.members, True, return_indices=True)
    keys = np.full(len(new.levels[new_depth]), -1, np.int64)
    if not len(ids):
        return keys
    was = topic_of_place(old, old_depth)[old_places]
    now = topic_of_place(new, new_depth)[new_places]
    width = len(old.levels[old_depth])
    pairs, shared = np.unique(now * width + was, return_counts=True)
    now, was = np.divmod(pairs, width)
    both = new.levels[new_depth].counts[now] + old.levels[old_depth].counts[was] - shared
    alike = shared / both
    taken = np.zeros(width, np.bool_)
    for pair in np.lexsort((pairs, -alike)).tolist():
        if alike[pair] < ALIKE:
            break
        if keys[now[pair]] < 0 and not taken[was[pair]]:
            keys[now[pair]] = old.levels[old_depth].keys[was[pair]]
            taken[was[pair]] = True
    return keys


def topic_of_place(tree: Tree, depth: int) -> Ints:
    """The topic of a level to which every place of `members` belongs: (n,) int64."""
    return np.repeat(np.arange(len(tree.levels[depth])), tree.levels[depth].counts)
