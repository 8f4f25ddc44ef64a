"""Where do the vectors of new passages come from? From the caller, from the embedder, or later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.backend.jobs_port import EMBED_PENDING, NewJob
from simonides.backend.rows import PENDING, NewPassage
from simonides.clock import stopwatch
from simonides.embedders.door import EmbedderDoor, Unit, check_dimension
from simonides.engine import Engine, describe, given_model, write_model
from simonides.errors import EmbeddingError, ModelMismatchError
from simonides.write.index import with_vectors

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.embedders.port import ModelInfo


@dataclass(frozen=True, slots=True)
class Embedded:
    """Passages of several thoughts with their vectors, and the model that made them (None: no vector at all)."""

    passages: list[list[NewPassage]]
    model: ModelInfo | None


@dataclass(frozen=True, slots=True)
class Request:
    """One thought that needs vectors. given: a vector that stands for the whole of it."""

    name: str
    text: str
    passages: list[NewPassage]
    given: Unit | None


def embed(engine: Engine, requests: Sequence[Request], *, afresh: bool = True) -> Embedded:
    """Fills in vectors outside of any transaction. An embedder that fails or is late leaves passages pending.

    Not afresh: for the model that the store had when it was last looked at; who asks so asks again, afresh, when that
    raises or when `settle_model` does. Raises ModelMismatchError for a given vector of another dimension than the
    store's, and when the configured embedder makes other vectors than those stored.
    """
    model = _model_for(engine, engine.model_outside(afresh=afresh), [r.given for r in requests])
    for request in requests:
        if request.given is not None:
            check_dimension(request.given, model, request.name)
    pending: list[list[Unit | None] | None] = [None] * len(requests)
    try:
        door = engine.door(model)
        if door is None:
            made: list[list[Unit | None] | None] = [[None] * len(r.passages) for r in requests]
        else:
            made = _ask(engine, door, requests)
            model = door.info if any(rows is not None for rows in made) else model
    except ModelMismatchError:
        raise
    except EmbeddingError as error:
        _warn("vectors are left pending: %s", error.message)
        made = pending
    return Embedded([_take(r, rows) for r, rows in zip(requests, made, strict=True)], model)


def _model_for(engine: Engine, model: ModelInfo | None, given: Sequence[Unit | None]) -> ModelInfo | None:
    """On a store without vectors a given one decides, unless somebody chose an embedder."""
    first = next((row for row in given if row is not None), None)
    if model is not None or first is None:
        return model
    if engine.embedder is None or engine.embedder_is_default:
        return given_model(len(first))
    return engine.embedder.info


def _take(request: Request, rows: list[Unit | None] | None) -> list[NewPassage]:
    if request.given is not None:
        return with_vectors(request.passages, [request.given, *[None] * (len(request.passages) - 1)])
    return with_vectors(request.passages, rows)


def _ask(engine: Engine, door: EmbedderDoor, requests: Sequence[Request]) -> list[list[Unit | None] | None]:
    """Rows per thought, or None for thoughts whose passages could not be embedded in time."""
    settings = engine.config.embedding
    until = stopwatch() + settings.write_deadline_s
    wanted = [
        (n, request.text[p.start : p.stop])
        for n, request in enumerate(requests)
        if request.given is None
        for p in request.passages
    ]
    rows: list[list[Unit | None] | None] = [[] if r.given is None else None for r in requests]
    for start in range(0, len(wanted), settings.batch):
        batch = wanted[start : start + settings.batch]
        try:
            made = door.documents([text for _, text in batch], max(0.0, until - stopwatch()))
        except EmbeddingError as error:
            _warn("%d passages are left pending: %s", len(wanted) - start, error.message)
            for n, _ in wanted[start:]:
                rows[n] = None
            break
        for (n, _), row in zip(batch, made, strict=True):
            done = rows[n]
            assert done is not None
            done.append(row)
    return rows


def settle_model(engine: Engine, tx: Transaction, model: ModelInfo | None) -> None:
    """Inside the transaction: the first vector decides the store's model; another model is refused."""
    if model is None:
        return
    stored = engine.model(tx)
    if stored is None:
        tx.set_meta("model", write_model(model))
    elif stored != model:
        raise ModelMismatchError(f"stored: {describe(stored)}, given: {describe(model)}")


def ask_for_vectors(tx: Transaction, namespace: str, passages: Iterable[NewPassage], at: int) -> None:
    """Inside the transaction: passages that are left pending get a job, one per namespace while it is open."""
    if any(passage.embedding == PENDING for passage in passages):
        tx.jobs.put(NewJob(EMBED_PENDING, namespace, at, key=""))


def _warn(text: str, *values: object) -> None:
    import logging

    logging.getLogger(__name__).warning(text, *values)
