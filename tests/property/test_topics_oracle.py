"""Does the tree hold every member once, and does a wide beam find what exhaustive comparison finds?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides.topics.beam import descend
from simonides.topics.build import build, grown_up, settle
from simonides.topics.codes import encode, unit_rows
from simonides.topics.grow import Growth
from simonides.topics.match import matched
from simonides.topics.measure import measure, narrowest, nearest, places_of
from simonides.topics.tree import Shape, Tree, faults
from simonides.upkeep.topics import GOLDEN

SHAPE = Shape(fan_out=4, leaf_soft=8, leaf_hard=16, passes=2)
SIZES = st.integers(1, 300)
SEEDS = st.integers(0, 10_000)


def vectors(count: int, seed: int) -> np.ndarray:
    """Unit rows in clusters; some of them are equal to each other."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((1 + count // 20, 12))
    out = centres[random.integers(0, len(centres), count)] + random.standard_normal((count, 12)) * random.choice(
        [0, 0.6]
    )
    return unit_rows(out)


def check(tree: Tree, count: int) -> None:
    assert list(faults(tree)) == []
    assert sorted(tree.members.tolist()) == list(range(count))


def same(one: Tree, other: Tree) -> bool:
    return np.array_equal(one.members, other.members) and all(
        np.array_equal(a.centroids, b.centroids)
        and np.array_equal(a.starts, b.starts)
        and np.array_equal(a.keys, b.keys)
        for a, b in zip(one.levels, other.levels, strict=True)
    )


@settings(max_examples=12, deadline=None)
@given(SIZES, SEEDS)
def test_a_built_tree_is_sound_and_the_same_every_time(count: int, seed: int) -> None:
    coded = encode(vectors(count, seed))
    tree = build(coded, SHAPE, seed)
    check(tree, count)
    assert np.diff(tree.leaves.starts).max() <= SHAPE.leaf_soft
    assert same(tree, build(coded, SHAPE, seed))


@settings(max_examples=10, deadline=None)
@given(SIZES, SEEDS, st.integers(1, 50))
def test_a_grown_tree_is_sound_whatever_the_portions(count: int, seed: int, portion: int) -> None:
    rows = vectors(count, seed)
    growth = Growth.empty(12, SHAPE, lambda ids: rows[ids])
    for start in range(0, count, portion):
        ids = np.arange(start, min(count, start + portion))
        growth.insert(ids, rows[ids])
    check(growth.freeze(), count)
    growth.settle()
    tree = growth.freeze()
    check(tree, count)
    assert np.diff(tree.leaves.starts).max() <= SHAPE.leaf_soft
    sums = np.stack([rows[tree.members_of(n)].sum(axis=0) for n in range(len(tree.leaves))])
    assert np.allclose(tree.leaves.centroids * tree.leaves.lengths[:, None], sums, atol=1e-3)


@settings(max_examples=10, deadline=None)
@given(st.integers(20, 300), SEEDS)
def test_growing_a_built_tree_and_rebalancing_it_keeps_every_member(count: int, seed: int) -> None:
    rows = vectors(count, seed)
    coded = encode(rows)
    half = count // 2
    growth = Growth(build(coded.pick(np.arange(half)), SHAPE), coded.rows)
    growth.insert(np.arange(half, count), rows[half:])
    growth.settle()
    tree = growth.freeze()
    check(tree, count)
    labels = np.empty(count, np.int32)
    labels[tree.members] = tree.leaf_of_member()
    again = matched(tree, grown_up(coded, settle(coded, labels, SHAPE), SHAPE))
    check(again, count)


@pytest.mark.parametrize("count", [1, 7, 17, 300])
def test_identical_vectors_come_to_an_end(count: int) -> None:
    rows = np.tile(unit_rows(np.ones((1, 12))), (count, 1))
    check(build(encode(rows), SHAPE), count)
    growth = Growth.empty(12, SHAPE, lambda ids: rows[ids])
    for n in range(count):
        growth.insert(np.array([n]), rows[n : n + 1])
    growth.settle()
    check(growth.freeze(), count)


