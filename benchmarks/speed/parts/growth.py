"""What does a question cost when a store has more namespaces, edges, versions, or another retrieval log?

Variants of one store are open side by side and asked the same questions in turn, each time in another order, so that
noise of the machine meets all of them alike. Growth with rows is in the tables of the systems.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time

import simonides
from benchmarks.speed.corpus import Block, Corpus
from benchmarks.speed.parts import Table
from simonides import Draft, Store

ROWS = 5_000
QUESTIONS = 150
WARM = 20
Change = Callable[[Store, Corpus], None]


def measure(folder: Path) -> Table:
    corpus = Corpus(ROWS)
    base = folder / "growth.db"
    _remove(base)
    with _opened(base) as store:
        for block in corpus.blocks():
            store.remember_many(_drafts(block))
    made: dict[str, tuple[Path, str]] = {}
    for number, (name, (change, audit)) in enumerate(VARIANTS.items()):
        path = folder / f"growth-{number}.db"
        _remove(path)
        shutil.copy(base, path)
        with _opened(path) as store:
            change(store, corpus)
        made[name] = (path, audit)
    stores = {name: _opened(path, audit) for name, (path, audit) in made.items()}
    walls, cpus = _asked(stores, corpus)
    for store in stores.values():
        store.close()
    first = next(iter(VARIANTS))
    rows = [
        [
            name, f"{median(walls[name]):.2f}", f"{median(walls[name]) / median(walls[first]):.2f}",
            f"{median(cpus[name]):.2f}", f"{path.stat().st_size / 1e6:.1f}",
        ]
        for name, (path, _) in made.items()
    ]  # fmt: skip
    for path in [base, *(path for path, _ in made.values())]:
        _remove(path)
    return Table(
        f"Growth with everything but rows, {ROWS:,} rows",
        ("store", "recall p50 ms", "× the first", "thread ms", "file MB"),
        rows,
        "The log's own thread is not in “thread ms”. Growth with rows: see the tables of the systems.",
        {"two_alike": median(walls["the same again"]) / median(walls[first])},
    )


def _asked(stores: dict[str, Store], corpus: Corpus) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    walls: dict[str, list[float]] = {name: [] for name in stores}
    cpus: dict[str, list[float]] = {name: [] for name in stores}
    order, chance = list(stores), random.Random(3)
    for number, (text, vector) in enumerate(corpus.questions(WARM + QUESTIONS)):
        chance.shuffle(order)
        for name in order:
            begun, used = perf_counter(), thread_time()
            stores[name].recall(text, query_vector=vector)
            if number >= WARM:
                cpus[name].append((thread_time() - used) * 1e3)
                walls[name].append((perf_counter() - begun) * 1e3)
    return walls, cpus


def _opened(path: Path, audit: str = "async") -> Store:
    return simonides.open(path, embedder=False, config={"audit": {"mode": audit}, "store": {"synchronous": "NORMAL"}})


def _remove(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def _drafts(block: Block, mark: str = "", prefix: str = "") -> list[Draft]:
    rows = zip(block.ids, block.texts, block.vectors, strict=True)
    return [Draft(content=f"{t}{mark}", thought_id=f"{prefix}{i}", vector=v) for i, t, v in rows]


def _nothing(store: Store, corpus: Corpus) -> None:
    pass


def _namespaces(count: int) -> Change:
    def change(store: Store, corpus: Corpus) -> None:
        """As many rows again, spread over other namespaces."""
        blocks = [draft for block in Corpus(ROWS, seed=2).blocks() for draft in _drafts(block)]
        share = len(blocks) // count
        for number in range(count):
            part = blocks[number * share : (number + 1) * share]
            store.remember_many(part, namespace=f"other-{number}")

    return change


def _edges(count: int, kind: str) -> Change:
    def change(store: Store, corpus: Corpus) -> None:
        chance = random.Random(4)
        names = [name for ids, _ in corpus.vector_blocks() for name in ids]
        for name in names:
            for other in chance.sample(names, count):
                if other != name:
                    store.link(name, other, kind)

    return change


def _versions(count: int) -> Change:
    def change(store: Store, corpus: Corpus) -> None:
        """Every row gets new text so many times."""
        for number in range(count):
            for block in corpus.blocks():
                store.remember_many(_drafts(block, f" Change {number}."))

    return change


VARIANTS: dict[str, tuple[Change, str]] = {
    "as it is": (_nothing, "async"),
    "the same again": (_nothing, "async"),
    "retrieval log off": (_nothing, "off"),
    "retrieval log before the answer (sync)": (_nothing, "sync"),
    "10 more namespaces": (_namespaces(10), "async"),
    "100 more namespaces": (_namespaces(100), "async"),
    "2 edges from every row": (_edges(2, "ASSOCIATED"), "async"),
    "2 edges that support from every row": (_edges(2, "SUPPORTS"), "async"),
    "every row changed once": (_versions(1), "async"),
    "every row changed 4 times": (_versions(4), "async"),
}
