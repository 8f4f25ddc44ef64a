"""How a group becomes two: balance, determinism, and rows that cannot be told apart."""

from __future__ import annotations

import numpy as np
import pytest

from simonides.topics.codes import encode, encode_query, unit_rows
from simonides.topics.split import two_means


def test_two_clear_groups_are_told_apart() -> None:
    left, right = np.array([1.0, 0.0, 0.1]), np.array([0.0, 1.0, 0.1])
    rows = unit_rows(np.stack([left, right, left * 2, right * 3, left, right]))
    halves = two_means(rows)
    assert len(set(halves[[0, 2, 4]].tolist())) == 1
    assert len(set(halves[[1, 3, 5]].tolist())) == 1
    assert halves[0] != halves[1]


@pytest.mark.parametrize("size", [2, 3, 5, 10, 129])
def test_neither_half_is_smaller_than_a_fifth(size: int) -> None:
    rows = np.tile(np.eye(4, dtype=np.float32)[0], (size, 1))
    rows[-1] = np.eye(4, dtype=np.float32)[1]  # one stranger among equals
    count = int(np.count_nonzero(two_means(rows)))
    assert min(count, size - count) >= max(1, size // 5)


def test_identical_rows_are_cut_in_the_middle() -> None:
    rows = np.tile(np.array([0.6, 0.8], np.float32), (9, 1))
    assert two_means(rows).tolist() == [False] * 5 + [True] * 4


def test_codes_give_the_same_value_wherever_a_row_lies() -> None:
    random = np.random.default_rng(3)
    rows = unit_rows(random.standard_normal((5_000, 48)))
    coded, query = encode(rows), encode_query(rows[0])
    all_at_once = coded.cosines(np.arange(5_000), query)
    for place in (0, 1, 17, 4_999):
        assert coded.cosines(np.array([place]), query)[0] == all_at_once[place]
    assert np.abs(all_at_once - rows @ rows[0]).max() < 0.02


def test_a_row_of_zeros_and_a_sum_of_zero_stay_finite() -> None:
    coded = encode(np.zeros((2, 5), np.float32))
    assert coded.rows(np.arange(2)).tolist() == [[0.0] * 5] * 2
    assert unit_rows(np.zeros((1, 3))).tolist() == [[1.0, 0.0, 0.0]]
