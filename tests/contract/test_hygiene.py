"""`hygiene` and `expire`: what goes, what stays and why, and that nothing goes unasked."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from store_driver import HandClock

from simonides import InvalidQueryError, InvalidThoughtError, JobError

DAY = 86_400.0
QUICK = {"synchronous": "NORMAL"}


def going(report: Any) -> list[tuple[str, str]]:
    return [(item.action, item.thought.thought_id) for item in report.items]


def status(store: Any, name: str) -> str | None:
    thought = store.get_thought(name)
    return None if thought is None else thought.lifecycle_status.value


@pytest.fixture
def aged(store: Any, clock: HandClock) -> Any:
    """Memories that nobody used for 200 days, each with something of its own; the plain ones are a, then b."""
    store.remember("plain, the oldest", thought_id="a")
    clock.advance(DAY)
    store.remember("plain", thought_id="b")
    store.remember("pinned", thought_id="pinned", pinned=True)
    store.remember("a task", thought_id="task", thought_type="TASK")
    store.remember("urgent", thought_id="urgent", priority="P1")
    store.remember("sure", thought_id="sure", confidence=0.95)
    store.remember("source", thought_id="source")
    store.remember("a theme", thought_id="theme", thought_type="REFLECTION", essence="theme")
    store.link("theme", "source", "CONSOLIDATED_FROM")
    store.remember("a foundation", thought_id="needed")
    store.remember("built on it", thought_id="builder", pinned=True)
    store.link("builder", "needed", "DEPENDS_ON")
    store.remember("said again and again", thought_id="said", deduplicate=True)
    store.remember("said again and again", deduplicate=True)
    clock.advance(200 * DAY)
    store.remember("of today", thought_id="new")
    return store


def test_a_dry_run_says_what_would_go_and_why_and_changes_nothing(aged: Any) -> None:
    seq = aged.changes()[-1].seq
    report = aged.hygiene(dry_run=True)
    assert going(report) == [("archive", "a"), ("archive", "b")]  # the coldest first
    assert report.items[0].reasons == ("not used for 201 days", "never shown", "never confirmed", "P3")
    assert report.items[1].reasons[0] == "not used for 200 days"
    assert report.kept == {
        "pinned": 2, "kind": 2, "priority": 1, "confident": 1, "source of a reflection": 1, "needed by another": 1,
        "confirmed": 1, "used lately": 1,
    }  # fmt: skip
    assert (report.archived, report.erased, report.more, report.caution) == (2, 0, False, None)
    assert aged.changes(since=seq) == []
    assert status(aged, "a") == "ACTIVE"


def test_a_run_archives_with_a_reason_and_again_does_nothing(aged: Any) -> None:
    assert going(aged.hygiene()) == [("archive", "a"), ("archive", "b")]
    assert (status(aged, "a"), status(aged, "pinned")) == ("ARCHIVED", "ACTIVE")
    told = aged.changes()[-1]
    assert (told.kind, told.reason, told.subject_id) == ("thought.archived", "hygiene", "b")
    assert aged.hygiene().items == ()
    assert "a" not in [hit.thought.thought_id for hit in aged.recall("plain").hits]
    aged.restore_thought("a")
    assert "a" in [hit.thought.thought_id for hit in aged.recall("plain").hits]
    assert "a" not in [name for _, name in going(aged.hygiene())]  # restoring is a use
    assert aged.verify().problems == ()


def test_a_run_is_limited_and_says_that_there_is_more(aged: Any) -> None:
    first = aged.hygiene(limit=1)
    assert (going(first), first.more) == ([("archive", "a")], True)
    second = aged.hygiene(limit=1)
    assert (going(second), second.more) == ([("archive", "b")], False)


def test_what_was_shown_lately_or_often_stays(store: Any, clock: HandClock) -> None:
    store.remember("the pot is blue", thought_id="pot")
    store.remember("the cup is red", thought_id="cup")
    clock.advance(100 * DAY)
    for _ in range(2):
        store.recall("pot blue", top_k=1)
    clock.advance(100 * DAY)
    assert going(store.hygiene(dry_run=True)) == [("archive", "cup")]
    clock.advance(100 * DAY)
    report = store.hygiene(dry_run=True)
    assert going(report) == [("archive", "cup")]
    assert report.kept == {"shown often": 1}
    newer = store.remember("the pot is green", supersedes="pot")
    assert newer is not None
    replaced = {item.thought.thought_id: item.reasons for item in store.hygiene(dry_run=True).items}
    assert replaced["pot"] == ("not used for 200 days", "shown 2 times in all", "superseded", "P3")


def test_a_conflict_that_waits_keeps_both_memories(store: Any, clock: HandClock) -> None:
    store.remember("The limit is 5", thought_id="five")
    store.remember("The limit is 6", thought_id="six")
    store.conflicts.scan()
    clock.advance(200 * DAY)
    assert store.hygiene(dry_run=True).kept == {"in an undecided conflict": 2}
    store.conflicts.reject(store.conflicts.list()[0].conflict_id)
    assert len(store.hygiene(dry_run=True).items) == 2


def test_erasing_needs_a_second_word_and_both_windows(opener: Any, clock: HandClock) -> None:
    store = opener(config={"hygiene": {"restore_days": 30.0, "restore_cycles": 10}, "store": QUICK})
    for name in ("gone", "back", "shelved"):
        store.remember(f"plain {name}", thought_id=name)
    store.archive_thought("shelved")  # by hand: hygiene never erases it
    clock.advance(200 * DAY)
    assert len(store.hygiene(current_cycle=100).items) == 2
    assert store.get_thought("gone").updated_cycle == 100
    clock.advance(29 * DAY)
    assert store.hygiene(erase=True, current_cycle=200).kept == {"can still be restored": 2}  # too few days
    clock.advance(2 * DAY)
    assert store.hygiene(erase=True, current_cycle=109).items == ()  # too few cycles
    assert store.hygiene(erase=True).items == ()  # nobody knows the cycle
    assert store.hygiene(current_cycle=110).items == ()  # nobody asked for it
    store.update_thought("back", metadata={"touched": True})
    look = store.hygiene(erase=True, current_cycle=110, dry_run=True)
    assert [(i.action, i.thought.thought_id, i.reasons) for i in look.items] == [
        ("erase", "gone", ("archived by hygiene 31 days ago",))
    ]
    assert store.hygiene(erase=True, current_cycle=110).erased == 1
    assert (status(store, "gone"), status(store, "back"), status(store, "shelved")) == (None, "ARCHIVED", "ARCHIVED")
    erased = [c for c in store.changes() if c.kind == "thought.erased"]
    assert [(c.subject_id, c.reason) for c in erased] == [("gone", "hygiene")]
    assert store.verify().problems == ()


def test_hygiene_stays_in_its_namespace(store: Any, clock: HandClock) -> None:
    store.remember("one", thought_id="one", namespace="ana")
    store.remember("one", thought_id="one", namespace="ben")
    clock.advance(200 * DAY)
    assert len(store.hygiene(namespace="ana").items) == 1
    assert store.get_thought("one", namespace="ben").lifecycle_status == "ACTIVE"
    assert store.hygiene(namespace="nobody").items == ()


def test_a_look_ahead_only_looks(store: Any) -> None:
    store.remember("plain", thought_id="a")
    assert store.hygiene(dry_run=True).kept == {"used lately": 1}
    assert going(store.hygiene(dry_run=True, now="2027-01-01")) == [("archive", "a")]
    for wrong in ({"now": "2027-01-01"}, {"limit": 0}, {"current_cycle": -1}, {"dry_run": "yes"}):
        with pytest.raises(InvalidQueryError):
            store.hygiene(**wrong)


def test_without_a_log_of_questions_a_report_says_so(opener: Any) -> None:
    store = opener(config={"audit": {"mode": "off"}, "store": QUICK})
    store.remember("plain")
    assert "audit.mode is off" in store.hygiene(dry_run=True).caution


def test_expired_memories_are_archived_or_erased(store: Any, clock: HandClock) -> None:
    store.remember("guest code 1", thought_id="one", ttl=3_600)
    store.remember("guest code 2", thought_id="two", ttl=timedelta(hours=2))
    store.remember("guest code 3", thought_id="pinned", ttl=60, pinned=True)
    store.remember("door code", thought_id="stays", expires_at="2027-01-01")
    assert store.expire(dry_run=True).items == ()
    clock.advance(3_601)
    look = store.expire(dry_run=True)
    assert [(i.action, i.thought.thought_id, i.reasons) for i in look.items] == [
        ("archive", "one", ("expired on 2026-03-01",))
    ]
    assert look.kept == {"pinned": 1}
    assert store.expire().archived == 1
    assert status(store, "one") == "ARCHIVED"
    assert store.expire().items == ()
    clock.advance(3_600)
    assert going(store.expire(action="erase")) == [("erase", "one"), ("erase", "two")]
    assert (status(store, "one"), status(store, "two"), status(store, "pinned")) == (None, None, "ACTIVE")
    assert status(store, "stays") == "ACTIVE"
    with pytest.raises(InvalidQueryError, match="archive, erase"):
        store.expire(action="hide")


def test_a_time_to_live_is_checked_and_ends_a_memory(store: Any, clock: HandClock) -> None:
    store.remember("guest code", thought_id="a", ttl=60)
    assert len(store.recall("guest code").hits) == 1
    clock.advance(61)
    assert store.recall("guest code").hits == ()
    for wrong in (0, -1, "soon", True, float("nan"), timedelta(days=-1)):
        with pytest.raises(InvalidThoughtError, match="ttl"):
            store.remember("x", ttl=wrong)
    with pytest.raises(InvalidThoughtError, match="both ttl and expires_at"):
        store.remember("x", ttl=60, expires_at="2027-01-01")


def test_both_can_be_jobs_and_nothing_is_one_unasked(aged: Any, clock: HandClock) -> None:
    aged.remember("guest code", thought_id="guest", ttl=60)
    clock.advance(61)
    aged.jobs.run()
    assert (status(aged, "a"), status(aged, "guest")) == ("ACTIVE", "ACTIVE")
    aged.jobs.ask("hygiene", {"limit": 1})
    aged.jobs.ask("expire", {"action": "erase"})
    later = aged.jobs.ask("conflicts.scan", after_s=3_600)
    assert aged.jobs.run() == 2
    assert (status(aged, "a"), status(aged, "b"), status(aged, "guest")) == ("ARCHIVED", "ACTIVE", None)
    assert later.state == "ready"
    with pytest.raises(JobError, match="there is no kind 'dream'"):
        aged.jobs.ask("dream")
