"""How does a tree take in more members? Each goes to its nearest leaf; what grows too large is split, up to the root.

A `Growth` is a tree that can be changed, by one thread: thaw a `Tree`, insert, settle, freeze. All leaves stay
equally deep, because a level is only ever added at the root.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from simonides.topics.beam import DECIMALS
from simonides.topics.build import around
from simonides.topics.codes import Floats, unit_rows
from simonides.topics.keys import ROOT
from simonides.topics.split import two_means
from simonides.topics.tree import Ints, Level, Shape, Tree

WIDTH = 4  # of the beam that looks for the nearest leaf: 1 cost .08 recall
SETTLED_AROUND = 128  # leaves that a member of a resettled leaf is compared with: 512 found no more
# Inserted at a time: centroids and sizes are looked at again after that many. A 32nd of a large tree at a time took a
# third less time, and .01 of the recall.
ROWS_MAX = 1_024
RowsOf = Callable[[Ints], Floats]


class _Topic:
    """total: sum of the members' rows (d,) float64. matrix: unit rows of the children, made when needed."""

    __slots__ = ("children", "count", "key", "matrix", "members", "parent", "total")

    def __init__(self, key: int, total: npt.NDArray[np.float64], count: int) -> None:
        self.key = key
        self.total = total
        self.count = count
        self.parent: _Topic | None = None
        self.children: list[_Topic] = []
        self.members: list[int] = []
        self.matrix: Floats | None = None

    def rows(self) -> Floats:
        if self.matrix is None:
            self.matrix = unit_rows(np.stack([child.total for child in self.children]))
        return self.matrix

    def adopt(self, children: list[_Topic]) -> None:
        self.children = children
        self.matrix = None
        for child in children:
            child.parent = self

    def recount(self) -> None:
        self.total = np.sum([child.total for child in self.children], axis=0)
        self.count = sum(child.count for child in self.children)


@dataclass(slots=True)
class Changes:
    """What is not as it was. added: leaf → ids that came, in order. rewritten: leaves that gave members away,
    but for those that gave some to nearer leaves, which are thinned.

    touched: topics of any height whose members, parent or children changed. gone: topics that are no more. All by key.
    """

    added: dict[int, list[int]] = field(default_factory=dict)
    rewritten: set[int] = field(default_factory=set)
    thinned: set[int] = field(default_factory=set)
    touched: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)


