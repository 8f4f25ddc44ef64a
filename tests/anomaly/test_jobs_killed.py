"""Killed at any moment: no job is lost or done twice, no log is broken, and nothing but the last window is missing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from store_driver import HandClock

import simonides
from simonides.backend.jobs_port import NewJob
from simonides.upkeep.kinds import Kind, Work, register

QUICK = {"store": {"synchronous": "NORMAL"}}
JOBS = 400
WAIT_S = 60
WORKER = """
import sys, simonides
from simonides.upkeep.kinds import Kind, register

def run(engine, work):
    def job(tx):
        name = f"effect {work.job.payload['n']}"
        tx.set_meta(name, str(int(tx.meta(name) or 0) + 1))
        work.finish(tx)
    engine.database.write(job)

register(Kind("test.effect", run, lease_s=0.001))
with simonides.open(sys.argv[1], embedder=False, config={"store": {"synchronous": "NORMAL"}}) as store:
    print("ready", flush=True)
    while store.jobs.run(7):
        print("ran", flush=True)
"""
ASKER = """
import sys, simonides
config = {"store": {"synchronous": "NORMAL"}, "audit": {"window_ms": float(sys.argv[2])}}
with simonides.open(sys.argv[1], embedder=False, config=config) as store:
    store.remember("the blue pot")
    for n in range(1_000_000):
        store.recall(f"pot {n}")
        print(n, flush=True)
"""


def started(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True)


def counted(engine: simonides.engine.Engine, work: Work) -> None:
    def job(tx: simonides.backend.port.Transaction) -> None:
        name = f"effect {work.job.payload['n']}"
        tx.set_meta(name, str(int(tx.meta(name) or 0) + 1))
        work.finish(tx)

    engine.database.write(job)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_workers_that_are_killed_again_and_again_do_every_job_exactly_once(path: Path) -> None:
    rng = random.Random(11)
    with simonides.open(path, embedder=False, config=QUICK) as store:
        engine = store._engine

        def ask(tx: simonides.backend.port.Transaction) -> None:
            for n in range(JOBS):
                job = NewJob("test.effect", "", engine.clock(), str(n), f'{{"n": {n}}}', attempts_max=1_000)
                tx.jobs.put(job)

        engine.database.write(ask)
    for _ in range(4):
        with started(WORKER, str(path)) as child:
            assert child.stdout is not None
            for _ in range(rng.randint(2, 8)):
                child.stdout.readline()
            child.kill()
            child.wait(WAIT_S)
    register(Kind("test.effect", counted, lease_s=60))
    with simonides.open(path, embedder=False, config=QUICK) as store:
        left = [job for job in store.jobs.list(limit=10_000) if job.state != "done"]
        assert left, "the killed workers left something to do"
        store.jobs.run()
        with store._engine.database.snapshot() as snapshot:
            effects = [snapshot.meta(f"effect {n}") for n in range(JOBS)]
        assert effects == ["1"] * JOBS
        assert store.jobs.counts()["test.effect"] == {"done": JOBS}
        assert store.verify().ok


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_killed_process_loses_no_more_than_the_last_window_of_the_log(path: Path) -> None:
    with started(ASKER, str(path), "20") as child:
        assert child.stdout is not None
        asked = [int(child.stdout.readline()) for _ in range(150)]
        os.kill(child.pid, signal.SIGKILL)
        asked += [int(line) for line in child.stdout.read().split()]
        child.wait(WAIT_S)
    with simonides.open(path, embedder=False, config=QUICK) as store:
        entries = store.log.list(10_000)
        kept = sorted(int(str(entry.query).removeprefix("pot ")) for entry in entries)
        assert kept == list(range(len(kept))), "rows are written in the order of the questions, none in between is lost"
        assert 0 < len(kept) <= len(asked) + 1
        assert store.verify().ok
        assert store.replay(entries[0].query_id).identical


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_in_sync_mode_a_killed_process_loses_nothing_that_was_answered(path: Path) -> None:
    code = ASKER.replace('"window_ms": float(sys.argv[2])', '"mode": "sync"')
    with started(code, str(path)) as child:
        assert child.stdout is not None
        asked = [int(child.stdout.readline()) for _ in range(60)]
        os.kill(child.pid, signal.SIGKILL)
        asked += [int(line) for line in child.stdout.read().split()]
        child.wait(WAIT_S)
    with simonides.open(path, embedder=False, config=QUICK) as store:
        kept = {str(entry.query) for entry in store.log.list(10_000)}
        assert {f"pot {n}" for n in asked} <= kept


def test_vectors_that_a_killed_worker_was_making_are_made_by_the_next(path: Path, clock: HandClock) -> None:
    """The worker dies between claiming the job and its last commit; the lease ends and somebody else goes on."""
    with simonides.open(path, embedder="hashing:16", config=QUICK, clock=clock) as store:
        store.remember("the blue pot")
        store._engine.database.write(
            lambda tx: [
                tx._connection.execute("UPDATE passages SET embedding = 1"),
                tx._connection.execute("DELETE FROM vectors"),
                tx.jobs.put(NewJob("embed.pending", "default", clock(), "")),
            ]
        )
        assert store._desk.runner._claim(None) is not None
    with simonides.open(path, embedder="hashing:16", config=QUICK, clock=clock) as store:
        assert store.jobs.run() == 0
        clock.advance(121)
        assert store.jobs.run() == 1
        assert store.stats().pending_embeddings == 0
        assert store.verify().ok
