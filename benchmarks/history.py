"""`python -m benchmarks.history [--size 10000] [--write]`: what do versions, the journal and looking back cost?

Processor time, because the machine is shared; the variants take turns, and the median of their rounds counts. Without
the journal: a variant made here, which numbers changes and neither digests, nor chains, nor writes a row; the engine
has no such switch. Bytes are those of SQLite's pages (`dbstat`), or of the file where a table is not alone.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

import simonides
from benchmarks.quality.results import write_section
from benchmarks.speed.corpus import Corpus
from simonides import Draft, Store
from simonides.backend.rows import JournalEntry
from simonides.backend.sqlite.transaction import SqliteTransaction
from simonides.write import journal as notes

TITLE = "Versions, the journal, looking back"
ROUNDS = 5
QUIET = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}}


def main() -> None:
    parser = argparse.ArgumentParser(description="The cost of versions and of the journal.")
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        body = section(options.size, Path(folder))
    print(body)
    if options.write:
        write_section(TITLE, body)


def section(size: int, folder: Path) -> str:
    texts = [text for block in Corpus(size).blocks() for text in block.texts]
    head = f"`python -m benchmarks.history --size {size}`. Processor time, median of {ROUNDS} rounds in turn;"
    said = "`synchronous` NORMAL, audit log off. The goal: the journal takes at most 15 % of write throughput."
    parts = [
        f"{head} {said}",
        _throughput(texts, folder),
        _sizes(texts, folder),
        _looking_back(texts, folder),
    ]
    return "\n\n".join(parts)


@contextmanager
def without_journal() -> Iterator[None]:
    """Changes get their numbers and nothing else."""
    journal, digest = SqliteTransaction.journal, notes.digest

    def numbered(self: SqliteTransaction, entries: Sequence[JournalEntry]) -> list[int]:
        first = self._last[0] + 1
        self._last = (self._last[0] + len(entries), b"")
        self._touched.update(dict.fromkeys((entry.ns for entry in entries), self._last[0]))
        return list(range(first, first + len(entries)))

    SqliteTransaction.journal, notes.digest = numbered, lambda payload, salt: b""  # type: ignore[method-assign,assignment]  # taken away for the comparison
    try:
        yield
    finally:
        SqliteTransaction.journal, notes.digest = journal, digest  # type: ignore[method-assign]  # taken away for the comparison


def _bulk(store: Store, texts: Sequence[str]) -> None:
    store.remember_many(texts)


def _singly(store: Store, texts: Sequence[str]) -> None:
    for text in texts[: len(texts) // 10]:
        store.remember(text)


def _throughput(texts: Sequence[str], folder: Path) -> str:
    ways: list[tuple[str, Any, Callable[[Store, Sequence[str]], None]]] = [
        ("`remember_many`, text only", False, _bulk),
        ("`remember_many`, built-in embedder", None, _bulk),
        ("`remember` one by one, text only", False, _singly),
    ]
    rows = []
    for name, embedder, work in ways:
        spent: dict[bool, list[float]] = {True: [], False: []}
        for number in range(ROUNDS):
            for journaled in (True, False) if number % 2 else (False, True):
                spent[journaled].append(_timed(folder / f"{number}{journaled}.db", embedder, work, texts, journaled))
        count = len(texts) if work is _bulk else len(texts) // 10
        on, off = (statistics.median(spent[journaled]) * 1e6 / count for journaled in (True, False))
        rows.append(f"| {name} | {on:.0f} | {off:.0f} | {on - off:.0f} | {(on - off) / on:.1%} |")
    head = "| writing | µs a row | without the journal | the journal | share |\n|---|---:|---:|---:|---:|\n"
    return head + "\n".join(rows)


def _timed(path: Path, embedder: Any, work: Callable[..., None], texts: Sequence[str], journaled: bool) -> float:
    path.unlink(missing_ok=True)
    with simonides.open(path, embedder=embedder, config=QUIET) as store:
        store.remember("warm")
        began = time.process_time()
        if journaled:
            work(store, texts)
        else:
            with without_journal():
                work(store, texts)
        spent = time.process_time() - began
    path.unlink()
    return spent


def _sizes(texts: Sequence[str], folder: Path) -> str:
    path = folder / "sizes.db"
    with simonides.open(path, config=QUIET) as store:
        made = store.remember_many(texts)
        store.compact()
    whole, by_table = path.stat().st_size, _tables(path)
    count = len(texts)
    rows = [f"| a memory, all in all | {whole / count:,.0f} |"]
    for name, tables in (
        ("its version", ("versions", "versions_current", "versions_seq", "versions_tid")),
        ("its row of the journal", ("journal", "journal_ns")),
    ):
        rows.append(f"| {name}, indexes included | {sum(by_table.get(t, 0) for t in tables) / count:,.0f} |")
    for name, change in (
        ("a change of the priority", lambda n: {"priority": "P1" if n % 2 else "P4"}),
        ("a change of the text", lambda n: {"content": f"{texts[n]} (changed)"}),
    ):
        with simonides.open(path, config=QUIET) as store:
            for n in range(0, count, 10):
                store.update_thought(made[n].thought_id, **change(n))
            store.compact()
        more, whole = path.stat().st_size - whole, path.stat().st_size
        rows.append(f"| {name} | {more / (count // 10):,.0f} |")
    with simonides.open(path, config=QUIET) as store:
        store.log.seal()
        store.log.prune_journal()
        store.compact()
    gone = whole - path.stat().st_size
    rows.append(f"| given back by sealing, pruning and compacting, for a memory | {gone / count:,.0f} |")
    path.unlink()
    return "| stored | bytes |\n|---|---:|\n" + "\n".join(rows)


def _tables(path: Path) -> dict[str, int]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    except apsw.SQLError:
        return {}
    finally:
        connection.close()


def _looking_back(texts: Sequence[str], folder: Path) -> str:
    path, moment = folder / "past.db", [datetime.fromisoformat("2026-01-01T00:00:00+00:00")]
    asked = [" ".join(text.split()[:5]) for text in texts[:: max(1, len(texts) // 20)]][:20]
    rows = []
    with simonides.open(
        path, config=QUIET, embedder="hashing:256", clock=lambda: int(moment[0].timestamp()) * 1_000_000
    ) as store:
        made = store.remember_many([Draft(content=text) for text in texts])
        moment[0] = datetime.fromisoformat("2026-02-01T00:00:00+00:00")
        done = 0
        for changed in (0, len(texts) // 100, len(texts) // 10):
            for n in range(done, changed):
                store.update_thought(made[n].thought_id, content=f"{texts[n]} (changed)")
            done = changed
            live, back = (_median(store, asked, when) for when in (None, "2026-01-15"))
            rows.append(f"| {changed:,} | {live:.1f} | {back:.1f} |")
    head = "| texts changed since | `recall` ms | with `as_of` before the changes |\n|---:|---:|---:|\n"
    return head + "\n".join(rows)


def _median(store: Store, asked: Sequence[str], as_of: str | None) -> float:
    spent = []
    store.recall(asked[0], as_of=as_of)
    for question in asked:
        began = time.process_time()
        store.recall(question, as_of=as_of)
        spent.append((time.process_time() - began) * 1e3)
    return statistics.median(spent)


if __name__ == "__main__":
    main()
