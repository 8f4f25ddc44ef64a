"""Does a score equal the formula worked out by hand, and its contributions the score?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simonides.index import bm25
from simonides.index.bm25 import Bm25Params, Scored, accumulate, contributions, idf
from simonides.index.context import Context
from simonides.index.postings import Postings


def postings(**held: int) -> Postings:
    """p3=2 is a frequency byte of 2 at ordinal 3."""
    return Postings(np.array([int(name[1:]) for name in held], np.int32), np.array([*held.values()], np.uint8))


def added(rows: np.ndarray) -> np.ndarray:
    total = np.zeros(len(rows))
    for column in rows.T:
        total += column
    return total


def test_idf_of_a_term_in_half_the_passages_is_ln_2_and_never_negative() -> None:
    assert idf(3, 1) == pytest.approx(math.log(1 + 2.5 / 1.5))
    assert idf(4, 2) == pytest.approx(math.log(2))
    assert idf(10, 10) == pytest.approx(math.log(1 + 0.5 / 10.5))
    assert idf(10, 0) > idf(10, 1) > idf(10, 10) > 0


def test_a_score_is_the_formula() -> None:
    lengths = np.array([2.0, 4.0, 3.0])
    scores = accumulate([(postings(p0=1), 1.0), (postings(p0=3, p1=2), 0.5)], lengths, 3.0, Bm25Params()).dense()
    # norms: 1.2 · (.25 + .75 · 2/3) = .9 and 1.2 · (.25 + .75 · 4/3) = 1.5
    expected = [2.2 * 1 / 1.9 + 0.5 * 2.2 * 3 / 3.9, 0.5 * 2.2 * 2 / 3.5, 0.0]
    assert scores.tolist() == pytest.approx(expected, abs=1e-14)


def test_the_essence_is_the_high_nibble_with_a_weight_of_its_own() -> None:
    one = [(postings(p0=0x32), 1.0)]  # twice in the content, three times in the essence
    scores = accumulate(one, np.array([3.0]), 3.0, Bm25Params(essence_weight=2.0)).dense()
    assert scores.tolist() == pytest.approx([2.2 * 8 / 9.2])
    scores = accumulate(one, np.array([3.0]), 3.0, Bm25Params(essence_weight=0.0)).dense()
    assert scores.tolist() == pytest.approx([2.2 * 2 / 3.2])


def test_a_word_next_door_counts_what_it_lends() -> None:
    links = np.array([[3, 1], [0, 3], [3, 3]], np.int32)  # 0 and 1 are next to each other, 2 is alone
    lent = np.array([[0.0, 0.5], [0.25, 0.0], [0.0, 0.0]], np.float32)
    lengths = np.full(3, 5.0)
    scores = accumulate([(postings(p0=2), 1.0)], lengths, 5.0, Bm25Params(), Context(links, lent)).dense()
    assert scores.tolist() == pytest.approx([2.2 * 2 / 3.2, 2.2 * 0.5 / 1.7, 0.0])
    scores = accumulate([(postings(p0=2, p1=1), 1.0)], lengths, 5.0, Bm25Params(), Context(links, lent)).dense()
    assert scores.tolist() == pytest.approx([2.2 * 2.5 / 3.7, 2.2 * 1.5 / 2.7, 0.0])


@pytest.mark.parametrize("params", [Bm25Params(k1=0.0), Bm25Params(b=1.0), Bm25Params(b=0.0), Bm25Params(k1=3.0)])
def test_extreme_settings_and_empty_passages_give_numbers(params: Bm25Params) -> None:
    with np.errstate(all="raise"):
        scores = accumulate([(postings(p0=1, p2=1), 1.0)], np.array([0.0, 0.0, 4.0]), 4 / 3, params).dense()
        nothing = accumulate([(postings(p0=1), 1.0)], np.zeros(1), 0.0, params).dense()
    assert np.isfinite([*scores, *nothing]).all()
    assert scores[1] == 0.0
    assert scores[0] >= scores[2] > 0.0


def test_no_terms_and_no_passages_give_no_scores() -> None:
    assert accumulate([], np.ones(2), 1.0, Bm25Params()).dense().tolist() == [0.0, 0.0]
    nobody = Context(np.empty((0, 4), np.int32), np.empty((0, 4), np.float32))
    assert accumulate([], np.empty(0), 0.0, Bm25Params(), nobody).dense().tolist() == []
    assert contributions([], np.ones(2), 1.0, Bm25Params(), None, [1]).shape == (1, 0)


def random_case(seed: int) -> tuple[list[tuple[Postings, float]], np.ndarray, Context]:
    """Terms of every frequency, lengths, and a context within runs of seven."""
    numbers = np.random.default_rng(seed)
    size = 20_011
    weighted = []
    for share in (0.9, 0.5, 0.2, 0.1, 0.01, 0.0005):
        ordinals = np.flatnonzero(numbers.random(size) < share).astype(np.int32)
        weighted.append((Postings(ordinals, numbers.integers(1, 256, len(ordinals)).astype(np.uint8)), share + 0.1))
    here = np.arange(size, dtype=np.int32)[:, np.newaxis]
    links = here + np.array([-1, 1, -2, 2], np.int32)
    links[(links // 7 != here // 7) | (links >= size)] = size
    lent = np.where(links < size, numbers.random(links.shape), 0.0).astype(np.float32)
    return weighted, numbers.integers(0, 90, size).astype(np.float64), Context(links, lent)


@pytest.mark.parametrize("seed", range(3))
def test_contributions_add_up_to_the_score_bit_for_bit(seed: int) -> None:
    weighted, lengths, around = random_case(seed)
    params = Bm25Params(essence_weight=0.7)
    for context in (None, around):
        scores = accumulate(weighted, lengths, 41.0, params, context).dense()
        rows = contributions(weighted, lengths, 41.0, params, context, range(len(lengths)))
        assert np.array_equal(added(rows), scores)


def test_the_context_equals_a_loop_over_the_rows_beside() -> None:
    weighted, lengths, around = random_case(7)
    params = Bm25Params(essence_weight=0.7)
    expected = np.zeros(len(lengths))
    for held, weight in weighted:
        own = np.zeros(len(lengths) + 1)
        own[held.ordinals] = (held.frequencies & 15) + 0.7 * (held.frequencies >> 4)
        tf = own[:-1] + (own[around.links] * around.lent).sum(axis=1)
        expected += weight * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * lengths / 41.0))
    np.testing.assert_allclose(
        accumulate(weighted, lengths, 41.0, params, around).dense(), expected, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_large_namespace_is_scored_as_a_small_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    weighted, lengths, around = random_case(seed)
    for context in (None, around):
        small = accumulate(weighted, lengths, 41.0, Bm25Params(), context)
        monkeypatch.setattr(bm25, "SMALL_MAX", 0)
        for _ in range(2):  # the second one finds what the first left behind
            large = accumulate(weighted[2:], lengths, 41.0, Bm25Params(), context)
            large = accumulate(weighted, lengths, 41.0, Bm25Params(), context)
            assert np.array_equal(small.rows, large.rows)
            assert np.array_equal(small.values, large.values)
        monkeypatch.undo()


def test_scores_at_places_are_those_of_the_rows_and_0_elsewhere() -> None:
    scored = Scored(np.array([1, 4]), np.array([0.5, 2.0]), 6)
    assert scored.at(np.array([4, 0, 1, 5, 4])).tolist() == [2.0, 0.0, 0.5, 0.0, 2.0]
    assert scored.dense().tolist() == [0.0, 0.5, 0.0, 0.0, 2.0, 0.0]
    assert Scored(np.empty(0, np.int64), np.empty(0), 6).at(np.array([3])).tolist() == [0.0]
