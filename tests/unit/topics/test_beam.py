"""The descent, line by line of the checklist, on a tree small enough to follow by hand."""

from __future__ import annotations

import numpy as np
import pytest

from simonides.topics.beam import descend
from simonides.topics.tree import Level, Shape, Tree

QUERY = np.array([1.0, 0.0], np.float32)


def level(keys: list[int], cosines: list[float], starts: list[int], counts: list[int]) -> Level:
    """Topics whose centroids have given cosines with QUERY."""
    sines = [float(np.sqrt(1 - c * c)) for c in cosines]
    centroids = np.array(list(zip(cosines, sines, strict=True)), np.float32)
    return Level(np.array(keys), centroids, np.ones(len(keys), np.float32), np.array(counts), np.array(starts))


def tree(*levels: Level) -> Tree:
    size = int(levels[-1].starts[-1])
    return Tree(levels, np.arange(size), 1 + max(int(x.keys.max()) for x in levels), Shape())


def small() -> Tree:
    """root → a (.9), b (.8), c (.1); a → .5, .4; b → .7, .6; c → 1.0, .99"""
    return tree(
        level([0], [1.0], [0, 3], [6]),
        level([1, 2, 3], [0.9, 0.8, 0.1], [0, 2, 4, 6], [2, 2, 2]),
        level([4, 5, 6, 7, 8, 9], [0.5, 0.4, 0.7, 0.6, 1.0, 0.99], [0, 1, 2, 3, 4, 5, 6], [1] * 6),
    )


def reached(made: Tree, width: int, **options: object) -> list[int]:
    return made.leaves.keys[descend(made, QUERY, width, **options).leaves].tolist()  # type: ignore[arg-type]  # what a caller should not give


def test_the_frontier_is_the_best_of_all_candidates_together() -> None:
    assert reached(small(), 2) == [6, 7]  # both children of b, none of a, though a was the better topic


def test_a_beam_of_one_follows_the_best_topic_only() -> None:
    assert reached(small(), 1) == [4]


def test_a_beam_as_wide_as_the_tree_reaches_every_leaf_best_first() -> None:
    assert reached(small(), 100) == [8, 9, 6, 7, 4, 5]


def test_equal_scores_go_by_key_ascending() -> None:
    made = tree(
        level([0], [1.0], [0, 4], [4]),
        level([9, 4, 7, 2], [0.5, 0.5, 0.5, 0.5], [0, 1, 2, 3, 4], [1] * 4),
    )
    assert reached(made, 3) == [2, 4, 7]


def test_every_child_of_every_frontier_topic_is_scored_once() -> None:
    assert descend(small(), QUERY, 2).scored == 3 + 4
    assert descend(small(), QUERY, 100).scored == 3 + 6


def test_rounds_count_to_max_depth_inclusive() -> None:
    assert reached(small(), 2, max_depth=1) == [6, 7]  # rounds 0 and 1: the whole height
    assert reached(small(), 2, max_depth=99) == [6, 7]


def test_topics_left_when_the_rounds_are_over_go_on_to_their_best_leaf() -> None:
    assert reached(small(), 2, max_depth=0) == [6, 4]  # a and b are left after round 0; the best of each


def test_a_leaf_that_lies_higher_keeps_its_score_and_its_place() -> None:
    made = tree(
        level([0], [1.0], [0, 2], [3]),
        level([1, 2], [0.9, 0.6], [0, 2, 3], [2, 1]),
        level([3, 4, 2], [0.5, 0.7, 0.6], [0, 1, 2, 3], [1, 1, 1]),  # key 2 is carried down
    )
    found = descend(made, QUERY, 2)
    assert made.leaves.keys[found.leaves].tolist() == [4, 2]
    assert found.scores.round(6).tolist() == pytest.approx([0.7, 0.6])
    assert found.scored == 2 + 2


def test_topics_without_anything_visible_are_not_scored() -> None:
    allowed = (np.array([True]), np.array([True, False, True]), np.array([False, True, True, True, False, True]))
    found = descend(small(), QUERY, 2, allowed=allowed)
    assert small().leaves.keys[found.leaves].tolist() == [9, 5]
    assert found.scored == 2 + 2


def test_nothing_visible_reaches_nothing() -> None:
    nothing = tuple(np.zeros(n, np.bool_) for n in (1, 3, 6))
    assert reached(small(), 2, allowed=nothing) == []


@pytest.mark.parametrize(("width", "depth"), [(0, None), (1, -1)])
def test_a_width_or_depth_below_the_least_is_refused(width: int, depth: int | None) -> None:
    with pytest.raises(ValueError, match="expected at least"):
        descend(small(), QUERY, width, depth)
