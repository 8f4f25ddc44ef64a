"""Which thoughts belong together? Average linkage with a bound that follows the data; pure numpy, no n² matrix.

Two groups are joined while the mean cosine between their members reaches the bound, so no chain of neighbours can tie
together what has nothing in common. The bound lies above what two thoughts of the namespace have in common anyway.
Everything is a function of its arguments, and `settled` goes on until nothing moves: what it gives, given back, stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.topics.cluster import kmeans

SAMPLE = 2_000  # rows compared with each other to learn what is usual
LOW, MIDDLE = 0.05, 0.25  # quantiles of the usual cosines: of the lower half, which holds no theme
DEVIATIONS_BETWEEN = 0.971  # of a normal distribution, between those two
CELL = 1_536  # rows that are compared with each other at once: 18 MB
CELL_AIM = 768
BLOCK = 2_048
SEED = 59
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """bound: mean cosine between joined groups. fewest, most: rows of a group."""

    bound: float
    fewest: int
    most: int


def bound_of(rows: Floats, deviations: float, lowest: float, highest: float) -> float:
    """The cosine from which on two rows (of unit rows (n, d)) are unusually close, within two limits.

    With the low quantiles q of the cosines of a sample: q.25 + deviations · (q.25 − q.05) / 0.971, where the quotient
    estimates their standard deviation. Themes are in the upper part and so do not raise it.
    """
    n = len(rows)
    if n < 2:
        return highest
    chosen = np.unique(np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.int64))
    sample = rows[chosen]
    cosines = (sample @ sample.T)[np.triu_indices(len(sample), 1)]
    low, middle = np.quantile(cosines, [LOW, MIDDLE]).tolist()
    return float(np.clip(middle + deviations * (middle - low) / DEVIATIONS_BETWEEN, lowest, highest))


def settled(rows: Floats, old: Sequence[Group], shape: Shape) -> tuple[list[Group], list[Group]]:
    """(the old groups, which may have grown; new ones), of which nothing moves any more. rows: (n, d) unit rows.

    A round puts at least one loose row into a group, or is the last.
    """
    kept: list[Group] = [tuple(sorted(group)) for group in old]
    fresh: list[Group] = []
    for _ in range(len(rows) + 1):
        groups = kept + fresh
        grown = _joined(rows, groups, shape)
        if grown == groups:
            loose = _loose(len(rows), groups)
            found = [tuple(loose[list(group)].tolist()) for group in grouped(rows[loose], shape)]
            if not found:
                break
            grown = groups + found
        kept, fresh = grown[: len(kept)], sorted(grown[len(kept) :])
    return kept, fresh


def grouped(rows: Floats, shape: Shape) -> list[Group]:
    """Groups of at least `fewest` rows among rows that are in none, cell by cell."""
    found: list[Group] = []
    for cell in cells(rows):
        found += [
            tuple(sorted(cell[list(group)].tolist()))
            for group in agglomerated(rows[cell], shape.bound, shape.most)
            if len(group) >= shape.fewest
        ]
    return sorted(found)


def agglomerated(rows: Floats, bound: float, most: int) -> list[Group]:
    """Average linkage of a few rows (n, d) by chains of nearest neighbours: O(n²).

    F. Murtagh, "A survey of recent advances in hierarchical clustering algorithms", Computer Journal 26 (1983); the
    mean cosine to a union follows from those to its parts (Lance and Williams).
    """
    wide = rows.astype(np.float64)
    near = wide @ wide.T
    np.fill_diagonal(near, -np.inf)
    sizes = np.ones(len(rows), np.int64)
    members: list[list[int]] = [[n] for n in range(len(rows))]
    alive = np.ones(len(rows), np.bool_)
    chain: list[int] = []
    first = 0
    while True:
        if not chain:
            while first < len(rows) and not alive[first]:
                first += 1
            if first == len(rows):
                return [tuple(sorted(group)) for group in members if group]
            chain.append(first)
        x = chain[-1]
        row = np.where(sizes + sizes[x] <= most, near[x], -np.inf)
        y = int(np.argmax(row))
        if len(chain) > 1 and row[chain[-2]] >= row[y]:
            y = chain[-2]
        if row[y] < bound:  # nobody will ever come nearer: it is done
            alive[x] = False
            near[:, x] = -np.inf
            chain.pop()
        elif len(chain) > 1 and y == chain[-2]:
            del chain[-2:]
            low, high = min(x, y), max(x, y)
            union = (sizes[low] * near[low] + sizes[high] * near[high]) / (sizes[low] + sizes[high])
            union[[low, high]] = -np.inf
            near[low], near[:, low] = union, union
            near[high], near[:, high] = -np.inf, -np.inf
            sizes[low] += sizes[high]
            members[low] += members[high]
            members[high], alive[high] = [], False
        else:
            chain.append(y)


def cells(rows: Floats) -> list[Ints]:
    """Rows in portions of at most `CELL` that lie near each other: indices, ascending in each."""
    waiting = [np.arange(len(rows))]
    done: list[Ints] = []
    random = np.random.default_rng(SEED)
    while waiting:
        cell = waiting.pop()
        if len(cell) <= CELL:
            done.append(cell)
            continue
        labels = kmeans(rows[cell], min(64, -(-len(cell) // CELL_AIM)), random)
        parts = [cell[labels == label] for label in np.unique(labels)]
        if max(map(len, parts)) > 0.9 * len(cell):  # nearly all the same: any cut is as good
            parts = [cell[start : start + CELL] for start in range(0, len(cell), CELL)]
        waiting += parts
    return done


def cohesion(rows: Floats) -> npt.NDArray[np.float64]:
    """(k,) the mean cosine of each row (k, d) with the others; 1 for one alone."""
    wide = rows.astype(np.float64)
    if len(wide) < 2:
        return np.ones(len(wide))
    return np.asarray((wide @ wide.sum(axis=0) - (wide * wide).sum(axis=1)) / (len(wide) - 1))


def _loose(count: int, groups: Sequence[Group]) -> Ints:
    free = np.ones(count, np.bool_)
    free[[row for group in groups for row in group]] = False
    return np.flatnonzero(free)


def _joined(rows: Floats, groups: list[Group], shape: Shape) -> list[Group]:
    """The groups with loose rows that are near enough to one, the nearest first; as they are when none is."""
    loose = _loose(len(rows), groups)
    open_ = [n for n, group in enumerate(groups) if 0 < len(group) < shape.most]
    if not len(loose) or not open_:
        return groups
    sums = np.stack([rows[list(groups[n])].astype(np.float64).sum(axis=0) for n in open_])
    sizes = np.array([len(groups[n]) for n in open_], np.float64)
    centres = (sums / sizes[:, None]).astype(np.float32)
    wanted: list[tuple[float, int, int]] = []
    for start in range(0, len(loose), BLOCK):
        block = loose[start : start + BLOCK]
        near = rows[block] @ centres.T
        best = np.argmax(near, axis=1)
        values = near[np.arange(len(block)), best]
        hits = np.flatnonzero(values >= shape.bound - 1e-4)
        wanted += [(-float(values[n]), int(block[n]), int(best[n])) for n in hits]
    grown = list(groups)
    for _, row, place in sorted(wanted):
        mean = float(rows[row].astype(np.float64) @ sums[place]) / sizes[place]
        if mean < shape.bound or sizes[place] >= shape.most:
            continue
        sums[place] += rows[row]
        sizes[place] += 1
        grown[open_[place]] = (*grown[open_[place]], row)
    return [tuple(sorted(group)) for group in grown]
