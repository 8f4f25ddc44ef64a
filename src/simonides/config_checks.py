"""Is a setting what it may be? Each check raises ConfigError with the name, the value and what is expected."""

from __future__ import annotations

import math

from simonides.errors import ConfigError


def number(
    name: str, value: object, *, low: float, high: float = math.inf, above: bool = False, infinite: bool = False
) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise ConfigError(f"{name} is {value!r}; expected a number")
    if math.isinf(value) and not (infinite and value > 0):
        raise ConfigError(f"{name} is {value!r}; expected a finite number")
    if value < low or value > high or (above and value == low):
        bounds = f"{'above' if above else 'at least'} {low:g}" + (f", at most {high:g}" if high < math.inf else "")
        raise ConfigError(f"{name} is {value!r}; expected {bounds}")


def whole(name: str, value: object, *, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ConfigError(f"{name} is {value!r}; expected a whole number of at least {low}")


def flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise ConfigError(f"{name} is {value!r}; expected True or False")


def choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigError(f"{name} is {value!r}; expected one of {', '.join(allowed)}")
