"""Which kinds of jobs are there? Each is a name and a function; this is the place to add one.

A function may be killed at any instruction and may run twice. It does its last change and `work.finish(tx)` in one
transaction where it can; what it does before must be harmless when repeated. Long ones call `work.renew()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from simonides.backend.jobs_port import ATTEMPTS, EMBED_PENDING, REEMBED, SPLIT_TOPICS, NewJob
from simonides.errors import EmbeddingError, ModelMismatchError
from simonides.reflect.consolidate import Options, consolidate
from simonides.upkeep import renewal
from simonides.upkeep.conflicts import SCAN
from simonides.upkeep.conflicts import run as scan_conflicts
from simonides.upkeep.hygiene import EXPIRE, HYGIENE, run_expire, run_hygiene
from simonides.upkeep.naming import name_missing
from simonides.upkeep.pending import embed_pending
from simonides.upkeep.probe import SAMPLE, check
from simonides.upkeep.rebalance import FOLD, PROBE, REBALANCE, grown, keep_up, rebalance
from simonides.upkeep.topics import fold, split_large

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.engine import Engine
    from simonides.model.job import Job

LEASE_S = 120.0


class Work(Protocol):
    """A job in the hands of a worker."""

    @property
    def job(self) -> Job: ...

    def finish(self, tx: Transaction) -> None:
        """Marks the job as done in the caller's transaction. Raises JobError when the lease is lost: all is undone."""
        ...

    @property
    def stopping(self) -> bool:
        """Whether somebody waits for the job to pause, so that it may put itself off."""
        ...

    def renew(self) -> None:
        """A full lease from now on. Raises JobError when it is lost: somebody else does the job."""
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """run: does a job of this kind. attempts_max: before it is given up. able: whether this process can do it."""

    name: str
    run: Callable[[Engine, Work], None]
    attempts_max: int = ATTEMPTS
    lease_s: float = LEASE_S
    able: Callable[[Engine], bool] = lambda engine: True

    def job(self, namespace: str, at: int, *, key: str | None = "", payload: str = "{}") -> NewJob:
        """A job of this kind to put into a transaction's queue. key "": one open job per namespace."""
        return NewJob(self.name, namespace, at, key, payload, attempts_max=self.attempts_max)


_KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Makes a kind known to every store of this process. The same name again replaces it."""
    _KINDS[kind.name] = kind
    return kind


def kinds() -> Mapping[str, Kind]:
    """Name → kind."""
    return dict(_KINDS)


def _embed(engine: Engine, work: Work) -> None:
    assert work.job.namespace is not None
    embed_pending(engine, work.job.namespace, lambda done, total: work.renew())
    keep_up(engine, work.job.namespace)


def _fits(engine: Engine) -> bool:
    """Whether the embedder at hand makes vectors of the model in use."""
    with engine.database.snapshot() as snapshot:
        model = engine.model(snapshot)
    try:
        return engine.embedder is not None and engine.door(model) is not None
    except (ModelMismatchError, EmbeddingError):
        return False


register(Kind(EMBED_PENDING, _embed, able=_fits))


def _fold(engine: Engine, work: Work) -> None:
    assert work.job.namespace is not None
    fold(engine, work.job.namespace, split=False)
    grown(engine, work.job.namespace)


def _split(engine: Engine, work: Work) -> None:
    assert work.job.namespace is not None
    split_large(engine, work.job.namespace)
    name_missing(engine, work.job.namespace)


def _rebalance(engine: Engine, work: Work) -> None:
    assert work.job.namespace is not None

    def renew(stage: str, done: int, total: int) -> None:
        if done == total and stage != "read":  # a store in memory cannot write while it is read
            work.renew()

    rebalance(engine, work.job.namespace, renew)


def _probe(engine: Engine, work: Work) -> None:
    assert work.job.namespace is not None
    check(engine, work.job.namespace, engine.config.topics.recall_goal, SAMPLE, adapt=True)


register(Kind(REEMBED, renewal.run, lease_s=600.0, able=renewal.able))
register(Kind(FOLD, _fold))
register(Kind(SPLIT_TOPICS, _split))
register(Kind(REBALANCE, _rebalance, lease_s=600.0))
register(Kind(PROBE, _probe))
register(Kind(SCAN, scan_conflicts))
register(Kind(HYGIENE, run_hygiene, lease_s=600.0))
register(Kind(EXPIRE, run_expire, lease_s=600.0))


def _consolidate(engine: Engine, work: Work) -> None:
    assert work.job.namespace is not None
    cycle = work.job.payload.get("cycle")
    assert cycle is None or isinstance(cycle, int)
    consolidate(
        engine, work.job.namespace, Options(engine.config.consolidation, cycle), lambda done, total: work.renew()
    )


CONSOLIDATE = register(Kind("reflect.consolidate", _consolidate, lease_s=600.0))
