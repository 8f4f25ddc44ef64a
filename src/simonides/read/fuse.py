"""How do measures become one score? The one scoring rule, with every contribution kept.

    score = Σ weightᵢ · scaleᵢ(columnᵢ), then additions and factors in a fixed order

A factor's contribution is the amount that it added, so contributions always sum to the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from simonides.read.scales import SCALES

if TYPE_CHECKING:
    from simonides.read.candidates import Pool
    from simonides.read.recipes import Recipe

Floats = npt.NDArray[np.float64]


class Ranking(NamedTuple):
    """A pool with scores. parts: (name, (m,) contribution) in the order in which they were added.

    scaled: (m,) per column of the recipe. weights: the effective ones. scores: (m,) the parts added in order.
    """

    pool: Pool
    parts: tuple[tuple[str, Floats], ...]
    scaled: Mapping[str, Floats]
    weights: Mapping[str, float]
    scores: Floats

    def add(self, name: str, amount: Floats) -> Ranking:
        """With something added to every score; nothing at all when it is 0 everywhere."""
        if not amount.any():
            return self
        return Ranking(self.pool, (*self.parts, (name, amount)), self.scaled, self.weights, self.scores + amount)

    def multiply(self, name: str, factor: Floats) -> Ranking:
        """With every score multiplied; what that adds is the contribution."""
        return self.add(name, self.scores * (factor - 1.0))

    def pick(self, order: npt.NDArray[np.int64]) -> Ranking:
        """The competitors at some indices, in that order."""
        return Ranking(
            self.pool.pick(order),
            tuple([(name, part[order]) for name, part in self.parts]),
            {name: part[order] for name, part in self.scaled.items()},
            self.weights,
            self.scores[order],
        )


def effective_weights(weights: Mapping[str, float], active: frozenset[str], normalise: bool) -> dict[str, float]:
    """The weights of what takes part. Normalised: each one's share of their sum, so that they sum to 1.

    >>> effective_weights({"fts": 0.3, "vector": 0.55, "recency": 0.1}, frozenset({"fts", "recency"}), True)
    {'fts': 0.75, 'recency': 0.25}
    """
    used = {name: weight for name, weight in weights.items() if name in active and weight > 0}
    total = sum(used.values())
    if not normalise:
        return used
    return {name: round(weight / total, 15) for name, weight in used.items()} if total > 0 else {}


def fuse(pool: Pool, recipe: Recipe, weights: Mapping[str, float], rrf_k: int) -> Ranking:
    """The weighted sum over the columns of a recipe that have a weight."""
    parts: list[tuple[str, Floats]] = []
    scaled: dict[str, Floats] = {}
    for name, scale in recipe.scales:
        column = pool.columns.get(name)
        weight = weights.get(name, 0.0)
        if column is None or weight == 0.0:
            continue
        scaled[name] = SCALES[scale](column, rrf_k)
        parts.append((name, weight * scaled[name]))
    total = np.zeros(pool.size)
    for _, part in parts:
        total = total + part
    return Ranking(pool, tuple(parts), scaled, dict(weights), total)


def empty(pool: Pool) -> Ranking:
    """A pool in which nothing was measured: every score is 0."""
    return Ranking(pool, (), {}, {}, np.zeros(pool.size))
