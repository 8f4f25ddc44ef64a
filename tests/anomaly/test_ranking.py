"""Field cases 51, 53 and 55: copies, ties and the order of the text leg."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from store_driver import Opener, ids

import simonides
from simonides import Draft

SAME = "Ana likes window seats on trains"


@pytest.fixture
def copies(opener: Opener) -> Any:
    store = opener()
    store.remember_many([Draft(content=SAME, thought_id=f"copy{n:02}") for n in range(60)])
    store.remember("Ana must not fly; trains only", thought_id="second")
    return store


def test_identical_texts_count_once_and_leave_room_for_the_second_fact(copies: Any) -> None:
    """Case 51."""
    for verb in (copies.recall, copies.retrieve):
        answer = verb("Ana trains", **({"top_k": 5} if verb == copies.recall else {}))
        assert sorted(hit.copies for hit in answer.hits) == [0, 59]
        assert "second" in ids(answer)
    assert copies.count_thoughts() == 60 + 1


def test_the_full_list_is_there_on_request(copies: Any) -> None:
    """Case 51: `search_hybrid` does not fold texts."""
    assert len(copies.search_hybrid("Ana trains", top_k=61).hits) == 61


def test_the_same_words_by_another_speaker_are_another_memory(opener: Opener) -> None:
    """Case 51: who said it is part of what was said."""
    store = opener()
    for n, speaker in enumerate(("Ana", "Ben", "Ana", None)):
        store.remember("I will come", thought_id=str(n), speaker=speaker)
    answer = store.recall("who will come")
    assert sorted((hit.thought.speaker or "-", hit.copies) for hit in answer.hits) == [("-", 0), ("Ana", 1), ("Ben", 0)]


CHILD = """
import json, sys, simonides
with simonides.open(sys.argv[1], embedder=False, read_only=True) as store:
    budgets = [simonides.Budget(max_units=k) for k in (1, 10, 20)]
    ask = [store.retrieve("gasket", query_vector=[0, 1], budget=budget).results for budget in budgets]
    ask.append(store.search_hybrid("gasket", [0, 1], top_k=20).results)
    ask.append(store.recall("gasket", query_vector=[0, 1], top_k=20).results)
print(json.dumps(ask))
"""


def ties(path: Path, order: list[int]) -> None:
    """Ten equal texts without the vector's direction, and ten other texts that share it: two disjoint, tied lists."""
    drafts = [Draft(content="gasket", thought_id=f"w{n}", vector=[1, 0], speaker=f"s{n}") for n in range(10)]
    drafts += [Draft(content=f"other{n}", thought_id=f"v{n}", vector=[0, 1]) for n in range(10)]
    with simonides.open(path, embedder=False, config={"store": {"synchronous": "NORMAL"}}) as store:
        store.remember_many([drafts[n] for n in order])


def test_ties_come_out_the_same_in_every_process_and_whatever_the_order_of_insertion(tmp_path: Path) -> None:
    """Case 53: ties are settled by stage rank, then by id; never by hash or row number."""
    order = list(range(20))
    ties(tmp_path / "a.db", order)
    random.Random(3).shuffle(order)
    ties(tmp_path / "b.db", order)
    answers = set()
    for seed in range(4):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(tmp_path / "ab"[seed % 2]) + ".db"],
            capture_output=True, text=True, timeout=60, check=True, env=environment,
        )  # fmt: skip
        answers.add(done.stdout)
    assert len(answers) == 1
    one, ten, twenty, hybrid, _ = json.loads(answers.pop())
    assert [name for name, _ in twenty[:10]] == [name for name, _ in ten]
    assert ten[0] == one[0]
    assert {name for name, _ in twenty} == {f"{kind}{n}" for kind in "wv" for n in range(10)}
    assert hybrid == sorted(hybrid, key=lambda pair: (-pair[1], pair[0]))


def test_shuffled_insertion_changes_no_answer(tmp_path: Path) -> None:
    """Case 53, without new processes but over more orders."""
    answers = []
    for n in range(5):
        order = list(range(20))
        random.Random(n).shuffle(order)
        ties(tmp_path / f"{n}.db", order)
        with simonides.open(tmp_path / f"{n}.db", embedder=False) as store:
            for k in (1, 3, 10, 20):
                answers.append((k, tuple(store.search_hybrid("gasket", [0, 1], top_k=k).results)))
                answers.append((-k, tuple(store.search_fts("gasket", k) + store.search_similar([0, 1], k))))
    assert len(set(answers)) == 8


def test_a_shorter_list_is_the_beginning_of_a_longer_one(opener: Opener) -> None:
    """Case 53: equal scores, limits 1, 3 and 10."""
    store = opener(embedder=False)
    store.remember_many([Draft(content="gasket", thought_id=f"w{n}", vector=[0, 1]) for n in range(10)])
    for ask in (lambda k: store.search_fts("gasket", k), lambda k: store.search_similar([0, 1], k)):
        assert ids(ask(10)) == [f"w{n}" for n in range(10)]
        for k in (1, 3):
            assert ask(k) == ask(10)[:k]


@pytest.fixture
def gaskets(opener: Opener) -> Any:
    store = opener(embedder=False)
    store.remember("gasket gasket gasket", thought_id="short")
    store.remember("the gasket of the old pump in the cellar was seen by nobody for a year " * 3, thought_id="long")
    store.remember("a valve without a seal", thought_id="none")
    return store


def test_more_of_the_word_in_a_shorter_note_is_better(gaskets: Any) -> None:
    """Case 55."""
    answer = gaskets.search_hybrid("gasket", vector_weight=0, recency_weight=0, priority_weight=0)
    assert ids(answer) == ["short", "long"]
    first, second = [score for _, score in answer.results]
    assert 0 < second < first <= 1
    pairs = gaskets.search_fts("gasket")
    assert ids(pairs) == ["short", "long"]
    assert pairs[0][1] > pairs[1][1] > 0


def test_a_single_hit_is_not_worth_nothing_and_equal_hits_are_worth_the_same(opener: Opener) -> None:
    """Case 55."""
    store = opener(embedder=False)
    store.remember("a gasket here", thought_id="a")
    single = store.search_hybrid("gasket", vector_weight=0).hits[0].contributions["fts"]
    assert 0 < single <= 1
    store.remember("a gasket here", thought_id="b")
    store.remember("a gasket here", thought_id="c")
    for verb in (store.search_hybrid, store.search_fts):
        answer = verb("gasket")
        rows = answer if isinstance(answer, list) else answer.results
        assert [name for name, _ in rows] == ["a", "b", "c"]
        assert len({score for _, score in rows}) == 1


def test_a_weak_row_does_not_change_the_scores_of_the_others(opener: Opener) -> None:
    """Case 55 and five-signal §4: a scale that looks at the row alone. N and df are kept equal by a neutral note."""
    scores = []
    for weak in (False, True):
        store = opener("weak.db" if weak else "strong.db", embedder=False)
        store.remember("gasket gasket pump", thought_id="a", vector=[1, 0])
        store.remember("gasket valve pipe", thought_id="b", vector=[1, 1])
        store.remember("entirely different thing", thought_id="c", vector=[-1, 0] if not weak else [0.01, 1])
        scores.append({n: s for n, s in store.search_hybrid("gasket", [1, 0]).results if n != "c"})
    assert scores[0] == scores[1]
