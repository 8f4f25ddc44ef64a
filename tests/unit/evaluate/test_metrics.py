"""The four measures, against values worked out by hand."""

from __future__ import annotations

from math import isclose, log2

import pytest

from simonides.evaluate.metrics import Scores, mean, measure


def test_the_measures_of_a_graded_ranking() -> None:
    """Ranked: grade 1 at place 1, none, grade 3 at place 3. Relevant: grades 3, 2, 1 (the 2 is not found)."""
    scores = measure(["c", "x", "a"], {"a": 3, "b": 2, "c": 1})
    # DCG 1/1 + 3/log2(4) = 1 + 1.5 = 2.5; ideal 3/1 + 2/log2(3) + 1/log2(4) = 3 + 1.26186 + 0.5 = 4.76186
    assert isclose(scores.ndcg_10, 0.525, abs_tol=5e-4)
    assert isclose(scores.ndcg_10, 2.5 / (3 + 2 / log2(3) + 0.5))
    assert (scores.recall_5, scores.recall_10, scores.mrr) == (2 / 3, 2 / 3, 1.0)


def test_places_six_to_ten_count_for_recall_10_and_ndcg_only() -> None:
    ranked = ["x1", "x2", "x3", "x4", "x5", "x6", "a"]
    scores = measure(ranked, {"a": 1})
    assert (scores.recall_5, scores.recall_10, scores.mrr) == (0.0, 1.0, 1 / 7)
    assert isclose(scores.ndcg_10, 1 / 3)  # 1 / log2(8)


def test_beyond_place_ten_only_the_reciprocal_rank_sees_and_beyond_a_hundred_nothing() -> None:
    ranked = [f"x{n}" for n in range(99)]
    assert measure([*ranked[:10], "a"], {"a": 1}) == Scores(0.0, 0.0, 0.0, 1 / 11)
    assert measure([*ranked, "a"], {"a": 1}).mrr == 0.01
    assert measure([*ranked, "x", "a"], {"a": 1}).mrr == 0.0


def test_more_than_ten_relevant_ids_make_the_ideal_of_ten() -> None:
    relevant = {f"a{n}": 1 for n in range(20)}
    scores = measure([f"a{n}" for n in range(10)], relevant)
    assert (scores.ndcg_10, scores.recall_5, scores.recall_10) == (1.0, 0.25, 0.5)


def test_an_empty_ranking_scores_zero() -> None:
    assert measure([], {"a": 1}) == Scores(0.0, 0.0, 0.0, 0.0)


def test_grades_of_zero_are_not_relevant_and_nothing_relevant_is_refused() -> None:
    assert measure(["b", "a"], {"a": 2, "b": 0}).mrr == 0.5
    with pytest.raises(ValueError, match="cannot be measured"):
        measure(["a"], {"a": 0})


def test_the_mean_of_nothing_is_zero() -> None:
    assert mean([]) == Scores(0.0, 0.0, 0.0, 0.0)
