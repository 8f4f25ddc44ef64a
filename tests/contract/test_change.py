"""`update_thought`, `archive_thought`, `restore_thought`, `delete_thought`: revisions, refusals and what follows."""

from __future__ import annotations

from typing import Any

import pytest
from store_driver import START, HandClock, Opener, ids

from simonides import InvalidThoughtError, RevisionConflictError, ThoughtNotFoundError


def test_a_change_is_a_new_revision_and_only_the_given_fields_move(store: Any, clock: HandClock) -> None:
    old = store.remember("The code is 4471", thought_id="a", metadata={"k": 1}, source="diary")
    clock.advance(60)
    new = store.update_thought("a", content="The code is 4472", reason="it changed")
    assert new.revision == 2
    assert (new.content, new.metadata, new.source, new.created_at) == (
        "The code is 4472",
        {"k": 1},
        "diary",
        old.created_at,
    )
    assert (new.updated_at - old.updated_at).total_seconds() == 60
    assert store.get_thought("a") == new
    assert store.search_fts("4471") == []
    assert ids(store.search_fts("4472")) == ["a"]
    last = store.changes()[-1]
    assert (last.kind, last.reason, last.revision, last.subject_id) == ("thought.updated", "it changed", 2, "a")


def test_none_clears_a_field_and_leaving_it_out_keeps_it(store: Any) -> None:
    store.create_thought(content="x", thought_id="a", essence="e", source="s", confidence=0.5, expires_at="2030-01-01")
    kept = store.update_thought("a", priority="P1")
    assert (kept.essence, kept.source, kept.confidence) == ("e", "s", 0.5)
    cleared = store.update_thought("a", essence=None, source=None, confidence=None, expires_at=None, metadata=None)
    assert (cleared.essence, cleared.source, cleared.confidence, cleared.expires_at) == (None, None, None, None)
    assert cleared.metadata == {}


def test_a_change_that_changes_nothing_is_no_revision(store: Any, clock: HandClock) -> None:
    old = store.remember("x", thought_id="a", metadata={"k": [1]})
    clock.advance(60)
    assert store.update_thought("a", content="x", metadata={"k": [1]}, priority="P3") == old
    assert len(store.changes()) == 1


