"""Along which axis is recency measured, from where, and how fast does it fade?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from simonides.clock import SECOND
from simonides.config import MAX_OF_STORE
from simonides.engine import Engine
from simonides.errors import InvalidRecencyArgumentError, RecencyModeConflictError
from simonides.model.query import Recency
from simonides.read.plans.checks import either, moment
from simonides.read.plans.settle import Where

FIELDS = ("updated_at", "occurred_at", "created_at")


@dataclass(frozen=True, slots=True)
class Axis:
    """What a call says about recency; None means the configured value."""

    current_cycle: int | None = None
    half_life: float | None = None
    now: object = None
    now_half_life: float | None = None
    field: str | None = None


UNSAID = Axis()


def plan_recency(engine: Engine, where: Where, axis: Axis) -> Recency | None:
    """The recency axis; None without a reference. The configured cycle provider is asked only if the call names none.

    Raises RecencyModeConflictError for both references before anything is asked, InvalidRecencyArgumentError.
    """
    if axis.current_cycle is not None and axis.now is not None:
        raise RecencyModeConflictError(
            "current_cycle and recency_now are both given", hint="a query ranks along one axis: leave one out"
        )
    if axis.now is not None:
        return _by_time(engine, axis)
    cycle = axis.current_cycle
    if cycle is None:
        provider = _cycle_provider(engine, where)
        cycle = None if provider is None else provider()
    return None if cycle is None else _by_cycle(engine, axis, cycle)


def _by_time(engine: Engine, axis: Axis) -> Recency:
    search = engine.config.search
    half_life = either(axis.now_half_life, search.recency_now_half_life)
    if not _positive(half_life):
        raise InvalidRecencyArgumentError(f"recency_now_half_life is {half_life!r}; expected seconds above 0")
    field = either(axis.field, search.recency_field)
    if field not in FIELDS:
        raise InvalidRecencyArgumentError(f"recency_field is {field!r}; expected updated_at, occurred_at or created_at")
    try:
        reference = moment(axis.now)
    except (ValueError, OverflowError, TypeError, AttributeError) as error:
        raise InvalidRecencyArgumentError(f"recency_now is {axis.now!r:.80}: {error}") from None
    return Recency("instant", reference, half_life * SECOND, field)


def _by_cycle(engine: Engine, axis: Axis, cycle: object) -> Recency:
    half_life = either(axis.half_life, engine.config.search.recency_half_life)
    if not _positive(half_life):
        raise InvalidRecencyArgumentError(f"recency_half_life is {half_life!r}; expected cycles above 0")
    if isinstance(cycle, bool) or not isinstance(cycle, int) or not -(2**62) < cycle < 2**62:
        raise InvalidRecencyArgumentError(f"current_cycle is {cycle!r}; expected a whole number")
    return Recency("cycle", cycle, float(half_life), "updated_cycle")


def _positive(half_life: object) -> bool:
    return isinstance(half_life, (int, float)) and not isinstance(half_life, bool) and half_life > 0


def _cycle_provider(engine: Engine, where: Where) -> Callable[[], int] | None:
    """What answers "which cycle is it?": a fixed number, the caller's function, or the newest cycle in the scope."""
    provider = engine.config.cycle_provider
    if provider is None or callable(provider):
        return provider
    if provider != MAX_OF_STORE:
        return lambda: int(provider)
    names = (where.namespace,) if isinstance(where.namespace, str) else tuple(where.namespace)

    def newest_cycle() -> int:
        with engine.database.snapshot() as snapshot:
            return max((snapshot.newest_cycle(snapshot.state(name).ns) for name in names), default=0)

    return newest_cycle
