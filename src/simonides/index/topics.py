"""What does a process keep in memory of a topic tree? Centroids and members at once, codes leaf by leaf on first use.

About 450 bytes per vector of 384 numbers when everything was used once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.backend.topics_port import LeafMembers, TopicRow, TreeHead
from simonides.errors import StoreDamagedError
from simonides.index.leaves import LeafCodes
from simonides.topics.tree import Level, Shape, Tree

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.backend.rows import Ints
    from simonides.index.vectors import VectorTable

SPARSE = 8  # ids of passages per passage up to which a table of all ids is made
TREE_FROM = 20_000  # vectors of a namespace: below, comparing all of them takes no longer than 2 ms
Mask = npt.NDArray[np.bool_]


class Folded:
    """The vectors that are in leaves, at one epoch of the tree. Places count the members leaf after leaf.

    ordinals: (n,) int64, −1 for a member that the catalogue does not have. places: catalogue ordinal → place, −1.
    """

    def __init__(self, head: TreeHead, tree: Tree, pids: Ints, generation: int) -> None:
        self.head = head
        self.tree = tree
        self.generation = generation
        self.ordinals = _ordinals(pids, tree.members)
        found = self.ordinals >= 0
        self.known: Mask | None = None if found.all() else found
        self.places = np.full(len(pids) + 1, -1, np.int32)
        self.places[self.ordinals[found]] = np.flatnonzero(found)
        self.codes = LeafCodes(head, tree)
        self._seen: tuple[Mask | None, Mask | None] = (None, None)

    def inherit(self, old: Folded) -> None:
        """Takes over what an earlier state of the same version has loaded of leaves that did not change."""
        if (old.head.version, old.head.model) == (self.head.version, self.head.model):
            self.codes.inherit(old.codes)

    def visible(self, mask: Mask | None) -> Mask | None:
        """Which places a mask over ordinals lets through: (n,) bool, None for all. The last answer is kept."""
        if mask is None:
            return self.known
        asked, answer = self._seen
        if asked is mask:
            return answer
        answer = mask[self.ordinals]
        if self.known is not None:
            answer &= self.known
        self._seen = (mask, answer)
        return answer


def _ordinals(pids: Ints, members: Ints) -> Ints:
    """Where members (n,) stand among ascending passage ids (m,): (n,) int64, −1 for nowhere."""
    last = int(pids[-1]) if len(pids) else -1
    if last > SPARSE * len(pids):
        at = np.searchsorted(pids, members)
        at[at == len(pids)] = 0
        return np.where(pids[at] == members, at, -1)
    table = np.full(last + 2, -1)  # quicker than as many searches; the last place is for larger ids
    table[pids] = np.arange(len(pids))
    return np.asarray(table[np.minimum(members, last + 1)])


@dataclass(frozen=True, slots=True)
class TopicTable:
    """The vectors of a namespace with a tree: those in leaves, and the tail, which is compared exhaustively."""

    folded: Folded
    tail: VectorTable

    @property
    def dimension(self) -> int:
        return self.tail.dimension

    @property
    def size(self) -> int:
        return self.folded.tree.size + self.tail.size


def stored_tree(snapshot: Snapshot, head: TreeHead) -> Tree:
    """The tree of a head, from its rows."""
    topics = snapshot.topics
    return read_tree(head, topics.topics(head.ns, head.version), topics.members(head.ns, head.version), Shape())


def read_tree(head: TreeHead, topics: Sequence[TopicRow], runs: Sequence[LeafMembers], shape: Shape) -> Tree:
    """The tree of stored rows; children of a topic come by key. Raises StoreDamagedError when they are no tree."""
    members: dict[int, list[Ints]] = {}
    for run in runs:
        members.setdefault(run.leaf, []).append(run.pids)
    by_level: dict[int, list[TopicRow]] = {}
    for topic in topics:
        by_level.setdefault(topic.level, []).append(topic)
    if sorted(by_level) != list(range(len(by_level))) or len(by_level) < 2:
        raise StoreDamagedError("the levels of the topic tree are not complete", hint="rebalance the topics")
    ordered = [by_level[0]]
    for depth in range(1, len(by_level)):
        place = {topic.key: n for n, topic in enumerate(ordered[-1])}
        ordered.append(sorted(by_level[depth], key=lambda topic: (place.get(topic.parent, -1), topic.key)))
        if ordered[-1][0].parent not in place:
            raise StoreDamagedError(f"topic {ordered[-1][0].key} has no parent", hint="rebalance the topics")
    lists = [members.get(leaf.key, []) for leaf in ordered[-1]]
    sizes = [sum(map(len, part)) for part in lists]
    levels = [_level(ordered[-1], sizes, sizes, head.dimension)]
    for depth in range(len(ordered) - 2, -1, -1):
        children: dict[int, int] = {}
        for topic in ordered[depth + 1]:
            children[topic.parent] = children.get(topic.parent, 0) + 1
        children_of = [children.get(topic.key, 0) for topic in ordered[depth]]
        counts = np.add.reduceat(levels[-1].counts, np.append(0, np.cumsum(children_of))[:-1]).tolist()
        levels.append(_level(ordered[depth], counts, children_of, head.dimension))
    flat = [pids for part in lists for pids in part]
    return Tree(tuple(levels[::-1]), np.concatenate(flat) if flat else np.empty(0, np.int64), head.next_key, shape)


def _level(topics: Sequence[TopicRow], counts: Sequence[int], below: Sequence[int], dimension: int) -> Level:
    centroids = np.frombuffer(b"".join(topic.centroid for topic in topics), "<f4").reshape(len(topics), dimension)
    return Level(
        keys=np.array([topic.key for topic in topics], np.int64),
        centroids=centroids,
        lengths=np.array([topic.length for topic in topics], np.float32),
        counts=np.array(counts, np.int64),
        starts=np.append(0, np.cumsum(below)).astype(np.int64),
    )


def topic_rows(tree: Tree, labels: Mapping[int, str], wanted: Set[int] | None = None) -> dict[int, TopicRow]:
    """Every topic of a tree, or those wanted, as a row, by key."""
    rows: dict[int, TopicRow] = {}
    for depth, level in enumerate(tree.levels):
        above = level.keys if depth == 0 else tree.levels[depth - 1].keys[tree.parents(depth)]
        columns = zip(level.keys.tolist(), above.tolist(), level.counts.tolist(), level.lengths.tolist(), strict=True)
        for n, (key, parent, count, length) in enumerate(columns):
            if wanted is not None and key not in wanted:
                continue
            centroid = level.centroids[n].astype("<f4").tobytes()
            rows[key] = TopicRow(key, parent, depth, count, length, labels.get(key, ""), centroid)
    return rows
