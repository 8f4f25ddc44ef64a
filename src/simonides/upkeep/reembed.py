"""How does a store change its embedding model? New vectors grow beside the old ones, then all switch at once.

The old ones answer until then. What was made is kept in the file, so a killed run goes on; what is written meanwhile
is caught up before the switch. Until the switch it can be given up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simonides.backend.chain import digest, new_salt
from simonides.backend.rows import JournalEntry
from simonides.clock import stopwatch
from simonides.embedders.door import EmbedderDoor
from simonides.engine import Engine, describe, read_model, write_model
from simonides.errors import ConfigError
from simonides.model.report import Reembedded
from simonides.upkeep.pending import embed_pending

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.embedders.port import Embedder, ModelInfo

NEXT = "model_next"  # the key in `meta`
ROUNDS_MAX = 8  # times that new writes are caught up with before the switch
LEFT_MAX = 64  # passages that may be left pending by the switch
Progress = Callable[[int, int], None]


def reembed(engine: Engine, embedder: Embedder, progress: Progress | None = None) -> Reembedded:
    """Makes the vectors of another model and switches to it, for all namespaces; this handle uses it from then on.

    Raises ConfigError while another change of the model is under way, EmbeddingError when the embedder fails; what
    was made stays, and the next call goes on.
    """
    door, began = EmbedderDoor(embedder), stopwatch()
    model = embedder.info
    if not _begin(engine, model):
        engine.use(embedder)
        return Reembedded(model.model_id, 0, 0, False, 0.0)
    engine.expect(embedder)
    made, left = 0, None
    for number in range(1, ROUNDS_MAX + 1):
        made += _fill(engine, door, model, progress)
        left = _switch(engine, model, None if number == ROUNDS_MAX else LEFT_MAX)
        if left is not None:
            break
    engine.use(embedder)
    engine.library.clear()
    if left:
        for name in _names(engine):
            made += embed_pending(engine, name)
    rate = made / max(1e-9, stopwatch() - began)
    return Reembedded(model.model_id, made, _pending(engine), True, round(rate, 1))


def cancel(engine: Engine) -> bool:
    """Gives up a change of the model that has not switched; False when there is none. The old model stays."""

    def job(tx: Transaction) -> bool:
        under_way = tx.meta(NEXT) is not None
        tx.renewal.clear()
        tx.exchange.drop_meta(NEXT)
        return under_way

    return engine.database.write(job)


def _begin(engine: Engine, model: ModelInfo) -> bool:
    """Notes which model is to come; False when it is the one in use already."""

    def job(tx: Transaction) -> bool:
        coming = tx.meta(NEXT)
        if coming is not None:
            if read_model(coming) != model:
                raise _other(read_model(coming))
            return True
        if engine.model(tx) == model:
            return False
        tx.renewal.clear()
        tx.set_meta(NEXT, write_model(model))
        return True

    return engine.database.write(job)


def _other(coming: ModelInfo) -> ConfigError:
    return ConfigError(f"a change to {describe(coming)} is under way", hint="go on with that model, or cancel it")


def _fill(engine: Engine, door: EmbedderDoor, model: ModelInfo, progress: Progress | None) -> int:
    """Makes what is missing, batch by batch; embedding happens outside of any transaction."""
    made, last = 0, 0
    settings = engine.config.embedding
    while True:
        with engine.database.snapshot() as snapshot:
            batch = snapshot.renewal.todo(last, settings.batch)
            total, done = snapshot.renewal.progress() if progress is not None else (0, 0)
        if progress is not None:
            progress(done, total)
        if not batch:
            return made
        rows = door.documents([passage.text for passage in batch], settings.write_deadline_s)
        packed = [b"" if row is None else row.astype("<f4").tobytes() for row in rows]
        vectors = [(passage.pid, vector) for passage, vector in zip(batch, packed, strict=True)]
        engine.database.write(lambda tx, vectors=vectors: _put(tx, model, vectors))  # type: ignore[misc]  # mypy cannot type a lambda's default
        made, last = made + len(batch), batch[-1].pid


def _put(tx: Transaction, model: ModelInfo, vectors: list[tuple[int, bytes]]) -> None:
    coming = tx.meta(NEXT)
    if coming is None or read_model(coming) != model:
        raise ConfigError("the change of the model was cancelled", hint="the old model answers")
    tx.renewal.put(vectors)


def _switch(engine: Engine, model: ModelInfo, left_max: int | None) -> int | None:
    """The transaction that changes over; the number of passages left pending, or None when too many are missing."""
    at = engine.clock()

    def job(tx: Transaction) -> int | None:
        total, done = tx.renewal.progress()
        coming = tx.meta(NEXT)
        if coming is None or read_model(coming) != model:
            raise ConfigError("the change of the model was cancelled", hint="the old model answers")
        if left_max is not None and total - done > left_max:
            return None
        tx.renewal.switch()
        tx.history.drop_vectors()
        tx.set_meta("model", write_model(model))
        tx.exchange.drop_meta(NEXT)
        spaces = sorted(tx.namespaces())
        for ns in spaces:
            tx.topics.clear(ns)  # its job builds another
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
