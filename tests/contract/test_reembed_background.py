"""Field case 22. `reembed(background=True)`: a job that everybody sees, waited for, resumed, cancelled, tried again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest
from store_driver import HandClock, Opener

import simonides
from simonides import ConfigError, Draft, InvalidQueryError, NamespaceError, doctor
from simonides.embedders import CallbackEmbedder, resolve
from simonides.engine import read_model
from simonides.upkeep import next_trees

QUIET = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}, "embedding": {"batch": 10}}
LONG_S = 60.0  # a change that takes longer hangs


def fill(store: Any, count: int = 100) -> None:
    store.remember_many([Draft(content=f"note number {n} about tea", thought_id=f"t{n}") for n in range(count)])


class Gate:
    """Makes vectors, but waits at its gate when it is closed; keeps what it was asked."""

    def __init__(self, name: str = "gated", dimension: int = 24, *, is_open: bool = False) -> None:
        self.way, self.reached, self.texts = threading.Event(), threading.Event(), []  # type: ignore[var-annotated]  # list of texts
        if is_open:
            self.way.set()
        self._hashing = resolve(f"hashing:{dimension}")
        self.embedder = CallbackEmbedder(self._embed, model_id=name, dimension=dimension)

    def _embed(self, texts: list[str]) -> Any:
        self.reached.set()
        assert self.way.wait(LONG_S)
        self.texts += texts
        assert self._hashing is not None
        return self._hashing.embed_documents(texts)


def test_the_old_model_answers_and_writers_write_until_the_switch(opener: Opener) -> None:
    store = opener(config=QUIET)
    fill(store)
    gate = Gate()
    asked = store.reembed(gate.embedder, background=True)
    assert (asked.queued, asked.switched, asked.made, asked.left_pending) == (True, False, 0, 100)
    assert gate.reached.wait(LONG_S)
    answer = store.recall("note number 7", top_k=1)
    assert (answer.hits[0].thought_id, "vector" in answer.backends_used) == ("t7", True)
    assert store.stats().model_id == "hashing:64"
    under_way = store.reembed_progress()
    assert (under_way.model_id, under_way.state, under_way.done, under_way.total) == ("gated", "running", 0, 100)
    assert store.remember("written meanwhile about coffee", thought_id="w").embedding == "present"
    store.update_thought("t3", content="another text by now")
    store.forget(thought_ids=["t4"], reason="asked")
    gate.way.set()
    steps: list[tuple[int, int]] = []
    done = store.reembed_wait(LONG_S, progress=lambda *step: steps.append(step))
    assert (done.model_id, done.state, done.over, done.done, done.total) == ("gated", "switched", True, 100, 100)
    assert steps == sorted(steps)
    assert steps[-1][1] in (100, 101)
    assert store.reembed_progress() is None
    stats = store.stats()
    assert (stats.model_id, stats.vectors, stats.pending_embeddings) == ("gated", 100, 0)
    for text, name in (("written meanwhile about coffee", "w"), ("another text by now", "t3")):
        answer = store.recall(text, top_k=1)
        assert (answer.hits[0].thought_id, "vector" in answer.backends_used, answer.degraded) == (name, True, ())
    assert gate.texts.count("note number 7 about tea") == 1
    assert [job.state for job in store.jobs.list() if job.kind == "vectors.reembed"] == ["done"]
    assert store.verify().problems == ()


def test_progress_and_rate_are_seen_by_other_handles(path: Path) -> None:
    clock = HandClock()
    with simonides.open(path, embedder="hashing:64", config=QUIET, clock=clock) as store:
        fill(store, 50)
        assert store.reembed_progress() is None
        assert store.reembed_wait(0.0) is None

        def stop(done: int, total: int) -> None:
            if done == 20:
                raise RuntimeError("stop")

        with pytest.raises(RuntimeError):
            store.reembed("hashing:32", progress=stop)
        with simonides.open(path, embedder=False, read_only=True, clock=clock) as other:
            seen = other.reembed_progress()
            assert seen is not None
            assert (seen.model_id, seen.state, seen.done, seen.total) == ("hashing:32", "running", 20, 50)
            assert seen.passages_per_s > 0
            assert seen.seconds_left == round(30 / seen.passages_per_s, 1)
            clock.advance(121)
            seen = other.reembed_wait()
            assert seen is not None
            assert (seen.state, seen.over, seen.job_id) == ("stopped", False, None)
        assert store.reembed_cancel() is True


def test_a_change_in_the_background_can_be_cancelled(opener: Opener) -> None:
    store = opener(config=QUIET)
    fill(store)
    gate = Gate()
    store.reembed(gate.embedder, background=True)
    assert gate.reached.wait(LONG_S)
    with pytest.raises(ConfigError, match="under way"):
        store.reembed("hashing:16", background=True)
    assert store.reembed_cancel() is True
    gate.way.set()
    assert store.reembed_wait(LONG_S).state == "cancelled"
    assert store.reembed_progress() is None
    assert store.stats().model_id == "hashing:64"
    assert store.reembed("hashing:16", background=True).queued
    assert store.reembed_wait(LONG_S).state == "switched"
    assert (store.stats().model_id, store.stats().vectors) == ("hashing:16", 100)


def test_the_model_in_use_is_nothing_to_do_and_wrong_arguments_are_refused(opener: Opener) -> None:
    store = opener(config=QUIET)
    fill(store, 3)
    done = store.reembed("hashing:64", background=True)
    assert (done.queued, done.switched) == (False, False)
    with pytest.raises(InvalidQueryError, match="progress"):
        store.reembed("hashing:32", background=True, progress=print)
    with pytest.raises(InvalidQueryError, match="timeout_s"):
        store.reembed_wait(-1)
    sealed = store.in_namespace("default", sealed=True)
    for verb in (sealed.reembed_progress, sealed.reembed_wait, lambda: sealed.reembed("hashing:8", background=True)):
        with pytest.raises(NamespaceError):
            verb()


def test_closing_pauses_it_and_the_next_one_goes_on(path: Path) -> None:
    first, second = Gate(), Gate(is_open=True)
    with simonides.open(path, embedder="hashing:64", config=QUIET) as store:
        fill(store)
        store.reembed(first.embedder, background=True)
        assert first.reached.wait(LONG_S)
        closing = threading.Thread(target=store._desk.changer.stop)
        closing.start()
        while not store._desk.changer._stop.is_set():
            pass
        first.way.set()
        closing.join(LONG_S)
        seen = store.reembed_progress()
        assert seen is not None
        assert (seen.done, seen.total) == (10, 100)
    with simonides.open(path, embedder="hashing:64", config=QUIET) as store:
        store.jobs.run()  # not by this handle: it has no embedder of that model
        assert store.stats().model_id == "hashing:64"
        assert store.reembed(second.embedder, background=True).left_pending == 90
        found = store.reembed_wait(LONG_S)
        assert found is not None
        assert found.state == "switched"
        assert (len(first.texts), len(second.texts)) == (10, 90)
        assert store.verify().problems == ()


def test_any_process_that_is_given_the_embedder_does_the_job_with_its_others(path: Path) -> None:
    with simonides.open(path, embedder="hashing:64", config=QUIET) as store:
        fill(store, 200)
        gate = Gate("hashing:32", 32)
        real = resolve("hashing:32")
        assert real is not None
        gate.embedder = CallbackEmbedder(
            gate._embed, model_id="hashing:32", dimension=32, fingerprint=real.info.fingerprint
        )
        store.reembed(gate.embedder, background=True)
        assert gate.reached.wait(LONG_S)
        store.reembed_cancel()
        gate.way.set()
        store.reembed_wait(LONG_S)
    with simonides.open(path, embedder=False, config=QUIET) as store:
        from simonides.upkeep.renewal import start

        start(store._engine, real)
        store._engine._spare = None  # as in a process that was not told
        assert store.jobs.run() == 0
        store.jobs.ask("topics.fold")
    with simonides.open(path, embedder="hashing:32", config=QUIET) as store:
        kinds = []
        while store.jobs.run(1):
            kinds = [job.kind for job in store.jobs.list(state="done")]
        assert set(kinds) >= {"vectors.reembed", "topics.fold"}
        assert (store.stats().model_id, store.stats().vectors) == ("hashing:32", 200)
        assert "vector" in store.recall("note number 7").backends_used


def test_an_embedder_that_fails_is_asked_again_and_given_up_in_the_end(path: Path) -> None:
    clock, working, calls = HandClock(), [False], [0]
    hashing = resolve("hashing:8")
    assert hashing is not None

    def embed(texts: list[str]) -> Any:
        calls[0] += 1
        if not working[0]:
            raise ConnectionError("down")
        return hashing.embed_documents(texts)

    flaky = CallbackEmbedder(embed, model_id="flaky", dimension=8)
    with simonides.open(path, embedder="hashing:64", config=QUIET, clock=clock) as store:
        fill(store, 30)
        from simonides.upkeep.renewal import start

        start(store._engine, flaky)
        for attempt in range(1, 9):
            assert store.jobs.run() == 0
            assert calls[0] == attempt
            seen = store.reembed_progress()
            assert seen is not None
            assert (seen.state, seen.over) == (("failed", True) if attempt == 8 else ("waiting", False))
            assert "down" in str(seen.error)
            clock.advance(2.0**attempt)
        assert store.jobs.run() == 0
        assert store.recall("note number 7").hits[0].thought_id == "t7"
        assert store.stats().model_id == "hashing:64"
        working[0] = True
        assert store.reembed(flaky, background=True).queued
        found = store.reembed_wait(LONG_S)
        assert found is not None
        assert (found.state, store.stats().model_id) == ("switched", "flaky")


KILLED = """
import sys, simonides
config = {"store": {"synchronous": "NORMAL"}, "embedding": {"batch": 5}, "audit": {"mode": "off"}}
from simonides.embedders import CallbackEmbedder, resolve
hashing = resolve("hashing:24")
def embed(texts):
    print(len(texts), flush=True)
    sys.stdin.readline()
    return hashing.embed_documents(texts)
