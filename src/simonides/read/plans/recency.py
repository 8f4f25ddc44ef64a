"""Along which axis is recency measured, from where, and how fast does it fade?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.clock import SECOND
from simonides.config import MAX_OF_STORE
from simonides.errors import InvalidRecencyArgumentError, RecencyModeConflictError
from simonides.model.query import Recency
from simonides.read.plans.checks import either, instant, moment, real, whole

if TYPE_CHECKING:
    from simonides.engine import Engine
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
    if axis.field is not None and axis.field not in FIELDS:
        raise InvalidRecencyArgumentError(f"recency_field is {axis.field!r}; expected one of {', '.join(FIELDS)}")
    if axis.now is not None:
        return _by_time(engine, axis)
    cycle = axis.current_cycle
    if cycle is None:
        provider = _cycle_provider(engine, where)
        cycle = None if provider is None else provider()
    return None if cycle is None else _by_cycle(engine, axis, cycle)


def _by_time(engine: Engine, axis: Axis) -> Recency:
    search = engine.config.search
    half_life = _positive("recency_now_half_life", either(axis.now_half_life, search.recency_now_half_life), "seconds")
    field = either(axis.field, search.recency_field)
    try:
        reference = moment(axis.now)
    except (ValueError, OverflowError, TypeError, AttributeError) as error:
        raise InvalidRecencyArgumentError(f"recency_now is {axis.now!r:.80}: {error}") from None
    return Recency("instant", reference, half_life * SECOND, field)


def _by_cycle(engine: Engine, axis: Axis, cycle: object) -> Recency:
    half_life = _positive("recency_half_life", either(axis.half_life, engine.config.search.recency_half_life), "cycles")
    reference = whole(cycle)
    if reference is None or not -(2**62) < reference < 2**62:
        raise InvalidRecencyArgumentError(f"current_cycle is {cycle!r}; expected a whole number")
    return Recency("cycle", reference, half_life, "updated_cycle")


def _positive(name: str, value: object, unit: str) -> float:
    number = real(value)
    if number is None or not number > 0:
        raise InvalidRecencyArgumentError(f"{name} is {value!r}; expected {unit} above 0")
    return number


def _cycle_provider(engine: Engine, where: Where) -> Callable[[], int] | None:
    """What answers "which cycle is it?": a fixed number, the caller's function, or the newest cycle in the scope."""
    provider = engine.config.cycle_provider
    if provider is None or callable(provider):
        return provider
    if provider != MAX_OF_STORE:
        return lambda: int(provider)
    names = (where.namespace,) if isinstance(where.namespace, str) else tuple(where.namespace)

    def newest_cycle() -> int:
        with engine.database.snapshot() as today:
            snapshot = today if where.as_of is None else today.past(instant("as_of", where.as_of))
            return max((snapshot.newest_cycle(snapshot.state(name).ns) for name in names), default=0)

    return newest_cycle