@pytest.mark.parametrize(
    ("fields", "moves"),
    [
        ({"content": "y"}, True),
        ({"essence": "y"}, True),
        ({"metadata": {"k": 2}}, True),
        ({"priority": "P1"}, True),
        ({"lifecycle_status": "DONE"}, True),
        ({"source": "y"}, False),
        ({"confidence": 0.5}, False),
        ({"pinned": True}, False),
        ({"expires_at": "2030-01-01T00:00:00Z"}, False),
        ({"thought_type": "TASK"}, False),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else str(value),
)
def test_updated_at_moves_with_content_essence_metadata_priority_and_lifecycle(
    plain: Any, clock: HandClock, fields: dict[str, Any], moves: bool
) -> None:
    plain.remember("x", thought_id="a")
    clock.advance(60)
    new = plain.update_thought("a", **fields)
    assert new.revision == 2
    assert (new.updated_at > START) is moves


def test_a_link_does_not_count_as_an_update(store: Any, clock: HandClock) -> None:
    store.remember("x", thought_id="a")
    store.remember("y", thought_id="b")
    clock.advance(60)
    store.link("a", "b")
    assert store.get_thought("a").updated_at == START
    assert store.get_thought("a").revision == 1


def test_a_caller_who_read_an_older_revision_is_refused(store: Any) -> None:
    store.remember("x", thought_id="a")
    store.update_thought("a", content="y", expected_revision=1)
    with pytest.raises(RevisionConflictError) as caught:
        store.update_thought("a", content="z", expected_revision=1)
    assert caught.value.code == "revision_conflict"
    assert "at revision 2, expected 1" in str(caught.value)
    assert store.get_thought("a").content == "y"


def test_an_expected_revision_is_checked_even_when_nothing_else_is_given(store: Any) -> None:
    store.remember("x", thought_id="a")
    with pytest.raises(RevisionConflictError):
        store.update_thought("a", expected_revision=7)


@pytest.mark.parametrize(
    "fields",
    [
        {"content": None}, {"content": " "}, {"priority": "P9"}, {"priority": None}, {"thought_type": None},
        {"lifecycle_status": "GONE"}, {"confidence": 2}, {"metadata": {"x": float("nan")}}, {"metadata": [1]},
        {"updated_cycle": "5"}, {"updated_cycle": 2**70}, {"updated_at": None}, {"updated_at": "never"},
        {"content_type": None}, {"pinned": "no"}, {"expires_at": "2026-13-45"}, {"source": "a\nb"},
    ],
    ids=str,
)  # fmt: skip
def test_a_bad_value_is_refused_and_the_thought_stays(plain: Any, fields: dict[str, Any]) -> None:
    old = plain.remember("x", thought_id="a")
    with pytest.raises(InvalidThoughtError) as caught:
        plain.update_thought("a", **fields)
    assert next(iter(fields)) in str(caught.value)
    assert plain.get_thought("a") == old


@pytest.mark.parametrize("verb", ["update_thought", "archive_thought", "restore_thought", "delete_thought"])
def test_an_unknown_id_is_named(store: Any, verb: str) -> None:
    with pytest.raises(ThoughtNotFoundError) as caught:
        getattr(store, verb)("nobody")
    assert "nobody" in str(caught.value)


def test_archived_leaves_search_but_not_listings_and_restore_brings_it_back(store: Any) -> None:
    store.remember("the blue pot", thought_id="a")
    assert store.archive_thought("a").lifecycle_status.value == "ARCHIVED"
    assert ids(store.recall("blue pot")) == []
    assert store.search_fts("blue pot") == []
    assert ids(store.recall("blue pot", include_archived=True)) == ["a"]
    assert ids(store.search_fts("blue pot", include_archived=True)) == ["a"]
    assert ids(store.list_thoughts()) == ["a"]
    assert store.restore_thought("a", reason="needed").lifecycle_status.value == "ACTIVE"
    assert ids(store.recall("blue pot")) == ["a"]
    assert [c.kind for c in store.changes()] == ["thought.created", "thought.archived", "thought.restored"]


def test_archiving_twice_is_one_change(store: Any) -> None:
    store.remember("x", thought_id="a")
    first = store.archive_thought("a")
    assert store.archive_thought("a") == first
    assert len(store.changes()) == 2


def test_deleted_is_gone_from_everything_at_once(store: Any) -> None:
    store.remember("the blue pot", thought_id="a", concepts=["kitchen"])
    store.remember("the red pot", thought_id="b")
    store.link("a", "b")
    store.delete_thought("a", reason="asked to")
    assert store.get_thought("a") is None
    assert store.get_thoughts(["a", "b"]) == [store.get_thought("b")]
    assert ids(store.list_thoughts()) == ["b"]
    assert store.count_thoughts() == 1
    assert ids(store.recall("blue pot")) == ["b"]
    assert store.search_fts("blue") == []
    assert store.edges() == []
    assert store.list_thoughts(filters={"concepts": "kitchen"}) == []
    stats = store.stats()
    assert (stats.thoughts, stats.passages, stats.vectors, stats.edges) == (1, 1, 1, 0)
    assert [c.kind for c in store.changes()][-2:] == ["edge.removed", "thought.deleted"]
    assert store.changes()[-1].reason == "asked to"
    with pytest.raises(ThoughtNotFoundError):
        store.delete_thought("a")
    assert store.verify().ok


def test_changed_text_is_not_found_by_its_old_vector(opener: Opener) -> None:
    store = opener(embedder=False)
    store.remember("alpha", thought_id="a", vector=[1, 0])
    store.update_thought("a", content="omega")
    assert store.search_similar([1, 0]) == []
    assert ids(store.search_fts("omega")) == ["a"]


def test_a_new_vector_replaces_the_old_one(opener: Opener) -> None:
    store = opener(embedder=False)
    store.remember("alpha", thought_id="a", vector=[1, 0])
    store.update_thought("a", vector=[0, 1])
    assert store.search_similar([0, 1]) == [("a", pytest.approx(1.0, abs=1e-6))]
    assert ids(store.search_fts("alpha")) == ["a"]


def test_expiry_hides_from_search_and_from_default_listings(store: Any, clock: HandClock) -> None:
    store.remember("the blue pot", thought_id="a", expires_at="2026-03-01T12:01:00Z")
    assert ids(store.recall("pot")) == ["a"]
    clock.advance(60)  # the instant itself is already too late
    assert ids(store.recall("pot")) == []
    assert store.search_fts("pot") == []
    assert store.list_thoughts() == []
    assert store.count_thoughts() == 0
    assert ids(store.list_thoughts(include_expired=True)) == ["a"]
    assert store.count_thoughts(include_expired=True) == 1
    assert ids(store.recall("pot", now="2026-03-01T12:00:59Z")) == ["a"]
    assert store.get_thought("a").thought_id == "a"


def test_one_microsecond_before_expiry_a_thought_is_still_found(store: Any, clock: HandClock) -> None:
    for n in range(40):
        store.remember(f"the pot {n}", thought_id=f"t{n:02}", expires_at=START.replace(microsecond=n * 7 + 1))
        clock.now = int(START.timestamp()) * 1_000_000 + n * 7
        assert f"t{n:02}" in ids(store.recall("pot", top_k=50))
