"""What are the topics of a namespace called? Some members of every leaf are read, and their words compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from simonides.embedders.telling import telling
from simonides.topics.keys import ROOT
from simonides.topics.label import Member, labels
from simonides.topics.words import runs_of
from simonides.upkeep.topics import Stored

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot, Transaction
    from simonides.engine import Engine
    from simonides.topics.tree import Tree

TEXTS_PER_LEAF = 16  # read of a leaf that wants a name, at least
TEXTS_ALL = 16_384  # of a small tree every text is read
TEXTS_BESIDE = 4  # read of one that has a name, to compare with
TEXTS_PER_READ = 4_096


def names_for(
    engine: Engine, snapshot: Snapshot, ns: int, tree: Tree, known: Mapping[int, str] | None = None
) -> dict[int, str]:
    """A label for every topic that `known` has none for. Members are passage ids; those that are gone are left out."""
    known = {key: label for key, label in (known or {}).items() if label}
    names = (word for name in snapshot.speakers(ns).values() for word in name.casefold().split())
    without = engine.stop_words | frozenset(names)
    leaf_of = _chosen(tree, known)
    pids = sorted(leaf_of)
    members = []
    for start in range(0, len(pids), TEXTS_PER_READ):
        part = pids[start : start + TEXTS_PER_READ]
        texts = snapshot.topics.texts(part)
        members += [Member(leaf_of[pid], runs_of(texts[pid], without)) for pid in part if pid in texts]
    return labels(tree, members, known, telling if engine.config.text.language == "english" else None)


def name_missing(engine: Engine, namespace: str) -> int:
    """Names the topics of a namespace that have no label, in the file; returns how many."""
    with engine.database.snapshot() as snapshot:
        state = snapshot.state(namespace)
        head = snapshot.topics.head(state.ns)
        if head is None or head.version == 0:
            return 0
        stored = Stored.read(snapshot, head)
        if all(label or key == ROOT for key, label in stored.labels.items()):
            return 0
        found = names_for(engine, snapshot, head.ns, stored.tree, stored.labels)

    def job(tx: Transaction) -> int:
        now = tx.topics.head(head.ns)
        if now is None or (now.version, now.epoch) != (head.version, head.epoch):
            return 0
        if tx.erasure.erased_since(head.ns, state.seq):
            return 0
        tx.topics.put_labels(head.ns, head.version, found)
        return len(found)

    return engine.database.write(job)


def _chosen(tree: Tree, known: Mapping[int, str]) -> dict[int, int]:
    """Members to read → leaf: more of the leaves that want a name, or lie below a topic that does."""
    wanted = np.zeros(len(tree.leaves), np.bool_)
    for depth, level in enumerate(tree.levels[1:], 1):
        for topic in _unnamed(level.keys.tolist(), known):
            low, high = tree.span(depth, topic)
            wanted[low:high] |= depth == len(tree.levels) - 1 or high - low < TEXTS_PER_LEAF
    chosen: dict[int, int] = {}
    for leaf in range(len(tree.leaves)):
        members = tree.members_of(leaf)
        count = max(TEXTS_ALL // len(tree.leaves), TEXTS_PER_LEAF if wanted[leaf] else TEXTS_BESIDE)
        for pid in members[:: max(1, -(-len(members) // count))].tolist():
            chosen[pid] = leaf
    return chosen


def _unnamed(keys: Iterable[int], known: Mapping[int, str]) -> list[int]:
    return [place for place, key in enumerate(keys) if key not in known]