with simonides.open(sys.argv[1], embedder="hashing:16", config=config) as store:
    store.reembed(CallbackEmbedder(embed, model_id="slow", dimension=24, fingerprint="1"), background=True)
    store.reembed_wait()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
@pytest.mark.parametrize("batches", [1, 4, 9])
def test_a_killed_process_leaves_what_it_made_and_the_next_one_need_not_wait(path: Path, batches: int) -> None:
    with simonides.open(path, embedder="hashing:16", config=QUIET) as store:
        fill(store, 60)
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdin is not None
    for _ in range(batches):
        assert child.stdout.readline() == "5\n"
        child.stdin.write("\n")
        child.stdin.flush()
    assert child.stdout.readline() == "5\n"  # so the one before is in the file
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    texts: list[str] = []
    hashing = resolve("hashing:24")
    assert hashing is not None

    def embed(wanted: list[str]) -> Any:
        texts.extend(wanted)
        return hashing.embed_documents(wanted)

    with simonides.open(path, embedder="hashing:16", config=QUIET) as store:
        assert store.verify().problems == ()
        assert "vector" in store.recall("note number 7").backends_used
        done = store.reembed(CallbackEmbedder(embed, model_id="slow", dimension=24, fingerprint="1"), background=True)
        assert (done.queued, done.left_pending) == (True, 60 - 5 * batches)
        found = store.reembed_wait(LONG_S)
        assert found is not None
        assert found.state == "switched"
        assert len(texts) == 60 - 5 * batches
        assert (store.stats().vectors, store.stats().model_id) == (60, "slow")
        assert store.verify().problems == ()


