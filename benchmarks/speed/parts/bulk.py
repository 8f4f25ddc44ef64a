"""Does importing a large file need more memory than importing a small one? Texts only, embedded on the way in.

A file of JSON lines is written row by row and taken in by `import_into`, each size in a process of its own.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.speed.cell import Memory
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.parts import Table

SIZES = (10_000, 100_000, 1_000_000)


def measure(folder: Path, sizes: tuple[int, ...] = SIZES) -> Table:
    rows, grown = [], {}
    for size in sizes:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, cpu, grown[size], file_mb = pool.apply(_import, (str(folder), size))
        rows.append(
            [f"{size:,} rows", f"{size / seconds:,.0f}", f"{size / cpu:,.0f}", f"{grown[size]:.0f}", f"{file_mb:.0f}"]
        )
    small, large = sizes[0], sizes[-1]
    each = (grown[large] - grown[small]) * 1e6 / (large - small)
    return Table(
        "Bulk import of JSON lines, built-in embedder",
        ("import", "rows/s", "rows per CPU second", "memory MB", "file MB"),
        rows,
        f"Memory beyond imports, at its highest. From {small:,} to {large:,} rows it grows by {each:,.0f} bytes a row "
        "(ids already seen, the topic tree while it is built).",
        {"bytes_per_row": each},
    )


def _import(folder: str, size: int) -> tuple[float, float, float, float]:
    import simonides
    from simonides.embedders import resolve
    from simonides.sources import import_into

    source, target = Path(folder) / "bulk.jsonl", Path(folder) / "bulk.db"
    with source.open("w", encoding="utf-8") as file:
        for block in Corpus(size).blocks():
            pairs = zip(block.ids, block.texts, strict=True)
            file.writelines(json.dumps({"id": name, "content": text}) + "\n" for name, text in pairs)
    for old in target.parent.glob("bulk.db*"):
        old.unlink()
    embedder = resolve(None)
    assert embedder is not None
    embedder.embed_queries(["the table is read before memory is looked at"])
    memory = Memory()
    begun, used = perf_counter(), process_time()
    with simonides.open(target, embedder=embedder) as store:
        step = max(1_000, size // 10)

        def progress(read: int) -> None:
            if read % step == 0:
                print(f"{read:,}", end=" ", file=sys.stderr, flush=True)

        report = import_into(store, source, progress=progress)
        assert report.added == size, report
    seconds, cpu, file_mb = perf_counter() - begun, process_time() - used, target.stat().st_size / 1e6
    for old in [source, *target.parent.glob("bulk.db*")]:
        old.unlink()
    return seconds, cpu, memory.grown_mb(), file_mb