class Growth:
    """rows_of: the unit rows of members (m,) → (m, d) float32; asked of leaves that are to be split."""

    def __init__(self, tree: Tree, rows_of: RowsOf) -> None:
        self.shape = tree.shape
        self.changes = Changes()
        self._rows_of = rows_of
        self._next_key = tree.next_key
        self._large: dict[int, _Topic] = {}
        self._root = _thawed(tree)

    @classmethod
    def empty(cls, dimension: int, shape: Shape, rows_of: RowsOf) -> Growth:
        """A tree of one leaf without members."""
        zero, none = np.zeros((1, dimension), np.float32), np.zeros(1, np.int64)
        level = [Level(np.array([key]), unit_rows(zero), zero[:, 0], none, np.array([0, key ^ 1])) for key in (0, 1)]
        return cls(Tree(tuple(level), none[:0], 2, shape), rows_of)

    def insert(self, ids: Ints, rows: Floats) -> None:
        """Takes in members (m,) with their unit rows (m, d); leaves above the hard cap are split at once."""
        for start in range(0, len(ids), ROWS_MAX):
            block, known = rows[start : start + ROWS_MAX], ids[start : start + ROWS_MAX]
            leaves, numbers = self._nearest(block)
            order = np.argsort(numbers, kind="stable")
            places, firsts = np.unique(numbers[order], return_index=True)
            for number, members in zip(places.tolist(), np.split(order, firsts[1:]), strict=True):
                self._add(leaves[number], known[members].tolist(), block[members])

    def remove(self, leaves: Ints, ids: Ints, rows: Floats) -> None:
        """Takes members (m,) out of leaves, given by key (m,); rows (m, d) as they were counted."""
        topics = {leaf.key: leaf for leaf in _leaves(self._root)}
        order = np.argsort(leaves, kind="stable")
        keys, firsts = np.unique(leaves[order], return_index=True)
        for key, members in zip(keys.tolist(), np.split(order, firsts[1:]), strict=True):
            leaf, gone = topics[key], set(ids[members].tolist())
            leaf.members = [member for member in leaf.members if member not in gone]
            self._lift(leaf, -rows[members].sum(axis=0, dtype=np.float64), -len(gone))
            self.changes.rewritten.add(key)

    def settle(self) -> None:
        """Splits every leaf above the soft cap."""
        self._large.update((id(leaf), leaf) for leaf in _leaves(self._root) if leaf.count > self.shape.leaf_soft)
        while self._large:
            _, leaf = self._large.popitem()
            self._split_leaf(leaf, self.shape.leaf_soft)

    def resettle(self, share: float, wanted: int) -> None:
        """Every member of some leaves goes to the nearest of the leaves around its own: one step of Lloyd's method.

        share: where the run of leaves begins, of the tree from 0 to 1; wanted: how many members it has, about.
        """
        leaves = _leaves(self._root)
        first = int(share * len(leaves))
        sizes = np.roll([leaf.count for leaf in leaves], -first)
        count = min(len(leaves), int(np.searchsorted(np.cumsum(sizes), wanted)) + 1)
        chosen = (np.arange(count) + first) % len(leaves)
        centroids = unit_rows(np.stack([leaf.total for leaf in leaves]))
        moved: dict[int, list[tuple[int, Floats]]] = {}
        for n, near in zip(chosen.tolist(), around(centroids, SETTLED_AROUND, chosen), strict=True):
            ids = np.array(leaves[n].members, np.int64)
            rows = self._rows_of(ids) if len(ids) else np.empty((0, centroids.shape[1]), np.float32)
            nearest = near[np.argmax(np.round(rows @ centroids[near].T, DECIMALS), axis=1)]
            away = nearest != n
            for other, member, row in zip(nearest[away].tolist(), ids[away].tolist(), rows[away], strict=True):
                moved.setdefault(other, []).append((member, row))
            if away.any():
                leaves[n].members = ids[~away].tolist()
                self._lift(leaves[n], -rows[away].sum(axis=0, dtype=np.float64), -int(np.count_nonzero(away)))
                self.changes.thinned.add(leaves[n].key)
        for n in sorted(moved):
            members, vectors = zip(*moved[n], strict=True)
            self._add(leaves[n], list(members), np.stack(vectors))
        for n in chosen.tolist():
            if not leaves[n].count and self._root.count:
                self._drop(leaves[n])

    def _drop(self, topic: _Topic) -> None:
        """An empty topic goes, and its parent when it was the last child."""
        above = topic.parent
        assert above is not None, "a tree with members keeps its root"
        self.changes.gone.add(topic.key)
        self._large.pop(id(topic), None)
        above.adopt([child for child in above.children if child is not topic])
        if not above.children:
            self._drop(above)

    def freeze(self) -> Tree:
        """The tree as it is now."""
        levels, topics = [], [self._root]
        while True:
            bottom = not topics[0].children
            sizes = [len(topic.members if bottom else topic.children) for topic in topics]
            totals = np.stack([topic.total for topic in topics])
            lengths = np.sqrt((totals * totals).sum(axis=1)).astype(np.float32)
            keys = np.array([topic.key for topic in topics], np.int64)
            counts = np.array([topic.count for topic in topics], np.int64)
            starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
            levels.append(Level(keys, unit_rows(totals), lengths, counts, starts))
            if bottom:
                members = np.array([m for topic in topics for m in topic.members], np.int64)
                return Tree(tuple(levels), members, self._next_key, self.shape)
            topics = [child for topic in topics for child in topic.children]

    def _nearest(self, rows: Floats) -> tuple[list[_Topic], Ints]:
        """The nearest leaf of every row (m, d), as the leaves that were met and a number per row: (m,)."""
        topics = [self._root]
        row, topic = np.arange(len(rows)), np.zeros(len(rows), np.int64)
        while topics[0].children:
            below: list[_Topic] = []
            parts: list[tuple[Ints, Ints, Floats]] = []
            order = np.argsort(topic, kind="stable")
            numbers, firsts = np.unique(topic[order], return_index=True)
            for number, places in zip(numbers.tolist(), np.split(order, firsts[1:]), strict=True):
                scores = np.round(rows[row[places]] @ topics[number].rows().T, DECIMALS)
                first, count = len(below), scores.shape[1]
                below += topics[number].children
                children = np.tile(np.arange(first, first + count), len(places))
                parts.append((np.repeat(row[places], count), children, scores.ravel()))
            row, topic = _best(parts, np.array([t.key for t in below]), WIDTH if below[0].children else 1)
            topics = below
        found = np.empty(len(rows), np.int64)
        found[row] = topic
        return topics, found

    def _add(self, leaf: _Topic, ids: list[int], rows: Floats) -> None:
        leaf.members += ids
        self.changes.added.setdefault(leaf.key, []).extend(ids)
        self._lift(leaf, rows.sum(axis=0, dtype=np.float64), len(ids))
        if leaf.count > self.shape.leaf_hard:
            self._split_leaf(leaf, self.shape.leaf_hard)
        elif leaf.count > self.shape.leaf_soft:
            self._large[id(leaf)] = leaf

    def _lift(self, topic: _Topic, total: npt.NDArray[np.float64], count: int) -> None:
        """The path from a topic to the root learns of more members."""
        while True:
            self.changes.touched.add(topic.key)
            topic.total = topic.total + total
            topic.count += count
            above = topic.parent
            if above is None:
                return
            above.matrix = None
            topic = above

    def _split_leaf(self, leaf: _Topic, cap: int) -> None:
        """Until no part is above the cap; the larger half keeps the key each time."""
        self._large.pop(id(leaf), None)
        waiting = [leaf]
        while waiting:
            topic = waiting.pop()
            if topic.count <= cap:
                if topic.count > self.shape.leaf_soft:
                    self._large[id(topic)] = topic
                continue
            members = np.array(topic.members, np.int64)
            rows = self._rows_of(members)
            away = _smaller(two_means(rows))
            new = _Topic(self._key(), rows[away].sum(axis=0, dtype=np.float64), int(np.count_nonzero(away)))
            new.members = members[away].tolist()
            topic.members = members[~away].tolist()
            topic.total = rows[~away].sum(axis=0, dtype=np.float64)
            topic.count -= new.count
            self.changes.rewritten |= {topic.key, new.key}
            self.changes.touched |= {topic.key, new.key}
            self._beside(topic, new)
            waiting += [topic, new]

    def _beside(self, topic: _Topic, new: _Topic) -> None:
        """A new topic becomes the sibling of one that gave half away; too many siblings split their parent."""
        above = topic.parent
        assert above is not None, "the root is never split itself"
        above.adopt([*above.children, new])
        if len(above.children) <= self.shape.fan_out:
            return
        if above.key == ROOT:
            inner = _Topic(self._key(), above.total, above.count)
            inner.adopt(above.children)
            above.adopt([inner])
            self.changes.touched |= {topic.key for topic in _below(inner)}
            above = inner
        away = _smaller(two_means(above.rows()))
        other = _Topic(self._key(), above.total, 0)
        other.adopt([child for child, goes in zip(above.children, away.tolist(), strict=True) if goes])
        above.adopt([child for child, goes in zip(above.children, away.tolist(), strict=True) if not goes])
        other.recount()
        above.recount()
        self.changes.touched |= {above.key, other.key, *(child.key for child in (*above.children, *other.children))}
        self._beside(above, other)

    def _key(self) -> int:
        self._next_key += 1
        return self._next_key - 1


