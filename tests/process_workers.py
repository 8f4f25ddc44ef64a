"""What other processes do in tests/anomaly/test_processes.py. Run as a script, or as targets of `spawn`."""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import threading
import time
from typing import Any

import simonides
from simonides import Draft

NORMAL = {"store": {"synchronous": "NORMAL"}}


def write_many(path: str, name: str, count: int, results: Any) -> None:
    """Writes `count` memories one by one; puts (name, acknowledged ids, error) into the queue."""
    done: list[str] = []
    try:
        with simonides.open(path, embedder="hashing:16", config=NORMAL, actor=name) as store:
            for n in range(count):
                made = store.remember(f"{name} memory {n}", thought_id=f"{name}-{n}")
                done.append(made.thought_id)  # what was acknowledged before an error counts
    except Exception as error:  # noqa: BLE001  # the edge of a process: the test wants to see it
        results.put((name, done, repr(error)))
    else:
        results.put((name, done, ""))


def write_and_anchor(path: str, name: str, count: int, barrier: Any, results: Any) -> None:
    """Writes in every way that journals, and takes an anchor after each; puts (name, anchors as JSON, error)."""
    anchors: list[str] = []
    try:
        with simonides.open(path, embedder="hashing:16", config=NORMAL, actor=name) as store:
            barrier.wait(60)
            for n in range(count):
                made = store.remember(f"{name} memory {n}", thought_id=f"{name}-{n}", reason=f"step {n}")
                if n % 3 == 1:
                    store.update_thought(made.thought_id, content=f"{name} changed {n}")
                    store.link(made.thought_id, f"{name}-{n - 1}")
                if n % 5 == 4:
                    store.forget(thought_ids=[f"{name}-{n - 2}"], reason="asked")
                if n % 10 == 9:
                    store.log.seal()
                anchors.append(json.dumps(store.log.anchor().to_dict()))
    except Exception as error:  # noqa: BLE001  # the edge of a process: the test wants to see it
        barrier.abort()
        results.put((name, anchors, repr(error)))
    else:
        results.put((name, anchors, ""))


def read_all_the_time(path: str, stop: Any, results: Any) -> None:
    """Recalls and counts until told to stop; the count never falls, hits are whole."""
    counts: list[int] = []
    try:
        with simonides.open(path, embedder="hashing:16", config=NORMAL) as store:
            while not stop.is_set():
                answer = store.recall("memory")
                assert all(hit.thought.content for hit in answer.hits)
                counts.append(store.count_thoughts())
    except Exception as error:  # noqa: BLE001  # the edge of a process
        results.put(("reader", counts, repr(error)))
    else:
        results.put(("reader", counts, ""))


def add_the_same(path: str, name: str, count: int, barrier: Any, results: Any) -> None:
    """Adds the same texts as its fellows, each at the same moment."""
    found: list[str] = []
    try:
        with simonides.open(path, embedder=False, config=NORMAL) as store:
            for n in range(count):
                barrier.wait(60)
                found.append(store.remember(f"the same text {n}", deduplicate=True).thought_id)
    except Exception as error:  # noqa: BLE001  # the edge of a process
        barrier.abort()
        results.put((name, found, repr(error)))
    else:
        results.put((name, found, ""))


def acknowledge(path: str) -> None:
    """Stores memories for ever and says so after each."""
    with simonides.open(path, embedder="hashing:16") as store:
        for n in range(1_000_000):
            store.remember(f"memory {n}", thought_id=f"m{n}", session="s")
            say(f"m{n}")


def acknowledge_together(path: str) -> None:
    """The same from eight threads, each with a session of its own, so that groups of them share commits."""
    with simonides.open(path, embedder="hashing:16") as store:

        def tell(name: str) -> None:
            for n in range(1_000_000):
                store.remember(f"memory {n} of {name}", thought_id=f"{name}-{n}", session=name)
                os.write(1, f"{name}-{n}\n".encode())

        threads = [threading.Thread(target=tell, args=(f"t{k}",), daemon=True) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def acknowledge_bulk(path: str) -> None:
    """One big bulk write in chunks of 50; says how far it is after each."""
    config = {"store": {"chunk": 50}}
    with simonides.open(path, embedder="hashing:16", config=config) as store:
        drafts = [Draft(content=f"bulk {n}", thought_id=f"b{n}") for n in range(100_000)]
        store.remember_many(drafts, progress=lambda done, total: say(str(done)))


def first_open(path: str) -> None:
    """Everything is imported; the very first open happens when a line arrives."""
    say("ready")
    sys.stdin.readline()
    simonides.open(path, embedder=False).remember("the first memory", thought_id="first")
    say("done")
    sys.stdin.readline()


def answer(path: str) -> None:
    """Keeps the file open; `find WORD` prints ids, `tell WORD` stores a memory."""
    with simonides.open(path, embedder="hashing:16") as store:
        say("ready")
        for line in sys.stdin:
            verb, _, word = line.strip().partition(" ")
            if verb == "find":
                say(" ".join(hit.thought_id for hit in store.recall(word).hits if word in hit.thought.content))
            elif verb == "tell":
                say(store.remember(f"about the {word}", thought_id=word).thought_id)


def fork(path: str) -> None:
    """Uses an open store in a parent and in forked children, between the calls of a thread of the parent.

    A fork in the very middle of another thread's call is not safe with any SQLite: its own locks are copied locked.
    """
    importlib.import_module("numpy.ma")  # numpy imports it late; a fork in the middle of an import hangs by itself
    with simonides.open(path, embedder="hashing:16", config=NORMAL) as store:
        store.remember("written before the fork", thought_id="before")
        store.recall("fork")
        stop, turn, calls = threading.Event(), threading.Lock(), threading.Semaphore(0)

        def write() -> None:
            n = 0
            while not stop.is_set():
                with turn:
                    store.remember(f"thread {n}", thought_id=f"thread-{n}")
                    store.recall("thread")
                calls.release()
                n += 1

        thread = threading.Thread(target=write)
        thread.start()
        codes = []
        for n in range(5):
            assert calls.acquire(timeout=30)
            with turn:
                child = os.fork()
            if child == 0:
                os._exit(in_child(store, n))
            codes.append(wait_for(child))
        stop.set()
        thread.join()
        store.remember("written after the fork", thought_id="after")
        found = sorted(t.thought_id for t in store.list_thoughts(limit=10_000) if not t.thought_id.startswith("thread"))
        say(f"{codes} {found} {store.verify().ok}")


def wait_for(child: int) -> int:
    """The exit code of a child; -9 when it had to be killed after 30 seconds."""
    for _ in range(3_000):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def in_child(store: simonides.Store, n: int) -> int:
    """What a forked child does with its parent's store; the exit code tells which step failed."""
    try:
        if "before" not in [hit.thought_id for hit in store.recall("before fork").hits]:
            return 2
        store.remember(f"child {n} was here", thought_id=f"child-{n}")
        if store.get_thought(f"child-{n}") is None:
            return 3
        store.close()
    except BaseException:  # noqa: BLE001  # the edge of a process
        return 4
    return 0


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    {"acknowledge": acknowledge, "acknowledge_bulk": acknowledge_bulk,
     "acknowledge_together": acknowledge_together, "first_open": first_open, "answer": answer,
     "fork": fork}[sys.argv[1]](sys.argv[2])  # fmt: skip