def trees_of(path: Path) -> list[tuple[int, str, int]]:
    connection = apsw.Connection(str(path))
    found = connection.execute("SELECT version, model, built FROM topic_trees WHERE version > 0").fetchall()
    connection.close()
    return [(version, read_model(model).model_id, built) for version, model, built in found]


def leaves_of(path: Path) -> set[int]:
    connection = apsw.Connection(str(path))
    found = {version for (version,) in connection.execute("SELECT version FROM topic_leaves")}
    connection.close()
    return found


@pytest.fixture
def small_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(next_trees, "TREE_FROM", 100)


@pytest.mark.usefixtures("small_trees")
def test_the_new_tree_is_there_at_the_switch_and_holds_every_vector_but_later_ones(path: Path) -> None:
    with simonides.open(path, embedder="hashing:64", config=QUIET) as store:
        fill(store, 300)
        store.topics.rebalance()
        assert [(model, built) for _, model, built in trees_of(path)] == [("hashing:64", 300)]
        switched = next_trees.grow

        def grow(*given: Any) -> None:
            switched(*given)
            if not store.get_thoughts(["late0"]):
                assert store.stats().model_id == "hashing:64"
                assert "vector" in store.recall("note number 7").backends_used
                assert len(leaves_of(path)) == 2
                drafts = [Draft(content=f"late {n} about cocoa", thought_id=f"late{n}") for n in range(70)]
                store.remember_many(drafts)
                store.delete_thought("t9")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("simonides.upkeep.reembed.grow", grow)
            store.reembed("hashing:32")
        [(version, model, built)] = trees_of(path)
        assert (model, built) == ("hashing:32", 300)
        assert leaves_of(path) == {version}
        hashing = resolve("hashing:32")
        assert hashing is not None
        texts = {thought.thought_id: thought.content for thought in store.list_thoughts(limit=1000)}
        assert len(texts) == 369

        def itself(name: str, text: str) -> bool:
            found = dict(store.search_similar(hashing.embed_documents([text])[0], 400))
            return found.get(name) == 1.0 and "t9" not in found

        assert [name for name, text in texts.items() if not itself(name, text)] == []
        assert store.verify().problems == ()
        assert doctor.examine(path).problems == ()
        assert store.topics.fold() == 70
        assert [name for name, text in texts.items() if not itself(name, text)] == []
        assert {topic.count for topic in store.topics.tree() if topic.parent is None} == {369}


