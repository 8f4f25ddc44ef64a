"""Graceful degradation: what cannot run is left out, its weight goes to the others; without any leg, the window."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from store_driver import START, ids


def filled(store: Any) -> Any:
    """Cycles 5, 5, 4 … 1; `archived` and `expired` are the newest of all."""
    for name, cycle, extra in (
        ("b", 5, {}), ("a", 5, {}), ("c", 4, {"metadata": {"unit": "x"}}), ("d", 3, {"metadata": {"unit": "x"}}),
        ("e", 2, {"priority": "P1"}), ("f", 1, {}), ("archived", 9, {"lifecycle_status": "ARCHIVED"}),
        ("expired", 9, {"expires_at": START}), ("r", 0, {"thought_type": "REFLECTION"}),
    ):  # fmt: skip
        moment = START - timedelta(days=10 - cycle)
        store.create_thought(
            content=f"the note {name}", thought_id=name, created_cycle=cycle, created_at=moment, **extra
        )
    return store


@pytest.fixture
def notes(make: Any) -> Any:
    return filled(make())


# ---- one signal cannot run


@pytest.mark.parametrize("text", ["", "   ", "?!"])
def test_an_empty_text_skips_the_text_leg(make: Any, text: str) -> None:
    store = make()
    store.remember("pot", thought_id="a", vector=[1, 0])
    answer = store.search_hybrid(text, [1, 0])
    assert answer.backends_used == {"vector", "priority"}
    assert "fts" not in answer.weights
    assert answer.weights["vector"] == pytest.approx(0.55 / 0.60, abs=1e-12)


def test_a_store_without_a_passage_has_no_text_index_to_ask(make: Any) -> None:
    answer = make().search_hybrid("pot")
    assert answer.hits == ()
    assert answer.backends_used == frozenset()


def test_without_a_vector_and_an_embedder_the_vector_leg_is_skipped(make: Any) -> None:
    store = make()
    store.remember("pot", thought_id="a", vector=[1, 0])
    answer = store.search_hybrid("pot")
    assert answer.backends_used == {"fts5", "priority"}
    assert answer.weights == {"fts": pytest.approx(6 / 7, abs=1e-12), "priority": pytest.approx(1 / 7, abs=1e-12)}


def test_without_any_reference_recency_is_skipped(notes: Any) -> None:
    answer = notes.search_hybrid("note", recency_weight=5.0)
    assert "recency" not in answer.weights
    assert "recency" not in answer.backends_used


@pytest.mark.parametrize("name", ["fts", "vector", "priority", "graph", "recency"])
def test_a_weight_of_nothing_skips_its_signal(make: Any, name: str) -> None:
    store = make()
    store.remember("pot", thought_id="a", vector=[1, 0], priority="P1")
    store.remember("pot two", thought_id="b", vector=[1, 1], priority="P1")
    store.link("a", "b")
    on = {f"{other}_weight": 1.0 for other in ("fts", "vector", "priority", "graph", "recency")}
    answer = store.search_hybrid("pot", [1, 0], current_cycle=1, **{**on, f"{name}_weight": 0.0})
    assert sorted(answer.weights) == sorted({"fts", "vector", "priority", "graph", "recency"} - {name})
    assert all(weight == 0.25 for weight in answer.weights.values())
    assert all(name not in hit.contributions for hit in answer.hits)
    assert {"fts": "fts5"}.get(name, name) not in answer.backends_used


# ---- nothing can run: the window

NOTES = ["a", "b", "c", "d", "e", "f", "r"]


@pytest.mark.parametrize("embedder", [False, "hashing:64"])
@pytest.mark.parametrize("text", ["", "?!"])
def test_the_window_is_the_newest_cycle_first_with_a_flat_score(make: Any, text: str, embedder: Any) -> None:
    """Also with an embedder and stored vectors: a text without words is never embedded. r: int(10 · .3) = 3 ≥ 1."""
    answer = filled(make(embedder=embedder)).search_hybrid(text)
    assert ids(answer) == NOTES
    assert {score for _, score in answer.results} == {0.0}
    assert answer.backends_used == frozenset()
    assert answer.weights == {}


def test_weights_of_nothing_on_both_legs_give_the_window_too(notes: Any) -> None:
    answer = notes.search_hybrid("note c", fts_weight=0, vector_weight=0)
    assert ids(answer) == NOTES
    assert {score for _, score in answer.results} == {0.0}


def test_the_window_has_at_most_top_k_rows(notes: Any) -> None:
    assert ids(notes.search_hybrid("", top_k=3)) == ["a", "b", "c"]
    assert len(notes.search_hybrid("", top_k=100).hits) == 7


def test_the_window_honours_filters_and_leaves_archived_and_expired_out(notes: Any) -> None:
    assert ids(notes.search_hybrid("", filters={"metadata.unit": "x"})) == ["c", "d"]
    assert ids(notes.search_hybrid("", include_reflections=False)) == NOTES[:-1]
    assert ids(notes.search_hybrid("", include_archived=True)) == ["archived", *NOTES]
    assert ids(notes.search_hybrid("", top_k=1, filters={"metadata.unit": "x"})) == ["c"]


@pytest.mark.parametrize("reference", [{"current_cycle": 9}, {"recency_now": START}])
def test_a_reference_at_weight_zero_is_inert_in_the_window(notes: Any, reference: dict[str, Any]) -> None:
    answer = notes.search_hybrid("", recency_weight=0.0, **reference)
    assert answer.results == [(name, 0.0) for name in NOTES]
    assert answer.weights == {}


def test_the_window_along_cycles_decays_by_hand(notes: Any) -> None:
    """Half-life 2, now 5: ages 0, 0, 1, 2, 3, 4, 5. Priority off: recency has the whole weight."""
    answer = notes.search_hybrid("", current_cycle=5, recency_half_life=2.0, priority_weight=0)
    assert answer.results == [
        (name, pytest.approx(2 ** (-age / 2), abs=1e-12))
        for name, age in zip(NOTES, (0, 0, 1, 2, 3, 4, 5), strict=True)
    ]
    assert answer.backends_used == {"recency"}


def test_the_window_along_time_is_ordered_by_the_time_of_writing(notes: Any) -> None:
    """`f` is written anew: newest by time, still oldest but one by cycle. Priority by its share 1/3: P3 gives .1."""
    notes.update_thought("f", updated_at=START)
    answer = notes.search_hybrid("", recency_now=START, recency_now_half_life=86_400, top_k=3)
    assert answer.weights == {"recency": pytest.approx(2 / 3, abs=1e-12), "priority": pytest.approx(1 / 3, abs=1e-12)}
    assert answer.results == [
        ("f", pytest.approx(2 / 3 + 0.1, abs=1e-9)),
        ("a", pytest.approx(2 / 3 * 2**-5 + 0.1, abs=1e-9)),
        ("b", pytest.approx(2 / 3 * 2**-5 + 0.1, abs=1e-9)),
    ]


def test_priority_orders_inside_the_window_and_brings_nothing_into_it(notes: Any) -> None:
    """`e` is P1, but fifth by cycle: not in a window of three, first in a window of five when recency is flat."""
    flat = {"current_cycle": 5, "recency_half_life": 1e9}
    assert ids(notes.search_hybrid("", top_k=3, **flat)) == ["a", "b", "c"]
    assert ids(notes.search_hybrid("", top_k=5, **flat)) == ["e", "a", "b", "c", "d"]


def test_collapse_and_cap_fill_the_window_up_from_older_rows(make: Any) -> None:
    """Six reflections are newest; int(4 · .5) = 2 may stay, two older notes take the places of the others."""
    store = make(reflection_topk_cap=0.5)
    for n in range(6):
        store.create_thought(content=f"note {n}", thought_id=f"n{n}", created_cycle=n, metadata={"unit": n // 3})
        store.create_thought(content=f"sum {n}", thought_id=f"r{n}", created_cycle=10 + n, thought_type="REFLECTION")
    answer = store.search_hybrid("", top_k=4)
    assert ids(answer) == ["r5", "r4", "n5", "n4"]
    assert answer.reflections_evicted == 2
    units = store.search_hybrid("", top_k=2, collapse_key="unit", include_reflections=False)
    assert ids(units) == ["n5", "n2"]


def test_a_reflection_boost_acts_in_the_window_as_well(notes: Any) -> None:
    plain = dict(notes.search_hybrid("", current_cycle=5).results)
    boosted = dict(notes.search_hybrid("", current_cycle=5, reflection_boost=2.0).results)
    assert boosted["r"] == pytest.approx(2 * plain["r"], abs=1e-12)
    assert boosted["a"] == plain["a"]
