"""How fast is the postings index? Build, cold and warm questions, upkeep.

    python benchmarks/speed/lexicon.py [--rows 10000 100000] [--text sentences.txt]

Rows are three sentences. Without a file of sentences (one a line) words are drawn from a Zipf-Mandelbrot law.
Questions are question words and a window of 5–9 words of a sentence; stop words are scored like any other, so
these are upper bounds. Times are processor time, minima over repetitions per question, in ms; percentiles are
over questions. "After a write" means that the catalogue is another object: joined postings are made anew.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np

from simonides.backend.rows import TailRow
from simonides.backend.sqlite.lexicon import LexiconRows
from simonides.index.bm25 import Bm25Params, accumulate, idf
from simonides.index.context import Context, context_of
from simonides.index.lexicon import Lexicon
from simonides.index.segments import maintain

NS = 1
BATCH = 1_000
QUESTION_WORDS = ["what is the", "how do i", "when did we", "which of the", "why does the", "where is", "who has"]
COMMON = (
    "a an and are as at be been but by for from had has have he her his if in it its not of on or she so that they "
    "this to was we were with you"
)
WORD = re.compile(r"[^\W_]+")


class View(NamedTuple):
    """A catalogue."""

    pids: np.ndarray
    live: np.ndarray | None
    generation: int = 0


def sentences(path: Path | None, count: int, chance: random.Random) -> list[list[str]]:
    """Sentences as words, of a file or drawn."""
    if path is not None:
        return [WORD.findall(line.lower()) for line in path.read_text(encoding="utf-8").splitlines()]
    numbers = np.random.default_rng(1)
    weights = 1.0 / (np.arange(1, 60_001) + 2.7) ** 1.05
    drawn = numbers.choice(60_000, (count, 14), p=weights / weights.sum())
    return [[f"w{number}" for number in row] for row in drawn.tolist()]


def rows(pool: list[list[str]], count: int, chance: random.Random) -> Iterator[TailRow]:
    """Tail rows with ids from 1."""
    for pid in range(1, count + 1):
        counts = Counter(chance.choice(pool) + chance.choice(pool) + chance.choice(pool))
        yield TailRow(pid, " ".join(counts), bytes(min(15, n) for n in counts.values()))


def questions(pool: list[list[str]], count: int, chance: random.Random) -> list[list[str]]:
    """Distinct terms of each question, sorted."""
    asked: list[list[str]] = []
    while len(asked) < count:
        words = chance.choice(pool)
        length = chance.randrange(5, 10)
        if len(words) >= 8:
            at = chance.randrange(max(1, len(words) - length))
            asked.append(sorted({*chance.choice(QUESTION_WORDS).split(), *words[at : at + length]}))
    return asked


def connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    for pragma in ("journal_mode = wal", "synchronous = normal", "cache_size = -65536"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    return connection


def build(path: Path, pool: list[list[str]], count: int) -> tuple[np.ndarray, dict[str, object]]:
    """Write everything; returns the lengths and what it took."""
    connection = connect(path)
    connection.execute((resources.files("simonides.backend.sqlite") / "schema.sql").read_text(encoding="utf-8"))
    connection.execute("INSERT INTO namespaces (ns, name, created_at) VALUES (1, 'a', 0)")
    lexicon = LexiconRows(connection)
    source = rows(pool, count, random.Random(2))
    lengths: list[int] = []
    steps: list[tuple[float, int]] = []
    adding = 0.0
    while batch := list(islice(source, BATCH)):
        lengths.extend(sum(row.frequencies) for row in batch)
        started = time.process_time()
        with connection:
            lexicon.add_tail(NS, batch)
        adding += time.process_time() - started
        more = True
        while more:
            before = len(lexicon.segment_ids(NS))
            started = time.process_time()
            with connection:
                more = maintain(lexicon, NS)
            steps.append((time.process_time() - started, len(lexicon.segment_ids(NS)) - before))
    flushes = [spent for spent, grown in steps if grown > 0]
    merges = [spent for spent, grown in steps if grown < 0]
    idle = [spent for spent, grown in steps if not grown]
    size = sum(n for (n,) in connection.execute("SELECT pgsize FROM dbstat WHERE name LIKE 'lexicon%'"))
    report = {
        "add rows/s": round(count / adding),
        "flush ms": spread(flushes),
        "merge ms": spread(merges),
        "idle upkeep ms": spread(idle),
        "index MB": round(size / 1e6, 1),
        "segments": [size.passages for size in lexicon.segment_sizes(NS)],
        "tail": lexicon.tail_size(NS),
    }
    connection.close()
    return np.array(lengths, np.float64), report


def spread(seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {}
    ms = np.array(seconds) * 1e3
    return {
        "p50": round(float(np.median(ms)), 3),
        "p95": round(float(np.percentile(ms, 95)), 3),
        "max": round(float(ms.max()), 3),
    }


def fastest(jobs: list[Callable[[], object]], times: int) -> dict[str, float]:
    best = [9.0] * len(jobs)
    for _ in range(times):
        for number, job in enumerate(jobs):
            started = time.process_time()
            job()
            best[number] = min(best[number], time.process_time() - started)
    return spread(best)


def measure(path: Path, lengths: np.ndarray, asked: list[list[str]]) -> dict[str, object]:
    """Questions against the file."""
    count = len(lengths)
    view = View(np.arange(1, count + 1, dtype=np.int64), None)
    dead = np.random.default_rng(3).random(count) < 0.01
    some = View(view.pids, ~dead)
    average = float(lengths.mean())
    params = Bm25Params()
    here = np.arange(count, dtype=np.int32)[:, np.newaxis]
    links = here + np.array([-1, 1, -2, 2, -3, 3, -4, 4], np.int32)
    links[links // 20 != here // 20] = -1
    around = context_of(links, count, np.zeros(count, np.float32), np.zeros(count, np.int32))
    started = time.process_time()
    connection = connect(path)
    reader = LexiconRows(connection)
    epoch = int(connection.execute("SELECT epoch FROM namespaces WHERE ns = 1").get)
    lexicon = Lexicon(NS)

    def ask(terms: list[str], seen: View = view, context: Context | None = None) -> np.ndarray:
        found = lexicon.postings(reader, epoch, seen, terms)
        weighted = [(held, idf(count, len(held.ordinals))) for held in found.values()]
        return accumulate(weighted, lengths, average, params, context).dense()

    ask(asked[0])
    report: dict[str, object] = {"open and first question ms": round((time.process_time() - started) * 1e3, 2)}
    cold = []
    for terms in asked:
        lexicon._blocks.clear()
        lexicon._answers.clear()
        started = time.process_time()
        ask(terms)
        cold.append(time.process_time() - started)
    report["nothing cached"] = spread(cold)
    report["warm"] = fastest([lambda t=t: ask(t) for t in asked], 5)
    report["after a write"] = fastest([lambda t=t: ask(t, View(*view)) for t in asked], 5)
    report["after a write, postings only"] = fastest(
        [lambda t=t: lexicon.postings(reader, epoch, View(*view), t) for t in asked], 5
    )
    report["after a write, 1 % dead"] = fastest([lambda t=t: ask(t, View(*some)) for t in asked], 5)
    report["warm, context field"] = fastest([lambda t=t: ask(t, view, around) for t in asked[:50]], 3)
    common = {word for words in QUESTION_WORDS for word in words.split()} | set(COMMON.split())
    scored = [[term for term in terms if term not in common] for terms in asked]
    report["no stop words, warm"] = fastest([lambda t=t: ask(t) for t in scored], 5)
    report["no stop words, context field"] = fastest([lambda t=t: ask(t, view, around) for t in scored], 5)
    many = sorted({term for terms in asked for term in terms})
    report["distinct terms"] = len(many)
    lexicon._blocks.clear()
    started = time.process_time()
    lexicon.frequencies(reader, epoch, view, many)
    report["their df, cold ms"] = round((time.process_time() - started) * 1e3, 2)
    report["their df, warm"] = fastest([lambda: lexicon.frequencies(reader, epoch, view, many)], 5)
    report["postings a question"] = round(
        float(np.mean([sum(lexicon.frequencies(reader, epoch, view, terms).values()) for terms in asked]))
    )
    report["cache MB"] = round(lexicon._cache._bytes / 1e6, 1)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--text", type=Path, default=None)
    parser.add_argument("--questions", type=int, default=200)
    given = parser.parse_args()
    pool = sentences(given.text, 50_000, random.Random(1))
    asked = questions(pool, given.questions, random.Random(9))
    for count in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lexicon.db"
            lengths, built = build(path, pool, count)
            print(json.dumps({"rows": count, **built, **measure(path, lengths, asked)}, indent=1))


if __name__ == "__main__":
    main()