@pytest.mark.usefixtures("small_trees")
@pytest.mark.parametrize("end", ["cancel", "purge", "compact"])
def test_nothing_is_left_of_a_tree_that_does_not_come(path: Path, end: str) -> None:
    with simonides.open(path, embedder="hashing:64", config=QUIET) as store:
        fill(store, 200)
        store.remember("the xylophonist lives here", thought_id="x")

        def stop(*given: Any) -> None:
            raise RuntimeError("stop")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("simonides.upkeep.reembed._switch", stop)
            with pytest.raises(RuntimeError, match="stop"):
                store.reembed("hashing:32")
        assert leaves_of(path) != set()
        connection = apsw.Connection(str(path))
        coming = [vector for (vector,) in connection.execute("SELECT vector FROM vectors_next")]
        labels = connection.execute("SELECT label FROM topics WHERE label <> ''").fetchall()
        connection.close()
        assert (len(coming), labels != []) == (201, True)
        if end == "cancel":
            assert store.reembed_cancel()
            assert leaves_of(path) == set()
            return
        if end == "purge":
            store.purge(namespace="default", confirm="default")
            assert leaves_of(path) == set()
            store.reembed("hashing:32")
            assert leaves_of(path) == set()
            return
        store.forget(thought_ids=["x"], reason="asked")
        store.compact()
        assert leaves_of(path) == set()
        assert coming[-1] not in b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))
        store.reembed("hashing:32")
        assert [(model, built) for _, model, built in trees_of(path)] == [("hashing:32", 200)]
        assert store.verify().problems == ()
