"""What fits into a budget: whole hits, best first; skipped ones named; a cut only when nothing fits. Field case 57."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import simonides
from simonides import Budget, Hit
from simonides.read.budget import estimate_tokens, fit


@pytest.fixture(scope="module")
def hit() -> Hit:
    with simonides.open(":memory:", embedder=False) as store:
        store.remember("x", thought_id="x")
        return store.recall("x").hits[0]


def hits_of(hit: Hit, texts: Sequence[str]) -> list[Hit]:
    return [
        replace(hit, text=text, thought=replace(hit.thought, thought_id=f"h{n}"), rank=n + 1)
        for n, text in enumerate(texts)
    ]


def words(text: str) -> int:
    return len(text.split())


TOKENS = ["a " * 200, "b " * 30, "c " * 40, "d " * 500]


@pytest.mark.parametrize(
    ("tokens", "kept", "out"),
    [
        (0, [], ["h0", "h1", "h2", "h3"]),
        (80, ["h1", "h2"], ["h0", "h3"]),
        (70, ["h1", "h2"], ["h0", "h3"]),
        (69, ["h1"], ["h0", "h2", "h3"]),
        (10_000, ["h0", "h1", "h2", "h3"], []),
    ],
)
def test_a_hit_that_does_not_fit_is_skipped_and_named(hit: Hit, tokens: int, kept: list[str], out: list[str]) -> None:
    found, left, truncated = fit(hits_of(hit, TOKENS), Budget(max_tokens=tokens), words)
    assert [h.thought_id for h in found] == kept
    assert [(x.thought_id, x.reason) for x in left] == [(name, "max_tokens") for name in out]
    assert truncated is bool(out)
    assert sum(words(h.text) for h in found) <= tokens
    assert [x.size for x in left] == [words(TOKENS[int(x.thought_id[1:])]) for x in left]


def test_when_nothing_fits_the_best_is_cut_and_says_so(hit: Hit) -> None:
    found, left, truncated = fit(hits_of(hit, TOKENS), Budget(max_tokens=1), words)
    assert [(h.thought_id, h.cut, words(h.text)) for h in found] == [("h0", True, 1)]
    assert found[0].thought.content == "x"
    assert [x.thought_id for x in left] == ["h1", "h2", "h3"]
    assert truncated


def test_a_cut_never_splits_a_grapheme(hit: Hit) -> None:
    family = "👩‍👩‍👧‍👦"
    assert len(family) == 7
    found, _, _ = fit(hits_of(hit, [family * 3]), Budget(max_chars=13))
    assert [h.text for h in found] == [family]
    nothing, left, truncated = fit(hits_of(hit, [family]), Budget(max_chars=6))
    assert nothing == []
    assert [(x.thought_id, x.size) for x in left] == [("h0", 7)]
    assert truncated


def test_characters_are_code_points(hit: Hit) -> None:
    found, left, _ = fit(hits_of(hit, ["会议改到", "京都", "办公室"]), Budget(max_chars=6))
    assert [h.text for h in found] == ["会议改到", "京都"]
    assert [x.reason for x in left] == ["max_chars"]


def test_units_count_hits_and_nothing_is_cut_for_them(hit: Hit) -> None:
    found, left, truncated = fit(hits_of(hit, ["a", "b", "c"]), Budget(max_units=2))
    assert [h.thought_id for h in found] == ["h0", "h1"]
    assert [(x.thought_id, x.reason, x.size) for x in left] == [("h2", "max_units", 1)]
    assert truncated
    assert fit(hits_of(hit, ["a"]), Budget(max_units=0))[0] == []


def test_no_limit_keeps_everything(hit: Hit) -> None:
    found, left, truncated = fit(hits_of(hit, TOKENS), Budget())
    assert (len(found), left, truncated) == (4, [], False)
    assert fit([], Budget(max_chars=1)) == ([], [], False)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("会议", 2), ("ab会", 2), ("🙂", 1), ("a" * 400, 100)]
)
def test_tokens_are_estimated_by_hand(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
