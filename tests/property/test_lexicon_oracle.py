"""Do postings and scores equal a count over the living passages, whatever was flushed, merged or deleted?"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np
import pytest

from simonides.backend.rows import TailRow
from simonides.backend.sqlite.lexicon import LexiconRows
from simonides.index.bm25 import Bm25Params, accumulate, contributions, idf
from simonides.index.lexicon import Lexicon
from simonides.index.segments import maintain, purge, rebuild

NS = 7
SCHEMA = (resources.files("simonides.backend.sqlite") / "schema.sql").read_text(encoding="utf-8")
VOCABULARY = [f"w{n:03d}" for n in range(150)] + ["z" * 5000, "long" * 800, "Ω", "a", "zz"]
WEIGHTS = [1 / (n + 1) for n in range(len(VOCABULARY))]


class View(NamedTuple):
    """A catalogue of the snapshot."""

    pids: np.ndarray
    live: np.ndarray | None
    generation: int


@dataclass
class Model:
    """What the index should say: the living passages with their counts."""

    texts: dict[int, dict[str, int]] = field(default_factory=dict)  # pid → term → frequency byte
    gone: set[int] = field(default_factory=set)

    def copy(self) -> Model:
        return Model(dict(self.texts), set(self.gone))

    def view(self, generation: int, kept_dead: bool) -> View:
        pids = sorted(set(self.texts) | (self.gone if kept_dead else set()))
        live = np.array([pid in self.texts for pid in pids], bool)
        return View(np.array(pids, np.int64), None if live.all() else live, generation)

    def postings(self, view: View, terms: list[str]) -> dict[str, list[tuple[int, int]]]:
        found: dict[str, list[tuple[int, int]]] = {term: [] for term in terms}
        for ordinal, pid in enumerate(view.pids.tolist()):
            counts = self.texts.get(pid, {})
            for term in found.keys() & counts.keys():
                found[term].append((ordinal, counts[term]))
        return found


class File:
    """A store's file with one writing connection and as many readers as wanted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = self.connect()
        self.connection.execute(SCHEMA)
        self.connection.execute("INSERT INTO namespaces (ns, name, created_at) VALUES (7, 'a', 0), (8, 'b', 0)")
        self.rows = LexiconRows(self.connection)
        self.pid = 0

    def connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        connection.execute("PRAGMA journal_mode = wal").fetchall()
        connection.execute("PRAGMA synchronous = off")
        return connection

    def add(self, model: Model, counts: dict[str, int]) -> int:
        self.pid += 1
        self.rows.add_tail(NS, [TailRow(self.pid, " ".join(counts), bytes(counts.values()))])
        model.texts[self.pid] = counts
        return self.pid

    def kill(self, model: Model, pid: int) -> None:
        self.connection.execute("INSERT INTO dead_passages (seq, ns, pid) VALUES (?, ?, ?)", (pid, NS, pid))
        del model.texts[pid]
        model.gone.add(pid)


def epoch(connection: apsw.Connection) -> int:
    return int(connection.execute("SELECT epoch FROM namespaces WHERE ns = ?", (NS,)).get)


def text(chance: random.Random) -> dict[str, int]:
    """Term → frequency byte; sometimes no term at all."""
    words = chance.choices(VOCABULARY, WEIGHTS, k=chance.choice([0, 1, 5, 20, 40]))
    return {word: min(15, count) | (chance.choice([0, 0, 0, 1, 3]) << 4) for word, count in Counter(words).items()}


def check(lexicon: Lexicon, connection: apsw.Connection, model: Model, view: View, terms: list[str]) -> None:
    """Postings and frequencies of the connection's snapshot against the model."""
    rows = LexiconRows(connection)
    at = epoch(connection)
    wanted = model.postings(view, terms)
    found = lexicon.postings(rows, at, view, terms)
    got = {term: list(zip(p.ordinals.tolist(), p.frequencies.tolist(), strict=True)) for term, p in found.items()}
    assert got == {term: pairs for term, pairs in wanted.items() if pairs}
    assert list(found) == [term for term in dict.fromkeys(terms) if term in found]
    assert lexicon.frequencies(rows, at, view, terms) == {term: len(pairs) for term, pairs in wanted.items()}


