"""What does a process keep in memory of a namespace, and how does it stay true? Catalogue, postings and vectors.

A shelf is shared by all threads. It belongs to snapshots: a reader brings it up to the seq of its own snapshot,
and a reader whose snapshot is older than the shelf is told so, to take a newer snapshot.
"""

from __future__ import annotations

import os
import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.index.bm25 import Bm25Params, Shares
from simonides.index.catalogue import Catalogue, build, catch_up
from simonides.index.kept import unpack, unpack_tree
from simonides.index.lexicon import Lexicon
from simonides.index.topics import Folded, TopicTable, stored_tree
from simonides.index.vectors import VectorTable
from simonides.topics.tree import Shape

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.backend.rows import NamespaceState
    from simonides.backend.topics_port import TreeHead

DEAD_SHARE_MAX = 0.5  # more than this and the catalogue is built anew
DEAD_MIN = 10_000
KEPT_FROM = 2_000  # rows: reading fewer takes no time worth the bytes
KEPT_SHARE = 8  # a kept catalogue is written anew when an eighth of it changed


@dataclass(frozen=True, slots=True)
class View:
    """One namespace in one snapshot."""

    state: NamespaceState
    catalogue: Catalogue
    vectors: VectorTable | TopicTable | None


class Shelf:
    """The memory of one namespace."""

    def __init__(self, ns: int, cache_bytes: int) -> None:
        self.ns = ns
        self.lexicon = Lexicon(ns, cache_bytes=cache_bytes * 3 // 4)
        self._shares: dict[bool, Shares] = {}
        self._shares_bytes = cache_bytes // 4
        self._lock = threading.Lock()
        self._catalogue: Catalogue | None = None
        self._unkept = 0  # rows read that no kept catalogue had
        self._vectors: VectorTable | None = None  # without a tree all vectors, with one the tail
        self._folded: Folded | None = None
        self._tree_unkept = False
        self._epoch = 0
        self._model: str | None = None
        self._speakers: tuple[int, dict[int, str]] = (-1, {})
        self.written = 0  # thoughts, by this process
        self.fold_check_seq = 0  # upkeep looks at the tail again from here
        self.fold_check_in = 1  # or after so many thoughts were written here

    def wrote(self, thoughts: int) -> bool:
        """Counts thoughts that were written here; True when upkeep looks at the tail."""
        self.written += thoughts
        self.fold_check_in -= thoughts
        return self.fold_check_in <= 0

    @property
    def wrote_much(self) -> bool:
        """Whether this process wrote so many thoughts that its catalogue may be worth keeping."""
        return self.written >= KEPT_FROM

    def speakers(self, snapshot: Snapshot, state: NamespaceState) -> dict[int, str]:
        """Who speaks in the namespace, by number; read once per state."""
        seq, names = self._speakers
        if seq != state.seq:
            names = snapshot.speakers(self.ns)
            self._speakers = (state.seq, names)
        return names

    def shares(self, lengths: npt.NDArray[np.float64], params: Bm25Params, *, context: bool) -> Shares:
        """What terms gave to passages of these very lengths; begun anew for others."""
        held = self._shares.get(context)
        if held is None or held.lengths is not lengths or held.params != params:
            held = self._shares[context] = Shares(lengths, params, self._shares_bytes)
        return held

    def view(
        self,
        snapshot: Snapshot,
        state: NamespaceState,
        dimension: int | None,
        model: str | None,
        head: TreeHead | None,
    ) -> View | None:
        """The namespace as the snapshot sees it; None when the shelf is ahead of the snapshot.

        dimension, model: of the store's vectors; without a dimension they are left alone. Vectors of another model
        than before are read anew. head: of the namespace's topic tree in this snapshot.
        """
        with self._lock:
            catalogue = self._catalogue
            if catalogue is None or catalogue.seq != state.seq:
                if catalogue is not None and catalogue.seq > state.seq:
                    return None
                catalogue = self._catalogue = self._newer(snapshot, state, catalogue)
            if dimension is None:
                return View(state, catalogue, None)
            if model != self._model:
                self._vectors, self._folded, self._model = None, None, model
            epoch = 0 if head is None else head.epoch
            if epoch < self._epoch:
                return None
            folded = self._folded_at(snapshot, catalogue, head, dimension)
            if epoch > self._epoch:
                self._vectors, self._epoch = None, epoch
            tail = self._vectors_at(snapshot, catalogue, dimension, 0 if folded is None else folded.head.seq)
            return View(state, catalogue, tail if folded is None else TopicTable(folded, tail))

    def _newer(self, snapshot: Snapshot, state: NamespaceState, old: Catalogue | None) -> Catalogue:
        if old is None:
            old = self._kept(snapshot)
        if old is None or (old.dead > DEAD_MIN and old.dead > old.size * DEAD_SHARE_MAX):
            new = build(snapshot.catalogue(self.ns), state.seq)
            self._unkept = new.size
            return new
        changed = snapshot.catalogue_changed(self.ns, old.seq)
        dead = snapshot.dead_since(self.ns, old.seq)
        self._unkept += len(changed) + len(dead)
        return catch_up(old, changed, dead, state.seq)

    def _kept(self, snapshot: Snapshot) -> Catalogue | None:
        """What a process before this one kept in the file."""
        kept = snapshot.kept.catalogue(self.ns)
        return None if kept is None else unpack(kept[1], kept[0])

    def to_keep(self) -> Catalogue | None:
        """The catalogue, when keeping it would save whoever opens the store next the reading of many rows."""
        with self._lock:
            catalogue, unkept = self._catalogue, self._unkept
        return catalogue if catalogue is not None and worth_keeping(unkept, catalogue.count) else None

    def tree_to_keep(self) -> Folded | None:
        """The tree, when it was read from rows and is not small."""
        with self._lock:
            folded, unkept = self._folded, self._tree_unkept
        return folded if folded is not None and unkept and folded.tree.size >= KEPT_FROM else None

    def _folded_at(
        self, snapshot: Snapshot, catalogue: Catalogue, head: TreeHead | None, dimension: int
    ) -> Folded | None:
        """The tree in use; None without one, or when it is of another model than the store's vectors are."""
        if head is None or head.version == 0 or head.dimension != dimension:
            self._folded = None
            return None
        old = self._folded
        if old is not None and old.head.epoch == head.epoch and old.generation == catalogue.generation:
            return old
        if snapshot.meta("model") != head.model:
            return None
        kept = snapshot.kept.tree(self.ns, head.version, head.epoch)
        tree = None if kept is None else unpack_tree(kept, head, Shape())
        self._tree_unkept = tree is None
        if tree is None:
            tree = stored_tree(snapshot, head)
        new = Folded(head, tree, catalogue.pids, catalogue.generation)
        if old is not None:
            new.inherit(old)
        self._folded = new
        return new

    def _vectors_at(self, snapshot: Snapshot, catalogue: Catalogue, dimension: int, after: int) -> VectorTable:
        """Vectors stored after a seq."""
        table = self._vectors
        if table is None or table.generation != catalogue.generation or table.dimension != dimension:
            table = VectorTable(dimension, catalogue.generation, after)
        if table.seq != catalogue.seq or len(table.places) != catalogue.size + 1:
            pids, rows = snapshot.vectors_since(self.ns, table.seq, dimension)
            known = np.isin(pids, catalogue.pids)
            ordinals = np.searchsorted(catalogue.pids, pids[known])
            table = table.extend(ordinals, rows[known], catalogue.size, catalogue.seq)
            self._vectors = table
        return table


def worth_keeping(fresh: int, count: int) -> bool:
    """Whether so many rows of so many are too many to be read by everybody who opens the store."""
    return fresh >= max(KEPT_FROM, count // KEPT_SHARE)


class Library:
    """The shelves of a store."""

    def __init__(self, cache_mb: int) -> None:
        self._cache_bytes = cache_mb << 20
        self.clear()
        _libraries.add(self)

    def shelf(self, ns: int) -> Shelf:
        with self._lock:
            shelf = self._shelves.get(ns)
            if shelf is None:
                shelf = self._shelves[ns] = Shelf(ns, self._cache_bytes)
            return shelf

    def shelves(self) -> list[Shelf]:
        """Those of the namespaces that were asked."""
        with self._lock:
            return list(self._shelves.values())

    def clear(self) -> None:
        """Forgets everything: in a forked child the locks may be held by threads that do not exist there."""
        self._shelves: dict[int, Shelf] = {}
        self._lock = threading.Lock()


_libraries: weakref.WeakSet[Library] = weakref.WeakSet()


def _after_fork() -> None:
    for library in list(_libraries):
        library.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
