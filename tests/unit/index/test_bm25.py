"""Does a score equal the formula worked out by hand, and its contributions the score?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simonides.index.bm25 import Bm25Params, accumulate, contributions, idf
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
    scores = accumulate([(postings(p0=1), 1.0), (postings(p0=3, p1=2), 0.5)], lengths, 3.0, Bm25Params())
    # norms: 1.2 · (.25 + .75 · 2/3) = .9 and 1.2 · (.25 + .75 · 4/3) = 1.5
    expected = [2.2 * 1 / 1.9 + 0.5 * 2.2 * 3 / 3.9, 0.5 * 2.2 * 2 / 3.5, 0.0]
    assert scores.tolist() == pytest.approx(expected, abs=1e-14)


def test_the_essence_is_the_high_nibble_with_a_weight_of_its_own() -> None:
    one = [(postings(p0=0x32), 1.0)]                               # twice in the content, three times in the essence
    scores = accumulate(one, np.array([3.0]), 3.0, Bm25Params(essence_weight=2.0))
    assert scores.tolist() == pytest.approx([2.2 * 8 / 9.2])
    scores = accumulate(one, np.array([3.0]), 3.0, Bm25Params(essence_weight=0.0))
    assert scores.tolist() == pytest.approx([2.2 * 2 / 3.2])


def test_a_word_next_door_counts_three_tenths() -> None:
    neighbours = np.array([[-1, 1], [0, -1], [-1, 3], [2, -1]], np.int32)     # the last row is of a newer passage
    lengths = np.full(3, 5.0)
    scores = accumulate([(postings(p0=2), 1.0)], lengths, 5.0, Bm25Params(), neighbours)
    assert scores.tolist() == pytest.approx([2.2 * 2 / 3.2, 2.2 * 0.6 / 1.8, 0.0])
    scores = accumulate([(postings(p0=2, p1=1), 1.0)], lengths, 5.0, Bm25Params(), neighbours)
    assert scores.tolist() == pytest.approx([2.2 * 2.3 / 3.5, 2.2 * 1.6 / 2.8, 0.0])


@pytest.mark.parametrize("params", [Bm25Params(k1=0.0), Bm25Params(b=1.0), Bm25Params(b=0.0), Bm25Params(k1=3.0)])
def test_extreme_settings_and_empty_passages_give_numbers(params: Bm25Params) -> None:
    with np.errstate(all="raise"):
        scores = accumulate([(postings(p0=1, p2=1), 1.0)], np.array([0.0, 0.0, 4.0]), 4 / 3, params)
        nothing = accumulate([(postings(p0=1), 1.0)], np.zeros(1), 0.0, params)
    assert np.isfinite([*scores, *nothing]).all()
    assert scores[1] == 0.0
    assert scores[0] >= scores[2] > 0.0


def test_no_terms_and_no_passages_give_no_scores() -> None:
    assert accumulate([], np.ones(2), 1.0, Bm25Params()).tolist() == [0.0, 0.0]
    assert accumulate([], np.empty(0), 0.0, Bm25Params(), np.empty((0, 4), np.int32)).tolist() == []
    assert contributions([], np.ones(2), 1.0, Bm25Params(), None, [1]).shape == (1, 0)


def random_case(seed: int) -> tuple[list[tuple[Postings, float]], np.ndarray, np.ndarray]:
    """Terms of every frequency, lengths, and neighbours within runs of seven; some rows are newer."""
    numbers = np.random.default_rng(seed)
    size, newer = 20_011, 5
    weighted = []
    for share in (0.9, 0.5, 0.2, 0.17, 0.16, 0.1, 0.01, 0.0005):
        ordinals = np.flatnonzero(numbers.random(size) < share).astype(np.int32)
        weighted.append((Postings(ordinals, numbers.integers(1, 256, len(ordinals)).astype(np.uint8)), share + 0.1))
    here = np.arange(size + newer, dtype=np.int32)[:, np.newaxis]
    around = here + np.array([-1, 1, -2, 2], np.int32)
    around[(around // 7 != here // 7) | (around >= size + newer)] = -1
    return weighted, numbers.integers(0, 90, size).astype(np.float64), around


@pytest.mark.parametrize("seed", range(3))
def test_contributions_add_up_to_the_score_bit_for_bit(seed: int) -> None:
    weighted, lengths, around = random_case(seed)
    params = Bm25Params(essence_weight=0.7)
    for neighbours in (None, around):
        scores = accumulate(weighted, lengths, 41.0, params, neighbours)
        rows = contributions(weighted, lengths, 41.0, params, neighbours, range(len(lengths)))
        assert np.array_equal(added(rows), scores)


def test_the_context_field_equals_a_loop_over_neighbours() -> None:
    weighted, lengths, around = random_case(7)
    params = Bm25Params(essence_weight=0.7)
    expected = np.zeros(len(lengths))
    for held, weight in weighted:
        own = np.zeros(len(lengths))
        own[held.ordinals] = (held.frequencies & 15) + 0.7 * (held.frequencies >> 4)
        for n, beside in enumerate(around[: len(lengths)].tolist()):
            tf = own[n] + 0.3 * sum(own[other] for other in beside if 0 <= other < len(own))
            expected[n] += weight * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * lengths[n] / 41.0))
    np.testing.assert_allclose(accumulate(weighted, lengths, 41.0, params, around), expected, rtol=0, atol=1e-12)
