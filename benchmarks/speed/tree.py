"""How good and how fast is the topic tree? Beam against exhaustive comparison: `python -m benchmarks.speed.tree`.

Two sets of unit vectors: drawn around 500 centres, and real sentences of this machine with the built-in embedder.
Figures: share of all vectors compared (centroids included), recall@10, a known item disturbed to cosine .75,
milliseconds per question against an exact float32 scan of numpy (medians), bytes per vector, seconds to build.
Run it with OMP_NUM_THREADS=1; on a busy machine read ratios.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.speed.sentences import sentences
from simonides.embedders.choose import resolve
from simonides.read.legs.select import best
from simonides.read.legs.vector import MARGIN
from simonides.topics.beam import descend
from simonides.topics.build import build, grown_up, settle
from simonides.topics.codes import Coded, encode, encode_query
from simonides.topics.grow import Growth
from simonides.topics.measure import places_of
from simonides.topics.tree import Shape, Tree

DIMENSION = 384
MEMBERS = 200  # of a drawn cluster, on average
NOISE = 0.9  # length of what is added to a centre of length 1
DISTURBED = 0.75
WANTED = 10
WIDTHS = (4, 8, 16, 24, 32, 48, 64)
TARGETS = (0.5, 1.0, 2.0, 4.0)


def clustered(count: int, seed: int) -> np.ndarray:
    """Unit rows around centres that depend on the count alone: (count, 384) float32."""
    centres = _unit(np.random.default_rng(7).standard_normal((max(8, count // MEMBERS), DIMENSION)).astype(np.float32))
    random = np.random.default_rng(seed)
    rows = centres[random.integers(0, len(centres), count)]
    return _unit(rows + random.standard_normal(rows.shape).astype(np.float32) * (NOISE / np.sqrt(DIMENSION)))


def real(count: int) -> np.ndarray:
    """Unit rows of real sentences, shuffled; those the embedder knows nothing about are left out."""
    embedder = resolve(None)
    assert embedder is not None
    texts = sentences(count)
    rows = np.concatenate([embedder.embed_documents(texts[n : n + 2_000]) for n in range(0, len(texts), 2_000)])
    return np.ascontiguousarray(rows[rows.any(axis=1)], np.float32)


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@dataclass
class Set:
    """Stored rows, questions, and the ten nearest of each."""

    name: str
    rows: np.ndarray
    questions: np.ndarray
    truth: list[set[int]]

    @classmethod
    def of(cls, name: str, rows: np.ndarray, questions: int) -> Set:
        asked, stored = rows[:questions], rows[questions:]
        truth = [set(np.argpartition(-(stored @ q), 10)[:10].tolist()) for q in asked]
        return cls(name, stored, asked, truth)


def search(tree: Tree, packed: Coded, data: Set, query: np.ndarray, width: int) -> tuple[np.ndarray, int]:
    """Ids of the best ten, the last few compared exactly as the engine does, and how many comparisons it took."""
    reached = descend(tree, query, width)
    places = places_of(tree, reached)
    cosines = packed.cosines(places, encode_query(query))
    ids = tree.members[places[best(cosines, tree.members[places], WANTED + MARGIN)]]
    exact = data.rows[ids] @ query
    return ids[best(exact, ids, WANTED)], reached.scored + len(places)


def curve(tree: Tree, packed: Coded, data: Set) -> list[tuple[float, float, int]]:
    """(percent compared, recall@10, width) per width."""
    out = []
    for width in WIDTHS:
        found = compared = 0
        for query, wanted in zip(data.questions, data.truth, strict=True):
            ids, scored = search(tree, packed, data, query, width)
            found += len(wanted.intersection(ids.tolist()))
            compared += scored
        asked = len(data.questions)
        out.append((100 * compared / asked / len(data.rows), found / asked / 10, width))
    return out


def at(points: list[tuple[float, float, int]], percent: float) -> float:
    """Recall at a share compared, between the measured points."""
    return float(np.interp(percent, [p[0] for p in points], [p[1] for p in points]))


def known_item(tree: Tree, packed: Coded, data: Set, width: int) -> float:
    """Share of stored rows that their own copy, disturbed to cosine .75, finds among the best ten."""
    random = np.random.default_rng(5)
    found = 0
    chosen = random.choice(len(data.rows), len(data.questions), replace=False)
    for row in chosen.tolist():
        stored = data.rows[row]
        noise = random.standard_normal(len(stored))
        noise -= stored * (noise @ stored)
        query = DISTURBED * stored + np.sqrt(1 - DISTURBED**2) * noise / np.linalg.norm(noise)
        found += row in search(tree, packed, data, query.astype(np.float32), width)[0]
    return found / len(chosen)


def timed(tree: Tree, packed: Coded, data: Set, width: int) -> tuple[float, float]:
    """Median milliseconds per question: of the tree, and of an exact float32 scan, in turns."""
    ours, theirs = [], []
    for query in data.questions[:100]:
        started = time.perf_counter()
        search(tree, packed, data, query, width)
        middle = time.perf_counter()
        values = data.rows @ query
        top = np.argpartition(-values, 10)[:10]
        top[np.argsort(-values[top])]
        ours.append(middle - started)
        theirs.append(time.perf_counter() - middle)
    return 1e3 * float(np.median(ours)), 1e3 * float(np.median(theirs))


def bytes_per_vector(tree: Tree, packed: Coded) -> float:
    arrays = [packed.codes, packed.factors, tree.members]
    for level in tree.levels:
        arrays += [level.centroids, level.lengths, level.keys, level.counts, level.starts]
    return sum(a.nbytes for a in arrays) / max(1, tree.size)


def report(data: Set, inserted: int) -> None:
    coded, shape = encode(data.rows), Shape()
    started = time.perf_counter()
    tree = build(coded, shape)
    seconds = time.perf_counter() - started
    packed = coded.pick(tree.members)
    points = curve(tree, packed, data)
    line(f"{data.name}, batch", points)
    width = min(points, key=lambda p: abs(p[0] - 2.0))[2]
    ours, exact = timed(tree, packed, data, width)
    sizes = np.diff(tree.leaves.starts)
    print(f"    levels {[len(level) for level in tree.levels]}, leaves {sizes.mean():.0f} members (max {sizes.max()})")
    print(f"    known item at cosine .75, width {width}: {known_item(tree, packed, data, width):.3f}")
    print(f"    a question: {ours:.2f} ms, exact scan {exact:.1f} ms: {exact / ours:.0f} times faster")
    print(f"    {bytes_per_vector(tree, packed):.0f} bytes a vector; built in {seconds:.0f} s", flush=True)
    if inserted:
        small = Set.of(data.name, np.concatenate([data.questions, data.rows[:inserted]]), len(data.questions))
        one_by_one(small, shape)


def one_by_one(data: Set, shape: Shape) -> None:
    """The same rows in a batch, one after the other, and then rebalanced once."""
    coded = encode(data.rows)
    batch = build(coded, shape)
    line(f"{data.name} {len(data.rows)}, batch", curve(batch, coded.pick(batch.members), data))
    growth = Growth.empty(coded.dimension, shape, coded.rows)
    started = time.perf_counter()
    for n in range(len(data.rows)):
        growth.insert(np.array([n]), data.rows[n : n + 1])
    growth.settle()
    micros = 1e6 * (time.perf_counter() - started) / len(data.rows)
    tree = growth.freeze()
    line(f"    one by one, {micros:.0f} us each", curve(tree, coded.pick(tree.members), data))
    labels = np.empty(tree.size, np.int32)
    labels[tree.members] = tree.leaf_of_member()
    tree = grown_up(coded, settle(coded, labels, shape), shape)
    line("    and rebalanced", curve(tree, coded.pick(tree.members), data))


def line(name: str, points: list[tuple[float, float, int]]) -> None:
    cells = " ".join(f"{at(points, target):6.3f}" for target in TARGETS)
    shown = " ".join(f"{width}:{recall:.3f}@{percent:.2f}" for percent, recall, width in points)
    print(f"{name:34s} {cells}   {shown}", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=100_000)
    arguments.add_argument("--questions", type=int, default=300)
    arguments.add_argument("--inserted", type=int, default=20_000, help="rows for the one-by-one figures, 0 for none")
    arguments.add_argument("--vectors", type=Path, help="an .npy of unit rows in place of the machine's sentences")
    arguments.add_argument("--only", choices=("clustered", "real"))
    given = arguments.parse_args()
    total = given.count + given.questions
    print(f"{'recall@10 at percent compared':34s} " + " ".join(f"{target:6.1f}" for target in TARGETS))
    if given.only != "real":
        report(Set.of("clustered", clustered(total, 1), given.questions), 0)
    if given.only != "clustered":
        rows = np.load(given.vectors)[:total] if given.vectors else real(total)
        report(Set.of("real sentences", rows, given.questions), given.inserted)


if __name__ == "__main__":
    main()
