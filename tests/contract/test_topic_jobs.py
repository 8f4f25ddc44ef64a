"""The jobs of the topic tree: each may die in any of its transactions, and run twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from store_driver import HandClock
from topic_scenes import COUNT, QUESTION, QUICK, drafts, stored

import simonides
from simonides.backend.jobs_port import NewJob
from simonides.topics.tree import faults
from simonides.upkeep.kinds import kinds

TOPIC_KINDS = ("topics.fold", "topics.split", "topics.rebalance", "recall.probe")


class Killed(BaseException):
    """Stands for a process that dies."""


def dying(store: simonides.Store, monkeypatch: pytest.MonkeyPatch, at: int) -> Callable[[], bool]:
    """The process dies in the middle of its `at`-th transaction from now on; the result says whether it did."""
    write, count = store._engine.database.write, [0]

    def half(job: Callable[[Any], Any]) -> Any:
        count[0] += 1
        if count[0] < at:
            return write(job)

        def body(tx: Any) -> Any:
            job(tx)
            raise Killed

        return write(body)

    monkeypatch.setattr(store._engine.database, "write", half)
    return lambda: count[0] >= at


def similar(store: simonides.Store) -> list[tuple[str, float]]:
    return store.search_similar(QUESTION, 20, -1.0)


@pytest.mark.parametrize("kind", TOPIC_KINDS)
@pytest.mark.parametrize("at", [1, 2, 3, 4, 6, 9, 12])
def test_a_job_that_dies_in_any_transaction_is_done_by_the_next_worker(
    path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, at: int
) -> None:
    """And is done again without harm: the answers never change, the tree is sound, nothing is left half done."""
    clock = HandClock()
    with simonides.open(path, embedder=False, config=QUICK, clock=clock) as store:
        store.remember_many(drafts(COUNT))
        store.topics.rebalance()
        store.remember_many(drafts(200, 5, COUNT))
        before = similar(store)
        store._engine.database.write(lambda tx: tx.jobs.put(NewJob(kind, "default", store._engine.clock(), "")))
        with monkeypatch.context() as patch:
            died = dying(store, patch, at)
            try:
                store.jobs.run(1)
            except Killed:
                assert died()
        assert similar(store) == before
        clock.advance(86_400)  # the lease of the dead one ends
        store.jobs.run()
        for _ in range(2):
            store._engine.database.write(lambda tx: tx.jobs.put(NewJob(kind, "default", store._engine.clock(), "")))
            store.jobs.run()
        assert similar(store) == before
        assert list(faults(stored(store).tree)) == []
        assert set(store.jobs.counts()[kind]) == {"done"}
        assert stored(store).tree.size == COUNT + (200 if kind in ("topics.fold", "topics.rebalance") else 0)


@pytest.mark.parametrize("kind", TOPIC_KINDS)
def test_a_store_in_memory_has_its_jobs_done_too(kind: str) -> None:
    with simonides.open(":memory:", embedder=False, config=QUICK) as store:
        store.remember_many(drafts(300))
        store.topics.rebalance()
        store.remember_many(drafts(100, 5, 300))
        store._engine.database.write(lambda tx: tx.jobs.put(NewJob(kind, "default", 0, "")))
        store.jobs.run()
        assert store.jobs.failures == ()
        assert set(store.jobs.counts()[kind]) == {"done"}


def test_the_kinds_are_there_by_name() -> None:
    assert {*TOPIC_KINDS, "embed.pending"} <= set(kinds())


def test_a_split_takes_large_leaves_apart_and_names_what_has_no_name(path: Path) -> None:
    with simonides.open(path, embedder=False, config=QUICK) as store:
        store.remember_many(drafts(100))
        store.topics.rebalance()
        store.remember_many(drafts(500, 5, 100))
        store._engine.database.write(lambda tx: tx.jobs.put(NewJob("topics.fold", "default", 0, "")))
        assert store.jobs.run(1) == 1
        tree = stored(store).tree
        assert tree.size == 600
        assert 64 < tree.leaves.counts.max() <= 128  # folding splits at the hard cap only
        assert store.jobs.counts()["topics.split"] == {"ready": 1}
        store.jobs.run()
        tree = stored(store).tree
        assert (tree.leaves.counts.max() <= 64, list(faults(tree))) == (True, [])
        assert all(label for key, label in stored(store).labels.items() if key)
