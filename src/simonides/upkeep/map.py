"""What do people see of the topics? The tree in the file, or one drawn for the look where none is needed yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simonides.backend.topics_port import TopicName, TreeHead
from simonides.index.topics import topic_rows
from simonides.model.topic import Topic
from simonides.topics.keys import ROOT, name_of
from simonides.upkeep.naming import names_for
from simonides.upkeep.rebalance import drawn
from simonides.upkeep.topics import Stored

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.engine import Engine


def topics(engine: Engine, namespace: str) -> tuple[Topic, ...]:
    """The tree as it is read: the root first, every topic before its children, larger ones first.

    Labels that are missing in the file, because a topic is new or something was erased, are made for the look.
    """
    with engine.database.snapshot() as snapshot:
        state = snapshot.state(namespace)
        head = snapshot.topics.head(state.ns)
        if head is not None and head.version > 0:
            return _listed(_named(engine, snapshot, head), kept=True)
    found = drawn(engine, namespace)
    if found is None:
        return ()
    tree, labels = found
    rows = topic_rows(tree, labels).values()
    return _listed([TopicName(row.key, row.parent, row.level, row.size, row.label) for row in rows], kept=False)


def _named(engine: Engine, snapshot: Snapshot, head: TreeHead) -> list[TopicName]:
    rows = snapshot.topics.names(head.ns, head.version)
    if all(row.label or row.key == ROOT for row in rows):
        return rows
    stored = Stored.read(snapshot, head)
    missing: Mapping[int, str] = names_for(engine, snapshot, head.ns, stored.tree, stored.labels)
    return [row if row.label else row._replace(label=missing.get(row.key, "")) for row in rows]


def _listed(rows: Sequence[TopicName], *, kept: bool) -> tuple[Topic, ...]:
    below: dict[int, list[int]] = {}
    for n, row in enumerate(rows):
        if row.level:
            below.setdefault(row.parent, []).append(n)
    found: list[Topic] = []
    waiting = [n for n, row in enumerate(rows) if row.level == 0]
    while waiting:
        row = rows[waiting.pop()]
        children = sorted(below.get(row.key, ()), key=lambda n: (rows[n].size, -rows[n].key))
        parent = None if row.level == 0 else name_of(row.parent)
        found.append(Topic(name_of(row.key), parent, row.label, row.size, row.level, not children, kept))
        waiting += children
    return tuple(found)
