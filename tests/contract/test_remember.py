"""`remember`, `remember_many` and `create_thought`: what goes in comes back, once, under the id that was asked for."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from store_driver import START, HandClock, Opener, ids

from simonides import (
    Draft,
    InvalidThoughtError,
    InvalidVectorError,
    LifecycleStatus,
    ModelMismatchError,
    Priority,
    ThoughtNotFoundError,
    ThoughtType,
)


def test_a_text_alone_becomes_an_active_note_of_priority_three(store: Any) -> None:
    made = store.remember("Ana prefers window seats")
    assert made.content == "Ana prefers window seats"
    assert (made.thought_type, made.priority, made.lifecycle_status) == (
        ThoughtType.NOTE,
        Priority.P3,
        LifecycleStatus.ACTIVE,
    )
    assert made.essence is None
    assert made.namespace == "default"
    assert (made.created_at, made.updated_at, made.revision) == (START, START, 1)
    assert (made.metadata, made.concepts, made.topics, made.session, made.position) == ({}, (), (), None, None)
    assert made.content_hash == hashlib.sha256(b"Ana prefers window seats").hexdigest()


def test_an_id_is_made_as_uuid_of_version_seven_when_none_is_given(store: Any) -> None:
    made = [store.remember(f"note {n}").thought_id for n in range(20)]
    assert all(name[14] == "7" and name[19] in "89ab" and len(name) == 36 for name in made)
    assert made == sorted(set(made))


def test_every_field_of_a_draft_comes_back(store: Any, clock: HandClock) -> None:
    made = store.create_thought(
        content="the whole", essence="short", thought_id="t1", thought_type="BELIEF", content_type="markdown",
        priority="P1", lifecycle_status="DONE", created_cycle=3, updated_cycle=5, source="diary", source_type="import",
        confidence=0.25, visibility="private", pinned=True, metadata={"a": [1, {"b": None}]}, provenance={"line": 7},
        concepts=["b", "a"], topics=["t"], speaker="Ana", session="s", created_at="2026-01-01T00:00:00Z",
        updated_at="2026-01-02T00:00:00Z", occurred_at=datetime(2026, 1, 3), expires_at=4102444800,
        valid_from="2026-01-04T00:00:00+01:00", valid_until="2027-01-01T00:00:00Z",
    )  # fmt: skip
    assert store.get_thought("t1") == made
    assert made.to_dict() == {
        "thought_id": "t1", "namespace": "default", "content": "the whole", "essence": "short",
        "thought_type": "BELIEF", "content_type": "markdown", "priority": "P1", "lifecycle_status": "DONE",
        "metadata": {"a": [1, {"b": None}]}, "provenance": {"line": 7}, "concepts": ["a", "b"], "topics": ["t"],
        "speaker": "Ana", "session": "s", "position": 0, "source": "diary", "source_type": "import",
        "confidence": 0.25, "visibility": "private", "pinned": True, "created_cycle": 3, "updated_cycle": 5,
        "created_at": "2026-01-01T00:00:00+00:00", "updated_at": "2026-01-02T00:00:00+00:00",
        "occurred_at": "2026-01-03T00:00:00+00:00", "expires_at": "2100-01-01T00:00:00+00:00",
        "valid_from": "2026-01-03T23:00:00+00:00", "valid_until": "2027-01-01T00:00:00+00:00",
        "last_accessed_at": None, "access_count": 0, "confirmation_count": 0,
        "content_hash": hashlib.sha256(b"the whole").hexdigest(), "revision": 1, "embedding": "present",
    }  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"n": None, "t": True, "f": False, "i": -3, "r": 0.1, "s": "ü", "": "empty key"},
        {"list": [1, "1", 1.0, [], {}, [None]], "deep": {"a": {"b": {"c": [0]}}}},
        {"big": 2**63 - 1, "small": -(2**63), "e": 1e300, "tiny": 5e-324},
        {"k.e.y": 1, 'q"uote': 2, "back\\slash": 3, "new\nline": "a\tb", "nul": "a\x00b", "会": "議"},
    ],
    ids=["empty", "scalars", "nested", "numbers", "odd keys"],
)
def test_metadata_of_every_json_kind_comes_back_equal_and_of_the_same_types(store: Any, value: dict[str, Any]) -> None:
    store.remember("x", thought_id="m", metadata=value)
    found = store.get_thought("m").metadata
    assert found == value
    assert repr(found) == repr(value)  # 1 and 1.0 and True are equal but not the same


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"x": float("nan")}, "metadata.x is nan"),
        ({"x": [1, float("inf")]}, "metadata.x[1] is inf"),
        ({"x": {1: 2}}, "key 1"),
        ({"x": b"bytes"}, "metadata.x is bytes"),
        ({"x": {1, 2}}, "metadata.x is set"),
        ({"x": 2**63}, "64 bits"),
        ({"x": "\ud83d"}, "surrogate"),
        ([1, 2], "metadata is list"),
        ({"x": "y" * 1_000_001}, "at most 1000000"),
    ],
)
def test_metadata_that_json_cannot_hold_is_refused_by_place(store: Any, value: Any, says: str) -> None:
    with pytest.raises(InvalidThoughtError) as caught:
        store.remember("x", metadata=value)
    assert says in str(caught.value)
    assert store.count_thoughts() == 0


def test_metadata_deeper_than_the_limit_is_refused_and_up_to_it_taken(store: Any) -> None:
    deep: Any = 1
    for _ in range(64):
        deep = {"d": deep}
    assert store.remember("x", metadata=deep).metadata == deep
    with pytest.raises(InvalidThoughtError, match="deeper than 64"):
        store.remember("x", metadata={"d": deep})


def test_many_are_stored_in_order_and_chunks_are_reported(opener: Opener) -> None:
    store = opener(config={"store": {"chunk": 4, "synchronous": "NORMAL"}})
    seen: list[tuple[int, int]] = []
    texts = [f"note {n}" for n in range(10)]
    made = store.remember_many(texts, progress=lambda done, total: seen.append((done, total)))
    assert [t.content for t in made] == texts
    assert seen == [(4, 10), (8, 10), (10, 10)]
    assert ids(store.list_thoughts()) == ids(made)


def test_nothing_of_many_is_stored_when_one_draft_is_bad(store: Any) -> None:
    with pytest.raises(InvalidThoughtError):
        store.remember_many(["good", Draft(content="bad", confidence=2)])
    assert store.count_thoughts() == 0
    assert store.changes() == []


def test_what_is_neither_a_draft_nor_a_text_is_named_by_its_place(store: Any) -> None:
    with pytest.raises(InvalidThoughtError, match="number 1 is dict; expected a Draft or a text"):
        store.remember_many(["fine", {"content": "not"}])
    assert store.count_thoughts() == 0


def test_a_chunk_that_fails_leaves_the_earlier_ones(opener: Opener) -> None:
    store = opener(config={"store": {"chunk": 2, "synchronous": "NORMAL"}})
    drafts = [Draft(content=f"n{n}", thought_id=f"t{n}") for n in range(4)]
    drafts.append(Draft(content="n4", thought_id="t4", supersedes="nobody"))
    with pytest.raises(ThoughtNotFoundError):
        store.remember_many(drafts)
    assert ids(store.list_thoughts()) == ["t0", "t1", "t2", "t3"]
    assert store.verify().ok


def test_storing_no_drafts_is_fine(store: Any) -> None:
    assert store.remember_many([]) == []
    assert store.namespaces() == []


def test_the_same_id_again_updates_and_the_same_thing_again_does_nothing(store: Any, clock: HandClock) -> None:
    first = store.remember("one", thought_id="a", metadata={"k": 1})
    clock.advance(10)
    again = store.remember("one", thought_id="a", metadata={"k": 1})
    assert again == first
    changed = store.remember("two", thought_id="a", metadata={"k": 1})
    assert (changed.revision, changed.content, changed.created_at) == (2, "two", first.created_at)
    assert store.count_thoughts() == 1
    assert ids(store.recall("two")) == ["a"]
    assert store.search_fts("one") == []
    assert [c.kind for c in store.changes()] == ["thought.created", "thought.updated"]


def test_the_same_id_with_other_concepts_or_topics_changes_them(store: Any) -> None:
    store.remember("one", thought_id="a", concepts=["x"])
    assert store.remember("one", thought_id="a", concepts=["y"], topics=["t"]).concepts == ("y",)
    assert ids(store.list_thoughts(filters={"concepts": "y", "topics": "t"})) == ["a"]
    assert store.list_thoughts(filters={"concepts": "x"}) == []


def test_the_same_id_with_another_vector_has_the_new_vector(opener: Opener) -> None:
    store = opener(embedder=False)
    store.remember("one", thought_id="a", vector=[1, 0])
    store.remember("one", thought_id="a", vector=[0, 1])
    assert store.search_similar([0, 1])[0] == ("a", pytest.approx(1.0, abs=1e-6))
    store.remember("one", thought_id="a", vector=[0, 2])  # the same direction again
    assert store.get_thought("a").embedding == "present"
    assert store.verify().ok


def test_the_same_id_with_new_metadata_and_a_vector_takes_both(opener: Opener) -> None:
    store = opener(embedder=False)
    store.remember("one", thought_id="a", vector=[1, 0])
    store.remember("one", thought_id="a", vector=[0, 1], metadata={"k": 1})
    assert store.search_similar([0, 1])[0] == ("a", pytest.approx(1.0, abs=1e-6))
    assert store.get_thought("a").metadata == {"k": 1}


def test_the_same_id_with_another_speaker_is_said_by_that_one(opener: Opener) -> None:
    store = opener(embedder=False)
    store.remember("the pot", thought_id="a", speaker="Ana", session="s", vector=[1, 0])
    store.remember("the kettle", thought_id="b", speaker="Ana", session="s")
    changed = store.remember("the pot", thought_id="a", speaker="Ben")
    assert (changed.speaker, changed.session, changed.position, changed.revision) == ("Ben", "s", 0, 2)
    assert store.search_similar([1, 0]) == [("a", pytest.approx(1.0, abs=1e-6))]
    assert ids(store.recall("pot", filters={"speaker": "Ben"})) == ["a"]
    assert ids(store.recall("what did Ben say about the pot"))[0] == "a"
    assert store.remember("the pot", thought_id="a").speaker is None
    assert store.verify().ok


def test_a_text_that_was_replaced_under_its_id_no_longer_counts_as_a_duplicate(store: Any) -> None:
    store.remember("same", thought_id="a", deduplicate=True)
    store.remember("other", thought_id="a")
    assert store.remember("same", deduplicate=True).thought_id != "a"


def test_a_repeated_id_inside_one_batch_ends_as_the_last(store: Any) -> None:
    made = store.remember_many([Draft(content="v1", thought_id="a"), Draft(content="v2", thought_id="a")])
    assert [t.content for t in made] == ["v2", "v2"]
    assert store.get_thought("a").revision == 2


def test_a_deleted_id_may_be_used_again(store: Any) -> None:
    store.remember("first life", thought_id="a", speaker="Ana")
    store.delete_thought("a")
    again = store.remember("second life", thought_id="a", speaker="Ben")
    assert (again.content, again.revision, again.speaker) == ("second life", 2, "Ben")
    assert store.search_fts("first") == []
    assert ids(store.search_fts("second")) == ["a"]
    assert store.verify().ok


def test_equal_texts_are_kept_apart_unless_asked_otherwise(store: Any) -> None:
    store.remember("same")
    store.remember("same")
    assert store.count_thoughts() == 2


def test_deduplicate_gives_the_thought_that_is_there(store: Any) -> None:
    first = store.remember("same", deduplicate=True)
    second = store.remember("same", deduplicate=True, metadata={"ignored": True})
    assert second == first
    assert store.remember("same ", deduplicate=True).thought_id != first.thought_id
    many = store.remember_many([Draft(content="x", deduplicate=True), Draft(content="x", deduplicate=True)])
    assert many[0] == many[1]
    assert store.count_thoughts() == 3


def test_deduplicate_with_an_id_of_its_own_makes_a_thought_under_that_id(store: Any) -> None:
    store.remember("same", thought_id="a", deduplicate=True)
    assert store.remember("same", thought_id="b", deduplicate=True).thought_id == "b"
    assert store.remember("same", deduplicate=True).thought_id == "a"


def test_deduplicate_forgets_a_text_that_was_changed_or_deleted(store: Any) -> None:
    a = store.remember("same", deduplicate=True)
    store.update_thought(a.thought_id, content="other")
    b = store.remember("same", deduplicate=True)
    assert b.thought_id != a.thought_id
    store.delete_thought(b.thought_id)
    assert store.remember("same", deduplicate=True).thought_id not in (a.thought_id, b.thought_id)


def test_deduplication_stays_inside_its_namespace(store: Any) -> None:
    ana = store.remember("same", deduplicate=True, namespace="ana")
    ben = store.remember("same", deduplicate=True, namespace="ben")
    assert ana.thought_id != ben.thought_id


def big_endian(values: list[float]) -> Any:
    return np.array(values, ">f8")


@pytest.mark.parametrize("kind", [list, tuple, np.array, np.float32, big_endian])
def test_a_vector_may_be_a_list_a_tuple_or_an_array(opener: Opener, kind: Any) -> None:
    store = opener(embedder=False)
    store.remember("x", thought_id="a", vector=kind([3.0, 4.0]))
    assert store.search_similar(kind([4.0, 3.0])) == [("a", pytest.approx(24 / 25, abs=1e-6))]
    assert store.stats().dimension == 2


@pytest.mark.parametrize(
    "vector", [[], [[1.0, 0.0]], ["a", "b"], [0.0, 0.0], [float("nan"), 1.0], [1.0, float("-inf")], "text", 5, {"a": 1}]
)
def test_a_vector_without_a_direction_is_refused_by_name(opener: Opener, vector: Any) -> None:
    store = opener(embedder=False)
    with pytest.raises(InvalidVectorError) as caught:
        store.remember("x", thought_id="the-row", vector=vector)
    assert caught.value.code == "vector_invalid"
    assert "the-row" in str(caught.value)
    assert store.count_thoughts() == 0


def test_a_vector_of_another_length_is_refused_and_nothing_is_stored(opener: Opener) -> None:
    store = opener(embedder=False)
    store.remember("x", vector=[1, 0, 0])
    with pytest.raises(ModelMismatchError) as caught:
        store.remember("y", thought_id="y", vector=[1, 0])
    assert "2 numbers" in str(caught.value)
    assert "with 3" in str(caught.value)
    assert store.get_thought("y") is None
    with pytest.raises(ModelMismatchError):
        store.search_similar([1.0, 0.0])


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"content": ""}, "content is blank"),
        ({"content": " \n\t\u3000"}, "content is blank"),
        ({"content": b"bytes"}, "content is bytes"),
        ({"content": "a\ud83d"}, "position 1"),
        ({"thought_id": ""}, "thought_id"),
        ({"thought_id": "a\x00b"}, "thought_id"),
        ({"thought_id": "x" * 301}, "thought_id"),
        ({"thought_type": "DREAM"}, "thought_type is 'DREAM'"),
        ({"priority": "P0"}, "priority is 'P0'"),
        ({"confidence": 1.01}, "confidence is 1.01"),
        ({"confidence": float("nan")}, "confidence is nan"),
        ({"confidence": True}, "confidence is True"),
        ({"pinned": 1}, "pinned is 1"),
        ({"speaker": "a\nb"}, "speaker"),
        ({"session": ""}, "session"),
        ({"source": 5}, "source"),
        ({"concepts": "one text"}, "one text"),
        ({"concepts": [""]}, "concepts"),
        ({"topics": ["t"] * 1 + [f"t{n}" for n in range(300)]}, "at most 256"),
        ({"occurred_at": "yesterday"}, "occurred_at is 'yesterday'"),
        ({"occurred_at": True}, "occurred_at is True"),
        ({"occurred_at": 1e15}, "occurred_at"),
        ({"occurred_at": float("nan")}, "occurred_at"),
        ({"expires_at": [1]}, "expires_at"),
        ({"essence": "e" * 10_001}, "essence"),
        ({"content_type": None}, "content_type"),
    ],
)
def test_a_field_that_cannot_be_accepted_is_named_with_what_was_given(
    plain: Any, fields: dict[str, Any], names: str
) -> None:
    with pytest.raises(InvalidThoughtError) as caught:
        plain.remember(**{"content": "fine", **fields})
    assert names in str(caught.value)
    assert caught.value.code == "thought_invalid"
    assert plain.stats().journal_rows == 0


def test_supersedes_links_the_new_thought_to_the_old_one(store: Any) -> None:
    store.remember("The code is 4471", thought_id="old")
    store.remember("The code is 4472", thought_id="new", supersedes="old")
    (edge,) = store.edges("old")
    assert (edge.from_id, edge.to_id, edge.edge_type.value) == ("new", "old", "SUPERSEDES")


def test_superseding_an_unknown_thought_stores_nothing(store: Any) -> None:
    with pytest.raises(ThoughtNotFoundError) as caught:
        store.remember("x", thought_id="x", supersedes="nobody")
    assert caught.value.code == "thought_not_found"
    assert store.count_thoughts() == 0
    assert store.verify().ok


def test_a_blank_essence_is_no_essence(store: Any) -> None:
    assert store.remember("x", essence="  ").essence is None


def test_times_given_in_any_way_are_kept_as_the_same_instant(store: Any) -> None:
    wanted = datetime(2026, 1, 15, 1, 30, tzinfo=UTC)
    for value in ("2026-01-15T10:30:00+09:00", "2026-01-15T01:30:00", wanted.replace(tzinfo=None), wanted.timestamp()):
        assert store.remember("x", occurred_at=value).occurred_at == wanted
