"""Does a plan survive being stored? Of every ranked verb, with everything that it can hold."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import simonides
from simonides import Budget, Profile, Store
from simonides.backend.audit_port import LogRow
from simonides.read.plan import Plan
from simonides.read.plan_json import encoded, plan_from, plan_json, plan_key
from simonides.read.trail import observed

FILTERS = {
    "$or": [{"speaker": "Ana"}, {"$not": {"metadata.flag": True}}],
    "priority": ["P1", "P2"],
    "position": {"$gt": 1},
}
VERBS: dict[str, Callable[[Store], Any]] = {
    "recall": lambda s: s.recall("pot", filters=FILTERS, budget=Budget(max_chars=9, max_ms=1e4), min_score=0.1),
    "retrieve": lambda s: s.retrieve(
        "pot", profile=Profile("hybrid", {"fts": 2.0}), content_type="text", recency_boost=1
    ),
    "search_hybrid": lambda s: s.search_hybrid("pot", current_cycle=7, graph_weight=0.5, collapse_key="document.id"),
    "by time": lambda s: s.search_hybrid("pot", [1.0, 0.5], recency_now="2026-01-01", include_reflections=False),
    "search_fts": lambda s: s.search_fts('"the pot" NOT lid', 3, include_archived=True),
    "search_similar": lambda s: s.search_similar([0.25, 1.0], threshold=-0.5),
    "search_reflections_only": lambda s: s.search_reflections_only("pot", current_cycle=2),
}


def planned(store: Store, call: Callable[[Store], Any]) -> Plan:
    plans: list[Plan] = []
    with observed(lambda plan, trail, answer: plans.append(plan)):
        call(store)
    return plans[0]


def again(store: Store, plan: Plan) -> Plan:
    """Through JSON and back."""
    stored = json.loads(json.dumps(plan_json(plan)))
    row = LogRow(
        "q", plan.asked_at, "", "[]", "", "", "", "", plan.query,
        None if plan.vector is None else plan.vector.astype("<f4").tobytes(), "{}", "[]", plan.scope.now,
        None if plan.recency is None else plan.recency.reference, "", "{}", None,
    )  # fmt: skip
    return plan_from(store._engine, stored, row, plan.query)


@pytest.mark.parametrize("verb", VERBS)
def test_a_plan_comes_back_as_it_was(verb: str, plain: Store) -> None:
    plan = planned(plain, VERBS[verb])
    other = again(plain, plan)
    for field in dataclasses.fields(Plan):
        ours, theirs = getattr(plan, field.name), getattr(other, field.name)
        if field.name == "vector" and ours is not None:
            assert np.array_equal(ours, theirs)
        elif field.name != "given":
            assert (ours, repr(ours)) == (theirs, repr(theirs)), field.name


def test_questions_of_one_kind_share_their_plan(plain: Store) -> None:
    first = planned(plain, lambda s: s.search_hybrid("pot", recency_now="2026-01-01"))
    second = planned(plain, lambda s: s.search_hybrid("kettle", recency_now="2026-01-02", now="2026-02-02"))
    assert plan_json(first) == plan_json(second)
    assert plan_key(first) == plan_key(second)


@pytest.mark.parametrize("value", [1, 1.5, "True"])
def test_filters_that_differ_in_the_type_of_a_value_do_not_share_it(value: object, plain: Store) -> None:
    one = planned(plain, lambda s: s.recall("pot", filters={"metadata.flag": True}))
    other = planned(plain, lambda s: s.recall("pot", filters={"metadata.flag": value}))
    assert plan_key(one) != plan_key(other)


def test_what_is_not_part_of_a_plan_cannot_be_stored() -> None:
    with pytest.raises(TypeError, match="PARTS"):
        encoded(simonides.Draft(content="x"))
