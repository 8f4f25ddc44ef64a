"""Instants: what is read, what is refused, and that the machine's time zone is never asked."""

from __future__ import annotations

import os
import time
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.clock import DAY, SECOND, system_clock, to_datetime, to_instant

NOON = 1_768_473_000 * SECOND  # 2026-01-15T10:30:00Z: 20,468 days and 37,800 seconds after the epoch


def test_a_date_is_its_first_moment_in_utc() -> None:
    assert to_instant(date(2026, 1, 15)) == 20_468 * DAY


def test_what_is_no_instant_at_all_is_named() -> None:
    with pytest.raises(TypeError, match="dict is neither a time"):
        to_instant({})  # type: ignore[arg-type]  # what a caller should not give


def test_the_example_is_right() -> None:
    assert NOON == 20_468 * DAY + 37_800 * SECOND


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-15T10:30:00Z",
        "2026-01-15T10:30:00",
        "2026-01-15 10:30",
        "2026-01-15T19:30:00+09:00",
        "2026-01-15T05:00:00-05:30",
        "20260115T103000Z",
        datetime(2026, 1, 15, 10, 30),
        datetime(2026, 1, 15, 10, 30, tzinfo=UTC),
        datetime(2026, 1, 15, 12, 30, tzinfo=timezone(timedelta(hours=2))),
        1_768_473_000,
        1_768_473_000.0,
    ],
    ids=str,
)
def test_one_instant_written_in_many_ways(value: Any) -> None:
    assert to_instant(value) == NOON


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("1970-01-01", 0),
        ("0001-01-01T00:00:00Z", -719_162 * DAY),
        ("9999-12-31T23:59:59.999999Z", 2_932_897 * DAY - 1),
        (-0.5, -500_000),
        (0.000001, 1),
    ],
)
def test_the_borders_of_time(value: Any, wanted: int) -> None:
    assert to_instant(value) == wanted


@pytest.mark.parametrize(
    "value", ["", "soon", "2026-13-45", "2026-01-01T25:00", True, float("nan"), float("inf"), 1e15, -1e15, None, [], {}]
)
def test_what_is_no_instant_is_refused(value: Any) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError, AttributeError)):
        to_instant(value)


@given(st.datetimes(timezones=st.just(UTC)))
def test_every_datetime_comes_back(moment: datetime) -> None:
    assert to_datetime(to_instant(moment)) == moment


@given(st.integers(-62_135_596_800 * SECOND, 253_402_300_800 * SECOND - 1))
def test_every_instant_comes_back(instant: int) -> None:
    assert to_instant(to_datetime(instant)) == instant
    assert to_instant(to_datetime(instant).isoformat()) == instant


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its time zone")
def test_the_time_zone_of_the_machine_is_never_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert to_instant("2026-01-15T10:30:00") == to_instant(datetime(2026, 1, 15, 10, 30)) == NOON
        assert to_datetime(NOON).utcoffset() == timedelta(0)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "TZ" not in os.environ or os.environ["TZ"] != "Asia/Tokyo"


def test_the_system_clock_is_utc_microseconds() -> None:
    before, now, after = time.time(), system_clock(), time.time()
    assert before - 1 <= now / SECOND <= after + 1
    assert isinstance(now, int)
