"""Do the detectors still do on the labelled pairs what RESULTS.md says, and is the set what its page says?"""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.quality.conflicts import Pair, load, wilson


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return load()


def test_the_set_is_large_bilingual_and_halved(pairs: list[Pair]) -> None:
    assert len(pairs) == len({(p.older, p.newer) for p in pairs}) == 491
    assert set(Counter(p.label for p in pairs)) == {"contradicts", "supersedes", "same", "compatible"}
    assert min(Counter(p.lang for p in pairs).values()) > 150
    assert len({p.domain for p in pairs}) >= 8
    assert [p.split for p in pairs[:4]] == ["open", "held_out", "open", "held_out"]


@pytest.mark.parametrize("split", ["open", "held_out"])
def test_what_is_proposed_is_right_nine_times_in_ten(pairs: list[Pair], split: str) -> None:
    half = [pair for pair in pairs if pair.split == split]
    proposed = [pair for pair in half if pair.found is not None]
    right = sum(pair.positive for pair in proposed)
    assert wilson(right, len(proposed))[0] >= 0.9
    assert right >= 0.85 * sum(pair.positive for pair in half)


def test_wilson_by_hand() -> None:
    # 8 of 10, z = 1.959964: middle (.8 + 3.84146/20) / 1.384146 = .71674,
    # spread 1.959964 · √(.016 + 3.84146/400) / 1.384146
    # = 1.959964 · √.02560365 / 1.384146 = .22657
    low, high = wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
