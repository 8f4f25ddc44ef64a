"""Field cases 28, 30 and 32 with real processes: nobody is locked out, nothing is doubled, nothing is lost."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import process_workers
import pytest
from store_driver import Loop

import simonides
from simonides import Anchor

SPAWN = multiprocessing.get_context("spawn")
WAIT_S = 120  # no step of these tests may take longer


@contextmanager
def worker(job: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A child that runs a job of process_workers; killed when the block ends."""
    child = subprocess.Popen(
        [sys.executable, process_workers.__file__, job, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    )  # fmt: skip
    try:
        yield child
    finally:
        child.kill()
        child.communicate(timeout=WAIT_S)


def ask(child: subprocess.Popen[str], line: str | None = None) -> str:
    assert child.stdin is not None
    assert child.stdout is not None
    if line is not None:
        child.stdin.write(line + "\n")
        child.stdin.flush()
    answer = child.stdout.readline()
    assert answer, "the child ended without an answer"
    return answer.strip()


def sound(path: Path) -> simonides.Verification:
    """What `verify` says, and SQLite's own view of the full-text index."""
    with simonides.open(path, embedder=False) as store:
        result = store.verify()
    other = apsw.Connection(str(path))
    other.set_busy_timeout(20_000)
    assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    other.execute("INSERT INTO fulltext (fulltext) VALUES ('integrity-check')")
    other.close()
    return result


def test_four_writers_and_a_reader_share_a_file(path: Path) -> None:
    """Case 28. Nobody creates the file beforehand: all five open it at once."""
    results, stop = SPAWN.Queue(), SPAWN.Event()
    writers = [
        SPAWN.Process(target=process_workers.write_many, args=(str(path), f"w{n}", 150, results)) for n in range(4)
    ]
    reader = SPAWN.Process(target=process_workers.read_all_the_time, args=(str(path), stop, results))
    for process in (*writers, reader):
        process.start()
    said = [results.get(timeout=WAIT_S) for _ in writers]
    stop.set()
    said.append(results.get(timeout=WAIT_S))
    for process in (*writers, reader):
        process.join(WAIT_S)
    by_name = {name: (rows, error) for name, rows, error in said}
    assert [error for _, error in by_name.values() if error] == []
    counts = by_name.pop("reader")[0]
    assert counts == sorted(counts)
    acknowledged = {row for rows, _ in by_name.values() for row in rows}
    assert len(acknowledged) == 600
    with simonides.open(path, embedder=False) as store:
        assert {t.thought_id for t in store.list_thoughts(limit=1_000)} == acknowledged
        rows = store.changes(limit=1_000)
        assert [r.seq for r in rows] == list(range(1, 601))
        assert {r.actor for r in rows} == {"w0", "w1", "w2", "w3"}
    assert sound(path).ok


def test_processes_that_write_and_take_anchors_at_the_same_time_never_fork_the_chain(path: Path) -> None:
    results, barrier, names = SPAWN.Queue(), SPAWN.Barrier(4), [f"w{n}" for n in range(4)]
    workers = [
        SPAWN.Process(target=process_workers.write_and_anchor, args=(str(path), name, 30, barrier, results))
        for name in names
    ]
    for process in workers:
        process.start()
    said = [results.get(timeout=WAIT_S) for _ in workers]
    for process in workers:
        process.join(WAIT_S)
    assert [error for _, _, error in said if error] == []
    anchors = [Anchor.read(text) for _, found, _ in said for text in found]
    assert len(anchors) == 4 * 30
    other = apsw.Connection(str(path))
    chain = dict(other.execute("SELECT seq, hash FROM journal").fetchall())
    before = dict(other.execute("SELECT seq, actor FROM journal").fetchall())
    other.close()
    assert sorted(chain) == list(range(1, len(chain) + 1))  # one row after the other: nothing branched off
    assert set(before.values()) == set(names)
    assert {anchor.hash for anchor in anchors} <= {value.hex() for value in chain.values()}
    assert all(chain[anchor.seq].hex() == anchor.hash for anchor in anchors)
    for _, found, _ in said:  # a process sees its own rows in order, with those of others between them
        seqs = [json.loads(text)["seq"] for text in found]
        assert seqs == sorted(set(seqs))
    with simonides.open(path, embedder=False) as store:
        assert [anchor.seq for anchor in anchors if not store.verify(anchor=anchor).ok] == []
        assert len(store.log.seals()) >= 3
    assert sound(path).ok


def test_the_same_texts_at_the_same_moment_from_three_processes_are_stored_once(path: Path) -> None:
    """Case 30."""
    results, barrier = SPAWN.Queue(), SPAWN.Barrier(3)
    workers = [
        SPAWN.Process(target=process_workers.add_the_same, args=(str(path), f"p{n}", 60, barrier, results))
        for n in range(3)
    ]
    for process in workers:
        process.start()
    said = [results.get(timeout=WAIT_S) for _ in workers]
    for process in workers:
        process.join(WAIT_S)
    assert [error for _, _, error in said if error] == []
    assert len({tuple(found) for _, found, _ in said}) == 1
    assert len(set(said[0][1])) == 60
    with simonides.open(path, embedder=False) as store:
        assert store.count_thoughts() == 60
        assert store.verify().ok


def test_the_same_texts_at_the_same_moment_from_three_threads_are_stored_once(store: Any) -> None:
    """Case 30."""
    barrier = threading.Barrier(3)
    found: list[list[str]] = [[], [], []]
    errors: list[BaseException] = []

    def add(n: int) -> None:
        try:
            for text in range(60):
                barrier.wait(WAIT_S)
                found[n].append(store.remember(f"the same text {text}", deduplicate=True).thought_id)
        except BaseException as error:  # noqa: BLE001  # the edge of a thread
            errors.append(error)
            barrier.abort()

    threads = [threading.Thread(target=add, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert errors == []
    assert found[0] == found[1] == found[2]
    assert store.count_thoughts() == len(set(found[0])) == 60


def test_three_tasks_of_one_loop_add_a_text_once(loop: Loop, path: Path) -> None:
    """Case 30."""
    import asyncio

    async def story() -> tuple[list[Any], int]:
        async with simonides.open_async(path, embedder=False) as store:
            work = [store.remember(f"text {n // 3}", deduplicate=True) for n in range(30)]
            made = await asyncio.gather(*work)
            return [t.thought_id for t in made], await store.count_thoughts()

    made, count = loop.run(story())
    assert count == 10
    assert all(len(set(made[n : n + 3])) == 1 for n in range(0, 30, 3))


def test_a_thought_of_one_process_is_found_at_once_in_another_that_has_the_file_open(path: Path) -> None:
    with simonides.open(path, embedder="hashing:16") as store, worker("answer", path) as child:
        store.remember("about the zebra", thought_id="zebra")
        assert ask(child) == "ready"
        assert ask(child, "find zebra") == "zebra"
        for word, other in (("heron", "quail"), ("otter", "beaver"), ("lynx", "puma")):
            store.remember(f"about the {word}", thought_id=word)
            assert ask(child, f"find {word}") == word
            assert ask(child, f"tell {other}") == other
            assert store.recall(other).hits[0].thought_id == other
        store.update_thought("heron", content="about the stork")
        assert ask(child, "find heron") == ""
        assert ask(child, "find stork") == "heron"
        store.archive_thought("otter")
        assert ask(child, "find otter") == ""
        store.delete_thought("lynx")
        assert ask(child, "find lynx") == ""


@pytest.mark.parametrize("acks", [1, 23, 57])
def test_killing_a_writer_loses_no_acknowledged_memory(path: Path, acks: int) -> None:
    """Case 32."""
    with worker("acknowledge", path) as child:
        heard = [ask(child) for _ in range(acks)]
        child.kill()
        heard += child.communicate(timeout=WAIT_S)[0].split()
    with simonides.open(path, embedder="hashing:16") as store:
        kept = [t.thought_id for t in store.list_thoughts(limit=10_000)]
        assert set(heard) <= set(kept)
        assert kept == [f"m{n}" for n in range(len(kept))]
        assert len(store.edges(limit=10_000)) == len(kept) - 1
        assert store.recall("memory 0").hits[0].thought_id == "m0"
        store.remember("life goes on", thought_id="on")
    assert sound(path).ok


@pytest.mark.parametrize("acks", [1, 40, 90])
def test_killing_a_process_in_the_middle_of_a_group_loses_no_acknowledged_memory(path: Path, acks: int) -> None:
    with worker("acknowledge_together", path) as child:
        heard = [ask(child) for _ in range(acks)]
        child.kill()
        heard += child.communicate(timeout=WAIT_S)[0].split()
    with simonides.open(path, embedder="hashing:16") as store:
        kept = [t.thought_id for t in store.list_thoughts(limit=10_000)]
        assert set(heard) <= set(kept)
        for k in range(8):
            own = [name for name in kept if name.startswith(f"t{k}-")]
            assert own == [f"t{k}-{n}" for n in range(len(own))]
        store.remember("life goes on", thought_id="on")
    assert sound(path).ok


def test_killing_a_bulk_write_keeps_whole_chunks(path: Path) -> None:
    """Case 32."""
    with worker("acknowledge_bulk", path) as child:
        heard = [ask(child) for _ in range(3)]
        child.kill()
        heard += child.communicate(timeout=WAIT_S)[0].split()
    with simonides.open(path, embedder=False) as store:
        count = store.count_thoughts()
        assert count >= int(heard[-1])
        assert count % 50 == 0
    assert sound(path).ok


@pytest.mark.parametrize("delay_ms", [0, 3, 8, 15, 30])
def test_killing_the_very_first_open_leaves_a_file_that_opens(path: Path, delay_ms: int) -> None:
    """Case 32."""
    with worker("first_open", path) as child:
        assert ask(child) == "ready"
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
        time.sleep(delay_ms / 1000)  # where the kill falls is the point; nothing waits for it
        child.kill()
        done = "done" in child.communicate(timeout=WAIT_S)[0]
    with simonides.open(path, embedder=False) as store:
        if done:
            assert store.get_thought("first") is not None
        store.remember("life goes on")
        assert store.count_thoughts() in (1, 2)
    assert sound(path).ok


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_store_may_be_used_on_both_sides_of_a_fork_between_the_calls_of_a_thread(path: Path) -> None:
    with worker("fork", path) as child:
        told = child.communicate(timeout=WAIT_S)[0].strip()
    children = [f"child-{n}" for n in range(5)]
    assert told == f"{[0] * 5} {sorted([*children, 'after', 'before'])} True"
    assert sound(path).ok


def test_a_writer_that_waits_too_long_gets_a_typed_error_that_can_be_repeated(path: Path) -> None:
    """Case 28."""
    config = {"store": {"busy_timeout_s": 0.05}}
    with simonides.open(path, embedder=False, config=config) as store:
        store.remember("before", thought_id="before")
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(simonides.StoreBusyError) as caught:
            store.remember("meanwhile", thought_id="meanwhile")
        assert caught.value.code == "store_busy"
        assert "0.05 s" in str(caught.value)
        assert store.recall("before").hits[0].thought_id == "before"
        other.execute("ROLLBACK")
        other.close()
        store.remember("meanwhile", thought_id="meanwhile")
        assert store.count_thoughts() == 2
        assert store.verify().ok


def test_readers_and_writers_in_many_threads_see_whole_states(path: Path) -> None:
    """Every transaction writes a pair; no reader ever sees half of one."""
    errors: list[BaseException] = []
    with simonides.open(path, embedder="hashing:16", config=process_workers.NORMAL) as store:

        def write(n: int) -> None:
            for k in range(10):
                store.remember_many([f"pair {n} {k} left", f"pair {n} {k} right"])

        def read() -> None:
            while any(thread.is_alive() for thread in writers):
                assert store.count_thoughts() % 2 == 0
                assert store.recall("pair", top_k=3).degraded == ()

        def guarded(work: Any) -> Any:
            def run(*args: Any) -> None:
                try:
                    work(*args)
                except BaseException as error:  # noqa: BLE001  # the edge of a thread
                    errors.append(error)

            return run

        writers = [threading.Thread(target=guarded(write), args=(n,)) for n in range(4)]
        readers = [threading.Thread(target=guarded(read)) for _ in range(3)]
        for thread in (*writers, *readers):
            thread.start()
        for thread in (*writers, *readers):
            thread.join(WAIT_S)
        assert errors == []
        assert store.count_thoughts() == 80
        assert store.verify().ok
