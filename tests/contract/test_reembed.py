"""Field case 22. `reembed`: another model for all, made beside the old one, switched at once, given up until then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from store_driver import Opener

import simonides
from simonides import ConfigError, Draft, EmbeddingError, ModelMismatchError
from simonides.embedders import CallbackEmbedder, resolve

QUIET = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}, "embedding": {"batch": 10}}


def fill(store: Any, count: int = 35) -> None:
    store.remember_many([Draft(content=f"note number {n} about tea", thought_id=f"t{n}") for n in range(count)])
    store.remember("elsewhere", thought_id="e", namespace="other")
    store.remember("given", thought_id="g", vector=[1.0] * 64)


def test_all_vectors_are_of_the_new_model(opener: Opener) -> None:
    store = opener(config=QUIET)
    fill(store)
    before = store.recall("note number 7", top_k=3)
    steps: list[tuple[int, int]] = []
    done = store.reembed("hashing:32", progress=lambda *step: steps.append(step))
    assert (done.model_id, done.made, done.left_pending, done.switched) == ("hashing:32", 37, 0, True)
    assert steps == [(0, 37), (10, 37), (20, 37), (30, 37), (37, 37)]
    stats = store.stats()
    assert (stats.model_id, stats.dimension, stats.vectors, stats.pending_embeddings) == ("hashing:32", 32, 36, 0)
    answer = store.recall("note number 7", top_k=3)
    assert ("vector" in answer.backends_used, answer.degraded) == (True, ())
    assert answer.hits[0].thought_id == before.hits[0].thought_id == "t7"
    wanted = resolve("hashing:32").embed_documents(["note number 7 about tea"])[0]
    assert store.search_similar(wanted, 1) == [("t7", 1.0)]
    assert store.search_similar(resolve("hashing:32").embed_documents(["given"])[0], 1)[0][0] == "g"
    assert store.changes()[-1].kind == "vectors.replaced"
    assert store.remember("new one", thought_id="n").embedding == "present"
    assert store.verify().ok


def test_the_old_model_answers_until_the_switch_and_it_can_be_given_up(opener: Opener) -> None:
    store = opener(config=QUIET)
    fill(store)
    seen: list[Any] = []

    def look(done: int, total: int) -> None:
        answer = store.recall("note number 7", top_k=1)
        seen.append((answer.hits[0].thought_id, "vector" in answer.backends_used, store.stats().model_id))
        if done == 20:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        store.reembed("hashing:32", progress=look)
    assert set(seen) == {("t7", True, "hashing:64")}
    with pytest.raises(ConfigError, match="under way"):
        store.reembed("hashing:16")
    assert store.reembed_cancel() is True
    assert store.reembed_cancel() is False
    assert store.stats().model_id == "hashing:64"
    assert store.reembed("hashing:16").made == 37


def test_a_run_that_was_stopped_goes_on(opener: Opener) -> None:
    store = opener(config=QUIET)
    fill(store)

    def stop(done: int, total: int) -> None:
        if done == 20:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        store.reembed("hashing:32", progress=stop)
    store.update_thought("t3", content="changed meanwhile")
    store.delete_thought("t4")
    store.forget(thought_ids=["t5"], reason="r")
    store.remember("written meanwhile", thought_id="w")
    done = store.reembed("hashing:32")
    assert (done.made, done.left_pending) == (37 - 20 + 1 + 1, 0)
    stats = store.stats()
    assert (stats.vectors, stats.pending_embeddings) == (35, 0)
    assert store.verify().problems == ()


def test_an_embedder_that_fails_leaves_the_old_model_in_use(opener: Opener) -> None:
    store = opener(config=QUIET)
    fill(store)
    calls: list[int] = []

    def embed(texts: list[str]) -> list[list[float]]:
        calls.append(len(texts))
        if len(calls) == 3:
            raise ConnectionError("down")
        return [[float(len(text)), 1.0, 2.0] for text in texts]

    with pytest.raises(EmbeddingError):
        store.reembed(embed)
    assert store.stats().model_id == "hashing:64"
    assert store.recall("note number 7").hits[0].thought_id == "t7"
    assert store.reembed(embed).left_pending == 0
    assert store.stats().dimension == 3


def test_texts_without_a_vector_are_not_pending(opener: Opener) -> None:
    store = opener(config=QUIET, embedder=False)
    store.remember("!!! ???", thought_id="none")
    store.remember("words", thought_id="some")
    store.reembed("builtin")
    assert [store.get_thought(name).embedding for name in ("none", "some")] == ["none", "present"]


def test_the_same_model_is_nothing_to_do(opener: Opener) -> None:
    store = opener(config=QUIET)
    fill(store)
    done = store.reembed("hashing:64")
    assert (done.switched, done.made) == (False, 0)
    with pytest.raises(ConfigError, match="no embedder"):
        store.reembed(False)


def test_other_handles_see_the_switch_and_never_mix(path: Path) -> None:
    with (
        simonides.open(path, embedder="hashing:64", config=QUIET) as writer,
        simonides.open(path, embedder="hashing:64", config=QUIET) as other,
    ):
        fill(writer)
        assert "vector" in other.recall("note").backends_used
        writer.reembed(_other_of_same_length())
        answer = other.recall("note number 7")
        assert "vector" not in answer.backends_used
        assert [problem.what for problem in answer.degraded] == ["vector"]
        assert answer.hits[0].thought_id == "t7"
        with pytest.raises(ModelMismatchError, match="stored: other"):
            other.remember("by the old model")
        assert len(other.search_similar([1.0] * 64, 5)) == 5
        assert other.verify().ok


def _other_of_same_length() -> Any:
    hashing = resolve("hashing:64")
    return CallbackEmbedder(lambda texts: -hashing.embed_documents(texts), model_id="other")


def test_writers_go_on_and_nothing_of_theirs_is_lost(path: Path) -> None:
    with simonides.open(path, embedder="hashing:64", config=QUIET) as store:
        fill(store, 200)
        stop, written, errors = threading.Event(), [], []

        def write() -> None:
            try:
                while not stop.is_set():
                    n = len(written)
                    written.append(store.remember(f"late {n}", thought_id=f"late{n}").thought_id)
                    store.update_thought(f"t{n % 100}", content=f"note number {n % 100} changed {n}")
                    if n % 5 == 0:
                        assert store.recall("late").hits
            except BaseException as error:  # noqa: BLE001  # the edge of a thread
                errors.append(error)

        threads = [threading.Thread(target=write)]
        for thread in threads:
            thread.start()
        for model in ("hashing:32", "hashing:48", "hashing:32"):
            store.reembed(model)
        stop.set()
        for thread in threads:
            thread.join()
        assert errors == []
        store.embed_pending()
        stats = store.stats()
        assert (stats.vectors, stats.pending_embeddings, stats.model_id) == (stats.passages, 0, "hashing:32")
        assert len(store.get_thoughts(written)) == len(written)
        assert store.verify().problems == ()


KILLED = """
import sys, simonides
config = {"store": {"synchronous": "NORMAL"}, "embedding": {"batch": 5}, "audit": {"mode": "off"}}
with simonides.open(sys.argv[1], embedder="hashing:16", config=config) as store:
    def progress(done, total):
        print(done, flush=True)
        sys.stdin.readline()
    store.reembed("hashing:24", progress=progress)
    print("switched", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("after", [1, 4, 9, 10])
def test_a_kill_at_any_moment_leaves_one_model_and_the_work_goes_on(path: Path, after: int) -> None:
    with simonides.open(path, embedder="hashing:16", config=QUIET) as store:
        store.remember_many([Draft(content=f"note {n}", thought_id=f"t{n}") for n in range(40)])
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdin is not None
    line = child.stdout.readline()
    for _ in range(after - 1):
        child.stdin.write("\n")
        child.stdin.flush()
        line = child.stdout.readline()
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    with simonides.open(path, embedder=False, config=QUIET) as store:
        expected = "hashing:24" if line.strip() == "switched" else "hashing:16"
        assert store.stats().model_id == expected
        assert store.verify().problems == ()
    with simonides.open(
        path, embedder="hashing:16" if expected == "hashing:16" else "hashing:24", config=QUIET
    ) as store:
        assert "vector" in store.recall("note 3").backends_used
        store.reembed("hashing:24")
        assert (store.stats().vectors, store.stats().model_id) == (40, "hashing:24")
        assert store.verify().problems == ()
