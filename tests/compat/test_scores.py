"""Scores that mean something: one row at a time, comparable, a threshold, a confidence; the same every time."""

from __future__ import annotations

import math
from typing import Any

import pytest
import scenes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_driver import ids

import simonides

QUIET = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
WIDE = {"top_k": 100, "fts_top_k": 1000, "vector_top_k": 1000, "graph_weight": 0.0, "reflection_boost": None}


@QUIET
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_an_added_thought_changes_no_other_score(seed: int, which: int) -> None:
    """Statistics fixed: the thought is stored in both cases and a filter adds it or not. Relevant or not, no other
    score moves, and the order of the others stays. Scans are exact, pools hold everything, nothing is expanded."""
    with scenes.build(seed) as store:
        everybody = sorted(thought.thought_id for thought in store.list_thoughts(limit=1000, include_expired=True))
        added = everybody[which % len(everybody)]
        for verb, options in scenes.questions(seed):
            if verb != "search_hybrid":
                continue
            plain = {**options, **WIDE, "collapse_key": None, "include_reflections": False}
            without = {**plain, "filters": both(options["filters"], {"thought_id": {"$ne": added}})}
            if not plain["query_text"].strip() and plain["query_vector"] is None:
                continue  # the window of newest rows has no legs
            large, small = store.search_hybrid(**plain), store.search_hybrid(**without)
            if large.weights != small.weights:
                continue  # the only vector or text of the scope was the added one
            assert [pair for pair in large.results if pair[0] != added] == small.results


def both(first: Any, second: Any) -> Any:
    return second if first is None else {**first, **second}


def test_one_weak_thought_more_by_insertion_with_equal_statistics(make: Any) -> None:
    """N, df and mean length are equal in both stores: the last thought has as many words, and none of the question."""
    scores = []
    for last, vector in (("zebra lion heron", [-1.0, 0.0]), ("otter beaver mouse", [0.05, 1.0])):
        store = make()
        store.remember("queue overflow alarm", thought_id="a", vector=[1, 0])
        store.remember("queue is long", thought_id="b", vector=[1, 1])
        store.remember(last, thought_id="z", vector=vector)
        scores.append({n: s for n, s in store.search_hybrid("queue alarm", [1, 0]).results if n != "z"})
    assert scores[0] == scores[1]


def test_a_single_hit_has_a_score_and_a_perfect_one_is_not_below_strangers(make: Any) -> None:
    """The keyword hit without a vector; there, five unrelated vector hits stand above it."""
    store = make()
    store.remember("gasket seal pump", thought_id="hit")
    for n in range(5):
        store.remember(f"unrelated {n}", thought_id=f"u{n}", vector=[0.3, math.sqrt(1 - 0.09)])
    answer = store.search_hybrid("gasket seal pump", [1.0, 0.0], fts_weight=0.8, vector_weight=0.2)
    assert ids(answer)[0] == "hit"
    assert 0 < answer.hits[0].contributions["fts"] <= 0.8
    alone = store.search_hybrid("gasket", filters={"thought_id": "hit"})
    assert 0 < alone.hits[0].score <= 1


def test_min_score_leaves_out_what_is_below_before_anything_is_cut(make: Any) -> None:
    store = make()
    for name, cosine in (("a", 0.9), ("b", 0.7), ("c", 0.5)):
        store.remember(name, thought_id=name, vector=[cosine, math.sqrt(1 - cosine**2)])
    for verb, options in (("search_hybrid", {"priority_weight": 0}), ("recall", {})):
        answer = getattr(store, verb)("", query_vector=[1, 0], min_score=0.6, **options)
        assert ids(answer) == ["a", "b"]
        assert all(score >= 0.6 for _, score in answer.results)
        assert ids(getattr(store, verb)("", query_vector=[1, 0], min_score=0.95, **options)) == []
    with pytest.raises(simonides.InvalidQueryError, match="min_score"):
        store.search_hybrid("a", min_score=float("nan"))


def test_confidence_is_higher_for_what_is_there_than_for_what_is_not(make: Any) -> None:
    """Between 0 and 1, None without a question; an own question beats a strange one."""
    store = make(embedder="hashing:64")
    for text in (
        "Ana prefers window seats on trains",
        "the spare key is under the blue pot",
        "Bilal comes on Thursday",
    ):
        store.remember(text)
    own = store.recall("where is the spare key?").confidence
    strange = store.recall("how tall is the volcano on Reunion?").confidence
    assert 0 <= strange < own <= 1
    assert store.recall("").confidence is None


def test_confidence_does_not_depend_on_top_k(make: Any) -> None:
    store = make(embedder="hashing:64")
    for n in range(30):
        store.remember(f"the pot number {n} of the kitchen")
    values = {store.recall("which pot is in the kitchen?", top_k=k).confidence for k in (1, 5, 30)}
    assert len(values) == 1
