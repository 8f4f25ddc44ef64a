"""Keys, names and labels of topics, and how they survive a rebuild."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simonides.topics.build import build
from simonides.topics.codes import encode, unit_rows
from simonides.topics.keys import ROOT, key_of, name_of
from simonides.topics.label import Member, labels
from simonides.topics.match import matched
from simonides.topics.tree import Level, Shape, Tree, faults
from simonides.topics.words import WORDS_MAX, runs_of

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


def level(keys: list[int], starts: list[int]) -> Level:
    size = len(keys)
    return Level(
        np.array(keys),
        np.eye(8, dtype=np.float32)[:size],
        np.ones(size, np.float32),
        np.ones(size, np.int64),
        np.array(starts),
    )


TREE = Tree((level([0], [0, 2]), level([1, 2], [0, 2, 3]), level([3, 4, 5], [0, 1, 2, 3])), np.arange(3), 6, SHAPE)


FLAT = Tree((level([0], [0, 3]), level([1, 2, 3], [0, 1, 2, 3])), np.arange(3), 4, SHAPE)


def said(leaf: int, *texts: str) -> list[Member]:
    return [Member(leaf, runs_of(text, frozenset({"the"}))) for text in texts]


def test_labels_are_the_terms_that_set_a_topic_apart_and_do_not_repeat_the_parent() -> None:
    members = [
        *said(0, *["the train, the ticket"] * 9, "the train"),
        *said(1, *["the train, the seat"] * 8, *["the train"] * 2),
        *said(2, *["the cake, the oven"] * 7, *["the cake"] * 3),
    ]
    found = labels(TREE, members)
    assert found[1] == "train · ticket · seat"
    assert found[2] == "cake · oven"
    assert found[3] == "ticket · train"  # its parent took every word of it: rather the same again than nothing
    assert "the" not in " · ".join(found.values()).split(" · ")
    assert found == labels(TREE, members)
    assert labels(TREE, members, {1: "Rail", 2: "cake · oven"})[3] == "ticket · train"  # the parent's label stays


def test_subjects_come_in_bursts_and_how_people_talk_does_not() -> None:
    """Leaf 2 says "wow" twice as often as "cake"; but "wow" is in every stretch of time, if seldom elsewhere."""
    everyday = [said(n % 2, "train") for n in range(180)]
    for n in range(0, 180, 20):
        everyday[n] = said(n % 2, "train wow")
    burst = [said(2, "cake" if n < 10 else "wow") for n in range(20)]
    found = labels(TREE, [member for part in (*everyday[:100], *burst, *everyday[100:]) for member in part])
    assert found[2].split(" · ")[0] == "cake"


def test_words_that_stand_together_make_a_name_in_the_case_that_people_use() -> None:
    members = [
        *said(0, *["an LGBTQ support group"] * 5, *["support"] * 5),
        *said(1, *["Oslo. New York is far"] * 3, *["New York"] * 3),
        *said(2, "cake", "oven", "cake"),
    ]
    found = labels(FLAT, members)
    assert found[1] == "support · group · LGBTQ"  # "support" by itself is twice as frequent as the phrase
    assert found[2].split(" · ")[0] == "New York"
    assert "oslo" in found[2]  # only ever at the beginning of a sentence, where any word has a capital


def test_what_words_say_by_themselves_counts_and_a_topic_without_any_is_mixed() -> None:
    members = [*said(0, *["great seat"] * 4), *said(1, *["great cake"] * 4), *said(2, *["the"] * 4)]
    found = labels(TREE, members, telling=lambda words: {word: 0.01 if word == "great" else 1.0 for word in words})
    assert found[1].split(" · ")[-1] == "great"
    assert found[5] == found[2] == "mixed"


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("You can't say Oliver's guinea pig isn't cute", (("Oliver",), ("guinea", "pig"), ("cute",))),
        ("Pride parade! Let's go to Pride", (("pride", "parade"), ("Pride",))),
        ("state-of-the-art 3D prints, NASA; eBay", (("state-of-the-art",), ("prints",), ("NASA",), ("eBay",))),
        ("a bb 12 --", ()),
        ("日本 東京都 の", (("東京都",),)),
    ],
)
def test_words_are_taken_in_runs(text: str, runs: object) -> None:
    assert runs_of(text, frozenset({"you", "say", "the", "go", "to"})) == runs


def test_a_long_text_counts_by_its_beginning() -> None:
    assert runs_of("word " * 1_000, frozenset()) == (("word",) * WORDS_MAX,)
