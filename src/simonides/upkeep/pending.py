"""Which passages still wait for a vector? Makes them, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simonides.errors import ConfigError
from simonides.write.embed import settle_model
from simonides.write.journal import Note, write_note

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.backend.rows import PendingPassage
    from simonides.embedders.door import Unit
    from simonides.embedders.port import ModelInfo
    from simonides.engine import Engine
    from simonides.write.remember import Progress


def embed_pending(engine: Engine, namespace: str, progress: Progress | None = None) -> int:
    """Embeds what is pending in a namespace; returns how many passages are settled. Safe to stop and repeat.

    Raises ConfigError without an embedder, ModelMismatchError for the wrong one, EmbeddingError when it fails.
    """
    settled, after = 0, 0
    while True:
        with engine.database.snapshot() as snapshot:
            ns = snapshot.state(namespace).ns
            batch = snapshot.pending(ns, after, engine.config.embedding.batch)
            model = engine.model(snapshot)
        if not batch:
            return settled
        door = engine.door(model)
        if door is None:
            raise ConfigError("the store was opened without an embedder", hint="open it with embedder=…")
        rows = door.documents([p.text for p in batch], engine.config.embedding.write_deadline_s)
        settled += _store(engine, ns, batch, rows, door.info)
        after = batch[-1].pid
        if progress is not None:
            progress(settled, settled)


def _store(engine: Engine, ns: int, batch: list[PendingPassage], rows: list[Unit | None], model: ModelInfo) -> int:
    packed = [None if row is None else row.astype("<f4").tobytes() for row in rows]
    vectors = [(p.pid, row) for p, row in zip(batch, packed, strict=True)]

    def job(tx: Transaction) -> int:
        if any(v is not None for _, v in vectors):
            settle_model(engine, tx, model)
        note = Note(engine.clock(), ns, engine.actor)
        seq = write_note(tx, note, "vectors.stored", batch[0].thought_id, {"passages": len(vectors)})
        return tx.set_vectors(ns, seq, vectors)

    return engine.database.write(job)
