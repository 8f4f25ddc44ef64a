"""Field cases 22, 24 and 26: another model, vectors without a direction, embedders that hang or lie."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from store_driver import Loop, Opener, ids

import simonides
from simonides import InvalidVectorError, ModelInfo, ModelMismatchError


class Named:
    """An embedder of three numbers with a name of its own. Same length, other meaning."""

    zero_means_unknown = False

    def __init__(self, name: str, turn: int = 0, make: Callable[[Sequence[str]], Any] | None = None) -> None:
        self.info = ModelInfo(name, 3, f"weights of {name}")
        self._turn, self._make = turn, make

    def embed_documents(self, texts: Sequence[str]) -> Any:
        if self._make is not None:
            return self._make(texts)
        rows = [[1.0 + text.count("e"), 1.0 + text.count("o"), len(text)] for text in texts]
        return np.roll(np.array(rows, np.float32).reshape(len(texts), 3), self._turn, axis=1)

    embed_queries = embed_documents


def test_vectors_of_another_model_are_never_mixed_and_text_goes_on(path: Path) -> None:
    """Case 22."""
    with simonides.open(path, embedder=Named("m1")) as store:
        for n in range(5):
            store.remember(f"the note number {n}", thought_id=f"m1-{n}")
        assert store.stats().vectors == 5
    with simonides.open(path, embedder=Named("m2", turn=1)) as store:
        with pytest.raises(ModelMismatchError) as caught:
            store.remember("the sixth note", thought_id="m2")
        assert "stored: m1" in str(caught.value)
        assert "configured: m2" in str(caught.value)
        answer = store.recall("note number")
        assert "vector" not in answer.backends_used
        assert len(answer.hits) == 5
        (problem,) = answer.degraded
        assert "stored: m1" in problem.reason
        assert "configured: m2" in problem.reason
        assert store.stats().vectors == store.count_thoughts() == 5
    with simonides.open(path, embedder=False) as store:  # writing without vectors is open to everybody
        assert store.remember("the sixth note", thought_id="m2").embedding == "none"
    with simonides.open(path, embedder=Named("m1")) as store:
        assert "vector" in store.recall("note number").backends_used
        assert store.verify().ok


def test_the_same_name_with_other_weights_is_another_model(path: Path) -> None:
    """Case 22."""
    with simonides.open(path, embedder=Named("m1")) as store:
        store.remember("the note")
    changed = Named("m1")
    changed.info = ModelInfo("m1", 3, "other weights")
    with simonides.open(path, embedder=changed) as store:
        assert [d.what for d in store.recall("note").degraded] == ["vector"]


def test_given_vectors_of_a_store_without_embedder_stay_apart_from_a_model(path: Path) -> None:
    """Case 22."""
    with simonides.open(path, embedder=False) as store:
        store.remember("the note", vector=[1, 0, 0])
    with simonides.open(path, embedder=Named("m1")) as store:
        assert [d.what for d in store.recall("note").degraded] == ["vector"]
        assert ids(store.search_similar([1, 0, 0], threshold=0.5))
    with simonides.open(path) as store:  # nobody chose an embedder: the store's vectors decide
        assert store.recall("note").degraded == ()


def test_vectors_without_direction_are_refused_and_no_score_is_ever_not_finite(opener: Opener) -> None:
    """Case 24."""
    store = opener(embedder=False)
    store.remember("alpha", thought_id="a", vector=[1, 0, 0])
    for name, vector in (("b", [0, 0, 0]), ("c", [float("nan"), 1, 0]), ("d", [float("inf"), 0, 0])):
        with pytest.raises(InvalidVectorError):
            store.remember(name, thought_id=name, vector=vector)
    store.remember("epsilon", thought_id="e", vector=[1e38, 1e38, 1e38])
    store.remember("zeta", thought_id="z", vector=[1e-300, 0, 1e-300])
    assert store.search_similar([1, 0, 0]) == [
        ("a", pytest.approx(1.0, abs=1e-6)),
        ("z", pytest.approx(0.5**0.5, abs=1e-6)),
        ("e", pytest.approx((1 / 3) ** 0.5, abs=1e-6)),
    ]
    for verb in (store.recall, store.retrieve, store.search_hybrid):
        answer = verb("alpha", query_vector=[1e300, 0, 0])
        assert json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    for vector in ([0, 0, 0], [float("nan"), 0, 0], [float("-inf"), 0, 0]):
        for ask in (
            lambda v=vector: store.search_similar(v),
            lambda v=vector: store.recall("alpha", query_vector=v),
            lambda v=vector: store.search_hybrid("alpha", v),
            lambda v=vector: store.retrieve("alpha", query_vector=v),
        ):
            with pytest.raises(InvalidVectorError):
                ask()


BROKEN = {
    "raises": lambda texts: 1 / 0,
    "wrong length": lambda texts: np.ones((len(texts), 2)),
    "wrong number": lambda texts: np.ones((len(texts) + 1, 3)),
    "not finite": lambda texts: np.full((len(texts), 3), np.nan),
    "zeros": lambda texts: np.zeros((len(texts), 3)),
    "no table": lambda texts: ["a"] * len(texts),
    "nothing": lambda texts: None,
}


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN.keys())
def test_an_embedder_that_breaks_leaves_the_text_leg(path: Path, fault: Callable[[Sequence[str]], Any]) -> None:
    """Case 26."""
    with simonides.open(path, embedder=Named("m")) as store:
        store.remember("keyword only target", thought_id="t")
    with simonides.open(path, embedder=Named("m", make=fault)) as store:
        answer = store.recall("keyword target")
        assert ids(answer) == ["t"]
        assert [d.what for d in answer.degraded] == ["vector"]
        assert store.remember("another target", thought_id="u").embedding == "pending"
        assert store.stats().vectors == 1
    with simonides.open(path, embedder=Named("m")) as store:
        assert store.embed_pending() == 1
        assert store.recall("keyword target").degraded == ()


class Hanging(Named):
    """Does not come back until it is let go."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.gate = threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.gate.wait(60)
        return super().embed_documents(texts)

    embed_queries = embed_documents