def step(file: File, model: Model, chance: random.Random) -> None:
    """Some changes in one transaction."""
    with file.connection:
        for _ in range(chance.randrange(1, 60)):
            what = chance.random()
            if what < 0.7 or not model.texts:
                file.add(model, text(chance))
            else:
                file.kill(model, chance.choice(list(model.texts)))
                if what < 0.85:
                    file.add(model, text(chance))
    if chance.random() < 0.6:
        with file.connection:
            maintain(file.rows, NS, tail_max=40, fan=3, segment_max=400)
    if chance.random() < 0.05:
        with file.connection:
            purge(file.rows, NS)
    if chance.random() < 0.04:
        with file.connection:
            living = (TailRow(p, " ".join(c), bytes(c.values())) for p, c in sorted(model.texts.items()))
            rebuild(file.rows, NS, living, file.pid)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    file = File(tmp_path / "store.db")
    yield file
    file.connection.close()


@pytest.mark.parametrize("seed", range(4))
def test_postings_equal_a_count_under_any_history_from_two_connections_and_old_snapshots(file: File, seed: int) -> None:
    chance = random.Random(seed)
    model = Model()
    caches = [
        Lexicon(NS),
        Lexicon(NS, cache_bytes=20_000),
        Lexicon(NS, cache_bytes=0),
        Lexicon(NS, open_after=1),
        Lexicon(NS, open_after=20, cache_bytes=200_000),
    ]
    file.rows.add_tail(8, [TailRow(10**9, "w000 w001", b"\x01\x01")])
    snapshots: list[tuple[apsw.Connection, Model, View]] = []
    generation = 0
    for _ in range(45):
        step(file, model, chance)
        if chance.random() < 0.1:
            generation += 1
            for pid in list(model.gone):
                if chance.random() < 0.5:
                    model.gone.remove(pid)
        view = model.view(generation, kept_dead=True)
        reader = file.connect()
        reader.execute("BEGIN")
        epoch(reader)
        snapshots.append((reader, model.copy(), view))
        if len(snapshots) > 3:
            snapshots.pop(chance.randrange(3))[0].close()
        for connection, then, seen in chance.sample(snapshots, len(snapshots)):
            terms = [*chance.sample(VOCABULARY, 12), "w000", "absent", "zz", "a", "w000"]
            check(chance.choice(caches), connection, then, seen, terms)
    for connection, _, _ in snapshots:
        connection.close()


def oracle(model: Model, view: View, terms: list[str], params: Bm25Params) -> list[float]:
    """BM25 by the book, one passage and one term at a time."""
    sizes = {pid: sum((f & 15) + (f >> 4) for f in counts.values()) for pid, counts in model.texts.items()}
    n = len(model.texts)
    average = sum(sizes.values()) / n
    scores = []
    for pid in view.pids.tolist():
        score = 0.0
        for term in terms:
            df = sum(term in counts for counts in model.texts.values())
            byte = model.texts.get(pid, {}).get(term, 0)
            tf = (byte & 15) + params.essence_weight * (byte >> 4)
            if tf:
                norm = params.k1 * (1 - params.b + params.b * sizes[pid] / average)
                score += math.log(1 + (n - df + 0.5) / (df + 0.5)) * (params.k1 + 1) * tf / (tf + norm)
        scores.append(score)
    return scores


@pytest.mark.parametrize("seed", range(3))
def test_scores_equal_the_formula_and_do_not_depend_on_the_history(file: File, seed: int) -> None:
    chance = random.Random(100 + seed)
    params = Bm25Params(essence_weight=0.7)
    model = Model()
    lexicon = Lexicon(NS)
    for _ in range(12):
        step(file, model, chance)
        if not model.texts:
            continue
        view = model.view(0, kept_dead=True)
        terms = sorted(set(chance.choices(VOCABULARY, WEIGHTS, k=8)))
        sizes = [sum((f & 15) + (f >> 4) for f in model.texts.get(p, {}).values()) for p in view.pids.tolist()]
        lengths = np.array(sizes, np.float64)
        average = float(sum(sizes)) / len(model.texts)
        results = []
        for cache in (lexicon, Lexicon(NS)):
            found = cache.postings(file.rows, epoch(file.connection), view, terms)
            weighted = [(p, idf(len(model.texts), len(p.ordinals))) for p in found.values()]
            scores = accumulate(weighted, lengths, average, params).dense()
            parts = contributions(weighted, lengths, average, params, None, range(len(lengths)))
            added = np.zeros(len(lengths))
            for column in parts.T:
                added += column
            assert np.array_equal(added, scores)
            results.append(scores)
        assert np.array_equal(*results)
        np.testing.assert_allclose(results[0], oracle(model, view, terms, params), rtol=0, atol=1e-12)
