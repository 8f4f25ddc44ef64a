"""How does a store change its embedding model? New vectors grow beside the old ones, then all switch at once.

The old ones answer until then, topic trees included. What was made is kept in the file, so a killed run goes on; what
is written meanwhile is caught up before the switch. Until the switch it can be given up. `renewal.py` does it as a job.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.backend.chain import digest, new_salt
from simonides.backend.rows import JournalEntry
from simonides.clock import stopwatch
from simonides.embedders.door import EmbedderDoor
from simonides.engine import Engine, describe, read_model, write_model
from simonides.errors import ConfigError, StoreBusyError
from simonides.model.report import Reembedded
from simonides.upkeep.next_trees import give_up, grow, take
from simonides.upkeep.pending import embed_pending

if TYPE_CHECKING:
    from simonides.backend.jobs_port import NewJob
    from simonides.backend.port import Snapshot, Transaction
    from simonides.embedders.port import Embedder, ModelInfo

_log = logging.getLogger(__name__)
NEXT = "model_next"  # the key in `meta`
PACE = "model_next_pace"  # how far and how fast
ROUNDS_MAX = 8  # times that new writes are caught up with before the switch
LEFT_MAX = 64  # passages that may be left pending by the switch
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """How far a change of the model is: passages done, the last of them, and when that was and how fast it went."""

    done: int = 0
    last: int = 0
    per_s: float = 0.0
    at: int = 0

    @classmethod
    def read(cls, snapshot: Snapshot) -> Pace:
        text = snapshot.meta(PACE)
        return cls() if text is None else cls(*json.loads(text))

    def write(self, tx: Transaction) -> None:
        tx.set_meta(PACE, json.dumps([self.done, self.last, round(self.per_s, 1), self.at]))


@dataclass(frozen=True, slots=True)
class Run:
    """One go at a change. beat: called after every batch and stage; True from it: pause, another run goes on."""

    engine: Engine
    door: EmbedderDoor
    model: ModelInfo
    beat: Callable[[], bool]
    progress: Progress | None = None


def reembed(engine: Engine, embedder: Embedder, progress: Progress | None = None) -> Reembedded:
    """Makes the vectors of another model and switches to it, for all namespaces; this handle uses it from then on.

    Raises ConfigError while another change of the model is under way, EmbeddingError when the embedder fails; what
    was made stays, and the next call goes on.
    """
    began = stopwatch()
    model = embedder.info
    if not begin(engine, model):
        engine.use(embedder)
        return Reembedded(model.model_id, 0, 0, False, 0.0)
    engine.expect(embedder)
    made, _ = advance(Run(engine, EmbedderDoor(embedder), model, lambda: False, progress))
    rate = made / max(1e-9, stopwatch() - began)
    return Reembedded(model.model_id, made, _pending(engine), True, round(rate, 1))


def begin(engine: Engine, model: ModelInfo, job: NewJob | None = None) -> bool:
    """Notes which model is to come, with the job that sees to it; False when it is the one in use already."""

    at = engine.clock()

    def note(tx: Transaction) -> bool:
        coming = tx.meta(NEXT)
        if coming is not None and read_model(coming) != model:
            raise _other(read_model(coming))
        if coming is None:
            if engine.model(tx) == model:
                return False
            _forget(tx)
            tx.set_meta(NEXT, write_model(model))
            Pace(at=at).write(tx)
        if job is not None:
            tx.jobs.put(job)
        return True

    return engine.database.write(note)


def cancel(engine: Engine) -> bool:
    """Gives up a change of the model that has not switched; False when there is none. The old model stays."""

    def job(tx: Transaction) -> bool:
        under_way = tx.meta(NEXT) is not None
        _forget(tx)
        tx.exchange.drop_meta(NEXT)
        return under_way

    return engine.database.write(job)


def advance(run: Run) -> tuple[int, bool]:
    """Makes what is missing, then switches: passages done, and whether it came to the switch before it had to pause."""
    engine, made, left = run.engine, 0, None
    with engine.database.snapshot() as snapshot:
        after = Pace.read(snapshot).last
    for number in range(1, ROUNDS_MAX + 1):
        # What was written meanwhile is caught up with at once: a run that paused there might never get to the switch.
        count, ended = _fill(run, after, pausing=True) if number == 1 else _fill(run, 0, pausing=False)
        made += count
        if not ended:
            return made, False
        if number == 1:
            _grow(run)
        left = _switch(engine, run.model, None if number == ROUNDS_MAX else LEFT_MAX)
        if left is not None:
            break
    engine.use(run.door.embedder)
    engine.library.clear()
    if left:
        for name in _names(engine):
            made += embed_pending(engine, name)
    return made, True


def _grow(run: Run) -> None:
    """The trees to come. Without them the switch is as good: vectors in no tree are compared one by one."""

    def say(stage: str, done: int, total: int) -> None:
        if done == total and stage != "read":  # a store in memory cannot write while it is read
            run.beat()

    try:
        grow(run.engine, run.model, say)
    except StoreBusyError as error:
        _log.warning("the topics of %s grow after the switch: %s", run.model.model_id, error.message)


def _forget(tx: Transaction) -> None:
    """Nothing is left of a change that was under way."""
    tx.renewal.clear()
    tx.exchange.drop_meta(PACE)
    for ns in tx.namespaces():
        give_up(tx, ns)


def _other(coming: ModelInfo) -> ConfigError:
    return ConfigError(f"a change to {describe(coming)} is under way", hint="go on with that model, or cancel it")


def _fill(run: Run, after: int, *, pausing: bool) -> tuple[int, bool]:
    """Batch by batch, beginning behind a passage; how many, and whether all. Embedding happens in no transaction."""
    engine, began, made, last = run.engine, stopwatch(), 0, after
    settings = engine.config.embedding
    while True:
        with engine.database.snapshot() as snapshot:
            batch = snapshot.renewal.todo(last, settings.batch)
            told = (Pace.read(snapshot).done, snapshot.renewal.total()) if run.progress is not None else (0, 0)
        if run.progress is not None:
            run.progress(min(told), told[1])
        if not batch:
            return made, True
        rows = run.door.documents([passage.text for passage in batch], settings.write_deadline_s)
        packed = [b"" if row is None else row.astype("<f4").tobytes() for row in rows]
        vectors = [(passage.pid, vector) for passage, vector in zip(batch, packed, strict=True)]
        made, last = made + len(batch), batch[-1].pid
        if not _put(run, vectors, made / max(1e-9, stopwatch() - began)):
            return made, True
        if run.beat() and pausing:
            return made, False


def _put(run: Run, vectors: list[tuple[int, bytes]], per_s: float) -> bool:
    """False when somebody else has switched already."""
    at = run.engine.clock()

    def job(tx: Transaction) -> bool:
        if not _under_way(run.engine, tx, run.model):
            return False
        tx.renewal.put(vectors)
        Pace(Pace.read(tx).done + len(vectors), vectors[-1][0], per_s, at).write(tx)
        return True

    return run.engine.database.write(job)


def _under_way(engine: Engine, tx: Transaction, model: ModelInfo) -> bool:
    """Whether the change goes on; False when it is through. Raises ConfigError when it was given up."""
    coming = tx.meta(NEXT)
    if coming is not None and read_model(coming) == model:
        return True
    if coming is None and engine.model(tx) == model:
        return False
    raise ConfigError("the change of the model was cancelled", hint="the old model answers")


def _switch(engine: Engine, model: ModelInfo, left_max: int | None) -> int | None:
    """The transaction that changes over; the number of passages left pending, or None when too many are missing."""
    at = engine.clock()

    def job(tx: Transaction) -> int | None:
        if not _under_way(engine, tx, model):
            return 0
        total, done = tx.renewal.progress()
        if left_max is not None and total - done > left_max:
            return None
        tx.renewal.switch()
        tx.history.drop_vectors()
        tx.set_meta("model", write_model(model))
        tx.exchange.drop_meta(NEXT)
        tx.exchange.drop_meta(PACE)
        spaces = sorted(tx.namespaces())
        for ns in spaces:
            take(tx, ns, model, at)
        tx.journal([
            JournalEntry(at, ns, engine.actor, None, "vectors.replaced", model.model_id, None, digest({}, new_salt()))
            for ns in spaces
        ])  # fmt: skip
        return total - done

    return engine.database.write(job)


def _names(engine: Engine) -> list[str]:
    with engine.database.snapshot() as snapshot:
        return sorted(snapshot.namespaces().values())


def _pending(engine: Engine) -> int:
    with engine.database.snapshot() as snapshot:
        return sum(int(str(snapshot.counts(ns)["pending"])) for ns in snapshot.namespaces())
