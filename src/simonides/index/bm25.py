"""How much does each passage owe to each term of a question?

BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009): a term adds
idf · (k1 + 1) · tf / (tf + k1 · (1 − b + b · length / average)). Content, essence and, for conversations, the
turns around it are fields: their frequencies are weighted and added before the formula bends them.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.index.postings import Frequencies, Postings

if TYPE_CHECKING:
    from simonides.index.context import Context

Scores = npt.NDArray[np.float64]
Weighted = Sequence[tuple[Postings, float]]
Places = npt.NDArray[np.intp]
Share = tuple[Places, Scores]

_CHUNK = 8_192  # postings worked on at a time: the buffers stay in the processor's cache
_BYTES = np.arange(256)
SMALL_MAX = 65_536  # passages of a namespace up to which an array of all of them is made for every question
_scratch = threading.local()
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
    weighted: Weighted,
    lengths: Scores,
    average: float,
    params: Bm25Params,
    context: Context | None = None,
    held: Shares | None = None,
) -> Scored:
    """BM25 of every passage that has any of the terms: postings with their idf (times a weight).

    lengths: (n,) float64 words of a passage, its context included when there is one; average: their mean over
    the living. context: what the turns around each turn lend it. held: what was worked out before for the same
    lengths. Terms are added in the order given, and nothing else has a say in how a passage's sum is rounded.
    """
    norms = None if held is None else held.norms(average)
    measure = _Measure(lengths, average, params, context, norms)
    wanted = [postings for postings, _ in weighted]
    shares = measure.of(wanted) if held is None else held.of(wanted, measure)
    factors = [weight * (params.k1 + 1.0) for _, weight in weighted]
    if not shares:
        return Scored(np.empty(0, np.int64), np.empty(0), len(lengths))
    added = _added_small if len(lengths) <= SMALL_MAX else _added_large
    return added(shares, factors, len(lengths))


@dataclass(frozen=True, slots=True)
class Scored:
    """Passages with a score. rows: (m,) int64 ordinals, ascending; values: (m,) float64 above 0; size: n.

    whole: (n,) float64 with 0 elsewhere, where it was made on the way.
    """

    rows: npt.NDArray[np.int64]
    values: Scores
    size: int
    whole: Scores | None = None

    def at(self, ordinals: npt.NDArray[np.integer]) -> Scores:
        """Scores at some ordinals: (k,) float64, 0 for a passage that has none."""
        if self.whole is not None:
            return np.asarray(self.whole[ordinals])
        if not len(self.rows):
            return np.zeros(len(ordinals))
        places = np.searchsorted(self.rows, ordinals)
        places[places == len(self.rows)] = 0
        return np.where(self.rows[places] == ordinals, self.values[places], 0.0)

    def dense(self) -> Scores:
        """(n,) float64."""
        if self.whole is not None:
            return self.whole
        out = np.zeros(self.size)
        out[self.rows] = self.values
        return out

    def shares(self, ideal: float) -> Scored:
        """Of what a passage could get at most: 0 to 1."""
        whole = None if self.whole is None else np.minimum(1.0, self.whole / ideal)
        values = np.minimum(1.0, self.values / ideal) if whole is None else whole[self.rows]
        return Scored(self.rows, values, self.size, whole)


def _added_small(shares: Sequence[Share], factors: Sequence[float], size: int) -> Scored:
    """All terms in one go; bincount adds one after the other, as they stand here."""
    amounts = np.repeat(factors, [len(places) for places, _ in shares])
    amounts *= np.concatenate([share for _, share in shares])
    scores: Scores = np.asarray(np.bincount(np.concatenate([p for p, _ in shares]), amounts, size), np.float64)
    rows = np.flatnonzero(scores > 0)
    return Scored(rows, scores[rows], size, scores)


def _added_large(shares: Sequence[Share], factors: Sequence[float], size: int) -> Scored:
    """Term by term into an array that is kept: what is touched is paid for, not what is there."""
    total = getattr(_scratch, "total", None)
    if total is None or len(total) < size:
        total = np.zeros(size + size // 8)
    _scratch.total = None  # whoever is interrupted leaves a dirty one behind
    touched = np.zeros(size, np.bool_)
    for (places, share), factor in zip(shares, factors, strict=True):
        total[places] += share * factor
        touched[places] = True
    rows = np.flatnonzero(touched)
    values = total[rows]
    total[rows] = 0.0
    _scratch.total = total
    some = values > 0
    return Scored(rows, values, size) if some.all() else Scored(rows[some], values[some], size)


class _Measure:
    """tf / (tf + norm) of one term in every passage that has it, in or around it."""

    def __init__(
        self,
        lengths: Scores,
        average: float,
        params: Bm25Params,
        context: Context | None,
        norms: Scores | None = None,
    ) -> None:
        """norms: (n,) what lengths come to, where it was worked out before."""
        self._lengths = lengths
        self._slope, self._floor = _norm(average, params)
        self._norms = norms
        self._table = _table(params.essence_weight)
        self._context = context
        self._spread: _Spread | None = None

    def of(self, wanted: Sequence[Postings]) -> list[Share]:
        """Per term its passages and the values there."""
        if self._context is not None:
            return [self._around(postings) for postings in wanted]
        return self._alone(wanted)

    def _alone(self, wanted: Sequence[Postings]) -> list[Share]:
        """All terms in one go: the steps of a short term cost more than its numbers."""
        if not wanted:
            return []
        ends = np.cumsum([len(postings.ordinals) for postings in wanted]).tolist()
        places = np.concatenate([postings.ordinals for postings in wanted]).astype(np.intp)
        tf = self._table[np.concatenate([postings.frequencies for postings in wanted])]
        shares = self._share(places, tf)
        return [(places[a:b], shares[a:b]) for a, b in pairwise([0, *ends])]

    def _around(self, postings: Postings) -> Share:
        """One term, in the turns around each turn as well."""
        if self._spread is None:
            assert self._context is not None
            self._spread = _Spread(self._context, len(self._lengths))
        places, tf = self._spread.of(postings, self._table)
        return places, self._share(places, tf)

    def _share(self, places: Places, tf: Scores) -> Scores:
        if self._norms is not None:
            norm = self._norms[places]
        else:
            norm = self._lengths[places]
            norm *= self._slope
            norm += self._floor
        norm += tf
        return np.divide(tf, norm, out=norm)


class Shares:
    """What terms give to passages, for one array of lengths: questions share words.

    Only frozen postings are kept; others are made for one question. limit: bytes.
    """

    def __init__(self, lengths: Scores, params: Bm25Params, limit: int) -> None:
        self.lengths = lengths
        self.params = params
        self._left = limit
        self._held: dict[int, tuple[Postings, Share]] = {}
        self._norms: tuple[float, Scores] | None = None

    def norms(self, average: float) -> Scores:
        """k1 · (1 − b + b · length / average) of every passage: (n,) float64."""
        known = self._norms
        if known is None or known[0] != average:
            slope, floor = _norm(average, self.params)
            known = self._norms = (average, self.lengths * slope + floor)
        return known[1]

    def of(self, wanted: Sequence[Postings], measure: _Measure) -> list[Share]:
        held = [self._held.get(_name(postings)) for postings in wanted]
        missing = [postings for postings, known in zip(wanted, held, strict=True) if known is None]
        fresh = iter(measure.of(missing)) if missing else iter(())
        found = [next(fresh) if known is None else known[1] for known in held]
        for postings, share, known in zip(wanted, found, held, strict=True):
            size = share[0].nbytes + share[1].nbytes
            if known is None and not postings.ordinals.flags.writeable and size <= self._left:
                self._left -= size
                self._held[_name(postings)] = postings, share
        return found


def _name(postings: Postings) -> int:
    """The identity of postings; it means them as long as they live."""
    return id(postings.ordinals)


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
    table = _table(params.essence_weight)
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

    def of(self, postings: Postings, table: Scores) -> tuple[Places, Scores]:
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
        found = total[reached]
        touched[reached] = False
        total[reached] = 0.0
        return reached, found


def _chunks(postings: Postings, table: Scores) -> Iterator[tuple[Places, Scores]]:
    """Ordinals and weighted frequencies, a cacheful at a time."""
    for start in range(0, len(postings.ordinals), _CHUNK):
        places = postings.ordinals[start : start + _CHUNK].astype(np.intp)
        yield places, table[postings.frequencies[start : start + _CHUNK]]


def _norm(average: float, params: Bm25Params) -> tuple[float, float]:
    """k1 · (1 − b + b · length / average) as slope · length + floor."""
    slope = params.k1 * params.b / average if average > 0 else 0.0
    return slope, max(params.k1 * (1.0 - params.b), _TINY)


@lru_cache(maxsize=64)
def _table(essence_weight: float) -> Scores:
    """Weighted frequency of each byte: (256,) float64."""
    table: Scores = (_BYTES & 15) + essence_weight * (_BYTES >> 4)
    table.flags.writeable = False
    return table


def _frequency(postings: Postings, table: Scores, wanted: npt.NDArray[np.int64]) -> Scores:
    """The weighted frequency at some ordinals, 0 where the term is not. wanted: (k,) int64 → (k,) float64."""
    if not len(postings.ordinals):
        return np.zeros(len(wanted))
    places = np.searchsorted(postings.ordinals, wanted)
    places[places == len(postings.ordinals)] = 0
    held: Frequencies = np.where(postings.ordinals[places] == wanted, postings.frequencies[places], np.uint8(0))
    return table[held]
