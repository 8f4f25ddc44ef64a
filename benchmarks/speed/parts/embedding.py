"""How many texts does the built-in embedder embed in a second of one core?"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from time import perf_counter, thread_time

from benchmarks.speed.corpus import Corpus
from benchmarks.speed.parts import Table
from benchmarks.speed.sentences import sentences
from simonides.embedders import resolve

TEXTS = 5_000
ROUNDS = 5


def measure(folder: Path) -> Table:
    begun = perf_counter()
    embedder = resolve(None)
    assert embedder is not None
    embedder.embed_queries(["the first text reads the table"])
    loading = (perf_counter() - begun) * 1e3
    drawn = [text for block in Corpus(TEXTS).blocks() for text in block.texts]
    real = sentences(TEXTS)
    short = [" ".join(text.split()[:8]) for text in real]
    rows, rates = [], {}
    for name, texts in (("eight words", short), ("real sentences", real), ("drawn notes", drawn)):
        words = sum(len(text.split()) for text in texts) / len(texts)
        rates[name] = len(texts) / _cpu_seconds(lambda: embedder.embed_documents(texts))  # noqa: B023
        rows.append([f"{name}, {words:.0f} words each", f"{rates[name]:,.0f}"])
    one = _cpu_seconds(lambda: [embedder.embed_queries([text]) for text in short[:500]]) / 500
    return Table(
        "Built-in embedder, one core",
        ("texts", "texts per CPU second"),
        [*rows, ["one question alone", f"{1 / one:,.0f}"]],
        f"Its table is read on first use, in {loading:.0f} ms.",
        {"texts_per_s": rates["real sentences"], "query_us": one * 1e6},
    )


def _cpu_seconds(call) -> float:  # any call
    found = []
    for _ in range(ROUNDS):
        used = thread_time()
        call()
        found.append(thread_time() - used)
    return median(found)
