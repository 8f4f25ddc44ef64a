"""How much does each passage owe to each term of a question?

BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009): a term adds
idf · (k1 + 1) · tf / (tf + k1 · (1 − b + b · length / average)). Content, essence and, for conversations, the
turns around it are fields: their frequencies are weighted and added before the formula bends them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.index.context import Context
from simonides.index.postings import Frequencies, Postings

Scores = npt.NDArray[np.float64]
Weighted = Sequence[tuple[Postings, float]]
Places = npt.NDArray[np.intp]

_CHUNK = 8_192  # postings worked on at a time: the buffers stay in the processor's cache
_BYTES = np.arange(256)
_TINY = 1e-300  # keeps 0 / 0 away when k1 or a length is 0


@dataclass(frozen=True, slots=True)
class Bm25Params:
    """k1: how soon a repeated word stops counting. b: how far length is held against a passage (0..1).

    essence_weight: what a word in the essence counts against one in the content.
    """

    k1: float = 1.2
    b: float = 0.75
    essence_weight: float = 1.0


def idf(n: int, df: int) -> float:
    """ln(1 + (n − df + ½) / (df + ½)): how rare a term is that `df` of `n` passages hold; never negative."""
    return math.log1p((n - df + 0.5) / (df + 0.5))


def accumulate(
    weighted: Weighted, lengths: Scores, average: float, params: Bm25Params, context: Context | None = None
) -> Scores:
    """BM25 of every passage: postings with their idf (times a weight) → (n,) float64.

    lengths: (n,) float64 words of a passage, its context included when there is one; average: their mean over
    the living. context: what the turns around each turn lend it. Terms are added in the order given, and nothing
    else has a say in how a passage's sum is rounded.
    """
    scores = np.zeros(len(lengths))
    slope, floor = _norm(average, params)
    table = _table(params)
    spread = None if context is None else _Spread(context, len(lengths))
    for postings, weight in weighted:
        factor = weight * (params.k1 + 1.0)
        for places, tf in _chunks(postings, table) if spread is None else spread.chunks(postings, table):
            norm = lengths[places] * slope
            norm += floor
            norm += tf
            np.divide(tf, norm, out=norm)
            norm *= factor
            scores[places] += norm
    return scores


def contributions(
    weighted: Weighted,
    lengths: Scores,
    average: float,
    params: Bm25Params,
    context: Context | None,
    ordinals: Sequence[int],
) -> Scores:
    """What each term gives to a few passages: (len(ordinals), terms) float64.

    Arguments as for `accumulate`; a row added from left to right is exactly the passage's score there.
    """
    wanted = np.asarray(ordinals, np.int64)
    slope, floor = _norm(average, params)
    norm = lengths[wanted] * slope + floor
    table = _table(params)
    columns = np.zeros((len(wanted), len(weighted)))
    for column, (postings, weight) in enumerate(weighted):
        tf = _frequency(postings, table, wanted)
        if context is not None:
            for links, lent in zip(context.links[wanted].T, context.lent[wanted].T, strict=True):
                tf += _frequency(postings, table, links.astype(np.int64)) * lent
        columns[:, column] = tf / (norm + tf) * (weight * (params.k1 + 1.0))
    return columns


class _Spread:
    """Gives passages what the turns around them lend, term by term. Scratch arrays live as long as a call.

    A term is handed out by its own passages, so a rare one costs little: whom a passage has in slot s has the
    passage in slot s ^ 1. Slots are taken in order, so every sum is rounded as in `contributions`. The scratch's
    last element stands for "no passage".
    """

    def __init__(self, context: Context, size: int) -> None:
        self._links = context.links
        self._lent = context.lent.reshape(-1)
        self._total = np.zeros(size + 1)
        self._touched = np.zeros(size + 1, np.bool_)

    def chunks(self, postings: Postings, table: Scores) -> Iterator[tuple[Places, Scores]]:
        """The passages with the term in or around them, ascending, and its weighted frequency there."""
        total, touched, width = self._total, self._touched, self._links.shape[1]
        total[postings.ordinals] = table[postings.frequencies]
        touched[postings.ordinals] = True
        held = [(self._links.take(places, axis=0), tf) for places, tf in _chunks(postings, table)]
        for slot in range(width):
            for links, tf in held:
                targets = links[:, slot ^ 1].astype(np.intp)
                touched[targets] = True
                given = self._lent.take(targets * width + slot, mode="clip") * tf
                total[targets] += given
        touched[-1] = False
        reached = np.flatnonzero(touched)
        for start in range(0, len(reached), _CHUNK):
            places = reached[start : start + _CHUNK]
            yield places, total[places]
        touched[reached] = False
        total[reached] = 0.0


def _chunks(postings: Postings, table: Scores) -> Iterator[tuple[Places, Scores]]:
    """Ordinals and weighted frequencies, a cacheful at a time."""
    for start in range(0, len(postings.ordinals), _CHUNK):
        places = postings.ordinals[start : start + _CHUNK].astype(np.intp)
        yield places, table[postings.frequencies[start : start + _CHUNK]]


def _norm(average: float, params: Bm25Params) -> tuple[float, float]:
    """k1 · (1 − b + b · length / average) as slope · length + floor."""
    slope = params.k1 * params.b / average if average > 0 else 0.0
    return slope, max(params.k1 * (1.0 - params.b), _TINY)


def _table(params: Bm25Params) -> Scores:
    """Weighted frequency of each byte: (256,) float64."""
    return (_BYTES & 15) + params.essence_weight * (_BYTES >> 4)


def _frequency(postings: Postings, table: Scores, wanted: npt.NDArray[np.int64]) -> Scores:
    """The weighted frequency at some ordinals, 0 where the term is not. wanted: (k,) int64 → (k,) float64."""
    if not len(postings.ordinals):
        return np.zeros(len(wanted))
    places = np.searchsorted(postings.ordinals, wanted)
    places[places == len(postings.ordinals)] = 0
    held: Frequencies = np.where(postings.ordinals[places] == wanted, postings.frequencies[places], np.uint8(0))
    return table[held]