def test_what_changed_is_told_so_that_only_that_is_written() -> None:
    rows = vectors(200, 4)
    before = build(encode(rows[:150]), SHAPE)
    growth = Growth(before, lambda ids: rows[ids])
    growth.insert(np.arange(150, 200), rows[150:])
    growth.settle()
    after = growth.freeze()
    came = sorted(n for ids in growth.changes.added.values() for n in ids)
    assert came == list(range(150, 200))
    old = {int(key): before.members_of(n).tolist() for n, key in enumerate(before.leaves.keys)}
    for n, key in enumerate(after.leaves.keys.tolist()):
        if key not in growth.changes.rewritten:
            assert after.members_of(n).tolist() == old[key] + growth.changes.added.get(key, [])


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 300), SEEDS, st.floats(0.0, 0.999), st.integers(1, 400))
def test_resettled_members_are_in_the_nearest_of_all_leaves_and_the_others_where_they_were(
    count: int, seed: int, share: float, wanted: int
) -> None:
    coded = encode(vectors(count, seed))
    rows = coded.rows(np.arange(count))
    roomy = Shape(fan_out=4, leaf_soft=1_000, leaf_hard=1_000)  # nothing is split on the way
    built = build(coded, SHAPE)
    before = Tree(built.levels, built.members, built.next_key, roomy)
    growth = Growth(before, lambda ids: rows[ids])
    growth.resettle(share, wanted)
    after = growth.freeze()
    assert list(faults(replace(after, shape=replace(roomy, leaf_hard=10_000)))) == []
    assert sorted(after.members.tolist()) == list(range(count))
    keys, leaf_of = before.leaves.keys, before.leaf_of_member()
    first = int(share * len(keys))
    run: list[int] = []
    while len(run) < len(keys) and sum(int(before.leaves.counts[n]) for n in run) < wanted:
        run.append((first + len(run)) % len(keys))
    now = dict(zip(after.members.tolist(), after.leaves.keys[after.leaf_of_member()].tolist(), strict=True))
    cosines = np.round(rows @ before.leaves.centroids.T, 6)
    for place, member in enumerate(before.members.tolist()):
        was = int(leaf_of[place])
        reached = cosines[member, keys.tolist().index(now[member])]
        if was in run:
            assert reached >= cosines[member].max() - 2e-6  # of equal ones any
        else:
            assert now[member] == keys[was]
    gone = set(keys.tolist()) - set(after.leaves.keys.tolist())
    assert gone <= growth.changes.gone
    assert not growth.changes.gone & {int(key) for level in after.levels for key in level.keys}
    sums = np.stack([rows[after.members_of(n)].sum(axis=0) for n in range(len(after.leaves))])
    assert np.allclose(after.leaves.centroids * after.leaves.lengths[:, None], sums, atol=1e-3)


def test_a_tree_that_grew_to_eight_times_its_size_finds_more_when_it_was_resettled_on_the_way() -> None:
    random = np.random.default_rng(3)
    centres = unit_rows(random.standard_normal((200, 48)))

    def drawn(count: int) -> np.ndarray:
        rows: np.ndarray = centres[random.integers(0, 200, count)] + random.standard_normal((count, 48)) * 0.12
        return unit_rows(rows)

    coded, shape, queries = encode(drawn(4_000)), Shape(fan_out=8, leaf_soft=16, leaf_hard=32), drawn(60)
    found: list[float] = []
    for resettled in (0, 2):
        tree = build(coded.pick(np.arange(500)), shape)
        for step, start in enumerate(range(500, 4_000, 500)):
            ids = np.arange(start, start + 500)
            growth = Growth(tree, coded.rows)
            growth.insert(ids, coded.rows(ids))
            if resettled:
                growth.resettle(step * GOLDEN % 1, resettled * len(ids))
            growth.settle()
            tree = growth.freeze()
        check(tree, 4_000)
        truth = nearest(coded.pick(tree.members), queries, 10)
        found.append(measure(tree, queries, 8, truth).recall)
    assert found[1] > found[0] + 0.05
    assert found[1] > 0.95


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 300), SEEDS)
def test_a_wide_beam_finds_what_exhaustive_comparison_finds(count: int, seed: int) -> None:
    coded = encode(vectors(count, seed))
    tree = build(coded, SHAPE)
    packed = coded.pick(tree.members)
    query = vectors(5, seed + 1)[0]
    reached = descend(tree, query, 1_000)
    assert sorted(reached.leaves.tolist()) == list(range(len(tree.leaves)))
    truth = nearest(packed, query[None], 10)
    assert measure(tree, query[None], 1_000, truth).recall == 1.0


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.integers(1, 12), st.floats(0.0, 1.0))
def test_pruning_by_counts_equals_a_beam_over_the_visible_part(seed: int, width: int, share: float) -> None:
    tree = build(encode(vectors(250, seed)), SHAPE)
    visible = np.random.default_rng(seed).random(250) < share
    ends = np.cumsum(visible[tree.members])
    allowed = tuple(np.diff(np.append(0, np.append(0, ends)[np.cumsum(x.counts)])) > 0 for x in tree.levels)
    query = vectors(5, seed + 1)[0]
    reached = descend(tree, query, width, allowed=allowed)
    seen = [bool(visible[tree.members_of(leaf)].any()) for leaf in reached.leaves.tolist()]
    assert all(seen)
    assert len(seen) == 0 if not visible.any() else 1 <= len(seen) <= width
    assert len(places_of(tree, reached)) <= width * SHAPE.leaf_hard


def test_a_narrow_beam_misses_little_and_adapts_to_a_goal() -> None:
    rows = vectors(3_000, 11)
    coded = encode(rows)
    tree = build(coded, Shape())
    packed = coded.pick(tree.members)
    queries = rows[np.random.default_rng(1).choice(3_000, 20, replace=False)]
    reached = narrowest(tree, queries, nearest(packed, queries, 10), 0.9)
    assert reached.recall >= 0.9
    assert reached.scored < 1.0
