"""How does a change of the embedding model go on in the background, and how far is it? As a job, a slice at a time.

Between two slices other jobs have their turn, and a job that got on has all its attempts again. Only a process that
was given the embedder can do it: no file decides which model a process loads, or whom it asks over a network.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from simonides.backend.jobs_port import REEMBED, JobRow, NewJob
from simonides.clock import SECOND, stopwatch, to_datetime
from simonides.engine import Engine, read_model
from simonides.errors import ConfigError, EmbeddingError
from simonides.model.report import Reembedded, Reembedding
from simonides.processes import has_ended
from simonides.upkeep.rebalance import keep_up
from simonides.upkeep.reembed import NEXT, Pace, Run, advance, begin

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot, Transaction
    from simonides.embedders.port import Embedder, ModelInfo
    from simonides.upkeep.kinds import Work

SLICE = 8  # batches of one job
LOOK_S = 0.1  # between two looks of somebody who waits
QUIET_S = 120.0  # without a batch: nobody is at work
ATTEMPTS = 8  # in a row without a slice that came to its end


def start(engine: Engine, embedder: Embedder) -> Reembedded:
    """Notes which model is to come and asks for the job. Raises ConfigError while another change is under way."""
    model = embedder.info
    now = engine.clock()
    if not begin(engine, model, NewJob(REEMBED, "", now, "", attempts_max=ATTEMPTS)):
        engine.use(embedder)
        return Reembedded(model.model_id, 0, 0, False, 0.0)
    engine.expect(embedder)
    engine.database.write(lambda tx: _free(tx, now))
    with engine.database.snapshot() as snapshot:
        left = snapshot.renewal.total() - Pace.read(snapshot).done
    return Reembedded(model.model_id, 0, max(0, left), False, 0.0, queued=True)


def run(engine: Engine, work: Work) -> None:
    """A slice of the change that is under way; asks for the next one. Nothing when there is no change."""
    with engine.database.snapshot() as snapshot:
        model = _coming(snapshot)
    if model is None:
        return
    door = engine.door_of(model)
    if door is None:
        raise ConfigError(f"no embedder here makes vectors of {model.model_id}", hint="open the store with it")
    batches = 0

    def beat() -> bool:
        nonlocal batches
        work.renew()
        batches += 1
        return batches >= SLICE or work.stopping

    try:
        _, through = advance(Run(engine, door, model, beat))
    except ConfigError:
        with engine.database.snapshot() as snapshot:
            if _coming(snapshot) == model:
                raise
        return  # it was given up meanwhile
    if not through:
        again = NewJob(REEMBED, "", engine.clock(), "", attempts_max=ATTEMPTS)
        engine.database.write(lambda tx: tx.jobs.put(again))
        return
    with engine.database.snapshot() as snapshot:
        names = sorted(snapshot.namespaces().values())
    for name in names:
        keep_up(engine, name)


def able(engine: Engine) -> bool:
    """Whether this process has the embedder, or there is nothing left to do but to close the job."""
    with engine.database.snapshot() as snapshot:
        model = _coming(snapshot)
    try:
        return model is None or engine.door_of(model) is not None
    except EmbeddingError:
        return False


def look(engine: Engine) -> Reembedding | None:
    """How far the change is that is under way in the file, whoever does it; None without one."""
    now = engine.clock()
    with engine.database.snapshot() as snapshot:
        model = _coming(snapshot)
        if model is None:
            return None
        pace, total, job = Pace.read(snapshot), snapshot.renewal.total(), snapshot.jobs.newest(REEMBED, "")
    heard = to_datetime(pace.at) if pace.at else None
    lively = now - pace.at < QUIET_S * SECOND
    if job is not None and job.finished_at is not None and job.finished_at < pace.at:
        job = None  # it was given up, and somebody went on, or began anew
    state, error = _state(job, lively), None if job is None else job.last_error
    number = None if job is None else job.job
    return Reembedding(model.model_id, state, min(pace.done, total), total, pace.per_s, heard, number, error)


def _state(job: JobRow | None, lively: bool) -> str:
    """lively: somebody made vectors just now, perhaps without a job."""
    if job is not None and job.state == "running":
        return "running"
    if lively and (job is None or job.last_error is None):
        return "running"
    if job is None:
        return "stopped"
    return "failed" if job.state == "dead" else "waiting"


def wait(
    engine: Engine, asked: ModelInfo | None, timeout_s: float | None, progress: Callable[[int, int], None] | None
) -> Reembedding | None:
    """Looks again and again until the change is over, or for so long. asked: the model that this process asked for.

    None when there is no change, and none was asked for here.
    """
    began, last, pause = stopwatch(), None, threading.Event()
    while True:
        found = look(engine)
        if found is None:
            return _ended(engine, last, asked)
        if progress is not None and (last is None or found.done != last.done):
            progress(found.done, found.total)
        last = found
        if found.over or found.state == "stopped" or (timeout_s is not None and stopwatch() - began >= timeout_s):
            return found
        pause.wait(LOOK_S)


def _ended(engine: Engine, last: Reembedding | None, asked: ModelInfo | None) -> Reembedding | None:
    if last is None and asked is None:
        return None
    with engine.database.snapshot() as snapshot:
        model, total = engine.model(snapshot), snapshot.renewal.total()
        pending = sum(int(str(snapshot.counts(ns)["pending"])) for ns in snapshot.namespaces())
    wanted = last.model_id if last is not None else asked.model_id if asked is not None else ""
    per_s = 0.0 if last is None else last.passages_per_s
    if model is not None and model.model_id == wanted:
        return Reembedding(wanted, "switched", total - pending, total, per_s)
    return Reembedding(wanted, "cancelled", 0, total, per_s)


def _coming(snapshot: Snapshot) -> ModelInfo | None:
    text = snapshot.meta(NEXT)
    return None if text is None else read_model(text)


def _free(tx: Transaction, now: int) -> None:
    """A job whose process is no more need not wait for the end of its lease."""
    job = tx.jobs.newest(REEMBED, "")
    if job is not None and job.state == "running" and job.lease_owner is not None and _gone(job):
        tx.jobs.release(job.job, job.lease_owner, now)


def _gone(job: JobRow) -> bool:
    """Whether the process that holds a job has ended; False where that cannot be told."""
    number = str(job.lease_owner).partition("-")[0]
    return number.isdecimal() and has_ended(int(number))
