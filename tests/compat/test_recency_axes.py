"""Two recency axes: cycles and time. One per question, the caller owns "now", explicit beats passive."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from store_driver import START, HandClock, ids

import simonides
from simonides import (
    Config,
    ConfigError,
    InvalidRecencyArgumentError,
    InvalidThoughtError,
    RecencyModeConflictError,
    Store,
)

DAY = timedelta(days=1)


def fresh(answer: Any) -> dict[str, float]:
    """Thought → its recency value, as the parts tell it."""
    return {h.thought_id: p.value for h in answer.hits for p in h.parts if p.name == "recency"}


@pytest.fixture
def log(make: Any) -> Any:
    """Three equal texts, all written at cycle 0, one, two and four days ago."""
    store = make()
    for name, days in (("one", 1), ("two", 2), ("four", 4)):
        store.create_thought(content="incident timeline", thought_id=name, created_at=START - days * DAY)
    return store


def test_time_ranks_what_was_written_recently_where_cycles_cannot(log: Any) -> None:
    """The page's call: half-life a day. Every row has cycle 0, so the other axis gives all the same."""
    answer = log.search_hybrid(
        "incident timeline", recency_now=START.isoformat(), recency_weight=0.4, recency_now_half_life=86_400
    )
    assert ids(answer) == ["one", "two", "four"]
    assert fresh(answer) == {"one": 0.5, "two": 0.25, "four": 0.0625}
    cycles = log.search_hybrid("incident timeline", current_cycle=3, recency_weight=0.4)
    assert len(set(fresh(cycles).values())) == 1
    assert ids(cycles) == ["four", "one", "two"]


def test_both_axes_decay_alike_and_only_the_clock_differs(make: Any) -> None:
    """Three half-lives old on either axis: 1/8."""
    store = make()
    store.create_thought(content="pot", thought_id="a", created_at=START - 3 * DAY, created_cycle=7)
    assert fresh(store.search_hybrid("pot", recency_now=START, recency_now_half_life=86_400)) == {"a": 0.125}
    assert fresh(store.search_hybrid("pot", current_cycle=37, recency_half_life=10)) == {"a": 0.125}


def test_without_reference_and_provider_recency_stays_off(log: Any) -> None:
    assert fresh(log.search_hybrid("incident", recency_weight=1.0)) == {}


# ---- the caller owns "now"


class OneReading(HandClock):
    """Decision 16: a question reads the clock once, and a second reading is a fault."""

    armed = False

    def __call__(self) -> int:
        if self.armed and self.readings >= 1:
            raise AssertionError("the clock was read a second time")
        return super().__call__()

    def arm(self) -> None:
        self.armed, self.readings = True, 0


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("recall", {}), ("retrieve", {"recency_boost": 0.5}), ("search_hybrid", {}),
        ("search_hybrid", {"current_cycle": 3}), ("search_hybrid", {"recency_now": START}), ("search_fts", {}),
        ("search_reflections_only", {}),
    ],
    ids=str,
)  # fmt: skip
def test_one_question_reads_the_clock_once(verb: str, options: dict[str, Any]) -> None:
    clock = OneReading()
    with simonides.open(":memory:", embedder="hashing:64", clock=clock) as store:
        store.remember("the pot", thought_id="a", expires_at=START + DAY)
        store.remember("pots", thought_id="r", thought_type="REFLECTION")
        clock.arm()
        getattr(store, verb)("the pot", **options)
        assert clock.readings == 1


def test_time_recency_moves_with_the_reference_and_not_with_the_clock(log: Any, clock: HandClock) -> None:
    first = log.search_hybrid("incident", recency_now=START, recency_weight=0.5)
    clock.advance(400 * 86_400)
    again = log.search_hybrid("incident", recency_now=START, recency_weight=0.5)
    assert again.results == first.results
    later = log.search_hybrid("incident", recency_now=START + 7 * DAY, recency_weight=0.5)
    assert fresh(later) == {name: pytest.approx(value / 2, rel=1e-12) for name, value in fresh(first).items()}


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_date_is_its_first_moment(log: Any) -> None:
    noon = log.search_hybrid("incident", recency_now=START.date(), recency_now_half_life=86_400)
    midnight = log.search_hybrid("incident", recency_now=f"{START.date()}T00:00:00Z", recency_now_half_life=86_400)
    assert noon.results == midnight.results


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of the process can only be set on POSIX")
@pytest.mark.usefixtures("tokyo")
def test_a_naive_instant_is_utc_wherever_the_machine_stands(make: Any) -> None:
    assert datetime(2026, 3, 1, 12).timestamp() != datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()
    store = make()
    store.create_thought(content="pot", thought_id="a", created_at="2026-02-28T12:00:00")
    for now in ("2026-03-01T12:00:00", "2026-03-01T12:00:00Z", "2026-03-01T21:00:00+09:00", datetime(2026, 3, 1, 12)):
        assert fresh(store.search_hybrid("pot", recency_now=now, recency_now_half_life=86_400)) == {"a": 0.5}


# ---- errors, once the axis is on


@pytest.mark.parametrize("now", ["soon", "2026-02-30", "", object()])
def test_a_malformed_now_raises(log: Any, now: Any) -> None:
    with pytest.raises(InvalidRecencyArgumentError, match="recency_now"):
        log.search_hybrid("incident", recency_now=now)


