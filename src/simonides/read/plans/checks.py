"""Is this argument one that a search can work with? Each check gives the value back or raises, naming it."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TypeVar

from simonides.clock import to_instant
from simonides.errors import InvalidQueryError

T = TypeVar("T")
TOP_K_MAX = 10_000
POOL_MAX = 100_000


def either(value: T | None, default: T) -> T:
    return default if value is None else value


def top_k_of(value: object) -> int:
    number = whole(value)
    if number is None or not 1 <= number <= TOP_K_MAX:
        raise InvalidQueryError(f"top_k is {value!r}; expected 1..{TOP_K_MAX}", hint="leave top_k out to use 10")
    return number


def finite(name: str, value: object) -> float:
    number = real(value)
    if number is None or not math.isfinite(number):
        raise InvalidQueryError(f"{name} is {value!r}; expected a finite number")
    return number


def count(name: str, value: object) -> int:
    number = whole(value)
    if number is None or not 1 <= number <= POOL_MAX:
        raise InvalidQueryError(f"{name} is {value!r}; expected 1..{POOL_MAX}")
    return number


def weight(name: str, value: object) -> float:
    number = real(value)
    if number is None or not math.isfinite(number) or number < 0:
        raise InvalidQueryError(f"{name} is {value!r}; expected a finite number of at least 0")
    return number


def whole(value: object) -> int | None:
    """A whole number of Python or numpy; None for anything else, truth values too."""
    if isinstance(value, (int, Integral)) and not isinstance(value, bool):
        return int(value)
    return None


def real(value: object) -> float | None:
    """A number of Python or numpy as a float; None for anything else, truth values too."""
    if isinstance(value, (int, float, Real)) and not isinstance(value, bool):
        return float(value)
    return None


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
