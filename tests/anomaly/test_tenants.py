"""Field cases 38, 40 and 42: owners do not see, count, score or delete each other's memories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from store_driver import Opener, ids

from simonides import InvalidFilterError, SimonidesError, ThoughtNotFoundError

WORD = "xylophone"


@pytest.fixture
def two(opener: Opener) -> Any:
    store = opener(embedder=False, namespace="ana")
    store.remember("the garage code is 1111", thought_id="mine", vector=[1, 0])
    store.remember(f"the {WORD} code is 2222", thought_id="his", vector=[1, 0], namespace="ben", speaker="Ben")
    return store


def test_no_verb_shows_a_trace_of_another_owner(two: Any) -> None:
    """Case 38."""
    ana = two.in_namespace("ana", sealed=True)
    answers = [
        ana.recall(f"{WORD} code"),
        ana.recall("", query_vector=[1, 0]),
        ana.retrieve(f"{WORD} code", query_vector=[1, 0]),
        ana.search_hybrid(f"{WORD} code", [1, 0], graph_weight=1.0),
    ]
    for answer in answers:
        assert ids(answer) == ["mine"]
        assert WORD not in json.dumps(answer.to_dict()["hits"])
        assert WORD not in answer.reading.terms  # no statistic tells that somebody has the word
    assert ids(ana.search_fts(WORD)) == []
    assert ids(ana.search_similar([1, 0])) == ["mine"]
    assert ana.get_thought("his") is None
    assert ids(ana.list_thoughts()) == ["mine"]
    assert ana.count_thoughts() == 1
    assert ana.edges("his") == []
    assert [c.subject_id for c in ana.changes()] == ["mine"]
    stats = ana.stats()
    assert (stats.thoughts, stats.speakers, stats.journal_rows, stats.vectors) == (1, 0, 1, 1)
    assert ana.namespaces() == ["ana"]
    assert ana.search_reflections_only("code", [1, 0]).results == []
    assert ana.why_not("code", "mine").found
    with pytest.raises(ThoughtNotFoundError):
        ana.why_not(f"{WORD} code", "his")


def test_the_log_and_the_files_that_leave_the_store_hold_one_owner(two: Any, tmp_path: Path) -> None:
    """Case 38: what ben asked and what he has, in the log, in an export, and as whole copies, which are refused."""
    two.in_namespace("ben").recall(f"{WORD} code")
    ana = two.in_namespace("ana", sealed=True)
    ana.recall("garage code")
    assert [entry.query for entry in ana.log.list()] == ["garage code"]
    assert ana.log.count() == 1
    ana.export(tmp_path / "ana.jsonl")
    exported = (tmp_path / "ana.jsonl").read_text("utf-8")
    assert "garage" in exported
    assert WORD not in exported
    assert "Ben" not in exported
    with pytest.raises(SimonidesError):
        ana.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


@pytest.mark.parametrize("filters", [{"namespace": "ben"}, {"ns": 2}, {"$or": [{"namespace": "ben"}]}])
def test_a_filter_cannot_ask_for_a_namespace(two: Any, filters: Any) -> None:
    """Case 38."""
    with pytest.raises(InvalidFilterError):
        two.recall("code", filters=filters)
    assert ids(two.recall("code", filters={"metadata.namespace": "ben"})) == []
    assert ids(two.list_thoughts(filters={"thought_id": "his"})) == []


def test_an_edge_across_namespaces_is_refused_without_telling_what_is_there(two: Any) -> None:
    """Case 38."""
    messages = []
    for other in ("his", "nobody"):
        with pytest.raises(ThoughtNotFoundError) as caught:
            two.link("mine", other)
        messages.append(str(caught.value).replace(other, "?"))
        with pytest.raises(ThoughtNotFoundError):
            two.remember("new", supersedes=other)
    assert messages[0] == messages[1]
    assert two.edges() == two.edges(namespace="ben") == []


def test_the_same_session_and_speaker_in_two_namespaces_are_two(opener: Opener) -> None:
    """Case 38."""
    store = opener(embedder=False)
    store.remember("hers", session="s", speaker="Kim", namespace="ana")
    assert store.remember("his", session="s", speaker="Kim", namespace="ben").position == 0
    assert store.edges(namespace="ana") == store.edges(namespace="ben") == []


def test_deleting_one_owners_memories_leaves_the_others(opener: Opener) -> None:
    """Case 40, one by one."""
    store = opener(embedder=False)
    for user in ("one", "two", "three"):
        for n in range(10):
            store.remember(f"note {n}", thought_id=f"n{n}", vector=[1, n], namespace=user, session="s")
    for name in ids(store.list_thoughts(namespace="one")):
        store.delete_thought(name, namespace="one")
    assert [store.count_thoughts(namespace=u) for u in ("one", "two", "three")] == [0, 10, 10]
    for user in ("two", "three"):
        stats = store.stats(namespace=user)
        assert (stats.vectors, stats.edges, stats.passages) == (10, 9, 10)
        assert len(store.search_similar([1, 5], namespace=user)) == 10
        assert len(store.search_fts("note", namespace=user)) == 10
    for strange in ("", "*", "%", "unknown"):
        with pytest.raises(SimonidesError):
            store.delete_thought("n1", namespace=strange)
        with pytest.raises(SimonidesError):
            store.delete_thought(strange, namespace="two")
    assert store.count_thoughts(namespace="two") == 10
    assert store.verify().ok


def test_purging_one_owner_leaves_the_others_and_a_name_that_is_none_purges_nobody(opener: Opener) -> None:
    """Case 40, all at once."""
    store = opener(embedder=False)
    for user in ("one", "two", "three"):
        for n in range(10):
            store.remember(f"note {n}", thought_id=f"n{n}", vector=[1, n], namespace=user, session="s")
    assert store.purge(namespace="one", confirm="one").count == 10
    strange: Any
    for strange in ("", None, "*", "%", "unknown", "one"):
        with pytest.raises(SimonidesError):
            store.purge(namespace=strange, confirm=strange)
    assert store.namespaces() == ["three", "two"]
    for user in ("two", "three"):
        stats = store.stats(namespace=user)
        assert (stats.thoughts, stats.vectors, stats.edges, stats.passages) == (10, 10, 9, 10)
        assert len(store.search_similar([1, 5], namespace=user)) == 10
        assert len(store.search_fts("note", namespace=user)) == 10
    assert store.verify().ok


@pytest.mark.parametrize("name", ["f2c59d63-0000-4000-8000-00000000000a", "main", "a:b", "équipe", "OR", "n" * 300])
def test_any_allowed_name_works_in_both_legs(opener: Opener, name: str) -> None:
    """Case 42."""
    store = opener()
    store.remember("a memory of the sea", thought_id="sea", namespace=name)
    answer = store.in_namespace(name).search_hybrid("sea memory")
    assert ids(answer) == ["sea"]
    assert answer.hits[0].contributions.keys() >= {"fts", "vector"}
