"""The values that leave the engine: frozen, JSON where they say so, and refusing what cannot be."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

import simonides
from simonides import Budget, EdgeType, InvalidQueryError, LifecycleStatus, Priority, Profile, ThoughtType
from simonides.backend.rows import PRIORITY_CODES, STATUS_CODES, TYPE_CODES
from simonides.model.predicate import All, Compare, Either, Not, read_filters


def test_the_names_of_the_enumerations_are_those_of_the_source() -> None:
    assert list(ThoughtType) == ["NOTE", "OBSERVATION", "BELIEF", "TASK", "OUTPUT_DRAFT", "REFLECTION"]
    assert list(Priority) == ["P1", "P2", "P3", "P4"]
    assert list(LifecycleStatus) == ["CREATED", "ACTIVE", "DONE", "ARCHIVED"]
    assert set(EdgeType) == {
        "ASSOCIATED", "DEPENDS_ON", "DERIVED_FROM", "MESSAGE_OF", "BRIDGE", "CONSOLIDATED_FROM", "CONTESTED_BY",
        "SUPERSEDES", "CONTRADICTS", "SUPPORTS", "FOLLOWS",
    }  # fmt: skip


def test_stored_codes_never_move() -> None:
    """They are in the files of everybody; a new member may only be appended."""
    assert {str(k): v for k, v in TYPE_CODES.items()} == {
        "NOTE": 0, "OBSERVATION": 1, "BELIEF": 2, "TASK": 3, "OUTPUT_DRAFT": 4, "REFLECTION": 5,
    }  # fmt: skip
    assert {str(k): v for k, v in STATUS_CODES.items()} == {"CREATED": 0, "ACTIVE": 1, "DONE": 2, "ARCHIVED": 3}
    assert {str(k): v for k, v in PRIORITY_CODES.items()} == {"P1": 0, "P2": 1, "P3": 2, "P4": 3}


def test_thoughts_edges_and_hits_are_frozen_and_become_json(plain: Any) -> None:
    plain.remember("the pot", thought_id="a", occurred_at="2026-01-01", concepts=["x"])
    plain.link("a", "a")
    (hit,) = plain.recall("pot").hits
    for value in (hit.thought, plain.edges()[0], hit):
        assert json.loads(json.dumps(value.to_dict(), allow_nan=False))
        with pytest.raises(FrozenInstanceError):
            setattr(value, fields(value)[0].name, None)
    assert hit.thought.to_dict()["occurred_at"] == "2026-01-01T00:00:00+00:00"
    assert hit.to_dict()["contributions"] == dict(hit.contributions)


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_a_profile_knows_three_modes(mode: Any) -> None:
    assert Profile(mode).mode == mode


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "x"},
        {"weights": {"graph": 1}},
        {"weights": {"fts": -1}},
        {"weights": {"vector": float("nan")}},
        {"weights": {"fts": float("inf")}},
    ],
)
def test_a_profile_refuses_other_legs_and_weights(options: Any) -> None:
    with pytest.raises(InvalidQueryError):
        Profile(**options)


@pytest.mark.parametrize("name", ["max_units", "max_chars", "max_tokens", "max_ms"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "1", True])
def test_a_budget_is_a_number_of_at_least_nothing(name: str, value: Any) -> None:
    with pytest.raises(InvalidQueryError, match=name):
        Budget(**{name: value})


def test_filters_are_read_into_a_small_tree() -> None:
    assert read_filters(None) is None
    assert read_filters({}) is None
    assert read_filters({"speaker": "Ana"}) == Compare("speaker", "$eq", "Ana")
    assert read_filters({"speaker": ["B", "A", "B"]}) == Compare("speaker", "$in", ("A", "B"))
    assert read_filters({"type": "NOTE"}) == Compare("thought_type", "$eq", "NOTE")
    assert read_filters({"metadata.a.b": 1}) == Compare("metadata", "$eq", 1, ("a", "b"))
    assert read_filters({"occurred_at": {"$gte": "1970-01-02", "$lt": 259_200}}) == All(
        (Compare("occurred_at", "$gte", 86_400_000_000), Compare("occurred_at", "$lt", 259_200_000_000))
    )
    assert read_filters({"$or": [{"pinned": True}, {"$not": {"priority": "P1"}}]}) == Either(
        (Compare("pinned", "$eq", True), Not(Compare("priority", "$eq", "P1")))
    )


def test_a_tree_that_was_read_is_taken_as_it_is() -> None:
    tree = Not(Compare("speaker", "$eq", "Ana"))
    assert read_filters(tree) is tree


def test_an_explanation_adds_up_line_by_line(plain: Any) -> None:
    plain.create_thought(content="the blue pot", thought_id="a", priority="P1", speaker="Ana")
    answer = plain.search_hybrid("blue pot", current_cycle=0)
    lines = answer.explain().splitlines()
    (hit,) = answer.hits
    adds = [float(line.split("+")[1].split()[0]) for line in lines if line.startswith("    ") and "+" in line]
    assert sum(adds) == pytest.approx(hit.score, abs=1e-3)
    assert any("Ana: the blue pot" in line for line in lines)
    assert "read as bare" in lines[0]


def test_an_explanation_of_nothing_says_so(plain: Any) -> None:
    plain.remember("the pot")
    assert "no hits" in plain.search_hybrid("unheard", filters={"speaker": "nobody"}).explain()


def test_the_block_for_a_model_carries_time_speaker_source_and_cuts(plain: Any) -> None:
    plain.remember("the blue pot " * 20, thought_id="a", speaker="Ana", source="diary", occurred_at="2026-01-01")
    answer = plain.recall("pot", budget=simonides.Budget(max_chars=20))
    text = answer.text()
    assert "speaker='Ana' source='diary'" in text
    assert "time=2026-01-01T00:00:00+00:00" in text
    assert "cut=true" in text
    assert replace(answer, hits=()).text().count("\n") == 0
