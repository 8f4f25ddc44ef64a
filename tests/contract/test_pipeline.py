"""`retrieve` as its page describes it: legs, scopes, context, budgets. What the other files do not hold yet."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from store_driver import START, HandClock

import simonides
from simonides import Budget, Draft, Profile
from simonides.read.budget import estimate_tokens

QUICK: dict[str, Any] = {"store": {"synchronous": "NORMAL"}}


def pointing(angle: float) -> list[float]:
    """A vector in two dimensions whose cosine with (1, 0) is `angle` ∈ [0, 1]."""
    return [angle, (1 - angle * angle) ** 0.5]


@pytest.fixture
def given(clock: HandClock) -> Any:
    """An empty store for vectors that the tests bring along."""
    with simonides.open(":memory:", embedder=False, clock=clock, config=QUICK) as store:
        yield store


def ids(answer: simonides.HybridSearchResult) -> list[str]:
    return [hit.thought_id for hit in answer.hits]


# ------------------------------------------------------------------ legs


def test_a_leg_of_weight_nought_does_not_run(clock: HandClock) -> None:
    asked: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return [[1.0, float(len(text))] for text in texts]

    with simonides.open(":memory:", embedder=embed, clock=clock, config=QUICK) as store:
        store.remember("the blue pot", thought_id="pot")
        asked.clear()
        keyword = store.retrieve("blue", profile="keyword")
        assert (asked, keyword.vectors_scored, sorted(keyword.backends_used)) == ([], 0, ["fts5"])
        semantic = store.retrieve("blue", profile="semantic")
        assert (asked, sorted(semantic.backends_used)) == (["blue"], ["vector"])
        assert "fts" not in semantic.hits[0].contributions
        assert [entry.mode for entry in store.log.list()] == ["vector", "fts"]


def test_a_concept_narrows_the_vector_leg_only(given: simonides.Store) -> None:
    """In hybrid mode a hit of the text leg may lack the concept: the page says so, and it is meant."""
    given.remember("blue pot", thought_id="with", concepts=["kitchen"], vector=pointing(0.5))
    given.remember("blue boat", thought_id="without", vector=pointing(0.9))
    given.remember("grey", thought_id="far", vector=pointing(0.8))
    asked = {"query_vector": pointing(1.0)}
    narrow = Profile(concept_filter="kitchen")
    assert ids(given.retrieve("blue", profile=Profile("semantic", concept_filter="kitchen"), **asked)) == ["with"]
    assert sorted(ids(given.retrieve("blue", profile=narrow, **asked))) == ["with", "without"]
    assert [
        h.parts[-1].rank for h in given.retrieve("blue", profile=narrow, **asked).hits if h.thought_id == "without"
    ] == [None]


def test_exact_names_come_by_the_text_leg_where_the_vector_leg_would_miss_them(given: simonides.Store) -> None:
    given.remember_many(Draft(content=f"note {n}", vector=pointing(0.9)) for n in range(150))
    given.remember("invoice INV-2291", thought_id="invoice", vector=pointing(0.0))
    answer = given.retrieve("INV-2291", query_vector=pointing(1.0))
    assert "invoice" in ids(answer)[:2]  # first of one leg, as the first of the other
    assert next(hit for hit in answer.hits if hit.thought_id == "invoice").score == pytest.approx(1 / 61)


# ------------------------------------------------------------------ recency


def test_the_boost_of_recency_by_hand_and_none_by_default(given: simonides.Store, clock: HandClock) -> None:
    """score × (1 + boost / (1 + age in days)); ages of 0, 1 and 3 days, one leg, k = 60."""
    for days, name in ((3, "c"), (1, "b"), (0, "a")):
        given.remember(f"pot {name * 3}", thought_id=name)
        given.update_thought(name, updated_at=START - timedelta(days=days), priority="P2")
    plain = given.retrieve("pot", profile="keyword", min_score=0.0)
    assert "recency_boost" not in plain.hits[0].contributions
    boosted = given.retrieve("pot", profile="keyword", recency_boost=0.5)
    places = {hit.thought_id: hit for hit in boosted.hits}
    for rank, (name, age) in enumerate((("a", 0), ("b", 1), ("c", 3)), 1):
        fused = 1 / (60 + rank)  # equally good texts: places go by id
        assert places[name].score == pytest.approx(fused * (1 + 0.5 / (1 + age)), rel=1e-12)


def test_equal_scores_keep_the_order_of_the_fusion(given: simonides.Store) -> None:
    """b is first of the text leg, a of the vector leg, so both have 1/61 + 1/62; the fusion orders them by id."""
    given.remember("pot pot", thought_id="b", vector=pointing(0.5))
    given.remember("pot and pan and kettle", thought_id="a", vector=pointing(0.9))
    answer = given.retrieve("pot", query_vector=pointing(1.0), recency_boost=1.0)
    assert [round(hit.score, 15) for hit in answer.hits] == [round((1 / 61 + 1 / 62) * 2, 15)] * 2
    assert ids(answer) == ["a", "b"]


# ------------------------------------------------------------------ what was superseded


@pytest.fixture
def replaced(given: simonides.Store) -> simonides.Store:
    """`old` matches best and is superseded by `new`; `other` says something else."""
    given.remember("the door code is 4471", thought_id="old", vector=pointing(0.99))
    given.remember("the new code of the door: 9026", thought_id="new", supersedes="old", vector=pointing(0.6))
    given.remember("the door is green", thought_id="other", vector=pointing(0.3))
    return given


@pytest.mark.parametrize("verb", ["recall", "retrieve"])
def test_what_is_superseded_is_marked_halved_or_left_out(replaced: simonides.Store, verb: str) -> None:
    def ask(**options: Any) -> simonides.HybridSearchResult:
        answer: simonides.HybridSearchResult = getattr(replaced, verb)(
            "door code", query_vector=pointing(1.0), **options
        )
        return answer

    marked = ask()
    assert ids(marked)[0] == "old"
    assert {hit.thought_id: hit.superseded_by for hit in marked.hits}["old"] == ("new",)
    halved = {hit.thought_id: hit for hit in ask(superseded="demote").hits}["old"]
    assert halved.contributions["superseded"] == pytest.approx(-halved.score)  # what was taken is what is left
    assert ids(ask(superseded="exclude")) == ["new", "other"]
    assert replaced.why_not("door code", "old", verb=verb, superseded="exclude").stage == "superseded"


def test_a_second_look_does_not_start_from_what_is_left_out(given: simonides.Store) -> None:
    """`old` alone knows the rare word zymurgy. Were it to lead, the hop would bring in what shares that word."""
    for n in range(6):
        given.remember(f"about gardens, part {n}", thought_id=f"g{n}")
    given.remember("the door code: zymurgy", thought_id="old")
    given.remember("zymurgy is the art of brewing", thought_id="led")
    given.remember("door and code are new", thought_id="new", supersedes="old")
    with_old = given.recall("door code")
    assert any(hit.contributions.get("hop") for hit in with_old.hits if hit.thought_id == "led")
    without = given.recall("door code", superseded="exclude")
    assert "old" not in ids(without)
    assert not any(hit.contributions.get("hop") for hit in without.hits if hit.thought_id == "led")


def test_leaving_out_many_does_not_shorten_the_answer(given: simonides.Store) -> None:
    """40 superseded rows match better than 5 others; all 5 come."""
    for n in range(40):
        given.remember("pot pot pot", thought_id=f"old{n:02}")
        given.remember("kettle", thought_id=f"new{n:02}", supersedes=f"old{n:02}")
    for n in range(5):
        given.remember(f"a pot in a garden that is far away {n}", thought_id=f"kept{n}")
    for verb in (given.recall, given.retrieve):
        assert sorted(ids(verb("pot", superseded="exclude"))) == [f"kept{n}" for n in range(5)]


def test_a_chain_of_five_thousand_is_followed_to_its_head(given: simonides.Store) -> None:
    given.remember_many(
        Draft(content="code" if n == 0 else f"v{n}", thought_id=f"v{n:04}", supersedes=f"v{n - 1:04}" if n else None)
        for n in range(5_000)
    )
    hit = given.retrieve("code", budget=Budget(max_units=1)).hits[0]
    assert (hit.thought_id, hit.superseded_by) == ("v0000", ("v0001", "v4999"))


def test_context_names_nothing_that_is_out_of_scope(given: simonides.Store) -> None:
    given.remember("the code is 1", thought_id="old", content_type="text")
    given.remember("secret", thought_id="new", content_type="code", supersedes="old")
    given.remember("no", thought_id="against", content_type="code")
    given.remember("yes", thought_id="pro", content_type="code")
    given.link("against", "old", "CONTRADICTS")
    given.link("pro", "old", "SUPPORTS")
    seen = given.retrieve("code").hits[0]
    assert (seen.superseded_by, seen.conflicts, seen.supported_by) == (("new",), ("against",), ("pro",))
    narrow = given.retrieve("code", content_type="text", superseded="exclude").hits[0]
    assert (narrow.thought_id, narrow.superseded_by, narrow.conflicts, narrow.supported_by) == ("old", (), (), ())


# ------------------------------------------------------------------ budgets


def test_exactly_the_cap_is_no_truncation_and_the_default_never_is(given: simonides.Store) -> None:
    given.remember_many(Draft(content="pot of five", thought_id=f"p{n:02}", speaker=f"s{n}") for n in range(12))
    assert given.retrieve("pot", budget=Budget(max_units=12)).truncated is False
    assert given.retrieve("pot", budget=Budget(max_units=11)).truncated is True
    assert given.retrieve("pot", budget=Budget(max_chars=12 * 11)).truncated is False
    assert given.retrieve("pot", budget=Budget(max_chars=12 * 11 - 1)).truncated is True
    default = given.retrieve("pot")
    assert (len(default.hits), default.truncated, default.left_out) == (10, False, ())


@pytest.mark.parametrize("letter", ["a ", "日"])
def test_case_57_what_fits_behind_what_does_not_comes_back(given: simonides.Store, letter: str) -> None:
    """Case 57: hits of 200, 30, 40 and 500 tokens, in letters that cost a token each or half of one."""
    per = 2 if letter == "a " else 1
    for n, tokens in enumerate((200, 30, 40, 500)):
        text = "pot " * (5 - n) + letter * per * (tokens - (5 - n))
        given.remember(text, thought_id=f"h{n}", speaker=f"s{n}")
    order = ids(given.retrieve("pot"))
    sizes = {hit.thought_id: estimate_tokens(hit.text) for hit in given.retrieve("pot").hits}
    assert [sizes[f"h{n}"] for n in range(4)] == [200, 30, 40, 500]
    for limit in (0, 1, 80, 10_000):
        answer = given.retrieve("pot", budget=Budget(max_tokens=limit))
        assert sum(estimate_tokens(hit.text) for hit in answer.hits) <= limit
        assert {*ids(answer), *(left.thought_id for left in answer.left_out)} == set(order)
        assert all(left.reason == "max_tokens" for left in answer.left_out)
        if limit == 80:
            assert sorted(ids(answer)) == ["h1", "h2"]
        if limit == 1:
            assert [(hit.thought_id, hit.cut) for hit in answer.hits] == [(order[0], True)]
        if limit == 0:
            assert answer.hits == ()
