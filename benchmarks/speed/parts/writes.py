"""How fast are rows stored, one call at a time, from several threads, and in batches? Vectors are given.

`synchronous` is FULL, the default: every call returns after its rows are safe on disk.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter

import simonides
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.machine import sqlite_limits
from benchmarks.speed.parts import Table
from simonides import Draft, Store

ROUNDS = 5
CALLS = 200  # of one round, in all threads together
THREADS = (1, 2, 4, 8)
BATCHES = (10, 100, 1_000)


def measure(folder: Path) -> Table:
    path = folder / "writes.db"
    for file in folder.glob("writes.db*"):
        file.unlink()
    threaded = {count: [0.0] * 0 for count in THREADS}
    batched = {count: [0.0] * 0 for count in BATCHES}
    wanted = ROUNDS * (CALLS * len(THREADS) + sum(max(CALLS, size) for size in BATCHES))
    drafts = _drafts(wanted + 2_000)
    with simonides.open(path, embedder=False) as store:
        store.remember_many(list(islice(drafts, 2_000)))
        for _ in range(ROUNDS):
            for count in THREADS:
                own = list(islice(drafts, CALLS))
                threaded[count].append(len(own) / _seconds(lambda: _from_threads(store, own, count)))  # noqa: B023
            for size in BATCHES:
                own = list(islice(drafts, max(CALLS, size)))
                batched[size].append(len(own) / _seconds(lambda: _in_batches(store, own, size)))  # noqa: B023
    for file in folder.glob("writes.db*"):
        file.unlink()
    one = median(threaded[1])
    rows = [[f"single calls, {n} thread{'s' * (n > 1)}", f"{median(t):,.0f}", f"{median(t) / one:.1f}"]
            for n, t in threaded.items()]  # fmt: skip
    rows += [[f"batches of {n:,}", f"{median(t):,.0f}", f"{median(t) / one:.1f}"] for n, t in batched.items()]
    commit = sqlite_limits()["durable commit µs"]
    return Table(
        "Storing, vectors given, `synchronous` FULL",
        ("how", "rows/s", "× one thread"),
        rows,
        f"A durable commit of one small row by SQLite alone takes {commit:,.0f} µs here: "
        f"{1e6 / commit:,.0f} a second are the limit for one thread without group commit.",
        {"threads_8": median(threaded[8]) / one, "single_per_s": one},
    )


def _drafts(count: int):
    for block in Corpus(count).blocks():
        for name, text, vector in zip(block.ids, block.texts, block.vectors, strict=True):
            yield Draft(content=text, thought_id=name, vector=vector)


def _seconds(call: Callable[[], None]) -> float:
    begun = perf_counter()
    call()
    return perf_counter() - begun


def _one(store: Store, draft: Draft) -> None:
    store.remember(draft.content, thought_id=draft.thought_id, vector=draft.vector)


def _from_threads(store: Store, drafts: list[Draft], count: int) -> None:
    if count == 1:
        for draft in drafts:
            _one(store, draft)
        return
    share = len(drafts) // count
    threads = [
        threading.Thread(target=lambda own: [_one(store, d) for d in own], args=(drafts[n * share : (n + 1) * share],))
        for n in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _in_batches(store: Store, drafts: list[Draft], size: int) -> None:
    for start in range(0, len(drafts), size):
        store.remember_many(drafts[start : start + size])
