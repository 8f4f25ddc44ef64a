"""Is this argument one that a search can work with? Each check gives the value back or raises, naming it."""

from __future__ import annotations

import math
from typing import TypeVar

from simonides.clock import to_instant
from simonides.errors import InvalidQueryError

T = TypeVar("T")
TOP_K_MAX = 10_000
POOL_MAX = 100_000


def either(value: T | None, default: T) -> T:
    return default if value is None else value


def top_k_of(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= TOP_K_MAX:
        raise InvalidQueryError(f"top_k is {value!r}; expected 1..{TOP_K_MAX}", hint="leave top_k out to use 10")
    return value


def finite(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InvalidQueryError(f"{name} is {value!r}; expected a finite number")
    return float(value)


def count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= POOL_MAX:
        raise InvalidQueryError(f"{name} is {value!r}; expected 1..{POOL_MAX}")
    return value


def weight(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise InvalidQueryError(f"{name} is {value!r}; expected a finite number of at least 0")
    return float(value)


def flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidQueryError(f"{name} is {value!r}; expected True or False")
    return value


def instant(name: str, value: object) -> int:
    try:
        return moment(value)
    except (ValueError, OverflowError, TypeError, AttributeError) as error:
        raise InvalidQueryError(f"{name} is {value!r:.80}, not an instant: {error}") from None


def moment(value: object) -> int:
    return to_instant(value)  # type: ignore[arg-type]  # whatever is not an instant raises