IMPATIENT = {"embedding": {"query_deadline_s": 0.2, "write_deadline_s": 0.2}}


def test_a_hanging_embedder_costs_its_deadline_and_no_more(path: Path) -> None:
    """Case 26."""
    with simonides.open(path, embedder=Named("m")) as store:
        store.remember("keyword only target", thought_id="t")
    slow = Hanging("m")
    with simonides.open(path, embedder=slow, config=IMPATIENT) as store:
        started = time.monotonic()
        answer = store.recall("keyword target")
        made = store.remember("written meanwhile", thought_id="w")
        assert time.monotonic() - started < 5
        assert ids(answer) == ["t"]
        assert [(d.what, d.reason.startswith("timeout")) for d in answer.degraded] == [("vector", True)]
        assert made.embedding == "pending"
        slow.gate.set()
        assert store.embed_pending() == 1
        assert "vector" in store.recall("keyword target").backends_used


def test_a_budget_of_milliseconds_shortens_the_wait(path: Path) -> None:
    """Case 26."""
    with simonides.open(path, embedder=Named("m")) as store:
        store.remember("keyword only target", thought_id="t")
    slow = Hanging("m")
    with simonides.open(path, embedder=slow) as store:
        started = time.monotonic()
        answer = store.recall("keyword target", budget=simonides.Budget(max_ms=50))
        assert time.monotonic() - started < 3
        assert ids(answer) == ["t"]
        assert answer.degraded
        slow.gate.set()


def test_a_hanging_embedder_does_not_block_the_event_loop(path: Path, loop: Loop) -> None:
    """Case 26."""
    with simonides.open(path, embedder=Named("m")) as store:
        store.remember("keyword only target", thought_id="t")
    slow = Hanging("m")

    async def story() -> tuple[int, Any]:
        async with simonides.open_async(path, embedder=slow, config=IMPATIENT) as store:
            asking = asyncio.create_task(store.recall("keyword target"))
            turns = 0
            while not asking.done():
                await asyncio.sleep(0.005)
                turns += 1
            slow.gate.set()
            return turns, await asking

    turns, answer = loop.run(story())
    assert turns >= 3
    assert ids(answer) == ["t"]


def test_many_hanging_calls_are_bounded_and_later_ones_work(path: Path) -> None:
    """Case 26."""
    with simonides.open(path, embedder=Named("m")) as store:
        store.remember("keyword only target", thought_id="t")
    slow = Hanging("m")
    config = {"embedding": {"query_deadline_s": 0.02, "write_deadline_s": 0.02}}
    with simonides.open(path, embedder=slow, config=config) as store:
        before = threading.active_count()
        for _ in range(20):
            assert ids(store.recall("keyword target")) == ["t"]
        assert threading.active_count() - before <= 20
        slow.gate.set()
        deadline = time.monotonic() + 20
        while store.recall("keyword target").degraded and time.monotonic() < deadline:
            time.sleep(0.01)
        assert store.recall("keyword target", budget=simonides.Budget(max_ms=5_000)).hits
