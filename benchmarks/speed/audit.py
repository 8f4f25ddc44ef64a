"""`python -m benchmarks.speed.audit [--size 10000] [--questions 400]`: what does the retrieval log cost a question?

The same questions are asked of handles on one file that differ in nothing but `audit.mode`, question by question in
turn, each time in another order, so that noise of the machine meets all of them alike. A second handle without a log
shows how much of a difference is noise.

wall p50: median of the time that the caller waits. thread: mean processor time of the calling thread. all: mean
processor time of the whole process, the thread that writes included, measured in runs of one handle alone. Linear
algebra is kept to one thread: its helpers spin while they wait, which would count as work.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import simonides
from benchmarks.speed.corpus import Corpus, Vectors
from simonides import Draft, Store

MODES = ("off", "off again", "async", "sync")
WARM = 20
RUN = 50  # questions in a row of one handle, for the processor time of the process


def main() -> None:
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.speed.audit", *sys.argv[1:]], alone)
    parser = argparse.ArgumentParser(description="The cost of the retrieval log.")
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=400)
    options = parser.parse_args()
    corpus = Corpus(options.size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        with opened(path, "off") as store:
            for block in corpus.blocks():
                store.remember_many(
                    Draft(content=text, thought_id=name, vector=row)
                    for name, text, row in zip(block.ids, block.texts, block.vectors, strict=True)
                )
        stores = {mode: opened(path, mode.split()[0]) for mode in MODES}
        asked = corpus.questions(min(options.questions, 200))
        for verb, call in VERBS.items():
            print(table(verb, measure(stores, call, asked, options.questions)), flush=True)
        for store in stores.values():
            store.close()


def opened(path: Path, mode: str) -> Store:
    return simonides.open(path, embedder=False, config={"audit": {"mode": mode}, "store": {"synchronous": "NORMAL"}})


Call = Callable[[Store, str, Vectors], object]
VERBS: dict[str, Call] = {
    "recall": lambda store, text, row: store.recall(text, query_vector=row),
    "search_fts": lambda store, text, row: store.search_fts(text),
}


def measure(
    stores: dict[str, Store], call: Call, asked: list[tuple[str, Vectors]], count: int
) -> dict[str, tuple[float, float, float]]:
    """mode → milliseconds: wall p50, thread, all."""
    walls: dict[str, list[float]] = {mode: [] for mode in stores}
    cpus: dict[str, list[float]] = {mode: [] for mode in stores}
    for store in stores.values():
        for question in asked[:WARM]:
            call(store, *question)
    order = list(stores)
    shuffled = random.Random(7)
    for n in range(count):
        shuffled.shuffle(order)
        for mode in order:
            begun, used = time.perf_counter(), time.thread_time()
            call(stores[mode], *asked[n % len(asked)])
            cpus[mode].append(time.thread_time() - used)
            walls[mode].append(time.perf_counter() - begun)
    totals = whole(stores, call, asked)
    return {
        mode: (statistics.median(walls[mode]) * 1e3, trimmed(cpus[mode]) * 1e3, totals[mode] * 1e3) for mode in stores
    }


def trimmed(values: list[float]) -> float:
    """The mean without the upper and lower tenth."""
    values = sorted(values)
    cut = len(values) // 10
    return statistics.mean(values[cut : len(values) - cut])


def whole(stores: dict[str, Store], call: Call, asked: list[tuple[str, Vectors]]) -> dict[str, float]:
    """mode → processor seconds of the process per question, until the log is written: the median of runs in turn."""
    found: dict[str, list[float]] = {mode: [] for mode in stores}
    for _ in range(9):
        for mode, store in stores.items():
            used = time.process_time()
            for n in range(RUN):
                call(store, *asked[n % len(asked)])
            store.log.count()
            found[mode].append((time.process_time() - used) / RUN)
    return {mode: statistics.median(values) for mode, values in found.items()}


def table(verb: str, found: dict[str, tuple[float, float, float]]) -> str:
    base = found["off"]
    lines = [f"| {verb}, audit | wall p50 ms | × off | thread ms | + | all ms | + |", "|---|" + "---:|" * 6]
    for mode, (wall, thread, total) in found.items():
        lines.append(
            f"| {mode} | {wall:.2f} | {wall / base[0]:.3f} | {thread:.2f} | {thread - base[1]:+.2f} "
            f"| {total:.2f} | {total - base[2]:+.2f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
