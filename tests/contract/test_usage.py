"""Does the store know what was shown and what was remembered again, without the ranking knowing it?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest
from store_driver import START, HandClock, Opener, ids

import simonides
from simonides import Config, Draft
from simonides.upkeep import usage
from simonides.upkeep.audit import AuditLog
from simonides.upkeep.failures import Failures

SYNC = {"audit": {"mode": "sync"}, "store": {"synchronous": "NORMAL"}}


def counts(store: Any, thought_id: str) -> tuple[int, int]:
    thought = store.get_thought(thought_id)
    return thought.access_count, thought.confirmation_count


def test_a_hit_counts_as_shown_and_a_thought_that_was_not_shown_does_not(store: Any, clock: HandClock) -> None:
    store.remember("The spare key is under the blue pot", thought_id="key")
    store.remember("Ana waters the tulips on Mondays", thought_id="tulips")
    clock.advance(60)
    assert ids(store.search_fts("spare key")) == ["key"]
    clock.advance(60)
    assert ids(store.search_fts("blue pot")) == ["key"]
    store.log.count()  # writes what waits
    assert counts(store, "key") == (2, 0)
    assert store.get_thought("key").last_accessed_at == START.replace(minute=2)
    assert counts(store, "tulips") == (0, 0)
    assert store.get_thought("tulips").last_accessed_at is None


def test_counts_are_there_when_the_verb_returns_in_sync_mode(opener: Opener) -> None:
    store = opener(config=SYNC)
    store.remember("The spare key is under the blue pot", thought_id="key")
    store.recall("where is the spare key?")
    assert counts(store, "key") == (1, 0)


def test_without_a_log_nothing_is_counted(opener: Opener) -> None:
    store = opener(config={"audit": {"mode": "off"}})
    store.remember("The spare key is under the blue pot", thought_id="key")
    store.recall("where is the spare key?")
    assert counts(store, "key") == (0, 0)


def test_hits_beyond_the_budget_were_not_shown(opener: Opener) -> None:
    store = opener(config=SYNC)
    for n in range(4):
        store.remember(f"The blue pot number {n}", thought_id=f"p{n}")
    shown = ids(store.recall("blue pot", budget=simonides.Budget(max_units=2)))
    assert len(shown) == 2
    assert {f"p{n}": counts(store, f"p{n}")[0] for n in range(4)} == {f"p{n}": int(f"p{n}" in shown) for n in range(4)}


def test_remembering_the_same_again_confirms_it(store: Any, clock: HandClock) -> None:
    store.remember("Ana is allergic to nuts", thought_id="nuts", deduplicate=True)
    clock.advance(3600)
    again = store.remember("Ana is allergic to nuts", deduplicate=True)
    assert again.thought_id == "nuts"
    texts = ("Ana is allergic to nuts", "Something else")
    store.remember_many([Draft(content=text, deduplicate=True) for text in texts])
    assert counts(store, "nuts") == (0, 2)
    assert store.get_thought("nuts").last_accessed_at == START.replace(hour=13)
    assert store.get_thought("nuts").revision == 1


def test_the_same_import_again_confirms_nothing(store: Any) -> None:
    for _ in range(2):
        store.remember("Ana is allergic to nuts", thought_id="nuts", deduplicate=True)
    store.remember("Ana is allergic to nuts")  # kept on purpose
    assert counts(store, "nuts") == (0, 0)
    assert store.count_thoughts() == 2


def test_counts_are_no_change_of_the_thought(opener: Opener) -> None:
    store = opener(config=SYNC)
    before = store.remember("The spare key is under the blue pot", thought_id="key", deduplicate=True)
    journal = store.stats().journal_rows
    store.recall("spare key")
    store.remember("The spare key is under the blue pot", deduplicate=True)
    after = store.get_thought("key")
    assert (after.access_count, after.confirmation_count) == (1, 1)
    assert after == before
    assert (after.revision, after.updated_at) == (before.revision, before.updated_at)
    assert store.stats().journal_rows == journal
    assert store.verify().ok


@pytest.mark.parametrize("verb", ["recall", "retrieve", "search_hybrid"])
def test_counts_never_move_a_score(opener: Opener, verb: str) -> None:
    store = opener(config=SYNC)
    for n in range(12):
        store.remember(f"The {'blue' if n % 2 else 'red'} pot number {n}", thought_id=f"p{n}", deduplicate=True)
    first = getattr(store, verb)("blue pot", top_k=5) if verb != "retrieve" else store.retrieve("blue pot")
    for _ in range(3):
        store.search_fts("red pot")
        store.remember("The red pot number 2", deduplicate=True)
    again = getattr(store, verb)("blue pot", top_k=5) if verb != "retrieve" else store.retrieve("blue pot")
    assert first.results == again.results
    assert [hit.parts for hit in first.hits] == [hit.parts for hit in again.hits]


def test_counts_can_be_filtered_by(opener: Opener) -> None:
    store = opener(config=SYNC)
    store.remember("The spare key is under the blue pot", thought_id="key")
    store.remember("Ana waters the tulips", thought_id="tulips", deduplicate=True)
    store.remember("Ana waters the tulips", deduplicate=True)
    store.search_fts("spare key")
    assert ids(store.list_thoughts(filters={"access_count": {"$gte": 1}})) == ["key"]
    assert ids(store.list_thoughts(filters={"confirmation_count": {"$gte": 1}})) == ["tulips"]
    assert ids(store.list_thoughts(filters={"last_accessed_at": {"$exists": True}})) == ["key", "tulips"]


def test_counts_of_what_was_forgotten_are_gone(opener: Opener) -> None:
    store = opener()
    store.remember("The spare key is under the blue pot", thought_id="key")
    store.recall("spare key")
    store.forget(thought_ids=["key"], reason="asked to")
    store.log.count()
    store.remember("Another text", thought_id="key")
    assert counts(store, "key") == (0, 0)


def test_counts_survive_an_export(opener: Opener, tmp_path: Path) -> None:
    store = opener(config=SYNC)
    store.remember("The spare key is under the blue pot", thought_id="key", deduplicate=True)
    store.remember("The spare key is under the blue pot", deduplicate=True)
    store.recall("spare key")
    store.export(tmp_path / "all.jsonl")
    other = opener("other.db")
    other.import_(tmp_path / "all.jsonl")
    assert counts(other, "key") == (1, 1)
    assert other.get_thought("key").last_accessed_at == START


class Answer:
    """What the log sees of an answer."""

    asked_at = 5
    shown = (("default", "key"),)

    def row(self, settings: str, *, text: bool) -> Any:
        raise AssertionError("rows are not written here")


def test_counts_that_cannot_be_written_stay_for_another_try(tmp_path: Path, clock: HandClock) -> None:
    impatient = {"store": {"busy_timeout_s": 0.05}}
    with simonides.open(tmp_path / "s.db", embedder=False, clock=clock, config=impatient) as s:
        s.remember("The spare key is under the blue pot", thought_id="key")
        s.recall("spare key")
        s.log.count()
        other = apsw.Connection(str(tmp_path / "s.db"))
        other.execute("BEGIN IMMEDIATE")
        s.recall("spare key")
        with pytest.raises(simonides.StoreBusyError):
            s.log.count()
        other.execute("ROLLBACK")
        s.log.count()
        assert counts(s, "key") == (2, 0)


def test_counts_wait_until_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(usage, "stopwatch", lambda: now)
    waiting = usage.Usage()
    assert not waiting.due
    waiting.note([("a", f"t{n}") for n in range(usage.MANY - 1)], at=1)
    waiting.note([("a", "t0")], at=2)
    assert len(waiting) == usage.MANY - 1
    assert not waiting.due
    now += usage.PAUSE_S
    assert waiting.due
    now -= usage.PAUSE_S
    waiting.note([("b", "t0")], at=3)
    assert waiting.due
    waiting.clear()
    assert not waiting.due


def test_the_log_that_closes_writes_its_counts(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with simonides.open(path, embedder=False) as store:
        store.remember("The spare key is under the blue pot", thought_id="key")
        log = AuditLog(store._engine.database, Config(), Failures())
        log._usage.note(Answer.shown, Answer.asked_at)
        log.close()
    with simonides.open(path, embedder=False) as store:
        assert counts(store, "key") == (1, 0)
