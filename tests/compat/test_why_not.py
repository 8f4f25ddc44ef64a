"""Why not? At which stage a thought fell out of a search, with the numbers."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import pytest
from store_driver import START

import simonides
from simonides import Budget, ThoughtNotFoundError

VECTOR = [1.0, 0.0]


def pointing(cosine: float) -> list[float]:
    return [cosine, math.sqrt(1 - cosine * cosine)]


@pytest.fixture
def store(make: Any) -> Any:
    made = make(reflection_topk_cap=0.5)
    for n in range(4):
        made.remember(f"pot {n}", thought_id=f"n{n}", vector=pointing(0.9 - n / 10), metadata={"unit": n // 2})
    return made


def hybrid(store: Any, name: str, text: str = "", **options: Any) -> Any:
    options.setdefault("query_vector", VECTOR)
    return store.why_not(text, name, verb="search_hybrid", priority_weight=0, **options)


def test_a_hit_is_found_with_its_rank_and_score(store: Any) -> None:
    said = hybrid(store, "n1")
    assert (said.found, said.stage) == (True, "found")
    assert said.numbers["rank"] == 2
    assert said.numbers["score"] == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(
    ("extra", "options", "stage"),
    [
        ({"expires_at": START}, {}, "expired"),
        ({"lifecycle_status": "ARCHIVED"}, {}, "archived"),
        ({"thought_type": "REFLECTION"}, {"include_reflections": False}, "reflection"),
        ({}, {"filters": {"metadata.unit": 1}}, "filter"),
    ],
    ids=["expired", "archived", "reflection", "filter"],
)
def test_out_of_scope_says_which_rule_did_it(store: Any, extra: Any, options: Any, stage: str) -> None:
    store.create_thought(content="pot", thought_id="x", vector=VECTOR, **extra)
    said = hybrid(store, "x", **options)
    assert (said.found, said.stage) == (False, stage)


def test_the_verbs_of_one_leg_are_asked_too(store: Any) -> None:
    """A note is no reflection; the third by cosine is not among two."""
    store.remember("theme", thought_id="r", thought_type="REFLECTION", vector=pointing(0.3))
    only = {"verb": "search_reflections_only", "query_vector": VECTOR}
    assert store.why_not("", "r", **only).stage == "found"
    assert store.why_not("", "n0", **only).stage == "filter"
    said = store.why_not("", "n2", verb="search_similar", query_vector=VECTOR, top_k=2)
    assert (said.stage, said.numbers["vector_rank"]) == ("pool", 3)


def test_a_retired_reflection_is_named_as_such(store: Any) -> None:
    store.remember("pots", thought_id="r", thought_type="REFLECTION", vector=VECTOR)
    store.link("r", "n0", "CONSOLIDATED_FROM")
    store.archive_thought("n0")
    assert hybrid(store, "r").stage == "retired"


def test_not_in_the_pool_comes_with_its_rank_on_each_leg(store: Any) -> None:
    """`far` is fifth by cosine, and `pot` occurs in it once more than in the others: pools of one."""
    store.remember("pot pot", thought_id="far", vector=pointing(0.1))
    said = hybrid(store, "far", "pot", fts_top_k=1, vector_top_k=1, top_k=1)
    assert said.stage in ("cut", "pool")
    said = hybrid(store, "n3", "pot", fts_top_k=1, vector_top_k=1, top_k=1)
    assert said.stage == "pool"
    assert said.numbers["vector_rank"] == 4
    assert said.numbers["vector_value"] == pytest.approx(0.6, abs=1e-6)
    assert said.numbers["vector_limit"] == 1
    assert said.numbers["fts_limit"] == 1


def test_below_the_cut_comes_with_its_score_and_that_of_the_last_hit(store: Any) -> None:
    said = hybrid(store, "n2", top_k=2)
    assert said.stage == "cut"
    assert said.numbers["rank"] == 3
    assert said.numbers["score"] == pytest.approx(0.7, abs=1e-6)
    assert said.numbers["cut"] == pytest.approx(0.8, abs=1e-6)
    assert said.numbers["shown"] == 2


def test_a_score_below_the_threshold_comes_with_both(store: Any) -> None:
    said = hybrid(store, "n3", min_score=0.65)
    assert said.stage == "min_score"
    assert said.numbers["min_score"] == 0.65
    assert said.numbers["score"] == pytest.approx(0.6, abs=1e-6)


def test_collapsed_into_the_one_that_stands_for_its_unit(store: Any) -> None:
    said = hybrid(store, "n1", collapse_key="unit")
    assert said.stage == "collapsed"
    assert said.numbers["stands"] == "n0"


def test_collapsed_is_said_of_a_unit_that_stands_below_the_last_hit_too(store: Any) -> None:
    said = hybrid(store, "n3", collapse_key="unit")
    assert said.stage == "collapsed"
    assert said.numbers["stands"] == "n2"


def test_equal_texts_in_recall_name_the_one_that_is_shown(make: Any) -> None:
    store = make()
    for name in ("a", "b"):
        store.remember("the same pot", thought_id=name)
    said = {name: store.why_not("pot", name) for name in ("a", "b")}
    shown = store.recall("pot").hits[0].thought_id
    (hidden,) = {"a", "b"} - {shown}
    assert (said[shown].stage, said[hidden].stage) == ("found", "collapsed")
    assert said[hidden].numbers["stands"] == shown


def test_evicted_by_the_cap(store: Any) -> None:
    for n in range(3):
        store.remember(f"sum {n}", thought_id=f"r{n}", thought_type="REFLECTION", vector=pointing(0.99 - n / 100))
    said = hybrid(store, "r2", top_k=4)
    assert said.stage == "evicted"
    assert said.numbers["rank"] == 3


def test_refused_by_the_not_of_the_query(store: Any) -> None:
    assert hybrid(store, "n1", "pot NOT 1").stage == "excluded"


def test_over_the_budget_with_its_size(store: Any) -> None:
    said = store.why_not("pot", "n3", query_vector=VECTOR, budget=Budget(max_chars=12))
    assert said.stage == "budget"
    assert said.numbers["size"] == 5


def test_nothing_to_search_with(store: Any) -> None:
    said = store.why_not("", "n0", verb="search_hybrid", top_k=1)
    assert said.stage in ("found", "no_legs")
    assert {store.why_not("", f"n{n}", verb="search_hybrid", top_k=1).stage for n in range(4)} == {"found", "no_legs"}


def test_an_unknown_thought_is_a_typed_error(store: Any) -> None:
    with pytest.raises(ThoughtNotFoundError):
        hybrid(store, "nobody")


@pytest.mark.parametrize("verb", ["recall", "retrieve", "search_hybrid", "search_fts"])
def test_it_agrees_with_the_search_it_repeats(store: Any, verb: str) -> None:
    arguments = {"top_k": 2} if verb != "retrieve" else {"budget": Budget(max_units=2)}
    answer = getattr(store, verb)("pot", **arguments)
    shown = {pair[0] for pair in (answer if isinstance(answer, list) else answer.results)}
    for n in range(4):
        assert store.why_not("pot", f"n{n}", verb=verb, **arguments).found == (f"n{n}" in shown)


def test_the_command_says_the_same(tmp_path: Any) -> None:
    """`simonides why-not`: the sentence on the terminal."""
    path = tmp_path / "a.db"
    with simonides.open(path) as store:
        store.remember("the pot", thought_id="gone")
        store.archive_thought("gone")
    command = [sys.executable, "-m", "simonides.faces.cli", "--db", str(path), "why-not", "pot", "gone"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "archived" in ran.stdout, ran.stderr
