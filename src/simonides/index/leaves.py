"""Which eight-bit vectors of a topic tree are in memory? Those of leaves that a question reached, read on first use.

They lie in the order in which they came. Room for all is reserved, but an operating system gives memory for an array in
pages of up to 2 MB, each filled with zeros when it is first touched: leaves in their own places would soon touch all.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.errors import StoreDamagedError
from simonides.topics.codes import Coded, CodedQuery
from simonides.topics.tree import Tree, runs

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.backend.rows import Ints
    from simonides.backend.topics_port import TreeHead
    from simonides.topics.codes import Floats

LOADED_SHARE = 1 / 8  # of the leaves; more, and the others are read as well
LOADED_MAX = 64 << 20  # bytes of codes up to which that is done
LEAVES_PER_READ = 512


class LeafCodes:
    """The codes of a tree's members. Places count the members leaf after leaf. Threads share it.

    loaded: (leaves,) bool.
    """

    def __init__(self, head: TreeHead, tree: Tree) -> None:
        self.loaded = np.zeros(len(tree.leaves), np.bool_)
        self._head = head
        self._tree = tree
        self._coded = Coded(np.empty((tree.size, tree.dimension), np.int8), np.empty(tree.size, np.float32))
        self._shifts = np.zeros(len(tree.leaves), np.int64)  # from a place in a loaded leaf to its row
        self._used = 0
        self._lock = threading.Lock()

    def inherit(self, old: LeafCodes) -> None:
        """Takes over, before anything is read, what an earlier state of the tree has of leaves that did not change."""
        loaded = np.flatnonzero(old.loaded).tolist()
        before = dict(zip(old._tree.leaves.keys[loaded].tolist(), loaded, strict=True))
        pairs = [
            (leaf, was)
            for leaf, key in enumerate(self._tree.leaves.keys.tolist())
            if (was := before.get(key)) is not None
            and np.array_equal(self._tree.members_of(leaf), old._tree.members_of(was))
        ]
        if pairs:
            here, there = np.array(pairs, np.int64).T
            starts = old._tree.leaves.starts
            self._append(here, old._coded.pick(runs(starts[there], starts[there + 1]) + old._shift(there)))

    def cosines(
        self, snapshot: Snapshot, places: npt.NDArray[np.integer], query: CodedQuery
    ) -> npt.NDArray[np.float32]:
        """Approximate cosines of some places: (m,) float32."""
        return self._coded.cosines(self._rows(snapshot, places), query)

    def everything(self, snapshot: Snapshot, query: CodedQuery) -> Floats:
        """Approximate cosines of all places: (n,) float32."""
        self.load(snapshot, np.arange(len(self.loaded)))
        found = self._coded.everything(query)
        return found[np.arange(len(found)) + self._shift(np.arange(len(self.loaded)))] if self._shifts.any() else found

    def row(self, snapshot: Snapshot, place: int) -> CodedQuery:
        """The coded row of a place, to ask with."""
        (row,) = self._rows(snapshot, np.array([place]))
        return CodedQuery(self._coded.codes[row], self._coded.factors[row])

    def load(self, snapshot: Snapshot, leaves: npt.NDArray[np.integer]) -> None:
        """Reads the codes of some leaves, unless they are there. The snapshot must be of this epoch.

        Once an eighth of them was asked for, all of them are read, if they take few bytes: the next questions will
        want them.
        """
        wanted = np.zeros(len(self.loaded), np.bool_)
        wanted[leaves] = True
        missing = np.flatnonzero(wanted & ~self.loaded)
        if len(missing) and self._coded.codes.nbytes <= LOADED_MAX and self.loaded.mean() > LOADED_SHARE:
            missing = np.flatnonzero(~self.loaded)
        missing = missing[np.argsort(self._tree.leaves.keys[missing])]  # as they are stored
        for start in range(0, len(missing), LEAVES_PER_READ):
            batch = missing[start : start + LEAVES_PER_READ]
            self._append(batch, self._read(snapshot, batch))

    def _read(self, snapshot: Snapshot, leaves: Ints) -> Coded:
        """The codes of some leaves, keys ascending, one leaf behind the other."""
        keys = self._tree.leaves.keys[leaves]
        parts = snapshot.topics.codes(self._head.ns, self._head.version, keys.tolist())
        factors = np.frombuffer(b"".join(part.factors for part in parts), "<f4")
        codes = np.frombuffer(b"".join(part.codes for part in parts), np.int8)
        sizes = np.array([len(part.factors) // 4 for part in parts], np.int64)
        at = np.searchsorted(keys, np.array([part.leaf for part in parts], np.int64))
        counts = np.bincount(at, sizes, len(keys))
        if codes.size != len(factors) * self._tree.dimension or (counts != self._tree.leaves.counts[leaves]).any():
            raise StoreDamagedError(
                "a leaf of the topic tree holds others than its members", hint="rebalance the topics"
            )
        return Coded(codes.reshape(len(factors), -1), factors)

    def _append(self, leaves: Ints, coded: Coded) -> None:
        with self._lock:
            fresh = ~self.loaded[leaves]  # another thread may have read some meanwhile
            counts = self._tree.leaves.counts[leaves]
            if not fresh.all():
                coded = coded.pick(np.flatnonzero(np.repeat(fresh, counts)))
                leaves, counts = leaves[fresh], counts[fresh]
            end = self._used + len(coded)
            self._coded.codes[self._used : end] = coded.codes
            self._coded.factors[self._used : end] = coded.factors
            firsts = self._used + np.cumsum(counts) - counts
            self._shifts[leaves] = firsts - self._tree.leaves.starts[leaves]
            self._used = end
            self.loaded[leaves] = True

    def _rows(self, snapshot: Snapshot, places: npt.NDArray[np.integer]) -> Ints:
        leaves = np.searchsorted(self._tree.leaves.starts, places, side="right") - 1
        if not self.loaded[leaves].all():
            self.load(snapshot, leaves)
        return np.asarray(places + self._shifts[leaves])

    def _shift(self, leaves: Ints) -> Ints:
        """Of every member of some leaves."""
        return np.repeat(self._shifts[leaves], self._tree.leaves.counts[leaves])
