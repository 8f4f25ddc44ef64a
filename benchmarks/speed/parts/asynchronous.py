"""What does `AsyncStore` add to a call, does it hold up the event loop, and do reads scale with threads?"""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time

import simonides
from benchmarks.speed.corpus import Corpus, Question
from benchmarks.speed.parts import Table
from simonides import AsyncStore, Draft, Store

ROWS = 10_000
CALLS = 200
CROWD = 64
TICK_S = 0.001


def measure(folder: Path) -> Table:
    path = folder / "asynchronous.db"
    _remove(path)
    corpus = Corpus(ROWS)
    with simonides.open(path, embedder=False) as store:
        for block in corpus.blocks():
            rows = zip(block.ids, block.texts, block.vectors, strict=True)
            store.remember_many([Draft(content=t, thought_id=i, vector=v) for i, t, v in rows])
        asked = corpus.questions(CALLS)
        for question in asked[:40]:
            _ask(store, question)
        scaling = {count: _per_second(store, asked, count) for count in (1, 2, 4)}
    sync, awaited, thread_ms, hop, stall, quiet, crowd, serial, hops = asyncio.run(_async(path, asked))
    _remove(path)
    rows = [
        ["recall, called", f"{sync:.2f} ms"],
        ["recall, awaited", f"{awaited:.2f} ms"],
        ["added by awaiting: the thread of the loop is busy", f"{thread_ms * 1e3:.0f} µs"],
        ["calls handed to a worker thread per awaited recall", f"{hops:g}"],
        ["an empty call to a worker thread and back", f"{hop * 1e3:.0f} µs"],
        [f"{CROWD} recalls one after the other", f"{serial:.0f} ms"],
        [f"{CROWD} recalls at once", f"{crowd:.0f} ms"],
        ["longest the loop was held up meanwhile", f"{stall:.1f} ms"],
        ["the same with nothing running", f"{quiet:.1f} ms"],
        *[[f"recalls per second from {n} thread{'s' * (n > 1)}", f"{rate:.0f}"] for n, rate in scaling.items()],
    ]
    return Table(
        f"AsyncStore and threads, {ROWS:,} rows",
        ("what", "figure"),
        rows,
        "One interpreter lock: what runs in Python takes turns; products of vectors, sums of arrays and SQLite do not.",
        {
            "added_ms": awaited - sync,
            "hop_ms": hop,
            "hops": hops,
            "stall_ms": stall,
            "scale_2": scaling[2] / scaling[1],
        },
    )


def _remove(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def _ask(store: Store, question: Question) -> None:
    store.recall(question[0], query_vector=question[1])


def _per_second(store: Store, asked: list[Question], count: int) -> float:
    share = len(asked) // count

    def run(own: list[Question]) -> None:
        for question in own:
            _ask(store, question)

    found = []
    for _ in range(3):
        threads = [threading.Thread(target=run, args=(asked[n * share : (n + 1) * share],)) for n in range(count)]
        begun = perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found.append(share * count / (perf_counter() - begun))
    return max(found)


async def _async(path: Path, asked: list[Question]) -> tuple[float, ...]:
    async with simonides.open_async(path, embedder=False) as store:
        plain = store._store  # the very same engine, called without the hop
        assert plain is not None
        for text, vector in asked[:40]:
            await store.recall(text, query_vector=vector)
            plain.recall(text, query_vector=vector)
        sync, awaited, loop_cpu = [], [], []
        submitted = _counted(store)
        for text, vector in asked:
            begun = perf_counter()
            plain.recall(text, query_vector=vector)
            middle, used = perf_counter(), thread_time()
            await store.recall(text, query_vector=vector)
            loop_cpu.append((thread_time() - used) * 1e3)
            sync.append((middle - begun) * 1e3)
            awaited.append((perf_counter() - middle) * 1e3)
        hops = submitted[0] / len(asked)
        hop = []
        for _ in range(500):
            begun = perf_counter()
            await asyncio.get_running_loop().run_in_executor(None, int)
            hop.append((perf_counter() - begun) * 1e3)
        quiet, _ = await _held_up(asyncio.sleep(0.5))
        stall, crowd = await _held_up(_crowd(store, asked))
        begun = perf_counter()
        for text, vector in asked[:CROWD]:
            plain.recall(text, query_vector=vector)
        serial = (perf_counter() - begun) * 1e3
        return median(sync), median(awaited), median(loop_cpu), median(hop), stall, quiet, crowd, serial, hops


def _counted(store: AsyncStore) -> list[int]:
    """A number that grows by one with every call that is handed to a worker thread."""
    count = [0]
    for threads in (store._workers._threads, store._workers._ranking):
        submit = threads.submit

        def counting(*arguments, submit=submit, **named):  # whatever `submit` takes
            count[0] += 1
            return submit(*arguments, **named)

        threads.submit = counting
    return count


async def _crowd(store: AsyncStore, asked: list[Question]) -> None:
    await asyncio.gather(*(store.recall(text, query_vector=vector) for text, vector in asked[:CROWD]))


async def _held_up(work) -> tuple[float, float]:  # anything that can be awaited
    """Milliseconds: longest time between two looks of a task that only sleeps, beyond its sleep; what the work took."""
    gaps = [0.0]

    async def watch() -> None:
        last = perf_counter()
        while True:
            await asyncio.sleep(TICK_S)
            now = perf_counter()
            gaps.append(now - last - TICK_S)
            last = now

    watcher = asyncio.create_task(watch())
    await asyncio.sleep(0)
    begun = perf_counter()
    await work
    took = perf_counter() - begun
    watcher.cancel()
    return max(gaps) * 1e3, took * 1e3
