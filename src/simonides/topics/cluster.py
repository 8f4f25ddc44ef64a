"""Which rows belong together? Spherical k-means on a sample, with room for so many per group if asked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simonides.topics.codes import Floats, unit_rows

SAMPLE_PER_GROUP = 512  # more rows hardly move a centre
ROUNDS = 8
Labels = npt.NDArray[np.int32]


def kmeans(rows: Floats, groups: int, random: np.random.Generator, room: int | None = None) -> Labels:
    """A group for every row: (n,) int32 in 0..groups−1; some groups may stay empty.

    rows: (n, d) float32 unit rows. room: rows that one group may take; groups · room must be at least n.
    """
    centres = centres_of(rows, groups, random)
    return place(rows @ centres.T, room)


def centres_of(rows: Floats, groups: int, random: np.random.Generator) -> Floats:
    """Unit centres (groups, d) float32 from a sample of the rows."""
    limit = SAMPLE_PER_GROUP * groups
    sample = rows if len(rows) <= limit else rows[np.sort(random.choice(len(rows), limit, replace=False))]
    centres = _seeds(sample, groups, random)
    for _ in range(ROUNDS):
        nearest = np.argmax(sample @ centres.T, axis=1)
        members = np.zeros((groups, len(sample)), np.float32)
        members[nearest, np.arange(len(sample))] = 1.0
        sums = members @ sample
        empty = np.flatnonzero(np.bincount(nearest, minlength=groups) == 0)
        sums[empty] = sample[random.integers(len(sample), size=len(empty))]
        centres = unit_rows(sums)
    return centres


def _seeds(sample: Floats, groups: int, random: np.random.Generator) -> Floats:
    """Rows far from each other: k-means++ (Arthur, Vassilvitskii, 2007) with 1 − cosine, a squared distance."""
    chosen = [int(random.integers(len(sample)))]
    distance = np.maximum(1.0 - sample @ sample[chosen[0]], 1e-9).astype(np.float64)
    for _ in range(1, groups):
        bounds = np.cumsum(distance)
        found = int(np.searchsorted(bounds, random.random() * bounds[-1], side="right"))
        chosen.append(min(found, len(sample) - 1))
        np.minimum(distance, np.maximum(1.0 - sample @ sample[chosen[-1]], 1e-9), out=distance)
    return sample[chosen]


def place(scores: Floats, room: int | None) -> Labels:
    """The best group of every row, or the best with room left: those with the widest choice of one group go first.

    scores: (n, k) float32, larger is better.
    """
    best: Labels = np.argmax(scores, axis=1).astype(np.int32)
    if room is None or np.bincount(best, minlength=scores.shape[1]).max(initial=0) <= room:
        return best
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order[:, :2], axis=1)
    left = [room] * scores.shape[1]
    for row in np.argsort(ranked[:, -1] - ranked[:, 0], kind="stable").tolist():
        for group in order[row].tolist():
            if left[group]:
                left[group] -= 1
                best[row] = group
                break
    return best
