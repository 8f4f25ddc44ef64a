"""The last step: texts that belong together come closer than texts that do not, and each token learns its weight.

Symmetric InfoNCE (van den Oord et al. 2018) over batches of one kind of pair, plus the cosine to the teacher so that
the rows do not forget; sparse Adam on the rows a batch touches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from corpus import Pair


@dataclass(frozen=True, slots=True)
class Recipe:
    steps: int = 1200
    batch: int = 768
    teacher_batch: int = 512
    temperature: float = 0.04
    weight_rate: float = 0.03  # of the log-weight of each token
    row_rate: float = 0.0016
    teacher_share: float = 4.0  # weight of the cosine to the teacher beside InfoNCE
    kept: float = 0.3  # share of the rows as they were, mixed in at the end
    warm_up: int = 30
    rate_floor: float = 0.05
    kind_power: float = 0.75  # how much a kind's number of pairs decides how often it is drawn
    seed: int = 0


@dataclass(slots=True)
class Pairs:
    """Token ids of both texts of each pair. by_kind: positions of the pairs of a kind. group: see `corpus.Pair`."""

    left: list[np.ndarray]
    right: list[np.ndarray]
    group: np.ndarray
    by_kind: dict[str, np.ndarray]

    @classmethod
    def read(cls, pairs: list[Pair], ids: Callable[[list[str]], list[np.ndarray]]) -> Pairs:
        """Pairs without a known token on one side are dropped."""
        left, right = ids([p[1] for p in pairs]), ids([p[2] for p in pairs])
        by_kind: dict[str, list[int]] = {}
        for at, pair in enumerate(pairs):
            if len(left[at]) and len(right[at]):
                by_kind.setdefault(pair[0], []).append(at)
        kinds = {k: np.array(v) for k, v in sorted(by_kind.items())}
        return cls(left, right, np.array([p[3] for p in pairs]), kinds)


class Adam:
    """Adam on some rows of an array at a time (decay .9 and .99)."""

    def __init__(self, values: np.ndarray, rate: float) -> None:
        self.values, self._rate = values, rate
        self._first, self._second = np.zeros_like(values), np.zeros_like(values)

    def step(self, at: np.ndarray, gradient: np.ndarray, share: float) -> None:
        """at: row numbers. share: of the rate."""
        first = self._first[at] = 0.9 * self._first[at] + 0.1 * gradient
        second = self._second[at] = 0.99 * self._second[at] + 0.01 * gradient**2
        self.values[at] -= self._rate * share * first / 0.9 / (np.sqrt(second) + 1e-8)


def contrast(
    rows: np.ndarray,
    pairs: Pairs,
    mean: sparse.csr_matrix,
    target: np.ndarray,
    recipe: Recipe,
    say: Callable[[str], None],
) -> np.ndarray:
    """Train rows and weights together; returns rows x weights, mixed with the rows given, (tokens, d) float32.

    mean, target: the teacher's texts as a matrix of means, and its unit vectors. Mixing the weights of a model before
    and after fine-tuning keeps what the fine-tuning had no examples of (Wortsman et al. 2022).
    """
    rng = np.random.default_rng(recipe.seed)
    kinds = list(pairs.by_kind)
    share = np.array([len(pairs.by_kind[k]) for k in kinds], float) ** recipe.kind_power
    row = Adam(rows.astype(np.float32).copy(), recipe.row_rate)
    weight = Adam(np.zeros((len(rows), 1), np.float32), recipe.weight_rate)
    for step in range(1, recipe.steps + 1):
        kind = pairs.by_kind[kinds[rng.choice(len(kinds), p=share / share.sum())]]
        drawn = rng.choice(kind, min(recipe.batch, len(kind)), replace=False)
        taught = rng.choice(mean.shape[0], recipe.teacher_batch, replace=False)
        used, matrix = _gather([pairs.left[i] for i in drawn] + [pairs.right[i] for i in drawn], mean[taught])
        gain = np.exp(weight.values[used])
        weighted = row.values[used] * gain
        loss, gradient = _loss(matrix, weighted, pairs.group[drawn], target[taught], recipe)
        pace = min(1.0, step / recipe.warm_up) * max(recipe.rate_floor, 1 - step / recipe.steps)
        weight.step(used, (gradient * weighted).sum(axis=1, keepdims=True), pace)
        row.step(used, gradient * gain, pace)
        if step % 200 == 0:
            say(f"contrast step {step}: loss {loss:.3f}")
    return recipe.kept * rows + (1 - recipe.kept) * row.values * np.exp(weight.values)


def _gather(ids: list[np.ndarray], taught: sparse.csr_matrix) -> tuple[np.ndarray, sparse.csr_matrix]:
    """The tokens a batch uses, and the matrix of means over them: pairs first, then the teacher's texts."""
    lengths = np.array([len(x) for x in ids])
    flat = np.concatenate([*ids, taught.indices])
    used, place = np.unique(flat, return_inverse=True)
    data = np.concatenate([np.repeat(1 / lengths, lengths).astype(np.float32), taught.data])
    ends = np.concatenate([[0], np.cumsum(lengths), lengths.sum() + taught.indptr[1:]])
    return used, sparse.csr_matrix((data, place, ends), (len(ends) - 1, len(used)))


def _loss(
    matrix: sparse.csr_matrix, weighted: np.ndarray, group: np.ndarray, target: np.ndarray, recipe: Recipe
) -> tuple[float, np.ndarray]:
    """InfoNCE in both directions minus the teacher's cosine; the gradient with respect to the weighted rows."""
    size = len(group)
    summed = matrix @ weighted
    length = np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-6)
    vectors = summed / length
    left, right, taught = vectors[:size], vectors[size : 2 * size], vectors[2 * size :]
    logits = left @ right.T / recipe.temperature
    same = (group[:, None] == group[None, :]) & (group > 0)[:, None]
    np.fill_diagonal(same, False)
    logits[same] = -np.inf
    forward, backward = _softmax(logits, 1), _softmax(logits, 0)
    loss = -float(np.log(np.maximum(np.diag(forward) * np.diag(backward), 1e-20)).mean() / 2)
    slope = (forward + backward) / 2
    slope[np.arange(size), np.arange(size)] -= 1
    slope /= size * recipe.temperature
    pull = -recipe.teacher_share / len(taught) * target
    outer = np.concatenate([slope @ right, slope.T @ left, pull])
    inner = (outer - vectors * (outer * vectors).sum(axis=1, keepdims=True)) / length
    return loss, (matrix.T @ inner).astype(np.float32)


def _softmax(logits: np.ndarray, axis: int) -> np.ndarray:
    wide = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return wide / wide.sum(axis=axis, keepdims=True)
