"""Hits that say nearly the same: behind the others when somebody wants it, never out of sight."""

from __future__ import annotations

from typing import Any

import pytest
from store_driver import Opener, ids

SPREAD = {"recall": {"alike_factor": 0.5}}


def filled(store: Any, count: int = 30) -> Any:
    for n in range(count):
        store.remember(f"Ana likes window seats on long night trains, note {n}", thought_id=f"seat-{n:02}")
    store.remember("Ana must not fly: trains only", thought_id="fly")
    return store


def test_what_says_something_else_comes_up(opener: Opener) -> None:
    store = filled(opener(embedder=False, config={"recall": {"alike_factor": 0.0}}))
    answer = store.recall("Ana likes window seats on night trains", top_k=5)
    assert ids(answer)[0].startswith("seat-")
    assert "fly" in ids(answer)[:2]
    assert len(answer.hits) == 5, "the others fill up"


def test_by_default_nothing_is_spread(opener: Opener) -> None:
    store = filled(opener(embedder=False))
    answer = store.recall("Ana likes window seats on night trains", top_k=5)
    assert "fly" not in ids(answer)
    assert all("alike" not in hit.contributions for hit in answer.hits)


def test_the_factor_is_a_contribution_and_scores_stay_sums(opener: Opener) -> None:
    """Nine words, eight of them shared: 8 / 10 = .8 of the distinct ones; the second keeps half of its score."""
    store = opener(embedder=False, config=SPREAD)
    plain = opener("plain.db", embedder=False)
    for some in (store, plain):
        some.remember("one two three four five six seven eight alpha", thought_id="a")
        some.remember("one two three four five six seven eight beta", thought_id="b")
    spread, before = store.recall("alpha two three"), plain.recall("alpha two three")
    assert ids(spread) == ids(before) == ["a", "b"]
    assert spread.hits[0].score == before.hits[0].score
    assert spread.hits[1].score == pytest.approx(before.hits[1].score / 2)
    assert spread.hits[1].contributions["alike"] == pytest.approx(-before.hits[1].score / 2)
    assert sum(spread.hits[1].contributions.values()) == pytest.approx(spread.hits[1].score)


def test_below_the_share_nothing_is_alike(opener: Opener) -> None:
    """Seven of eleven distinct words: .64."""
    store = opener(embedder=False, config=SPREAD)
    store.remember("one two three four five six seven alpha gamma", thought_id="a")
    store.remember("one two three four five six seven beta delta", thought_id="b")
    assert all("alike" not in h.contributions or not h.contributions["alike"] for h in store.recall("one alpha").hits)


def test_two_speakers_may_say_the_same(opener: Opener) -> None:
    store = opener(embedder=False, config=SPREAD)
    for name in ("Ana", "Ben"):
        store.remember("the blue pot stands on the stove by the door", thought_id=name, speaker=name)
    answer = store.recall("the blue pot")
    assert len(answer.hits) == 2
    assert not any(hit.contributions.get("alike") for hit in answer.hits)


def test_why_not_says_whom_it_is_like(opener: Opener) -> None:
    store = filled(opener(embedder=False, config=SPREAD))
    question = "Ana likes window seats on night trains"
    shown = ids(store.recall(question, top_k=2))
    first = next(name for name in shown if name.startswith("seat-"))
    lost = next(f"seat-{n:02}" for n in range(30) if f"seat-{n:02}" not in shown)
    reason = store.why_not(question, lost, top_k=2)
    assert reason.stage == "alike"
    assert reason.numbers["like"] == first
    assert first in reason.sentence


def test_an_answer_that_was_spread_is_replayed(opener: Opener) -> None:
    store = filled(opener(embedder=False, config=SPREAD), 6)
    answer = store.recall("Ana likes window seats on night trains", top_k=3)
    assert store.replay(answer.query_id).identical