def _below(topic: _Topic) -> list[_Topic]:
    """A topic and all below it."""
    found = [topic]
    for each in found:
        found += each.children
    return found


def _leaves(topic: _Topic) -> list[_Topic]:
    return [each for each in _below(topic) if not each.children]


def _thawed(tree: Tree) -> _Topic:
    above: list[_Topic] = []
    for depth, level in enumerate(tree.levels):
        sums = level.centroids.astype(np.float64) * level.lengths[:, None]
        topics = [_Topic(*values) for values in zip(level.keys.tolist(), sums, level.counts.tolist(), strict=True)]
        if depth:
            starts = tree.levels[depth - 1].starts.tolist()
            for n, topic in enumerate(above):
                topic.adopt(topics[starts[n] : starts[n + 1]])
        else:
            root = topics[0]
        above = topics
    for leaf, topic in enumerate(above):
        topic.members = tree.members_of(leaf).tolist()
    return root


def _best(parts: list[tuple[Ints, Ints, Floats]], keys: Ints, width: int) -> tuple[Ints, Ints]:
    """Of (row, topic, score) triples the `width` best topics of every row; ties by key ascending."""
    row, topic, score = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((keys[topic], -score, row))
    row, topic = row[order], topic[order]
    first = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
    place = np.arange(len(row)) - np.repeat(first, np.diff(np.append(first, len(row))))
    return row[place < width], topic[place < width]


def _smaller(second: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The smaller half: the larger one keeps its name."""
    return second if 2 * np.count_nonzero(second) <= len(second) else ~second
