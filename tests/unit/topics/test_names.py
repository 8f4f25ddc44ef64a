"""Keys, names and labels of topics, and how they survive a rebuild."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simonides.topics.build import build
from simonides.topics.codes import encode, unit_rows
from simonides.topics.label import labels
from simonides.topics.match import matched
from simonides.topics.tree import ROOT, Level, Shape, Tree, faults, key_of, name_of

SHAPE = Shape(fan_out=4, leaf_soft=8, leaf_hard=16)


def rows(count: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(2, count // 8), 16)) * 2
    return unit_rows(centres[random.integers(0, len(centres), count)] + random.standard_normal((count, 16)) * 0.5)


def test_names_sort_as_keys_do_and_come_back() -> None:
    keys = [0, 1, 9, 10, 123_456]
    names = [name_of(key) for key in keys]
    assert names == sorted(names)
    assert names[0] == "__root__"
    assert [key_of(name) for name in names] == keys
    assert [key_of(name) for name in ("deploy", "t", "tx", "t0000000", "")] == [None] * 5


def test_the_same_tree_built_again_keeps_every_key() -> None:
    made = build(encode(rows(200, 1)), SHAPE)
    moved = replace(made, levels=tuple(replace(x, keys=np.where(x.keys, x.keys + 500, 0)) for x in made.levels))
    again = matched(replace(moved, next_key=900), made)
    assert all(np.array_equal(a.keys, b.keys) for a, b in zip(again.levels, moved.levels, strict=True))


def test_keys_survive_when_some_members_move_and_new_topics_get_unused_keys() -> None:
    vectors = rows(400, 2)
    old = replace(build(encode(vectors[:300]), SHAPE), next_key=5_000)
    new = matched(old, build(encode(vectors), SHAPE, seed=9))
    assert list(faults(new)) == []
    kept = np.isin(new.leaves.keys, old.leaves.keys)
    assert kept.mean() > 0.3
    assert new.leaves.keys[~kept].min() >= 5_000
    for leaf in np.flatnonzero(kept).tolist():
        before = old.members_of(int(np.flatnonzero(old.leaves.keys == new.leaves.keys[leaf])[0]))
        now = new.members_of(leaf)
        assert len(np.intersect1d(before, now)) / len(np.union1d(before, now)) >= 0.3


def test_the_root_is_always_the_root() -> None:
    old = build(encode(rows(100, 3)), SHAPE)
    assert matched(old, build(encode(rows(20, 4)), SHAPE)).levels[0].keys.tolist() == [ROOT]


def test_labels_are_the_terms_that_set_a_topic_apart_and_do_not_repeat_the_parent() -> None:
    def level(keys: list[int], starts: list[int]) -> Level:
        size = len(keys)
        return Level(
            np.array(keys),
            np.eye(8, dtype=np.float32)[:size],
            np.ones(size, np.float32),
            np.ones(size, np.int64),
            np.array(starts),
        )

    tree = Tree((level([0], [0, 2]), level([1, 2], [0, 2, 3]), level([3, 4, 5], [0, 1, 2, 3])), np.arange(3), 6, SHAPE)
    terms = [
        {"the": 10, "train": 10, "ticket": 9},
        {"the": 10, "train": 10, "seat": 8},
        {"the": 10, "cake": 10, "oven": 7},
    ]
    found = labels(tree, terms, [10, 10, 10])
    assert found[1].split(" · ")[0] == "train"
    assert "the" not in " · ".join(found.values()).split(" · ")
    assert found[2] == "cake · oven"
    assert found[4] == ""  # its parent took the word: train, ticket and seat stand above
    assert found == labels(tree, terms, [10, 10, 10])
