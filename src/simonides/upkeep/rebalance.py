"""How is a topic tree made anew? From its own leaves, or from nothing; in stages that survive being killed.

1. read      pids and codes of every vector stored up to a seq
2. settle    divide (without a tree), then the passes over the leaves; kept after each
3. write     leaves and topics of the next version, in portions; nobody sees them
4. switch    one transaction: the head names the new version; the old rows go afterwards
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simonides.backend.jobs_port import NewJob
from simonides.backend.port import Snapshot, Transaction
from simonides.backend.rows import Ints
from simonides.backend.topics_port import TopicsWriter, TreeHead, Work
from simonides.engine import Engine
from simonides.errors import StoreBusyError, StoreError
from simonides.index.topics import topic_rows
from simonides.model.ids import new_id
from simonides.topics.build import divide, fitted, grown_up, one_pass
from simonides.topics.cluster import Labels
from simonides.topics.codes import Coded, encode
from simonides.topics.label import labels as labelled
from simonides.topics.match import matched
from simonides.topics.tree import Level, Tree
from simonides.upkeep.topics import SHAPE, TREE_FROM, Stored, fold, packed, tail_due

_log = logging.getLogger(__name__)
Progress = Callable[[str, int, int], None]
FOLD, REBALANCE = "topics.fold", "topics.rebalance"  # kinds of jobs
GROWTH = 1.5  # of a tree since it was built: then its leaves are worth settling again
PAGE = 4_096  # vectors read at a time
LEAVES_PER_WRITE = 256  # about 5 MB
BEAM = 32  # topics kept per round: about 2 % of 100,000 vectors compared
TEXTS_PER_LEAF = 16  # looked at for a label
WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)")
WORD_CHARS_MIN = 3


@dataclass(frozen=True, slots=True)
class Start:
    """What a rebalance begins with. old: the tree in use, if there is one that fits. version: of the one to come."""

    ns: int
    version: int
    head: TreeHead
    old: Stored | None
    seq: int
    stage: int
    pids: Ints
    coded: Coded
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
    names = _names(engine, start, tree)
    _write(engine, start, tree, names, say)
    return tree.size


def keep_up(engine: Engine, namespace: str) -> None:
    """What a writer does for the tree after its own transaction: nothing, mostly.

    A long tail is folded at once. Building the first tree, and rebalancing one that has grown by half, is asked of
    the queue of jobs; a namespace that grows to twice the size without a worker builds its first tree here. What
    cannot be done now stays tail, which only costs time, and the next writer tries again.
    """
    try:
        _keep_up(engine, namespace)
    except StoreError as error:
        _log.warning("the topics of %r are behind: %s", namespace, error.message)


def _keep_up(engine: Engine, namespace: str) -> None:
    head, tail = tail_due(engine, namespace)
    if not tail:
        return
    if head is not None:
        if fold(engine, namespace) and _size(engine, namespace) < head.built * GROWTH:
            return
    elif tail >= 2 * TREE_FROM:
        rebalance(engine, namespace)
        return
    job = NewJob(REBALANCE, namespace, engine.clock(), "")
    engine.database.write(lambda tx: tx.jobs.put(job))


def _size(engine: Engine, namespace: str) -> int:
    """How many vectors the tree has: the count of its root."""
    with engine.database.snapshot() as snapshot:
        ns = snapshot.state(namespace).ns
        head = snapshot.topics.head(ns)
        names = [] if head is None else snapshot.topics.names(ns, head.version)
    return next((name.size for name in names if name.level == 0), 0)


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
        pids, coded = _read(snapshot, state.ns, seq, info.dimension, say)
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
    return Start(state.ns, version, head, old, seq, stage, pids, coded, labels, owner)


def _read(snapshot: Snapshot, ns: int, seq: int, dimension: int, say: Progress) -> tuple[Ints, Coded]:
    total = snapshot.topics.tail_size(ns, 0, 1 << 40)
    pids: list[int] = []
    parts: list[Coded] = []
    while page := snapshot.topics.vectors_page(ns, seq, pids[-1] if pids else 0, PAGE):
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
    labels, stage = start.labels, start.stage
    if labels is None:
        labels = divide(start.coded, SHAPE, 0, say)
        stage = 1
        keep(stage, labels)
    while stage <= SHAPE.passes:
        labels = fitted(start.coded, one_pass(start.coded, labels), SHAPE)
        stage += 1
        keep(stage, labels)
        say("settle", stage - 1, SHAPE.passes)
    made = grown_up(start.coded, fitted(start.coded, labels, SHAPE), SHAPE, 0, say)
    made = Tree(made.levels, start.pids[made.members], made.next_key, made.shape)
    old = start.old.tree if start.old is not None else _nothing(start.head)
    return matched(old, made)


def _nothing(head: TreeHead) -> Tree:
    """A tree without topics, whose keys were all used before."""
    none, zero = np.zeros(0, np.int64), np.zeros((1, head.dimension), np.float32)
    level = Level(np.zeros(1, np.int64), zero, zero[:, 0], np.zeros(1, np.int64), np.zeros(2, np.int64))
    return Tree((level,), none, max(1, head.next_key), SHAPE)


def _names(engine: Engine, start: Start, tree: Tree) -> dict[int, str]:
    """Labels from the words of some members of every leaf."""
    stop = engine.stop_words
    terms, sizes = [], []
    with engine.database.snapshot() as snapshot:
        for leaf in range(len(tree.leaves)):
            members = tree.members_of(leaf)
            chosen = members[:: max(1, -(-len(members) // TEXTS_PER_LEAF))]
            counts: Counter[str] = Counter()
            texts = snapshot.topics.texts(chosen.tolist())
            for text in texts.values():
                words = {word.casefold() for word in WORD.findall(text)}
                counts.update(word for word in words if len(word) >= WORD_CHARS_MIN and word not in stop)
            terms.append(counts)
            sizes.append(len(texts))
    return labelled(tree, terms, sizes)


def _write(engine: Engine, start: Start, tree: Tree, names: dict[int, str], say: Progress) -> None:
    version, total = start.version, len(tree.leaves)
    place = {pid: n for n, pid in enumerate(start.pids.tolist())}
    _drop_others(engine, start.ns, start.head.version)
    for first in range(0, total, LEAVES_PER_WRITE):
        parts = []
        for leaf in range(first, min(total, first + LEAVES_PER_WRITE)):
            members = tree.members_of(leaf)
            coded = start.coded.pick(np.array([place[pid] for pid in members.tolist()]))
            parts.append(packed(int(tree.leaves.keys[leaf]), 0, members, coded))
        engine.database.write(lambda tx, parts=parts: _ours(tx, start).put_parts(start.ns, version, parts))  # type: ignore[misc]
        say("write", min(total, first + LEAVES_PER_WRITE), total)
    rows = list(topic_rows(tree, names).values())

    def switch(tx: Transaction) -> None:
        topics = _ours(tx, start)
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

    engine.database.write(switch)
    _drop_others(engine, start.ns, version)


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
