"""Every ranked answer over random stores: its parts add up, its order is total, its scope holds, it repeats."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from typing import Any

import pytest
import scenes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_driver import START

from simonides import HybridSearchResult, Store

QUIET = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 10**6)


def asked(seed: int, store: Store) -> list[tuple[str, dict[str, Any], HybridSearchResult]]:
    return [(verb, options, getattr(store, verb)(**options)) for verb, options in scenes.questions(seed)]


@QUIET
@given(SEEDS)
def test_contributions_sum_to_the_score(seed: int) -> None:
    with scenes.build(seed) as store:
        for _, options, answer in asked(seed, store):
            for hit in (*answer.hits, *answer.reflections):
                assert math.fsum(hit.contributions.values()) == pytest.approx(hit.score, abs=1e-12), options
                assert math.fsum(part.contribution for part in hit.parts) == pytest.approx(hit.score, abs=1e-12)
                assert len(hit.contributions) == len(hit.parts)  # no two parts share a name


@QUIET
@given(SEEDS)
def test_scores_are_finite_and_parts_are_what_they_say(seed: int) -> None:
    with scenes.build(seed) as store:
        for _, _, answer in asked(seed, store):
            assert json.dumps(answer.to_dict(), allow_nan=False)
            for hit in answer.hits:
                assert math.isfinite(hit.score)
                for part in hit.parts:
                    assert part.scaled is None or -1e-12 <= part.scaled <= 1 + 1e-12 or part.name in ("graph", "fts")
                    assert part.rank is None or part.rank >= 1


@QUIET
@given(SEEDS)
def test_order_is_score_then_id(seed: int) -> None:
    with scenes.build(seed) as store:
        for verb, options, answer in asked(seed, store):
            text = options.get("query", options.get("query_text"))
            pairs = answer.results
            assert [score for _, score in pairs] == sorted((score for _, score in pairs), reverse=True)
            places = [hit.rank for hit in answer.hits]
            assert places == sorted(set(places))  # a budget may skip one
            assert len({name for name, _ in pairs}) == len(pairs)
            if verb == "search_hybrid" and text and answer.backends_used & {"fts5", "vector"}:
                assert pairs == sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


@QUIET
@given(SEEDS)
def test_nothing_outside_the_scope_is_shown(seed: int) -> None:
    with scenes.build(seed) as store:
        for _, options, answer in asked(seed, store):
            for hit in (*answer.hits, *answer.reflections):
                thought = hit.thought
                assert thought.expires_at is None or thought.expires_at > START
                assert options["include_archived"] or thought.lifecycle_status != "ARCHIVED"
                if options["filters"] == {"metadata.unit": "x"}:
                    assert thought.metadata.get("unit") == "x"
                if options["filters"] == {"speaker": ["Ana", None]}:
                    assert thought.speaker in ("Ana", None)
                if options.get("include_reflections") is False:
                    assert thought.thought_type != "REFLECTION"
                for name in (*hit.superseded_by, *hit.conflicts, *hit.supported_by):
                    other = store.get_thought(name)
                    assert other is not None
                    assert options["include_archived"] or other.lifecycle_status != "ARCHIVED"


@QUIET
@given(SEEDS)
def test_limits_hold(seed: int) -> None:
    with scenes.build(seed) as store:
        for _, options, answer in asked(seed, store):
            budget = options.get("budget")
            units = options.get("top_k", 10 if budget is None else budget.max_units)
            assert units is None or len(answer.hits) <= units
            if budget is not None and budget.max_chars is not None:
                assert sum(len(hit.text) for hit in answer.hits) <= budget.max_chars
            if options.get("collapse_key"):
                units_shown = [h.thought.metadata["unit"] for h in answer.hits if "unit" in h.thought.metadata]
                assert len(units_shown) == len(set(units_shown))


@QUIET
@given(SEEDS, st.integers(1, 10**6))
def test_the_same_question_has_the_same_answer_whatever_the_order_of_insertion(seed: int, order: int) -> None:
    first = scenes.answers(seed)
    with scenes.build(seed) as store:
        for _ in range(2):
            again = [scenes.shown(answer) for _, _, answer in asked(seed, store)]
            assert strip(again) == strip(first)
    assert strip(scenes.answers(seed, order)) == strip(first)


def strip(value: Any) -> Any:
    """Without what counts revisions of relinked edges; nothing else may differ."""
    return json.loads(json.dumps(value))


def test_fresh_processes_with_other_hash_seeds_and_orders_agree() -> None:
    seeds = [random.Random(9).randrange(10**6) for _ in range(6)]
    here = [scenes.answers(seed) for seed in seeds]
    for hash_seed, order in ((1, 0), (2, 77)):
        environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
        done = subprocess.run(
            [sys.executable, scenes.__file__, str(order), *map(str, seeds)],
            capture_output=True, text=True, timeout=120, check=True, env=environment,
        )  # fmt: skip
        assert json.loads(done.stdout) == strip(here)
