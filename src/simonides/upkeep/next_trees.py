"""How does a model to come bring its topic trees along? Grown beside the vectors to come, taken into use with them.

A mark in `meta` says that the tree of a namespace is begun. What got its vector before is in the tree; what gets one
afterwards has a seq behind the tree's, and is its tail. A tree that was killed half-way is made again; so is one that
`compact` took away, because something was erased after it was begun.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from simonides.backend.jobs_port import NewJob
from simonides.backend.topics_port import TreeHead
from simonides.engine import Engine, write_model
from simonides.errors import StoreBusyError
from simonides.index.topics import TREE_FROM, topic_rows
from simonides.model.ids import new_id
from simonides.topics.keys import ROOT
from simonides.upkeep.naming import names_for
from simonides.upkeep.rebalance import BEAM, PAGE, PROBE, planted, portions, read_coded

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot, Transaction
    from simonides.embedders.port import ModelInfo

KEY = "tree_next:"  # in `meta`, before the number of a namespace; queries/ know it too


@dataclass(frozen=True, slots=True)
class Mark:
    """A tree to come. seq: of the namespace when it was begun. built: its members, 0 while it is being made.

    next_key: as in a head. seen: the seq at which its labels were made.
    """

    owner: str
    version: int
    seq: int
    next_key: int = 0
    built: int = 0
    seen: int = 0


def grow(engine: Engine, model: ModelInfo, say: Callable[[str, int, int], None]) -> None:
    """Makes the trees of all namespaces that are large enough for one and have none yet.

    say(stage, done, total) as in `rebalance`. Raises StoreBusyError when somebody else took over.
    """
    with engine.database.snapshot() as snapshot:
        large = [ns for ns, count in snapshot.renewal.sizes().items() if count >= TREE_FROM]
        todo = [ns for ns in large if not _ready(snapshot, ns)]
    for ns in todo:
        _grow(engine, ns, model, say)


def take(tx: Transaction, ns: int, model: ModelInfo, at: int) -> None:
    """In the transaction of the switch: the tree to come is the one in use, where there is one; the old one goes."""
    mark = _mark(tx, ns)
    tx.topics.clear(ns)
    tx.exchange.drop_meta(f"{KEY}{ns}")
    if mark is None:
        return
    if not mark.built:
        tx.topics.drop_version(ns, mark.version)
        return
    old = tx.topics.head(ns)
    assert old is not None  # the mark was made with one
    if tx.erasure.erased_since(ns, mark.seen):
        tx.topics.put_labels(ns, mark.version, {topic.key: "" for topic in tx.topics.names(ns, mark.version)})
    tx.topics.put_head(
        TreeHead(
            ns, mark.version, old.epoch + 1, mark.seq, write_model(model), model.dimension, BEAM,
            mark.next_key, mark.built, at,
        )
    )  # fmt: skip
    tx.jobs.put(NewJob(PROBE, tx.namespaces()[ns], at, ""))


def give_up(tx: Transaction, ns: int) -> None:
    """The tree to come does not come."""
    mark = _mark(tx, ns)
    if mark is not None:
        tx.exchange.drop_meta(f"{KEY}{ns}")
        tx.topics.drop_version(ns, mark.version)


def give_up_stale(tx: Transaction, ns: int) -> None:
    """The same, when something was erased after the tree was begun: its codes may show it."""
    mark = _mark(tx, ns)
    if mark is not None and tx.erasure.erased_since(ns, mark.seq):
        give_up(tx, ns)


def _grow(engine: Engine, ns: int, model: ModelInfo, say: Callable[[str, int, int], None]) -> None:
    mark = _begin(engine, ns, model)
    with engine.database.snapshot() as snapshot:
        total = snapshot.renewal.sizes().get(ns, 0)
        pids, coded = read_coded(lambda after: snapshot.renewal.page(ns, after, PAGE), model.dimension, total, say)
    if not len(pids):
        return
    head = TreeHead(ns, 0, 0, mark.seq, write_model(model), model.dimension, BEAM, mark.next_key, 0, 0)
    tree = planted(head, pids, coded, say)
    with engine.database.snapshot() as snapshot:
        seen = snapshot.state(snapshot.namespaces()[ns]).seq
        rows = list(topic_rows(tree, names_for(engine, snapshot, ns, tree)).values())
    for done, parts in portions(tree, pids, coded):

        def put(tx: Transaction, parts: list = parts) -> None:  # type: ignore[type-arg]  # as `portions` gives them
            _check(tx, ns, mark)
            tx.topics.put_parts(ns, mark.version, parts)

        engine.database.write(put)
        say("write", done, len(tree.leaves))

    def ready(tx: Transaction) -> None:
        _check(tx, ns, mark)
        tx.topics.put_topics(ns, mark.version, rows)
        _put(tx, ns, replace(mark, next_key=max(tree.next_key, mark.next_key), built=tree.size, seen=seen))

    engine.database.write(ready)


def _begin(engine: Engine, ns: int, model: ModelInfo) -> Mark:
    """A version of its own, which no rebalance of the tree in use will take."""
    owner = new_id(engine.clock())

    def job(tx: Transaction) -> Mark:
        give_up(tx, ns)
        state = tx.state(tx.namespaces()[ns])
        old = tx.topics.head(ns)
        if old is None:
            old = TreeHead(ns, 0, 0, 0, write_model(model), model.dimension, BEAM, 1, 0, 0)
        version = old.epoch + 2  # one that is under way has the number behind the epoch
        tx.topics.put_head(old._replace(epoch=version))
        mark = Mark(owner, version, state.seq, max(ROOT + 1, old.next_key))
        _put(tx, ns, mark)
        return mark

    return engine.database.write(job)


def _check(tx: Transaction, ns: int, mark: Mark) -> None:
    if _mark(tx, ns) != mark:
        raise StoreBusyError("somebody else makes the topics of the model to come, or gave them up", hint="try again")


def _ready(snapshot: Snapshot, ns: int) -> bool:
    mark = _mark(snapshot, ns)
    return mark is not None and mark.built > 0


def _mark(snapshot: Snapshot, ns: int) -> Mark | None:
    text = snapshot.meta(f"{KEY}{ns}")
    return None if text is None else Mark(**json.loads(text))


def _put(tx: Transaction, ns: int, mark: Mark) -> None:
    tx.set_meta(f"{KEY}{ns}", json.dumps(asdict(mark)))
