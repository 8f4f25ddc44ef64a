"""Which memories lie in a topic of the tree? Filters name its topics as they name those that people made.

A vector that is in no leaf yet counts as a member of the nearest one, where the next fold will put it or close by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simonides.model.predicate import ROW, All, Compare, Either, Not, Predicate
from simonides.topics.keys import key_of

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.backend.rows import Ints
    from simonides.backend.topics_port import TreeHead

_NEGATIVE = {"$ne": "$eq", "$nin": "$in"}


def with_members(snapshot: Snapshot, ns: int, predicate: Predicate) -> Predicate:
    """A filter in which topics of the tree are put into words that a database knows: the rows of their members."""
    if isinstance(predicate, Not):
        return Not(with_members(snapshot, ns, predicate.part))
    if isinstance(predicate, (All, Either)):
        return type(predicate)(tuple(with_members(snapshot, ns, part) for part in predicate.parts))
    if predicate.field != "topics" or predicate.operator == "$exists":
        return predicate
    values = predicate.value if isinstance(predicate.value, tuple) else (predicate.value,)
    keys = {value: key for value in values if isinstance(value, str) and (key := key_of(value)) is not None}
    if not keys:
        return predicate
    positive = _NEGATIVE.get(predicate.operator)
    rows = Compare(ROW, "$in", tuple(members_below(snapshot, ns, list(keys.values())).tolist()))
    others = tuple(value for value in values if value not in keys)
    operator = "$under" if predicate.operator == "$under" else "$in"
    both = Either((rows, replace(predicate, operator=operator, value=others))) if others else rows
    return both if positive is None else Not(both)


def members_below(snapshot: Snapshot, ns: int, keys: Sequence[int]) -> Ints:
    """Row ids of the thoughts in some topics and all below them, ascending: (m,) int64."""
    import numpy as np

    head = snapshot.topics.head(ns)
    if head is None or head.version == 0:
        return np.empty(0, np.int64)
    leaves = _leaves_below(snapshot, head, keys)
    runs = snapshot.topics.members(ns, head.version)
    found = [run.pids for run in runs if run.leaf in leaves]
    known = np.concatenate([run.pids for run in runs]) if runs else np.empty(0, np.int64)
    found.append(_tail_below(snapshot, head, leaves, known))
    rows = snapshot.passages_of(np.concatenate(found).tolist())
    return np.unique(np.array([row.tid for row in rows], np.int64))


def _leaves_below(snapshot: Snapshot, head: TreeHead, keys: Sequence[int]) -> set[int]:
    names = snapshot.topics.names(head.ns, head.version)
    lowest = max((name.level for name in names), default=0)
    inside: set[int] = set()
    for name in sorted(names, key=lambda name: name.level):
        if name.key in keys or (name.parent in inside and name.level > 0):
            inside.add(name.key)
    return {name.key for name in names if name.level == lowest and name.key in inside}


def _tail_below(snapshot: Snapshot, head: TreeHead, leaves: set[int], known: Ints) -> Ints:
    """Vectors of the tail whose nearest leaf is one of some."""
    import numpy as np

    if snapshot.meta("model") != head.model:
        return np.empty(0, np.int64)
    pids, vectors = snapshot.vectors_since(head.ns, head.seq, head.dimension)
    fresh = ~np.isin(pids, known)
    pids, vectors = pids[fresh], vectors[fresh]
    if not len(pids):
        return pids
    rows = snapshot.topics.topics(head.ns, head.version)
    lowest = max(row.level for row in rows)
    bottom = sorted((row for row in rows if row.level == lowest), key=lambda row: row.key)
    centroids = np.frombuffer(b"".join(row.centroid for row in bottom), "<f4").reshape(len(bottom), -1)
    inside = np.array([row.key in leaves for row in bottom])
    nearest = np.argmax(vectors @ centroids.T, axis=1)
    below: Ints = pids[inside[nearest]]
    return below
