"""Field cases 43 and 45: mixed time zones, garbage, the future and extreme half-lives."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from store_driver import START, Opener, ids

from simonides import InvalidRecencyArgumentError, InvalidThoughtError

TIMES = {"naive": "2026-01-15T10:30:00", "utc": "2026-01-15T10:30:00Z", "tokyo": "2026-01-15T10:30:00+09:00"}


@pytest.fixture
def zones(opener: Opener) -> Any:
    store = opener(embedder=False)
    for name, text in TIMES.items():
        store.remember("the train leaves", thought_id=name, occurred_at=text)
    return store


@pytest.mark.parametrize(
    "now",
    [
        "2026-01-16T10:30:00",
        "2026-01-16T10:30:00+00:00",
        "2026-01-16T12:30:00+02:00",
        datetime(2026, 1, 16, 10, 30),
        datetime(2026, 1, 16, 10, 30, tzinfo=UTC),
        1768559400,
        1768559400.0,
    ],
    ids=str,
)
def test_naive_aware_and_epoch_times_are_ordered_by_the_true_instant(zones: Any, now: Any) -> None:
    """Case 43: a naive time is UTC. Half-life one day: 24 hours give 1/2, 33 hours 2**(-33/24)."""
    for _ in range(2):
        answer = zones.search_hybrid(
            "train", fts_weight=0, vector_weight=0, priority_weight=0, recency_weight=1, recency_now=now,
            recency_now_half_life=86_400, recency_field="occurred_at",
        )  # fmt: skip
        assert answer.results == [
            ("naive", pytest.approx(0.5, abs=1e-12)),
            ("utc", pytest.approx(0.5, abs=1e-12)),
            ("tokyo", pytest.approx(2 ** (-33 / 24), abs=1e-12)),
        ]


@pytest.mark.parametrize("now", ["2026-13-45", "yesterday", "", "2026-01-01T25:00:00", [], {}, 1e20, float("inf")])
def test_a_garbage_now_is_a_typed_error(zones: Any, now: Any) -> None:
    """Case 43."""
    with pytest.raises(InvalidRecencyArgumentError):
        zones.search_hybrid("train", recency_now=now)


@pytest.mark.parametrize("value", ["2026-13-45", "soon", 1e20, -1e12])
def test_a_garbage_event_time_is_refused_at_writing(zones: Any, value: Any) -> None:
    """Case 43."""
    with pytest.raises(InvalidThoughtError, match="occurred_at"):
        zones.remember("x", occurred_at=value)


FRESH = ["2026-03-01T12:00:00Z", "2026-03-11T12:00:00Z", "2099-01-01T00:00:00Z", "0001-01-01T00:00:00Z"]


@pytest.mark.parametrize("half_life", [1e-9, 5e-324, 1.0, 604_800.0, 1e300, float("inf")])
def test_the_future_counts_as_now_and_recency_stays_between_zero_and_one(opener: Opener, half_life: float) -> None:
    """Case 45, the axis of time."""
    store = opener(embedder=False)
    for n, text in enumerate(FRESH):
        store.create_thought(content="the same text", thought_id=f"t{n}", created_at="2020-01-01", updated_at=text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = store.search_hybrid(
            "same text", recency_now=START, recency_now_half_life=half_life, recency_weight=0.5
        )
    values = {hit.thought_id: {p.name: p.value for p in hit.parts}["recency"] for hit in answer.hits}
    assert values["t0"] == values["t1"] == values["t2"] == 1.0
    assert values["t3"] == (1.0 if half_life >= 1e300 else 0.0)
    assert ids(answer)[:3] == ["t0", "t1", "t2"]


@pytest.mark.parametrize("half_life", [1e-9, 5e-324, 50.0, 1e300, float("inf")])
def test_cycles_ahead_count_as_the_current_one(opener: Opener, half_life: float) -> None:
    """Case 45, the axis of cycles."""
    store = opener(embedder=False)
    for name, cycle in (("now", 100), ("ahead", 10**18), ("past", -(10**18))):
        store.create_thought(content="the same text", thought_id=name, created_cycle=cycle)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = store.search_hybrid("same text", current_cycle=100, recency_half_life=half_life)
    values = {hit.thought_id: {p.name: p.value for p in hit.parts}["recency"] for hit in answer.hits}
    assert values["now"] == values["ahead"] == 1.0
    assert 0.0 <= values["past"] <= 1.0
    assert ids(answer)[:2] == ["ahead", "now"]


@pytest.mark.parametrize("cycle", [10**30, -(10**30)])
def test_a_reference_cycle_of_any_size_is_no_crash(opener: Opener, cycle: int) -> None:
    """Case 45: more than 62 bits are refused by name."""
    store = opener(embedder=False)
    store.remember("the text", thought_id="t")
    with pytest.raises(InvalidRecencyArgumentError, match="current_cycle"):
        store.search_hybrid("text", current_cycle=cycle)


@pytest.mark.parametrize("half_life", [0, -1, float("nan"), "x"])
def test_a_half_life_that_is_none_is_refused_by_name(opener: Opener, half_life: Any) -> None:
    """Case 45."""
    store = opener(embedder=False)
    store.remember("the text")
    with pytest.raises(InvalidRecencyArgumentError, match="recency_now_half_life"):
        store.search_hybrid("text", recency_now=START, recency_now_half_life=half_life)
    with pytest.raises(InvalidRecencyArgumentError, match="recency_half_life"):
        store.search_hybrid("text", current_cycle=1, recency_half_life=half_life)


def test_a_recency_boost_of_the_future_is_that_of_now(opener: Opener) -> None:
    """Case 45: score × (1 + boost / (1 + age in days))."""
    store = opener(embedder=False)
    for n, text in enumerate(FRESH[:3]):
        store.create_thought(content=f"the text {n}", thought_id=f"t{n}", updated_at=text)
    answer = store.retrieve("text", recency_boost=1.0, now=START)
    assert [hit.score for hit in answer.hits] == [pytest.approx(2 / (60 + n), abs=1e-12) for n in (1, 2, 3)]
    old = store.create_thought(content="the text", thought_id="old", updated_at=START - timedelta(days=3))
    hit = {h.thought_id: h for h in store.retrieve("text", recency_boost=1.0, now=START).hits}[old.thought_id]
    place = next(part.rank for part in hit.parts if part.name == "fts")
    assert hit.score == pytest.approx((1 + 1 / 4) / (60 + place), abs=1e-12)
