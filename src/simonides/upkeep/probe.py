"""How much does the beam of a namespace miss, and how wide should it be? Beam against exhaustive comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simonides.index.topics import TREE_FROM
from simonides.model.topic import TopicCheck
from simonides.topics.codes import Coded
from simonides.topics.measure import Measured, measure, narrowest, nearest
from simonides.topics.tree import faults
from simonides.upkeep.topics import Stored, unpacked

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.engine import Engine

SAMPLE = 200  # stored vectors that are looked for
LEAVES_PER_READ = 512


def check(engine: Engine, namespace: str, goal: float, sample: int, *, adapt: bool) -> TopicCheck:
    """Measures recall@10 of the beam with stored vectors as questions, each without itself; sets the beam if asked.

    Deterministic. Without a tree, or with one so small that it is but a map, everything is compared: recall 1.
    """
    with engine.database.snapshot() as snapshot:
        state = snapshot.state(namespace)
        head = snapshot.topics.head(state.ns)
        tail = snapshot.topics.tail_size(state.ns, 0 if head is None else head.seq, 1 << 40)
        if head is None or head.version == 0:
            return TopicCheck(namespace, 0, tail, 0, 0, 0, 0, 1.0, 1.0, goal, ())
        stored = Stored.read(snapshot, head)
        keys = stored.tree.leaves.keys.tolist()
        by_pid: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
        parts = []
        for start in range(0, len(keys), LEAVES_PER_READ):
            for part in snapshot.topics.leaves(head.ns, head.version, keys[start : start + LEAVES_PER_READ]):
                by_pid.append(np.frombuffer(part.pids, "<i8"))
                parts.append(unpacked(part, head.dimension))
    tree = stored.tree
    problems = tuple(faults(tree))
    if not tree.size:
        return TopicCheck(namespace, 0, tail, len(keys), 1, tree.height, head.beam, 1.0, 1.0, goal, problems)
    pids = np.concatenate(by_pid)
    where = np.argsort(pids)[np.searchsorted(np.sort(pids), tree.members)]
    coded = Coded(np.concatenate([p.codes for p in parts])[where], np.concatenate([p.factors for p in parts])[where])
    if tree.size < TREE_FROM:
        found = Measured(head.beam, 1.0, 1.0)
    else:
        found = _measured(stored, coded, goal, sample, adapt=adapt)
    if found.width != head.beam:

        def job(tx: Transaction) -> None:
            now = tx.topics.head(state.ns)
            if now is not None and now.version == head.version:
                tx.topics.put_head(now._replace(beam=found.width, epoch=now.epoch + 1))

        engine.database.write(job)
    topics = sum(map(len, tree.levels))
    return TopicCheck(
        namespace,
        tree.size,
        tail,
        topics,
        len(keys),
        tree.height,
        found.width,
        found.recall,
        found.scored,
        goal,
        problems,
    )


def _measured(stored: Stored, coded: Coded, goal: float, sample: int, *, adapt: bool) -> Measured:
    tree = stored.tree
    chosen = np.random.default_rng(0).choice(tree.size, min(sample, tree.size), replace=False)
    queries = coded.rows(np.sort(chosen))
    truth = [near[near != own] for own, near in zip(np.sort(chosen).tolist(), nearest(coded, queries, 11), strict=True)]
    if adapt:
        return narrowest(tree, queries, truth, goal)
    return measure(tree, queries, stored.head.beam, truth)
