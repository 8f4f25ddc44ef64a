"""What time is it? The only module that asks.

Instants are integers: microseconds since 1970-01-01T00:00:00Z. Text and datetimes are turned into instants at
the door; a naive one is read as UTC, the time zone of the machine is never consulted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

Clock = Callable[[], int]
SECOND = 1_000_000
DAY = 86_400 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def system_clock() -> int:
    """Now, in microseconds since the epoch."""
    return time.time_ns() // 1_000


def stopwatch() -> float:
    """Seconds on a monotonic clock, for deadlines and timings; never stored, never ranked by."""
    return time.perf_counter()


def to_instant(value: datetime | date | str | int | float) -> int:
    """An instant from a datetime, a date (its first moment), an ISO-8601 text or seconds since the epoch.

    Raises ValueError for text that is not ISO-8601 and for numbers outside the years 1 to 9999.

    >>> to_instant("2026-01-15T10:30:00") == to_instant("2026-01-15T19:30:00+09:00")
    True
    """
    if isinstance(value, bool):
        raise ValueError("a truth value is not an instant")
    if isinstance(value, (int, float)):
        if not -62_135_596_800 <= value < 253_402_300_800:
            raise ValueError(f"{value!r} seconds lie outside the years 1 to 9999")
        return round(value * SECOND)
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(moment, datetime):
        if not isinstance(moment, date):
            raise TypeError(f"{type(moment).__name__} is neither a time nor a text nor seconds")
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)


@lru_cache(maxsize=4_096)  # most thoughts were updated when they were created
def to_datetime(instant: int) -> datetime:
    """The UTC datetime of an instant.

    >>> to_datetime(0).isoformat()
    '1970-01-01T00:00:00+00:00'
    """
    return _EPOCH + timedelta(0, instant // SECOND, instant % SECOND)  # quicker than microseconds alone
