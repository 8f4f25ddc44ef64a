"""How is a topic tree made anew? From its own leaves, or from nothing; in stages that survive being killed.

1. read      pids and codes of every vector stored up to a seq
2. settle    divide (without a tree), then the passes over the leaves; kept after each
3. write     leaves and topics of the next version, in portions; nobody sees them
4. switch    one transaction: the head names the new version; the old rows go afterwards
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simonides.backend.jobs_port import NewJob
from simonides.backend.topics_port import LeafPart, TopicsWriter, TreeHead, Work
from simonides.errors import StoreBusyError, StoreError
from simonides.index.topics import TREE_FROM, topic_rows
from simonides.model.ids import new_id
from simonides.topics.build import divide, fitted, grown_up, one_pass
from simonides.topics.codes import Coded, encode
from simonides.topics.match import matched
from simonides.topics.tree import Level, Shape, Tree
from simonides.upkeep.around import in_context
from simonides.upkeep.naming import names_for
from simonides.upkeep.topics import SHAPE, Stored, fold, packed, tail_due

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.backend.rows import Ints
    from simonides.engine import Engine
    from simonides.topics.cluster import Labels

_log = logging.getLogger(__name__)
Progress = Callable[[str, int, int], None]
FOLD, REBALANCE, PROBE = "topics.fold", "topics.rebalance", "recall.probe"  # kinds of jobs
GROWTH = 1.5  # of a tree since it was built: then its leaves are worth settling again
PAGE = 4_096  # vectors read at a time
LEAVES_PER_WRITE = 256  # about 5 MB
LEAF_MIN, LEAVES_AIMED = 16, 8  # members of a leaf at least, and leaves of a tree where there is room
DRAWN_MAX = 20_000  # vectors of a map that is drawn for a look: a few seconds
BEAM = 32  # topics kept per round: about 2 % of 100,000 vectors compared


@dataclass(frozen=True, slots=True)
class Start:
    """What a rebalance begins with. old: the tree in use, if there is one that fits. version: of the one to come.

    around: what is divided and settled. In a large namespace the tree is an index, and that is `coded`; in a small
    one it is a map, and turns count with the turns around them.
    """

    ns: int
    version: int
    head: TreeHead
    old: Stored | None
    seq: int
    stage: int
    pids: Ints
    coded: Coded
    around: Coded
    labels: Labels | None
    owner: str


def rebalance(engine: Engine, namespace: str, progress: Progress | None = None) -> int:
    """Makes the tree of a namespace anew, labels included; returns how many vectors are in it.

    progress(stage, done, total) hears of read, divide, settle, group, write. Goes on where a killed one stopped.
    Raises StoreBusyError when another rebalance of the namespace took over.
    """
    say = progress or _silent
    fold(engine, namespace)
    start = _start(engine, namespace, say)
    if start is None:
        return 0
    keep = _keeper(engine, start)
    tree = _tree(start, keep, say)
    with engine.database.snapshot() as snapshot:
        seen, names = snapshot.state(namespace).seq, names_for(engine, snapshot, start.ns, tree)
    _write(engine, namespace, start, tree, (seen, names), say)
    return tree.size


def drawn(engine: Engine, namespace: str) -> tuple[Tree, dict[int, str]] | None:
    """The tree that `rebalance` would make, with its labels, kept nowhere; None without vectors or for too many."""
    with engine.database.snapshot() as snapshot:
        ns = snapshot.state(namespace).ns
        if snapshot.topics.tail_size(ns, 0, DRAWN_MAX + 1) > DRAWN_MAX:
            return None
    start = _start(engine, namespace, _silent)
    if start is None:
        return None
    tree = _tree(start, lambda stage, labels: None, _silent)
    with engine.database.snapshot() as snapshot:
        return tree, names_for(engine, snapshot, start.ns, tree)


def keep_up(engine: Engine, namespace: str) -> None:
    """What a writer does for the tree after its own transaction: nothing, mostly.

    A long tail is work for the queue of jobs: folding it, building the first tree, rebalancing one that has grown by
    half. When nobody did it until the tail is twice as long, it is folded, or the first tree built, here. What cannot
    be done now stays tail, which only costs time, and the next writer tries again.
    """
    try:
        _keep_up(engine, namespace)
    except StoreError as error:
        _log.warning("the topics of %r are behind: %s", namespace, error.message)


def _keep_up(engine: Engine, namespace: str) -> None:
    tail = tail_due(engine, namespace)
    if tail is None:
        return
    if tail.size >= 2 * tail.limit:
        if tail.head is None:
            rebalance(engine, namespace)
        else:
            fold(engine, namespace)
            grown(engine, namespace)
        return
    job = NewJob(REBALANCE if tail.head is None else FOLD, namespace, engine.clock(), "")
    engine.database.write(lambda tx: tx.jobs.put(job))


def grown(engine: Engine, namespace: str) -> None:
    """Asks for a rebalance when the tree has grown by half since it was built."""
    with engine.database.snapshot() as snapshot:
        head = snapshot.topics.head(snapshot.state(namespace).ns)
    if head is not None and head.version and _size(engine, namespace) >= head.built * GROWTH:
        job = NewJob(REBALANCE, namespace, engine.clock(), "")
        engine.database.write(lambda tx: tx.jobs.put(job))


def _size(engine: Engine, namespace: str) -> int:
    """How many vectors the tree has: the count of its root."""
    with engine.database.snapshot() as snapshot:
        ns = snapshot.state(namespace).ns
        head = snapshot.topics.head(ns)
        return 0 if head is None else snapshot.topics.size(ns, head.version)


def _silent(stage: str, done: int, total: int) -> None:
    pass


def _start(engine: Engine, namespace: str, say: Progress) -> Start | None:
    """Reads the vectors, and where an interrupted rebalance stopped. None when there is no vector."""
    owner = new_id(engine.clock())
    with engine.database.snapshot() as snapshot:
        state = snapshot.state(namespace)
        model, info = snapshot.meta("model"), engine.model(snapshot)
        if state.ns == 0 or model is None or info is None:
            return None
        head = snapshot.topics.head(state.ns)
        if head is None:
            head = TreeHead(state.ns, 0, 0, 0, model, info.dimension, BEAM, 0, 0, 0)
        fits = head.version > 0 and head.model == model and head.dimension == info.dimension
        old = Stored.read(snapshot, head) if fits else None
        work = snapshot.topics.work(state.ns)
        begun = work if work is not None and work.version > head.version else None
        seq, stage = (begun.seq, begun.stage) if begun is not None else (state.seq, 0)
        ns, total = state.ns, snapshot.topics.tail_size(state.ns, 0, 1 << 40)
        pids, coded = read_coded(
            lambda after: snapshot.topics.vectors_page(ns, seq, after, PAGE), info.dimension, total, say
        )
    labels: Labels | None = None
    if begun is not None and begun.labels:
        pids, coded, labels = _given(pids, coded, np.frombuffer(begun.pids, "<i8"), np.frombuffer(begun.labels, "<i4"))
    elif old is not None:
        # Vectors that came after the fold stay in the tail.
        seq, stage = old.head.seq, 1
        pids, coded, labels = _given(pids, coded, old.tree.members, old.tree.leaf_of_member())
    if not len(pids):
        return None
    head = head._replace(model=model, dimension=info.dimension)
    version = head.epoch + 1 if begun is None else begun.version
    around = coded if len(pids) >= TREE_FROM else in_context(engine, namespace, pids, coded)
    return Start(state.ns, version, head, old, seq, stage, pids, coded, around, labels, owner)


def read_coded(
    page_after: Callable[[int], list[tuple[int, bytes]]], dimension: int, total: int, say: Progress
) -> tuple[Ints, Coded]:
    """pids (n,) and codes of all vectors, page by page."""
    pids: list[int] = []
    parts: list[Coded] = []
    while page := page_after(pids[-1] if pids else 0):
        pids += [pid for pid, _ in page]
        rows = np.frombuffer(b"".join(vector for _, vector in page), "<f4").reshape(len(page), dimension)
        parts.append(encode(rows))
        say("read", len(pids), total)
    if not parts:
        return np.empty(0, np.int64), encode(np.empty((0, dimension), np.float32))
    coded = Coded(np.concatenate([p.codes for p in parts]), np.concatenate([p.factors for p in parts]))
    return np.array(pids, np.int64), coded


def _given(pids: Ints, coded: Coded, known: Ints, leaves: Labels) -> tuple[Ints, Coded, Labels]:
    """The vectors that have a leaf, with its number."""
    both, here, there = np.intersect1d(pids, known, assume_unique=True, return_indices=True)
    return both, coded.pick(here), leaves[there].astype(np.int32)


def _keeper(engine: Engine, start: Start) -> Callable[[int, Labels | None], None]:
    """Writes down how far the work is. The first call makes it ours."""

    def keep(stage: int, labels: Labels | None) -> None:
        def job(tx: Transaction) -> None:
            work = tx.topics.work(start.ns)
            if stage != start.stage and (work is None or work.owner != start.owner):
                raise StoreBusyError("another rebalance of these topics took over", hint="wait for it")
            packed_labels = b"" if labels is None else labels.astype("<i4").tobytes()
            pids = b"" if labels is None else start.pids.astype("<i8").tobytes()
            tx.topics.put_work(start.ns, Work(start.owner, start.version, start.seq, stage, pids, packed_labels))

        engine.database.write(job)

    keep(start.stage, start.labels)
    return keep


def _tree(start: Start, keep: Callable[[int, Labels | None], None], say: Progress) -> Tree:
    """Stages: 1 after the division, then one per pass."""
    labels, stage, shape = start.labels, start.stage, _shape(len(start.pids))
    if labels is None:
        labels = divide(start.around, shape, 0, say)
        stage = 1
        keep(stage, labels)
    while stage <= shape.passes:
        labels = fitted(start.around, one_pass(start.around, labels), shape)
        stage += 1
        keep(stage, labels)
        say("settle", stage - 1, shape.passes)
    made = grown_up(start.coded, fitted(start.around, labels, shape), SHAPE, 0, say)
    made = Tree(made.levels, start.pids[made.members], made.next_key, made.shape)
    old = start.old.tree if start.old is not None else _nothing(start.head)
    return matched(old, made)


def planted(head: TreeHead, pids: Ints, coded: Coded, say: Progress) -> Tree:
    """A tree made from nothing, in one go; its keys were never used before."""
    start = Start(head.ns, head.version, head, None, head.seq, 0, pids, coded, coded, None, "")
    return _tree(start, lambda stage, labels: None, say)


def _shape(size: int) -> Shape:
    """Smaller leaves where there are few vectors: a map of three topics tells nobody much."""
    soft = max(LEAF_MIN, min(SHAPE.leaf_soft, size // LEAVES_AIMED))
    return replace(SHAPE, leaf_soft=soft, leaf_hard=2 * soft)


def _nothing(head: TreeHead) -> Tree:
    """A tree without topics, whose keys were all used before."""
    none, zero = np.zeros(0, np.int64), np.zeros((1, head.dimension), np.float32)
    level = Level(np.zeros(1, np.int64), zero, zero[:, 0], np.zeros(1, np.int64), np.zeros(2, np.int64))
    return Tree((level,), none, max(1, head.next_key), SHAPE)


def _write(
    engine: Engine, namespace: str, start: Start, tree: Tree, named: tuple[int, dict[int, str]], say: Progress
) -> None:
    """named: the labels, and the seq at which they were made; an erasure since then takes them back."""
    version, total = start.version, len(tree.leaves)
    _drop_others(engine, start.ns, start.head.version)
    for done, parts in portions(tree, start.pids, start.coded):
        engine.database.write(lambda tx, parts=parts: _ours(tx, start).put_parts(start.ns, version, parts))  # type: ignore[misc]  # mypy cannot type a lambda's default
        say("write", done, total)

    def switch(tx: Transaction) -> None:
        topics = _ours(tx, start)
        seen, names = named
        rows = list(topic_rows(tree, {} if tx.erasure.erased_since(start.ns, seen) else names).values())
        head = topics.head(start.ns) or start.head
        topics.put_topics(start.ns, version, rows)
        topics.put_head(
            start.head._replace(
                version=version,
                epoch=head.epoch + 1,
                seq=start.seq,
                beam=head.beam,
                next_key=max(tree.next_key, head.next_key),
                built=tree.size,
                built_at=engine.clock(),
            )
        )
        topics.drop_work(start.ns)
        if tree.size >= TREE_FROM:
            tx.jobs.put(NewJob(PROBE, namespace, engine.clock(), ""))

    engine.database.write(switch)
    _drop_others(engine, start.ns, version)


def portions(tree: Tree, pids: Ints, coded: Coded) -> Iterator[tuple[int, list[LeafPart]]]:
    """The leaves as they are stored, some at a time, with how many there were by then."""
    place, total = {pid: n for n, pid in enumerate(pids.tolist())}, len(tree.leaves)
    for first in range(0, total, LEAVES_PER_WRITE):
        parts = []
        for leaf in range(first, min(total, first + LEAVES_PER_WRITE)):
            members = tree.members_of(leaf)
            picked = coded.pick(np.array([place[pid] for pid in members.tolist()]))
            parts.append(packed(int(tree.leaves.keys[leaf]), 0, members, picked))
        yield min(total, first + LEAVES_PER_WRITE), parts


def _ours(tx: Transaction, start: Start) -> TopicsWriter:
    """The tables, as long as nobody else works on this tree."""
    work = tx.topics.work(start.ns)
    if work is None or work.owner != start.owner:
        raise StoreBusyError("another rebalance of these topics took over", hint="wait for it")
    return tx.topics


def _drop_others(engine: Engine, ns: int, version: int) -> None:
    """Rows that no tree uses, in portions."""
    while engine.database.write(lambda tx: tx.topics.drop_others(ns, version, LEAVES_PER_WRITE)):
        pass
