"""How is a job done? Claimed under a lease, run, and finished, put off or given up; each in one transaction.

A worker that dies keeps its job until the lease ends; then the next one takes it. A worker that was only slow finds
its lease gone and cannot finish: the effects of its last transaction are undone with it.
"""

from __future__ import annotations

import json
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

from simonides.clock import SECOND, to_datetime
from simonides.engine import Engine, at_work
from simonides.errors import JobError, SimonidesError, StoreBusyError

if TYPE_CHECKING:
    from simonides.backend.jobs_port import JobRow
    from simonides.backend.port import Transaction
    from simonides.model.job import Job
    from simonides.upkeep.failures import Failures
    from simonides.upkeep.kinds import Kind

PAUSE_S = 1.0  # before the second attempt; doubled before each one after it
PAUSE_LONGEST_S = 3_600.0
RUN = 10_000  # jobs of one run without a limit
ERROR_CHARS = 2_000


def job_of(row: JobRow) -> Job:
    """A stored job as people see it."""
    from simonides.model.job import Job

    values: dict[str, Any] = row._asdict()
    for name in ("run_after", "lease_until", "created_at", "finished_at"):
        values[name] = None if values[name] is None else to_datetime(values[name])
    payload = json.loads(values.pop("payload"))
    return Job(values.pop("job"), values.pop("kind"), values.pop("namespace") or None, payload, **values)


def pause_s(attempts: int) -> float:
    """Seconds before the next attempt, after so many.

    >>> [pause_s(n) for n in (1, 2, 3, 20)]
    [1.0, 2.0, 4.0, 3600.0]
    """
    return min(PAUSE_LONGEST_S, PAUSE_S * 2.0 ** min(attempts - 1, 60))


class Held:
    """A job under a lease: what its function gets as `work`."""

    def __init__(self, engine: Engine, row: JobRow, kind: Kind, stop: threading.Event | None = None) -> None:
        assert row.lease_owner is not None
        self.job = job_of(row)
        self.owner = row.lease_owner
        self.finished = False
        self._engine = engine
        self._kind = kind
        self._stop = stop

    @property
    def stopping(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    def finish(self, tx: Transaction) -> None:
        if not tx.jobs.finish(self.job.job_id, self.owner, self._engine.clock()):
            raise self._lost()
        self.finished = True

    def renew(self) -> None:
        until = self._engine.clock() + int(self._kind.lease_s * SECOND)
        if not self._engine.database.write(lambda tx: tx.jobs.renew(self.job.job_id, self.owner, until)):
            raise self._lost()

    def _lost(self) -> JobError:
        return JobError(f"job {self.job.job_id} ({self.job.kind}) took longer than its lease; somebody else has it now")


class Runner:
    """Runs due jobs of one open store, in the thread that asks. only: one kind, while there is such a job."""

    def __init__(self, engine: Engine, failures: Failures, only: str | None = None) -> None:
        self._engine = engine
        self._failures = failures
        self._only = only

    def run(self, limit: int | None, namespace: str | None) -> int:
        """Runs jobs until none is due, or so many were tried; returns how many were done. namespace None: all."""
        done = 0
        for _ in range(RUN if limit is None else limit):
            held = self._claim(namespace)
            if held is None:
                return done
            done += self._do(*held)
        return done

    def serve(self, namespace: str | None, stop: threading.Event) -> bool:
        """Tries one due job; False when there is none, or the queue cannot be read just now.

        stop: set when somebody waits for the job to pause.
        """
        try:
            held = self._claim(namespace, stop)
            if held is not None:
                self._do(*held)
        except SimonidesError as error:
            self._failures.note("jobs", error, self._engine.clock())
            return False
        return held is not None

    def wanted(self) -> bool:
        """Whether to go on looking: for one kind, as long as a job of it is open."""
        if self._only is None:
            return True
        try:
            with self._engine.database.snapshot() as snapshot:
                row = snapshot.jobs.newest(self._only, "")
        except StoreBusyError:
            return True
        return row is not None and row.state in ("ready", "running")

    def _claim(self, namespace: str | None, stop: threading.Event | None = None) -> tuple[Held, Kind] | None:
        from simonides.backend.jobs_port import Claim
        from simonides.upkeep.kinds import kinds

        known = {name: kind for name, kind in kinds().items() if self._only in (None, name)}
        able = {name: kind for name, kind in known.items() if kind.able(self._engine)}
        now = self._engine.clock()
        with self._engine.database.snapshot() as snapshot:
            if not snapshot.jobs.due(list(able), namespace, now):
                return None
        owner = f"{os.getpid()}-{os.urandom(8).hex()}"

        def take(tx: Transaction) -> JobRow | None:
            row = tx.jobs.claim(Claim(owner, list(able), namespace, now, now))
            if row is not None:
                tx.jobs.renew(row.job, owner, now + int(able[row.kind].lease_s * SECOND))
            return row

        row = self._engine.database.write(take)
        return None if row is None else (Held(self._engine, row, able[row.kind], stop), able[row.kind])

    def _do(self, held: Held, kind: Kind) -> int:
        try:
            with at_work(held.job.kind):
                kind.run(self._engine, held)
            if not held.finished:
                self._engine.database.write(held.finish)
        except Exception as error:  # noqa: BLE001  # a kind may raise anything; it is kept with the job
            self._put_off(held, error)
            return 0
        except BaseException:
            job, owner, now = held.job.job_id, held.owner, self._engine.clock()
            self._engine.database.write(lambda tx: tx.jobs.release(job, owner, now))
            raise
        return 1

    def _put_off(self, held: Held, error: Exception) -> None:
        job, now = held.job, self._engine.clock()
        code = error.code if isinstance(error, SimonidesError) else type(error).__name__
        text = f"{code}: {error}"[:ERROR_CHARS]
        later = now + int(pause_s(job.attempts) * SECOND)
        self._engine.database.write(lambda tx: tx.jobs.fail(job.job_id, held.owner, now, run_after=later, error=text))
        typed = error if isinstance(error, SimonidesError) else JobError(f"{type(error).__name__}: {error}")
        self._failures.note(job.kind, typed, now, job=job.job_id, where=job.namespace or "")


class Worker:
    """A thread that runs due jobs until it is told to stop. Off unless somebody starts it."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    @property
    def running(self) -> bool:
        """Whether the thread lives, in this process."""
        return self._process == os.getpid() and self._thread is not None and self._thread.is_alive()

    def start(self, namespace: str | None, every_s: float) -> None:
        """Starts the thread; nothing when it runs already."""
        if self.running:
            return
        self._process, self._stop = os.getpid(), threading.Event()
        arguments = (weakref.ref(self._runner), self._stop, namespace, every_s)
        self._thread = threading.Thread(target=_serve, args=arguments, name="simonides-jobs", daemon=True)
        weakref.finalize(self, self._stop.set)
        self._thread.start()

    def stop(self) -> None:
        """Waits for the job at hand, then ends the thread."""
        self._stop.set()
        if self.running and self._thread is not threading.current_thread():
            assert self._thread is not None
            self._thread.join()
        self._thread = None


def _serve(runner: weakref.ref[Runner], stop: threading.Event, namespace: str | None, every_s: float) -> None:
    """One job at a time, so that stopping waits for one only. It does not keep the store alive while it waits."""
    while not stop.is_set():
        mine = runner()
        if mine is None:
            return
        tried = mine.serve(namespace, stop)
        if not tried and not mine.wanted():
            return
        del mine
        if not tried:
            stop.wait(every_s)
