"""Is every job done, once where it counts, by somebody, and is it told when it cannot be?"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from store_driver import HandClock

import simonides
from simonides import JobError, Store
from simonides.backend.jobs_port import EMBED_PENDING, NewJob
from simonides.embedders.port import ModelInfo
from simonides.upkeep import kinds
from simonides.upkeep.kinds import Kind, Work, register

QUICK = {"store": {"synchronous": "NORMAL"}}


class Effects:
    """A kind "test.effect" whose effect is a row of `meta`, counted; and what it shall do wrong."""

    def __init__(self) -> None:
        self.runs = 0
        self.fails = 0
        self.before: Any = None

    def run(self, engine: Any, work: Work) -> None:
        self.runs += 1
        if self.before is not None:
            self.before(work)
        if self.runs <= self.fails:
            raise OSError(f"no luck {self.runs}")

        def job(tx: Any) -> None:
            tx.set_meta("effect", str(int(tx.meta("effect") or 0) + 1))
            work.finish(tx)

        engine.database.write(job)


@pytest.fixture
def effects() -> Iterator[Effects]:
    made = Effects()
    register(Kind("test.effect", made.run, attempts_max=3, lease_s=60))
    yield made
    kinds._KINDS.pop("test.effect")


def put(store: Store, namespace: str = "default", key: str | None = "k", **more: Any) -> int:
    engine = store._engine
    job = NewJob("test.effect", namespace, engine.clock(), key, attempts_max=3, **more)
    return engine.database.write(lambda tx: tx.jobs.put(job))


def effect(store: Store) -> int:
    with store._engine.database.snapshot() as snapshot:
        return int(snapshot.meta("effect") or 0)


def states(store: Store) -> list[str]:
    return [job.state for job in store.jobs.list()]


def test_a_job_is_done_once_and_says_so(plain: Store, effects: Effects) -> None:
    put(plain)
    assert states(plain) == ["ready"]
    assert (plain.jobs.run(), plain.jobs.run()) == (1, 0)
    assert (effect(plain), states(plain)) == (1, ["done"])
    assert plain.jobs.counts()["test.effect"] == {"done": 1}


def test_a_function_that_does_not_finish_its_job_has_it_finished(plain: Store, effects: Effects) -> None:
    register(Kind("test.effect", lambda engine, work: None))
    put(plain)
    assert plain.jobs.run() == 1
    assert states(plain) == ["done"]


def test_a_key_is_unique_while_its_job_is_open(plain: Store, effects: Effects) -> None:
    assert put(plain) == put(plain)
    assert put(plain, "other") != put(plain)
    assert put(plain, key=None) != put(plain, key=None)
    plain.jobs.run()
    before = len(states(plain))
    put(plain)
    assert len(states(plain)) == before + 1


def test_a_job_asked_for_while_it_runs_runs_once_more(plain: Store, effects: Effects) -> None:
    effects.before = lambda work: put(plain) if effects.runs == 1 else None
    put(plain)
    assert plain.jobs.run() == 2
    assert (effect(plain), states(plain)) == (2, ["done"])


def test_a_failure_is_tried_again_later_and_later(plain: Store, effects: Effects, clock: HandClock) -> None:
    effects.fails = 2
    number = put(plain)
    assert plain.jobs.run() == 0
    job = plain.jobs.list()[0]
    assert (job.state, job.attempts, job.last_error) == ("ready", 1, "OSError: no luck 1")
    assert plain.jobs.run() == 0, "not due yet"
    clock.advance(1.0)
    assert plain.jobs.run() == 0
    clock.advance(1.9)
    assert plain.jobs.run() == 0, "the second pause is twice as long"
    assert effects.runs == 2
    clock.advance(0.1)
    assert plain.jobs.run() == 1
    assert effect(plain) == 1
    (first, second) = plain.jobs.failures
    assert (first.kind, first.job_id, first.error.code) == ("test.effect", number, "job_failed")
    assert "no luck 2" in str(second)
    with pytest.raises(JobError, match="no luck 2"):
        plain.jobs.check()


def test_a_job_is_given_up_after_its_attempts_and_can_be_retried(
    plain: Store, effects: Effects, clock: HandClock
) -> None:
    effects.fails = 3
    number = put(plain)
    for _ in range(4):
        plain.jobs.run()
        clock.advance(10)
    assert (effects.runs, states(plain)) == (3, ["dead"])
    assert plain.jobs.list(state="dead")[0].last_error == "OSError: no luck 3"
    assert plain.jobs.retry(number).attempts == 0
    assert plain.jobs.run() == 1
    assert states(plain) == ["done"]
    with pytest.raises(JobError, match="done"):
        plain.jobs.retry(number)
    with pytest.raises(JobError, match="no job"):
        plain.jobs.retry(99)


def test_retrying_a_dead_job_whose_key_is_open_again_gives_the_open_one(
    plain: Store, effects: Effects, clock: HandClock
) -> None:
    effects.fails = 3
    dead = put(plain)
    for _ in range(3):
        plain.jobs.run()
        clock.advance(10)
    fresh = put(plain)
    assert plain.jobs.retry(dead).job_id == fresh
    assert [job.job_id for job in plain.jobs.list()] == [fresh]


def test_a_job_of_a_worker_that_died_is_taken_over_when_its_lease_ends(
    plain: Store, effects: Effects, clock: HandClock
) -> None:
    put(plain)
    assert plain._desk.runner._claim(None) is not None  # and the worker is never seen again
    assert plain.jobs.run() == 0
    clock.advance(61)
    assert plain.jobs.run() == 1
    assert effect(plain) == 1


def test_a_slow_worker_that_lost_its_lease_changes_nothing(plain: Store, effects: Effects, clock: HandClock) -> None:
    put(plain)
    slow = plain._desk.runner._claim(None)
    assert slow is not None
    clock.advance(61)
    assert plain.jobs.run() == 1
    assert plain._desk.runner._do(*slow) == 0
    assert (effects.runs, effect(plain), states(plain)) == (2, 1, ["done"])
    assert "longer than its lease" in str(plain.jobs.failures[-1])


def test_a_lease_that_is_renewed_lasts(plain: Store, effects: Effects, clock: HandClock) -> None:
    def long(work: Work) -> None:
        for _ in range(5):
            clock.advance(50)
            work.renew()
            assert not plain._engine.database.write(lambda tx: tx.jobs.due(["test.effect"], None, clock()))

    effects.before = long
    put(plain)
    assert plain.jobs.run() == 1


def test_a_job_that_takes_its_worker_along_every_time_is_given_up(
    plain: Store, effects: Effects, clock: HandClock
) -> None:
    put(plain)
    for _ in range(3):
        assert plain._desk.runner._claim(None) is not None
        clock.advance(61)
    assert plain.jobs.run() == 0
    assert states(plain) == ["dead"]
    assert "lease_expired" in str(plain.jobs.list()[0].last_error)


def test_an_interrupted_job_goes_back_as_if_it_had_not_been_tried(plain: Store, effects: Effects) -> None:
    def interrupt(work: Work) -> None:
        raise KeyboardInterrupt

    effects.before = interrupt
    put(plain)
    with pytest.raises(KeyboardInterrupt):
        plain.jobs.run()
    assert [(job.state, job.attempts) for job in plain.jobs.list()] == [("ready", 0)]


def test_a_kind_that_nobody_knows_waits_for_somebody_who_does(plain: Store) -> None:
    engine = plain._engine
    engine.database.write(lambda tx: tx.jobs.put(NewJob("test.strange", "", engine.clock())))
    assert plain.jobs.run() == 0
    assert [(job.state, job.namespace) for job in plain.jobs.list()] == [("ready", None)]


def test_a_limit_is_kept_and_the_longest_waiting_come_first(plain: Store, effects: Effects, clock: HandClock) -> None:
    for n in range(4):
        put(plain, key=str(n))
        clock.advance(1)
    assert plain.jobs.run(3) == 3
    assert states(plain) == ["done", "done", "done", "ready"]
    assert plain.jobs.run(0) == 0


def test_a_sealed_handle_sees_and_runs_its_own_jobs_only(plain: Store, effects: Effects) -> None:
    put(plain)
    put(plain, "ana")
    ana = plain.in_namespace("ana", sealed=True)
    assert [job.namespace for job in ana.jobs.list()] == ["ana"]
    assert ana.jobs.run() == 1
    assert ana.jobs.counts() == {"test.effect": {"done": 1}}
    with pytest.raises(JobError):
        ana.jobs.retry(1)
    with pytest.raises(simonides.NamespaceError):
        ana.jobs.start()
    assert states(plain) == ["ready", "done"]


def test_two_processes_worth_of_workers_share_the_work(path: Path, effects: Effects, clock: HandClock) -> None:
    with (
        simonides.open(path, embedder=False, config=QUICK, clock=clock) as one,
        simonides.open(path, embedder=False, config=QUICK, clock=clock) as two,
    ):
        for n in range(20):
            put(one, key=str(n))
        done: list[int] = []
        threads = [threading.Thread(target=lambda s=store: done.append(s.jobs.run())) for store in (one, two)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert (sum(done), effect(one), effects.runs) == (20, 20, 20)


def test_a_background_thread_runs_jobs_and_ends_with_the_store(path: Path, effects: Effects) -> None:
    with simonides.open(path, embedder=False, config=QUICK) as store:
        ran = threading.Event()
        effects.before = lambda work: ran.set()
        store.jobs.start(0.01)
        store.jobs.start(0.01)
        put(store)
        assert ran.wait(10)
        store.jobs.stop()
        assert states(store) == ["done"]
        assert [t.name for t in threading.enumerate()].count("simonides-jobs") == 0
        store.jobs.start()
    assert [t.name for t in threading.enumerate()].count("simonides-jobs") == 0


def test_finished_jobs_are_kept_to_a_number(plain: Store, effects: Effects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simonides.backend.sqlite.jobs.KEPT", 3)
    for n in range(6):
        put(plain, key=str(n))
    plain.jobs.run()
    assert [job.key for job in plain.jobs.list()] == ["3", "4", "5"]


class Moody:
    """An embedder that fails when told to."""

    info = ModelInfo("moody", 4, "1")
    zero_means_unknown = False
    broken = True

    def embed_documents(self, texts: Any) -> Any:
        if self.broken:
            raise RuntimeError("the service is down")
        return [[1.0, 2.0, 3.0, float(len(text))] for text in texts]

    embed_queries = embed_documents


def test_vectors_left_pending_ask_for_a_job_that_makes_them(clock: HandClock) -> None:
    with simonides.open(":memory:", embedder=Moody(), clock=clock) as store:
        store.remember("the first")
        store.remember("the second")
        (job,) = store.jobs.list()
        assert (job.kind, job.namespace, job.state) == (EMBED_PENDING, "default", "ready")
        assert store.jobs.run() == 0
        assert store.stats().pending_embeddings == 2
        assert store.jobs.failures[-1].error.code == "embedding_failed"
        Moody.broken = False
        try:
            clock.advance(1)
            assert store.jobs.run() == 1
        finally:
            Moody.broken = True
        assert store.stats().pending_embeddings == 0
        thought = store.list_thoughts()[0]
        assert thought.embedding == "present"
        store.update_thought(thought.thought_id, content="something else")
        assert [job.state for job in store.jobs.list()] == ["done", "ready"]


def test_a_store_without_an_embedder_leaves_such_jobs_alone(path: Path) -> None:
    with simonides.open(path, embedder=Moody(), config=QUICK) as store:
        store.remember("the first")
    with simonides.open(path, embedder=False, config=QUICK) as store:
        assert store.jobs.run() == 0
        assert [(job.state, job.attempts) for job in store.jobs.list()] == [("ready", 0)]


@pytest.mark.parametrize("options", [{"limit": 0}, {"limit": True}, {"state": "lost"}])
def test_a_wrong_argument_is_named(plain: Store, options: dict[str, Any]) -> None:
    with pytest.raises(simonides.InvalidQueryError, match=next(iter(options))):
        plain.jobs.list(**options)
