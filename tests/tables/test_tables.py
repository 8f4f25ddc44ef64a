"""The behaviour tables next to this file hold. Each `[[case]]` is one small store and one question."""

from __future__ import annotations

import math
import tomllib
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from store_driver import START, HandClock, ids

import simonides

NEAR = pytest.approx


def cases(table: str) -> list[Any]:
    rows = tomllib.loads((Path(__file__).parent / f"{table}.toml").read_text(encoding="utf-8"))["case"]
    return [pytest.param(row, id=row["name"]) for row in rows]


def open_store(**search: Any) -> simonides.Store:
    return simonides.open(":memory:", embedder=False, clock=HandClock(), config={"search": search})


def pointing(cosine: float) -> list[float]:
    """A vector whose cosine with (1, 0) is given."""
    return [cosine, math.sqrt(1 - cosine * cosine)]


@pytest.mark.parametrize("case", cases("redistribution"))
def test_the_weight_of_what_cannot_run_goes_to_the_others(case: dict[str, Any]) -> None:
    with open_store() as store:
        for name in ("a", "b"):
            store.remember(f"the pot {name}", thought_id=name, vector=[1, 0] if case["vectors"] else None)
        question = case.get("question", "pot") if case["words"] else "?!"
        weights = {f"{name}_weight": value for name, value in case.get("weights", {}).items()}
        reference = {"current_cycle": 1} if case["recency"] else {}
        vector = [1.0, 0.0] if case["question_vector"] else None
        answer = store.search_hybrid(question, vector, **weights, **reference)
        assert dict(answer.weights) == {
            name: NEAR(float(Fraction(share)), abs=1e-12) for name, share in case["shares"].items()
        }
        assert sum(answer.weights.values()) == NEAR(1.0, abs=1e-12)


@pytest.mark.parametrize("case", cases("recency"))
def test_freshness_halves_with_every_half_life(case: dict[str, Any]) -> None:
    with open_store() as store:
        half_life = case.get("half_life")
        if case["axis"] == "cycle":
            store.create_thought(content="the pot", thought_id="a", created_cycle=1_000_000 - case["age"])
            options = {"current_cycle": 1_000_000, "recency_half_life": half_life}
        else:
            moment = START - timedelta(days=case["age"])
            store.create_thought(content="the pot", thought_id="a", created_at=moment)
            seconds = None if half_life is None else half_life * 86_400
            options = {"recency_now": START, "recency_now_half_life": seconds}
        (hit,) = store.search_hybrid("pot", **options).hits
        part = next(part for part in hit.parts if part.name == "recency")
        assert part.value == NEAR(case["value"], rel=1e-12)
        assert part.contribution == NEAR(part.weight * case["value"], rel=1e-12)


@pytest.mark.parametrize("case", cases("reflection_cap"))
def test_reflections_take_no_more_than_their_share(case: dict[str, Any]) -> None:
    rows = case["rows"]
    with open_store(reflection_topk_cap=case["cap"], fts_top_k=50) as store:
        for place, name in enumerate(rows):
            kind = "REFLECTION" if name.startswith("r") else "NOTE"
            cosine = 0.95 - place * 0.05  # best first
            store.remember(name, thought_id=name, thought_type=kind, vector=pointing(cosine))
        answer = store.search_hybrid("", [1.0, 0.0], top_k=case["top_k"])
        assert ids(answer) == case["shown"]
        assert answer.reflections_evicted == case["evicted"]


@pytest.mark.parametrize("case", cases("graph_boost"))
def test_neighbours_that_match_lift_a_memory(case: dict[str, Any]) -> None:
    with open_store(max_neighbors_per_candidate=case.get("neighbours_max", 5)) as store:
        for name, cosine in case["cosine"].items():
            store.remember(name, thought_id=name, vector=pointing(cosine))
        for from_id, to_id, weight in case["edges"]:
            store.link(from_id, to_id, weight=weight)
        answer = store.search_hybrid(
            "", [1.0, 0.0], graph_weight=1.0, vector_weight=1.0, priority_weight=0.0, graph_edge_decay=case["decay"]
        )
        found = {hit.thought_id: {part.name: part for part in hit.parts} for hit in answer.hits}
        assert set(found) == set(case["boost"])
        for name, boost in case["boost"].items():
            part = found[name].get("graph")
            assert (part.value if part else 0.0) == NEAR(boost, abs=1e-6)
            assert (part.contribution if part else 0.0) == NEAR(boost / 2, abs=1e-6)
