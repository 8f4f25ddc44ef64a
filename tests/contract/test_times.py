"""`valid_at`, `as_of`, `invalidate_thought`, `history`, `diff`: what held, what was known, and what happened."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from store_driver import START, HandClock, Opener, ids

import simonides
from simonides import InvalidQueryError, InvalidThoughtError, ThoughtNotFoundError

BEFORE = START - timedelta(seconds=1)


def homes(store: Any) -> None:
    store.create_thought(
        content="Ana lives in Oslo", thought_id="oslo", valid_from="2020-01-01", valid_until="2024-01-01"
    )
    store.create_thought(content="Ana lives in Porto", thought_id="porto", valid_from="2024-01-01")
    store.remember("Ana lives for music", thought_id="always")


@pytest.mark.parametrize(
    ("when", "found"),
    [
        ("2019-12-31T23:59:59Z", ["always"]),
        ("2020-01-01", ["always", "oslo"]),
        ("2023-12-31", ["always", "oslo"]),
        ("2024-01-01", ["always", "porto"]),
        (None, ["always", "porto"]),
        ("any", ["always", "oslo", "porto"]),
    ],
)
def test_every_search_looks_at_what_holds(store: Any, when: str | None, found: list[str]) -> None:
    homes(store)
    vector = [1.0] * 64
    assert sorted(ids(store.recall("Ana lives", valid_at=when))) == found
    assert sorted(ids(store.retrieve("Ana lives", valid_at=when))) == found
    assert sorted(ids(store.search_hybrid("Ana lives", valid_at=when))) == found
    assert sorted(ids(store.search_fts("Ana lives", valid_at=when))) == found
    assert sorted(ids(store.search_similar(vector, threshold=-1, valid_at=when))) == found
    listed = found if when is not None else ["always", "oslo", "porto"]
    assert sorted(ids(store.list_thoughts(valid_at=when))) == listed
    assert store.count_thoughts(valid_at=when) == len(listed)


def test_now_decides_what_holds_when_no_other_time_is_asked_for(store: Any) -> None:
    homes(store)
    assert sorted(ids(store.recall("Ana lives", now="2022-01-01"))) == ["always", "oslo"]
    assert sorted(ids(store.recall("Ana lives", now="2022-01-01", valid_at="2025-01-01"))) == ["always", "porto"]


def test_a_reflection_holds_like_any_statement(store: Any) -> None:
    store.create_thought(
        content="{}", essence="Ana moved", thought_id="r", thought_type="REFLECTION", valid_until="2024-01-01"
    )
    assert ids(store.search_reflections_only("moved")) == []
    assert ids(store.search_reflections_only("moved", valid_at="2023-01-01")) == ["r"]


def test_invalidating_ends_what_holds_and_keeps_the_text(store: Any, clock: HandClock) -> None:
    store.remember("the shop is open", thought_id="shop")
    clock.advance(60)
    ended = store.invalidate_thought("shop", reason="it closed")
    assert ended.valid_until == START + timedelta(seconds=60)
    assert (ended.revision, ended.content, ended.updated_at) == (2, "the shop is open", START)
    assert ids(store.recall("shop")) == []
    assert ids(store.recall("shop", valid_at=START)) == ["shop"]
    assert ids(store.list_thoughts()) == ["shop"]
    last = store.changes()[-1]
    assert (last.kind, last.reason, last.revision) == ("thought.invalidated", "it closed", 2)
    assert store.why_not("shop", "shop").stage == "not_valid"
    assert store.invalidate_thought("shop", valid_until="2030-01-01").valid_until == datetime(2030, 1, 1, tzinfo=UTC)
    assert ids(store.recall("shop")) == ["shop"]


def test_an_end_before_the_beginning_is_refused(store: Any) -> None:
    with pytest.raises(InvalidThoughtError, match="before valid_from"):
        store.create_thought(content="x", valid_from="2025-01-01", valid_until="2024-01-01")
    store.create_thought(content="x", thought_id="x", valid_from="2025-01-01")
    store.remember("y", thought_id="y")
    with pytest.raises(InvalidThoughtError, match="before valid_from"):
        store.invalidate_thought("x", valid_until="2024-12-31")
    with pytest.raises(InvalidThoughtError, match="before valid_from"):
        store.link("x", "y", valid_from="2025-01-01", valid_until="2024-01-01")
    with pytest.raises(ThoughtNotFoundError):
        store.invalidate_thought("nobody")
    assert store.get_thought("x").revision == 1


def test_edges_hold_for_a_time(store: Any) -> None:
    for name in ("a", "b", "c"):
        store.remember(f"{name} says hello", thought_id=name)
    store.link("b", "a", "SUPERSEDES", valid_until="2024-01-01")
    store.link("c", "a", "SUPERSEDES", valid_from="2024-01-01")
    by_time = {
        when: store.recall("hello", valid_at=when, query_vector=[1.0] * 64) for when in ("2023-01-01", "2025-01-01")
    }
    found = {when: next(h for h in answer.hits if h.thought_id == "a") for when, answer in by_time.items()}
    assert found["2023-01-01"].superseded_by == ("b",)
    assert found["2025-01-01"].superseded_by == ("c",)
    assert [e.from_id for e in store.edges("a", valid_at="2023-01-01")] == ["b"]
    assert [e.from_id for e in store.edges(valid_at="2025-01-01")] == ["c"]
    assert len(store.edges()) == 2
    one = store.search_hybrid("hello", graph_weight=1.0, valid_at="2025-01-01")
    graph = {hit.thought_id: hit.contributions.get("graph", 0.0) for hit in one.hits}
    assert graph["b"] == 0.0
    assert graph["c"] > 0.0


def test_as_of_brings_back_texts_states_and_what_was_deleted(store: Any, clock: HandClock) -> None:
    store.remember("the code is 4471", thought_id="a", metadata={"n": 1}, concepts=["door"])
    store.remember("sea and sand", thought_id="b")
    clock.advance(60)
    store.update_thought("a", content="the code is 9083", metadata={"n": 2})
    store.annotate("a", ["lock"], replace=True)
    store.archive_thought("a")
    store.delete_thought("b")
    store.remember("the code of the safe", thought_id="c")
    assert ids(store.search_fts("4471")) == []
    assert ids(store.search_fts("4471", as_of=START)) == ["a"]
    assert store.search_fts("9083 safe", as_of=START) == []
    hit = store.recall("code", as_of=START).hits[0]
    assert (hit.thought.content, hit.thought.metadata) == ("the code is 4471", {"n": 1})
    assert hit.thought.concepts == ("door",)
    assert (hit.thought.lifecycle_status, hit.thought.revision) == ("ACTIVE", 1)
    assert sorted(ids(store.list_thoughts(as_of=START))) == ["a", "b"]
    assert ids(store.list_thoughts(filters={"concepts": "door"}, as_of=START)) == ["a"]
    assert ids(store.list_thoughts(filters={"metadata.n": 2}, as_of=START)) == []
    assert store.count_thoughts(as_of=BEFORE) == 0
    assert store.recall("code", as_of=BEFORE).hits == ()
    assert store.get_thought("b", as_of=START).content == "sea and sand"
    assert store.get_thought("c", as_of=START) is None
    assert ids(store.recall("sand", as_of=START + timedelta(seconds=59)))[0] == "b"


def test_an_expired_thought_is_there_as_of_a_time_before(store: Any, clock: HandClock) -> None:
    store.remember("a short sale", thought_id="a", expires_at=START + timedelta(seconds=30))
    clock.advance(60)
    assert ids(store.recall("sale")) == []
    assert ids(store.recall("sale", as_of=START)) == ["a"]
    assert ids(store.recall("sale", as_of=START, now=START + timedelta(seconds=31))) == []
    assert ids(store.list_thoughts(as_of=START)) == ["a"]


def test_as_of_and_valid_at_are_two_questions(store: Any, clock: HandClock) -> None:
    store.create_thought(content="Ana lives in Oslo", thought_id="a", valid_from="2020-01-01")
    clock.advance(60)
    store.invalidate_thought("a", valid_until="2023-01-01", reason="we learnt that she moved")
    assert ids(store.recall("Ana", valid_at="2024-01-01")) == []
    assert ids(store.recall("Ana", valid_at="2024-01-01", as_of=START)) == ["a"]


def test_as_of_stays_inside_a_namespace_and_spans_several(store: Any, clock: HandClock) -> None:
    store.remember("the blue code", thought_id="x", namespace="ana")
    store.remember("the blue code of ben", thought_id="y", namespace="ben")
    clock.advance(60)
    store.update_thought("x", content="the red code", namespace="ana")
    store.update_thought("y", content="the red code of ben", namespace="ben")
    assert ids(store.recall("blue", namespace="ana", as_of=START)) == ["x"]
    found = store.recall("blue", namespace=["ana", "ben"], as_of=START)
    assert sorted(hit.thought.content for hit in found.hits) == ["the blue code", "the blue code of ben"]
    assert ids(store.search_fts('"blue code"', namespace=["ana", "ben"], as_of=START)) == ["x", "y"]


def test_what_was_erased_stays_erased_as_of_any_time(store: Any, clock: HandClock) -> None:
    store.remember("the code is 4471", thought_id="a", concepts=["door"])
    store.remember("other", thought_id="b")
    store.link("a", "b")
    clock.advance(60)
    store.update_thought("a", content="the code is 9083")
    store.annotate("a", ["lock"])
    store.unlink("a", "b")
    store.forget(thought_ids=["a"], reason="asked for")
    assert ids(store.recall("4471 code", as_of=START)) == ["b"]
    assert store.edges(as_of=START) == []
    assert [(e.kind, e.thought) for e in store.history("a")][-1] == ("thought.erased", None)
    assert all(e.thought is None for e in store.history("a"))


def test_a_search_as_of_a_time_is_told_again_by_replay(opener: Opener, clock: HandClock) -> None:
    store = opener()
    store.remember("the code is 4471", thought_id="a")
    clock.advance(60)
    store.update_thought("a", content="the code is 9083")
    answer = store.recall("code", as_of=START)
    clock.advance(60)
    store.remember("another code", thought_id="b")
    assert store.replay(answer.query_id).identical


def test_after_a_change_of_the_model_old_texts_are_found_by_words_and_the_answer_says_so(
    opener: Opener, clock: HandClock
) -> None:
    store = opener()
    store.remember("the code is 4471", thought_id="a")
    clock.advance(60)
    store.update_thought("a", content="the code is 9083")
    assert store.recall("4471", as_of=START).degraded == ()
    store.reembed("hashing:32")
    answer = store.recall("4471", as_of=START)
    assert ids(answer) == ["a"]
    assert [lost.what for lost in answer.degraded] == ["vector"]
    assert "1 passages" in answer.degraded[0].reason


def test_a_clock_that_goes_back_leaves_one_revision_per_moment(store: Any, clock: HandClock) -> None:
    store.remember("one", thought_id="a")
    clock.advance(-3600)
    store.update_thought("a", content="two")
    clock.advance(7200)
    store.update_thought("a", content="three")
    assert [t.content for t in store.list_thoughts(as_of=START)] == ["two"]
    assert store.count_thoughts(as_of=BEFORE) == 0
    assert [t.content for t in store.list_thoughts()] == ["three"]


@pytest.mark.parametrize("name", ["as_of", "valid_at"])
def test_what_is_no_instant_is_refused(store: Any, name: str) -> None:
    for verb in (store.recall, store.retrieve, store.search_hybrid, store.search_fts, store.search_reflections_only):
        with pytest.raises(InvalidQueryError, match=name):
            verb("x", **{name: "soon"})
    for verb in (store.list_thoughts, store.count_thoughts, store.edges):
        with pytest.raises(InvalidQueryError, match=name):
            verb(**{name: "2026-13-45"})


def test_history_tells_what_happened_and_who_did_it(opener: Opener, clock: HandClock) -> None:
    store = opener(actor="clerk")
    store.remember("one", thought_id="a", concepts=["x"])
    clock.advance(5)
    store.update_thought("a", content="two", reason="typing error")
    clock.advance(1)
    store.annotate("a", ["y"])
    clock.advance(1)
    store.archive_thought("a", reason="old")
    clock.advance(1)
    store.delete_thought("a", reason="gone")
    clock.advance(1)
    store.remember("three", thought_id="a")
    told = store.history("a")
    assert [(e.kind, e.revision, e.reason) for e in told] == [
        ("thought.created", 1, None),
        ("thought.updated", 2, "typing error"),
        ("thought.annotated", None, None),
        ("thought.archived", 3, "old"),
        ("thought.deleted", None, "gone"),
        ("thought.created", 4, None),
    ]
    assert {e.actor for e in told} == {"clerk"}
    assert [e.thought.content for e in told if e.thought] == ["one", "two", "two", "three"]
    assert [e.thought.concepts for e in told if e.thought] == [("x",), ("x",), ("x", "y"), ()]
    assert [e.seq for e in told] == [c.seq for c in store.changes()]
    assert [(e.at - START).total_seconds() for e in told] == [0, 5, 6, 7, 8, 9]
    assert [e.until for e in told if e.revision][-1] is None
    assert told[1].to_dict()["thought"]["content"] == "two"
    with pytest.raises(ThoughtNotFoundError):
        store.history("nobody")
    with pytest.raises(ThoughtNotFoundError):
        store.history("a", namespace="other")


def test_diff_reads_like_a_patch(store: Any) -> None:
    store.remember("first line\nsecond line\nthird line", thought_id="a", metadata={"k": 1})
    store.update_thought("a", content="first line\n2nd line\nthird line", metadata={"k": 2}, priority="P1")
    store.update_thought("a", source="diary")
    found = store.diff("a", 1, 2)
    assert {c.field: (c.before, c.after) for c in found.changes if c.field != "content"} == {
        "priority": ("P3", "P1"),
        "metadata": ({"k": 1}, {"k": 2}),
    }
    assert "-second line\n+2nd line" in str(found)
    newest = store.diff("a")
    assert (newest.before, newest.after) == (2, 3)
    assert [(c.field, c.before, c.after) for c in newest.changes] == [("source", None, "diary")]
    assert str(newest).splitlines()[-1] == "source: none → diary"
    assert store.diff("a", 3, 3).changes == ()
    assert store.diff("a", 2, 1).changes[0].field == found.changes[0].field
    with pytest.raises(InvalidQueryError, match="1 to 3"):
        store.diff("a", 1, 9)


def test_what_was_known_travels_with_an_export(opener: Opener, clock: HandClock, tmp_path: Path) -> None:
    store = opener("a.db")
    store.remember("the code is 4471", thought_id="a", concepts=["door"])
    store.remember("sea and sand", thought_id="b")
    store.link("a", "b", weight=0.5)
    clock.advance(60)
    store.update_thought("a", content="the code is 9083")
    store.annotate("a", ["lock"], replace=True)
    store.link("a", "b", weight=0.25)
    store.delete_thought("b")
    store.export(tmp_path / "a.jsonl")
    restored, merged = opener("b.db"), opener("c.db")
    merged.remember("here before", thought_id="z")
    assert restored.import_(tmp_path / "a.jsonl").problems == ()
    assert merged.import_(tmp_path / "a.jsonl").problems == ()
    for other in (restored, merged):
        answer = other.recall("4471", as_of=START)
        told = {h.thought_id: (h.thought.content, h.thought.concepts) for h in answer.hits if h.thought_id != "z"}
        assert told == {"a": ("the code is 4471", ("door",)), "b": ("sea and sand", ())}
        assert answer.degraded == ()
        assert [(e.from_id, e.weight) for e in other.edges(as_of=START)] == [("a", 0.5)]
        assert [e.thought.content for e in other.history("a") if e.thought] == ["the code is 4471", "the code is 9083"]
    assert [hit.to_dict() for hit in restored.recall("4471", as_of=START).hits] == [
        hit.to_dict() for hit in store.recall("4471", as_of=START).hits
    ]


def test_old_texts_of_long_memories_are_found_by_their_last_word(plain: simonides.Store, clock: HandClock) -> None:
    plain.remember("word " * 3_000 + "kingfisher", thought_id="long")
    clock.advance(60)
    plain.update_thought("long", content="short now")
    hit = plain.recall("kingfisher", as_of=START).hits[0]
    assert hit.passage is not None
    assert hit.passage.text.endswith("kingfisher")
    assert hit.passage.stop == len(hit.thought.content)
