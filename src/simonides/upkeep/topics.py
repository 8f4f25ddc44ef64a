"""How does a namespace get its topic tree, and how does the tree keep up? Fold what is new, rebalance what has grown.

A fold puts the tail into leaves: one short transaction, no run of members rewritten but in leaves that are split.
A rebalance makes the tree anew from its leaves (or from nothing): slow, outside of any transaction, with its progress
kept in the file; the new version is written beside the old one and taken into use in one transaction. Both may be
killed at any instruction and run twice. Vectors in no leaf are compared exhaustively meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simonides.backend.jobs_port import SPLIT_TOPICS, NewJob
from simonides.backend.topics_port import LeafPart, TreeHead
from simonides.index.topics import TREE_FROM, read_tree, topic_rows
from simonides.topics.codes import Coded, Floats, encode
from simonides.topics.grow import Growth
from simonides.topics.tree import Shape, Tree

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot, Transaction
    from simonides.backend.rows import Ints
    from simonides.engine import Engine

FOLD_FROM = 4_096  # vectors of the tail: comparing them costs about as much as the beam
FOLD_SHARE = 1 / 32  # of the tree, for large ones: folds come at growing distances
FOLD_MAX = 8_192  # however large the tree: every question compares the tail, and a fold holds twice as many in memory
FOLD_ROWS = 4_096  # of them as float32 at a time
# Members that a fold settles again, per one that came in: recall@10 of a tree that grew to seven times its size was
# .960 without, .975 with as many, .992 with twice, .994 with four times as many.
RESETTLED = 2
RESETTLED_FROM = TREE_FROM  # members: a smaller tree is a map, settled with the turns around each turn
GOLDEN = 0.6180339887498949  # steps of this share of a circle come near every place of it, evenly
PARTS_MAX = 8  # runs of a leaf before they are written as one
SHAPE = Shape()


@dataclass(frozen=True, slots=True)
class Stored:
    """A tree as it is in the file, with what folding needs."""

    head: TreeHead
    tree: Tree
    labels: dict[int, str]
    parts: dict[int, int]

    @classmethod
    def read(cls, snapshot: Snapshot, head: TreeHead) -> Stored:
        rows = snapshot.topics.topics(head.ns, head.version)
        runs = snapshot.topics.members(head.ns, head.version)
        tree = read_tree(head, rows, runs, SHAPE)
        return cls(head, tree, {row.key: row.label for row in rows}, {run.leaf: run.part + 1 for run in runs})


class Codes:
    """The codes of members, read leaf by leaf; `add` puts those of new members beside them."""

    def __init__(self, snapshot: Snapshot, stored: Stored) -> None:
        self._snapshot = snapshot
        self._stored = stored
        self._order = np.argsort(stored.tree.members)
        self._sorted = stored.tree.members[self._order]
        self._leaf = stored.tree.leaf_of_member()
        self._known: dict[int, tuple[Coded, int]] = {}

    def add(self, pids: Ints, coded: Coded) -> None:
        self._known.update((pid, (coded, n)) for n, pid in enumerate(pids.tolist()))

    def of(self, pids: Ints) -> Coded:
        """The codes of some members, in order."""
        self._read([pid for pid in pids.tolist() if pid not in self._known])
        found = [self._known[pid] for pid in pids.tolist()]
        codes = np.stack([coded.codes[n] for coded, n in found])
        return Coded(codes, np.array([coded.factors[n] for coded, n in found], np.float32))

    def rows(self, pids: Ints) -> Floats:
        coded = self.of(pids)
        return coded.rows(np.arange(len(coded)))

    def leaves_of(self, pids: Ints) -> Ints:
        """The places of the leaves that hold some members."""
        at = np.searchsorted(self._sorted, pids)
        return self._leaf[self._order[at]].astype(np.int64)

    def _read(self, pids: list[int]) -> None:
        if not pids:
            return
        head = self._stored.head
        keys = self._stored.tree.leaves.keys[np.unique(self.leaves_of(np.array(pids, np.int64)))]
        for part in self._snapshot.topics.leaves(head.ns, head.version, keys.tolist()):
            self.add(np.frombuffer(part.pids, "<i8"), unpacked(part, head.dimension))


def tail_of(snapshot: Snapshot, head: TreeHead) -> tuple[Ints, Coded]:
    """The vectors that are in no leaf: pids (m,) and their codes."""
    pids, vectors = snapshot.vectors_since(head.ns, head.seq, head.dimension)
    return pids, encode(vectors)


def fold(engine: Engine, namespace: str, *, split: bool = True) -> int:
    """Puts the tail of a namespace into leaves and takes out dead members; returns how many came in.

    split: leaves above the soft cap are split as well; otherwise only those above the hard one, and the queue of jobs
    is asked for the rest. 0 also when there is no tree, or somebody else changed it meanwhile.
    """
    return _changed(engine, namespace, take_in=True, settle=split)


def split_large(engine: Engine, namespace: str) -> None:
    """Splits the leaves above the soft cap."""
    _changed(engine, namespace, take_in=False, settle=True)


def _changed(engine: Engine, namespace: str, *, take_in: bool, settle: bool) -> int:
    with engine.database.snapshot() as snapshot:
        state = snapshot.state(namespace)
        head = snapshot.topics.head(state.ns)
        if head is None or head.version == 0 or snapshot.meta("model") != head.model:
            return 0
        stored = Stored.read(snapshot, head)
        codes = Codes(snapshot, stored)
        growth = Growth(stored.tree, codes.rows)
        came = _take_in(snapshot, growth, codes, stored) if take_in else 0
        if came and stored.tree.size >= RESETTLED_FROM:
            growth.resettle(head.epoch * GOLDEN % 1, RESETTLED * came)
        if settle:
            growth.settle()
        tree = growth.freeze()
        parts, rewritten = _runs(growth, tree, codes, stored)
    # A half keeps the key of the whole, but not its label: the words may have gone with the other half.
    labels = {key: label for key, label in stored.labels.items() if key not in growth.changes.rewritten}
    changed = list(topic_rows(tree, labels, growth.changes.touched).values())
    new = head._replace(epoch=head.epoch + 1, next_key=tree.next_key, seq=state.seq if take_in else head.seq)
    nameless = any(not labels.get(int(key)) for level in tree.levels[1:] for key in level.keys)
    due = nameless or bool((tree.leaves.counts > SHAPE.leaf_soft).any())

    def job(tx: Transaction) -> int:
        if tx.topics.head(state.ns) != head:
            return 0
        tx.topics.drop_leaves(state.ns, head.version, rewritten)
        tx.topics.put_parts(state.ns, head.version, parts)
        tx.topics.put_topics(state.ns, head.version, changed)
        tx.topics.drop_topics(state.ns, head.version, sorted(growth.changes.gone))
        tx.topics.put_head(new)
        if due:
            tx.jobs.put(NewJob(SPLIT_TOPICS, namespace, engine.clock(), ""))
        return came

    return engine.database.write(job) if growth.changes.touched or take_in else 0


def _take_in(snapshot: Snapshot, growth: Growth, codes: Codes, stored: Stored) -> int:
    """The tail goes into leaves, dead members go out."""
    head, members = stored.head, stored.tree.members
    pids, coded = tail_of(snapshot, head)
    fresh = ~np.isin(pids, members)
    pids, coded = pids[fresh], coded.pick(np.flatnonzero(fresh))
    codes.add(pids, coded)
    gone = snapshot.dead_since(head.ns, head.seq)
    dead = np.intersect1d(gone, members) if len(gone) else gone
    if len(dead):
        growth.remove(stored.tree.leaves.keys[codes.leaves_of(dead)], dead, codes.rows(dead))
    for start in range(0, len(pids), FOLD_ROWS):
        some = slice(start, start + FOLD_ROWS)
        growth.insert(pids[some], coded.rows(some))
    return len(pids)


def _runs(growth: Growth, tree: Tree, codes: Codes, stored: Stored) -> tuple[list[LeafPart], list[int]]:
    """Runs to be written, and the leaves whose runs go first: those that were split or have too many."""
    changes = growth.changes
    places = {key: leaf for leaf, key in enumerate(tree.leaves.keys.tolist())}
    full = {key for key in changes.added if stored.parts.get(key, 0) >= PARTS_MAX}
    rewritten = sorted(changes.rewritten | changes.thinned | full)
    parts = []
    none = np.empty(0, np.int64)
    for key in rewritten:
        members = none if key in changes.gone else tree.members_of(places[key])
        if len(members):
            parts.append(packed(key, 0, members, codes.of(members)))
    for key in sorted(changes.added.keys() - set(rewritten)):
        ids = np.array(changes.added[key], np.int64)
        parts.append(packed(key, stored.parts.get(key, 0), ids, codes.of(ids)))
    return parts, rewritten


def packed(leaf: int, part: int, pids: Ints, coded: Coded) -> LeafPart:
    """A run of members as it is stored."""
    factors = coded.factors.astype("<f4").tobytes()
    return LeafPart(leaf, part, pids.astype("<i8").tobytes(), factors, coded.codes.tobytes())


def unpacked(part: LeafPart, dimension: int) -> Coded:
    """The codes of a stored run."""
    return Coded(np.frombuffer(part.codes, np.int8).reshape(-1, dimension), np.frombuffer(part.factors, "<f4"))


@dataclass(frozen=True, slots=True)
class Tail:
    """size: vectors in no leaf, counted up to twice `limit`, from which they are too many. head: the tree in use."""

    head: TreeHead | None
    size: int
    limit: int


def tail_due(engine: Engine, namespace: str) -> Tail | None:
    """The tail, when it is too long.

    Cheap enough for every write: it is counted again only after a part of what is missing was written.
    """
    with engine.database.snapshot() as snapshot:
        state = snapshot.state(namespace)
        shelf = engine.library.shelf(state.ns)
        if state.ns == 0 or state.seq < shelf.fold_check_seq:
            return None
        found = snapshot.topics.head(state.ns)
        head = None if found is None or found.version == 0 else found
        limit = TREE_FROM
        if head is not None:
            share = int(snapshot.topics.size(state.ns, head.version) * FOLD_SHARE)
            limit = max(FOLD_FROM, min(FOLD_MAX, share))
        size = snapshot.topics.tail_size(state.ns, 0 if head is None else head.seq, 2 * limit)
        missing = (limit if size < limit else 2 * limit) - size
        shelf.fold_check_in = max(1, missing // 8)
        shelf.fold_check_seq = state.seq + shelf.fold_check_in
        return Tail(head, size, limit) if size >= limit else None