@pytest.mark.parametrize("half_life", [0, -86_400, float("nan")])
def test_a_half_life_that_is_not_positive_raises_with_a_now_and_is_ignored_without(log: Any, half_life: Any) -> None:
    with pytest.raises(InvalidRecencyArgumentError, match="recency_now_half_life"):
        log.search_hybrid("incident", recency_now=START, recency_now_half_life=half_life)
    assert (
        log.search_hybrid("incident", recency_now_half_life=half_life).results == log.search_hybrid("incident").results
    )


def test_both_references_are_a_conflict_and_no_provider_is_asked(make: Any) -> None:
    def provider() -> int:
        raise AssertionError("asked")

    store = make(config=Config(cycle_provider=provider))
    with pytest.raises(RecencyModeConflictError):
        store.search_hybrid("pot", current_cycle=1, recency_now=START)
    with pytest.raises(RecencyModeConflictError):
        store.search_hybrid("pot", current_cycle=1, recency_now="not an instant")


# ---- rows


def test_a_row_without_a_usable_time_scores_the_minimum_and_stays(make: Any) -> None:
    store = make()
    store.create_thought(content="pot", thought_id="dated", occurred_at=START - DAY)
    store.create_thought(content="pot", thought_id="undated")
    answer = store.search_hybrid(
        "pot", recency_now=START, recency_field="occurred_at", recency_weight=1.0, recency_now_half_life=86_400
    )
    assert fresh(answer) == {"dated": 0.5, "undated": 0.0}
    assert ids(answer) == ["dated", "undated"]


@pytest.mark.parametrize("field", ["created_at", "updated_at", "occurred_at"])
def test_a_malformed_time_never_gets_into_a_row(make: Any, field: str) -> None:
    """A deliberate difference: there it is stored and counts as oldest, here it is refused when written."""
    store = make()
    with pytest.raises(InvalidThoughtError, match=field):
        store.create_thought(content="pot", **{field: "2026-13-45"})
    assert store.count_thoughts() == 0


def test_a_row_of_the_future_counts_as_written_now(make: Any) -> None:
    store = make()
    store.create_thought(content="pot", thought_id="a", created_at=START + 900 * DAY, created_cycle=99)
    assert fresh(store.search_hybrid("pot", recency_now=START)) == {"a": 1.0}
    assert fresh(store.search_hybrid("pot", current_cycle=1)) == {"a": 1.0}


# ---- cycle providers


def cycles(store: Any) -> Any:
    for name, cycle in (("old", 0), ("mid", 50), ("new", 100)):
        store.create_thought(content="the pot", thought_id=name, created_cycle=cycle)
    return store


@pytest.mark.parametrize("provider", [100, lambda: 100, "max_of_store"], ids=["static", "callable", "max_of_store"])
def test_a_provider_stands_in_for_the_current_cycle(make: Any, provider: Any) -> None:
    """Half-life 50: 1, 1/2, 1/4."""
    store = cycles(make(config=Config(cycle_provider=provider)))
    answer = store.search_hybrid("pot")
    assert fresh(answer) == {"new": 1.0, "mid": 0.5, "old": 0.25}
    assert answer.results == cycles(make()).search_hybrid("pot", current_cycle=100).results


def test_max_of_store_follows_the_store(make: Any) -> None:
    store = cycles(make(config=Config(cycle_provider="max_of_store")))
    store.create_thought(content="the pot", thought_id="newest", created_cycle=150)
    assert fresh(store.search_hybrid("pot")) == {"newest": 1.0, "new": 0.5, "mid": 0.25, "old": 0.125}
    assert fresh(make(config=Config(cycle_provider="max_of_store")).search_hybrid("pot")) == {}


@pytest.mark.parametrize("text", ["cycle_provider = 100\n", 'cycle_provider = "max_of_store"\n'])
def test_a_provider_may_stand_in_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.toml").write_text(text)
    with Store.from_config(tmp_path / "s.toml", ":memory:") as store:
        assert fresh(cycles(store).search_hybrid("pot"))["mid"] == 0.5


@pytest.mark.parametrize("options", [{"recency_now": START}, {"current_cycle": 0}], ids=["time", "cycle"])
def test_an_explicit_reference_leaves_the_provider_unasked(make: Any, options: dict[str, Any]) -> None:
    def provider() -> int:
        raise AssertionError("asked")

    store = cycles(make(config=Config(cycle_provider=provider)))
    assert set(fresh(store.search_hybrid("pot", **options)).values()) == {1.0}


def test_units_never_mix_on_a_store_with_a_provider(make: Any) -> None:
    """Time decides although cycles say the opposite."""
    store = make(config=Config(cycle_provider=100))
    store.create_thought(content="the pot", thought_id="late", created_cycle=0, created_at=START)
    store.create_thought(content="the pot", thought_id="early", created_cycle=100, created_at=START - 2 * DAY)
    answer = store.search_hybrid("pot", recency_now=START, recency_now_half_life=86_400)
    assert fresh(answer) == {"late": 1.0, "early": 0.25}
    assert ids(store.search_hybrid("pot")) == ["early", "late"]


@pytest.mark.parametrize("value", [1.5, True, "7", None])
def test_what_a_provider_says_is_checked(make: Any, value: Any) -> None:
    store = cycles(make(config=Config(cycle_provider=lambda: value)))
    if value is None:
        assert fresh(store.search_hybrid("pot")) == {}
        return
    with pytest.raises(InvalidRecencyArgumentError, match="cycle"):
        store.search_hybrid("pot")


@pytest.mark.parametrize("provider", ["newest", True])
def test_a_provider_of_another_kind_is_refused(provider: Any) -> None:
    with pytest.raises(ConfigError, match="cycle_provider"):
        Config(cycle_provider=provider)
