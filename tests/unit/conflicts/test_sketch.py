"""Does the quick look at two texts ever refuse what the detectors would propose, and does it refuse enough?"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from benchmarks.quality.conflicts import load
from simonides.conflicts import values
from simonides.conflicts.detect import Said, detect
from simonides.conflicts.sketch import Sketches, possible, sketch


@pytest.fixture(scope="module")
def said() -> list[Said]:
    return [replace(one, subject=None) for pair in load() for one in (pair.older, pair.newer)]


def test_what_the_detectors_propose_is_never_refused(said: list[Said]) -> None:
    """Every labelled pair in both directions, and texts that stand near each other in the set."""
    rng = random.Random(59)
    pairs = [(n, n + 1) for n in range(0, len(said), 2)]
    pairs += [(b, a) for a, b in pairs]
    for _ in range(2_000):
        one = rng.randrange(len(said) - 40)
        pairs.append((one, one + rng.randrange(1, 40)))
    kept = [sketch(one.text) for one in said]
    proposed = refused = 0
    for a, b in pairs:
        may = possible(said[a].text, said[b].text, kept[a], kept[b])
        found = detect(said[a], said[b])
        assert may or found is None, (said[a].text, said[b].text)
        proposed += found is not None
        refused += not may
    assert proposed > 300
    assert refused > 0.6 * len(pairs), "it is there to refuse"


@pytest.mark.parametrize(
    ("older", "newer", "may"),
    [
        ("The rent is 900 euros", "The rent is 950 euros", True),
        ("The rent is 900 euros", "The dog has 4 legs", False),
        ("The shop is open", "The shop is not open", True),
        ("The shop is open", "The bakery opens early and sells bread", False),
        ("The pot on the stove is blue", "The pot on the stove is red", True),
        ("The pot on the stove is heavy", "The pot on the stove is hot", False),
        ("Ana lives in Porto", "Ana now lives in Lisbon", True),
    ],
)
def test_by_hand(older: str, newer: str, may: bool) -> None:
    assert possible(older, newer, sketch(older), sketch(newer)) is may


def test_sketches_are_of_the_text_that_something_has_now_and_bounded() -> None:
    kept = Sketches(2)
    first = kept.of(1, "one")
    assert kept.of(1, "one") is first
    assert kept.of(1, "two") is not first
    kept.of(2, "three")
    assert kept.of(1, "one") is not first, "all are dropped when there are too many"


def test_plain_words_are_taken_as_the_rules_take_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short cut for words against all the rules, on texts made of what they are about."""
    rng = random.Random(7)
    parts = (
        "may", "May 3", "mar", "Jan.", "halb neun", "between 3 and 4", "zwischen", "v1.2.3", "a-b", "a.b.c", "x@y.z",
        "l/m", "it's", "C++", "3 pm", "abc..d", "abc.-", "foo_bar", "don't-x", "ü-b", "12kg", "naïve/x", "...", "e.g.",
        "sept 4", "end-to-end.", "x-1", "中文", "AC/DC", "rock'n'roll", "mayor", "-5", ",", "?", "shop",
    )  # fmt: skip
    texts = ["".join(rng.choice(parts) + rng.choice(("", " ", " ", ". ")) for _ in range(8)) for _ in range(2_000)]
    quick = [values.scan(text) for text in texts]
    monkeypatch.setattr(values, "_PLAIN", values.re.compile("(?!)"))
    assert [values.scan(text) for text in texts] == quick
