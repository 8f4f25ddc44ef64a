"""Do groups hold together, against a slow oracle and by what must always be true?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from simonides.reflect.cluster import CELL, Group, Shape, agglomerated, bound_of, cells, cohesion, grouped, settled
from simonides.topics.codes import unit_rows


def blobs(seed: int, groups: int, each: int, spread: float, noise: int = 0, d: int = 24) -> np.ndarray:
    """Rows around some centres, then rows of no group."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(groups, d))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    near = np.repeat(centres, each, axis=0) + random.normal(size=(groups * each, d)) * spread / np.sqrt(d)
    return unit_rows(np.vstack([near, random.normal(size=(noise, d))]))


def slow(rows: np.ndarray, bound: float) -> list[Group]:
    """Average linkage by the book: again and again the two groups with the greatest mean cosine."""
    wide = rows.astype(np.float64)
    groups: list[Group] = [(n,) for n in range(len(rows))]
    while len(groups) > 1:
        means = {(a, b): float(np.mean(wide[list(a)] @ wide[list(b)].T)) for a, b in itertools.combinations(groups, 2)}
        (a, b), best = max(means.items(), key=lambda item: item[1])
        if best < bound:
            break
        groups = [g for g in groups if g not in (a, b)] + [tuple(sorted(a + b))]
    return sorted(groups)


def mean_cosine(rows: np.ndarray, group: Group) -> float:
    return float(np.mean(cohesion(rows[list(group)])))


@pytest.mark.parametrize("seed", range(8))
def test_chains_of_nearest_neighbours_give_what_the_book_gives(seed: int) -> None:
    rows = blobs(seed, groups=3, each=7, spread=0.8, noise=8)
    for bound in (0.2, 0.5, 0.8):
        assert sorted(agglomerated(rows, bound, most=1_000)) == slow(rows, bound)


@pytest.mark.parametrize("seed", range(6))
def test_every_group_holds_together_and_is_no_larger_than_allowed(seed: int) -> None:
    rows = blobs(seed, groups=5, each=20, spread=1.0, noise=30)
    shape = Shape(0.45, 3, 12)
    kept, fresh = settled(rows, [], shape)
    assert kept == []
    assert fresh
    assert all(3 <= len(group) <= 12 and mean_cosine(rows, group) >= 0.45 - 1e-6 for group in fresh)
    members = [row for group in fresh for row in group]
    assert len(members) == len(set(members))


def test_groups_do_not_chain() -> None:
    """Rows on a quarter circle, each 3° from the next: neighbours have cosine .9986, the ends 0."""
    angles = np.linspace(0, np.pi / 2, 31)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    groups = grouped(rows, Shape(0.95, 3, 50))
    assert len(groups) > 1
    for group in groups:
        ends = float(rows[group[0]] @ rows[group[-1]])
        assert ends > 0.6, "the ends of a chain would have nothing in common"


@pytest.mark.parametrize("seed", range(6))
def test_what_was_settled_stays_when_it_is_given_back(seed: int) -> None:
    rows = blobs(seed, groups=6, each=15, spread=1.1, noise=40)
    shape = Shape(0.4, 3, 10)
    _, first = settled(rows, [], shape)
    assert settled(rows, first, shape) == (first, [])


@pytest.mark.parametrize("seed", range(4))
def test_groups_that_were_there_keep_their_rows_and_take_in_new_ones(seed: int) -> None:
    rows = blobs(seed, groups=4, each=24, spread=0.7)
    shape = Shape(0.5, 3, 50)
    half = np.sort(np.random.default_rng(seed).permutation(len(rows))[: len(rows) // 2])
    _, first = settled(rows[half], [], shape)
    old = [tuple(half[list(group)].tolist()) for group in first]
    kept, _ = settled(rows, old, shape)
    assert all(set(before) <= set(after) for before, after in zip(old, kept, strict=True))
    assert sum(map(len, kept)) > sum(map(len, old))


def test_clear_themes_are_found_whole() -> None:
    rows = blobs(1, groups=5, each=8, spread=0.35)
    bound = bound_of(rows, 2.0, 0.4, 0.75)
    assert settled(rows, [], Shape(bound, 3, 50))[1] == [tuple(range(8 * n, 8 * n + 8)) for n in range(5)]


def test_rows_that_have_nothing_in_common_make_no_group() -> None:
    rows = blobs(2, groups=0, each=0, spread=0.0, noise=60, d=128)
    assert settled(rows, [], Shape(bound_of(rows, 2.0, 0.4, 0.75), 3, 50))[1] == []


def test_the_bound_lies_above_what_is_usual_and_between_its_limits() -> None:
    """Cosines of a sample, low quantiles: .25 → q, .05 → p; bound q + 2 (q − p) / .971."""
    same = np.tile(np.array([[1.0, 0.0]], np.float32), (10, 1))
    assert bound_of(same, 2.0, 0.4, 0.75) == 0.75, "all alike: what is above .75 belongs together however usual"
    apart = np.eye(10, dtype=np.float32)
    assert bound_of(apart, 2.0, 0.4, 0.75) == pytest.approx(0.4)
    assert bound_of(apart[:1], 2.0, 0.4, 0.75) == 0.75
    rows = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], np.float32)
    # the three cosines are 0, .6, .8: linear quantiles .05 → .06, .25 → .3; .3 + 1 · .24 / .971 = .5472
    assert bound_of(rows, 1.0, 0.0, 1.0) == pytest.approx(0.3 + 0.24 / 0.971, abs=1e-6)


def test_many_rows_are_compared_in_cells_and_none_is_lost() -> None:
    rows = blobs(3, groups=40, each=120, spread=0.5)
    parts = cells(rows)
    assert len(parts) > 1
    assert max(map(len, parts)) <= CELL
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(len(rows)))
    same = np.tile(rows[:1], (2 * CELL + 5, 1))
    assert max(map(len, cells(same))) <= CELL


def test_what_two_cells_tore_apart_finds_together() -> None:
    rows = blobs(4, groups=60, each=50, spread=0.6)
    shape = Shape(0.5, 3, 50)
    _, first = settled(rows, [], shape)
    assert settled(rows, first, shape) == (first, [])
    assert sum(map(len, first)) > 0.9 * len(rows)
