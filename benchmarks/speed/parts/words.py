"""The text leg on questions full of common words, beside FTS5's `bm25()`, and is its top ten the true one?

The store neither stems nor leaves out stop words here, so both systems score the very same words. Truth is BM25 of
every row, from the texts alone. Then rows are changed and deleted, and the answers are compared again.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time

import apsw
import numpy as np

import simonides
from benchmarks.speed.corpus import _COMMON, Corpus, words
from benchmarks.speed.parts import Table
from simonides import Draft, Store
from simonides.read import candidates

ROWS = 100_000
QUESTIONS = 100
COMMON, USUAL = 6, 3  # function words, and words of the frequent end of the vocabulary
TOP = 10
K1, B = 1.2, 0.6  # the defaults of TextConfig
_WORD = re.compile(r"[a-z0-9]+")
PLAIN = {"text": {"language": None, "stop_words": False}, "store": {"synchronous": "NORMAL"}}


def measure(folder: Path, size: int = ROWS) -> Table:
    path = folder / "words.db"
    _remove(path)
    texts = {name: text for block in Corpus(size).blocks() for name, text in zip(block.ids, block.texts, strict=True)}
    asked = _questions()
    plain = _fts5(folder / "words-fts5.db", texts)
    with simonides.open(path, embedder=False, config=PLAIN) as store:
        store.remember_many([Draft(content=text, thought_id=name) for name, text in texts.items()])
    with simonides.open(path, embedder=False, config=PLAIN) as store:
        first, again, theirs = [], [], []
        for question in asked:
            first.append(_timed(lambda: store.search_fts(question, TOP)))  # noqa: B023
            theirs.append(_timed(lambda: _bm25(plain, question)))  # noqa: B023
            again.append(_timed(lambda: store.search_fts(question, TOP)))  # noqa: B023
        equal = _equal(store, texts, asked)
        _change(store, texts)
        changed = _equal(store, texts, asked)
    plain.close()
    for file in (path, folder / "words-fts5.db"):
        _remove(file)
    rows = [
        ["FTS5 `bm25()`", *_spread(theirs)],
        ["Simonides, words met for the first time", *_spread(first)],
        ["Simonides, asked again", *_spread(again)],
    ]
    ratio = [t[0] / s[0] for t, s in zip(theirs, first, strict=True)]
    warm = [t[0] / s[0] for t, s in zip(theirs, again, strict=True)]
    return Table(
        f"Questions of common words joined by OR, {size:,} rows",
        ("system", "p50 ms", "p95 ms", "CPU p50 ms"),
        rows,
        f"{COMMON + USUAL} words a question, top {TOP}, {QUESTIONS} questions in turns. The median question is "
        f"{median(ratio):.1f} times as fast as FTS5 at first and {median(warm):.1f} times when asked again. The top "
        f"{TOP} is that of exhaustive BM25 for {equal:.1%} of the questions (without what nearness of words adds), and "
        f"for {changed:.1%} after every fiftieth row was changed and every fiftieth deleted.",
        {"ratio_first": median(ratio), "ratio_again": median(warm), "equal": equal, "equal_changed": changed},
    )


def _remove(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def _questions() -> list[str]:
    chance = random.Random(11)
    usual = words()[:60]
    return [" ".join([*chance.sample(_COMMON, COMMON), *chance.sample(usual, USUAL)]) for _ in range(QUESTIONS)]


def _fts5(path: Path, texts: dict[str, str]) -> apsw.Connection:
    _remove(path)
    db = apsw.Connection(str(path))
    db.execute("PRAGMA journal_mode = WAL").fetchall()
    db.execute("CREATE VIRTUAL TABLE words USING fts5 (body)")
    with db:
        db.executemany("INSERT INTO words (body) VALUES (?)", ((text,) for text in texts.values()))
    return db


def _bm25(db: apsw.Connection, question: str) -> list[tuple[int]]:
    match = " OR ".join(f'"{word}"' for word in question.split())
    sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?"
    return db.execute(sql, (match, TOP)).fetchall()


def _timed(call) -> tuple[float, float]:  # any call
    begun, used = perf_counter(), thread_time()
    call()
    return (perf_counter() - begun) * 1e3, (thread_time() - used) * 1e3


def _spread(times: list[tuple[float, float]]) -> list[str]:
    walls = sorted(wall for wall, _ in times)
    return [f"{median(walls):.2f}", f"{walls[int(len(walls) * 0.95)]:.2f}", f"{median(cpu for _, cpu in times):.2f}"]


def _change(store: Store, texts: dict[str, str]) -> None:
    names = list(texts)
    moved = [Draft(content=f"{texts[names[n]]} {texts[names[n - 1]]}", thought_id=names[n]) for n in _every(names, 1)]
    store.remember_many(moved)
    texts.update({str(draft.thought_id): draft.content for draft in moved})
    for n in _every(names, 26):
        store.delete_thought(names[n])
        del texts[names[n]]


def _every(names: list[str], start: int) -> range:
    return range(start, len(names), 50)


def _equal(store: Store, texts: dict[str, str], asked: list[str]) -> float:
    """The share of questions whose hits are the best of exhaustive scoring, in order; ties may change places.

    What is added to BM25 for words that stand near each other is left out here.
    """
    names = sorted(texts)
    place = {name: n for n, name in enumerate(names)}
    wanted = {word for question in asked for word in question.split()}
    lengths = np.zeros(len(names))
    postings: dict[str, dict[int, int]] = defaultdict(dict)
    for name, text in texts.items():
        found = _WORD.findall(text.lower())
        lengths[place[name]] = len(found)
        for word, count in Counter(found).items():
            if word in wanted:
                postings[word][place[name]] = count
    added, candidates.proximity = candidates.proximity, lambda passages, terms: np.zeros(len(passages))
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    same = 0
    for question in asked:
        scores = np.zeros(len(names))
        for word in question.split():
            held = postings[word]
            if not held:
                continue
            at, counts = np.fromiter(held, np.int64, len(held)), np.fromiter(held.values(), np.float64, len(held))
            rarity = math.log1p((len(names) - len(held) + 0.5) / (len(held) + 0.5))
            scores[at] += rarity * (K1 + 1) * counts / (counts + norm[at])
        best = np.sort(scores)[::-1][:TOP]
        given = [scores[place[name]] for name, _ in store.search_fts(question, TOP)]
        same += len(given) == TOP and bool(np.allclose(given, best, rtol=0, atol=1e-9))
    candidates.proximity = added
    return same / len(asked)
