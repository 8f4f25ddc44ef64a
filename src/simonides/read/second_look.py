"""What does the best hit of the first look tell about the question? Its direction, and words that lead one hop on.

echo: the vector leg asks again with norm(question + .3 · the hit's vector). hop: rows that share the rarest words
that the hit adds to the question. Both are terms of the one scoring rule; they follow the pool, not the row alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.index.bm25 import Scored, accumulate, idf
from simonides.read.candidates import Pool, Space, admit, without_veto
from simonides.read.conversation import smoothed
from simonides.read.legs.full_text import frequencies
from simonides.read.legs.select import best

if TYPE_CHECKING:
    from simonides.index.postings import Postings
    from simonides.read.fuse import Ranking
    from simonides.read.plan import Plan
    from simonides.text.analysis import Analyzer
    from simonides.topics.codes import CodedQuery

ECHO = 0.3  # the hit's vector beside the question's
HOP = 0.4  # times the first hit's score: a weak first hit leads nowhere
HOP_TERMS = 3
HOP_ROWS = 25  # passages that the hop may add
HOP_SHARE_MIN = 0.3  # of the hop's ideal, to be added
TERM_CHARS_MIN = 3
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Words:
    """What a hop needs to know about words."""

    analyzer: Analyzer
    stop_words: frozenset[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lead:
    """Where the best hit of the first look points.

    toward: (m,) cosines ≥ 0 of the pool with the hit, None when it has no vector. length: of question + ECHO · hit.
    share: (m,) the hop's share of what its words could give. score: of the hit in the first look.
    """

    score: float
    toward: Floats | None
    length: float
    share: Floats

    def pick(self, order: npt.NDArray[np.int64]) -> Lead:
        """For the competitors at some indices."""
        toward = None if self.toward is None else self.toward[order]
        return Lead(self.score, toward, self.length, self.share[order])

    def add(self, ranking: Ranking) -> Ranking:
        """The ranking with `echo`, what asking again in the hit's direction changes of the cosines, and `hop`."""
        weight = ranking.weights.get("vector", 0.0)
        scaled = ranking.scaled.get("vector")
        if weight and scaled is not None and self.toward is not None:
            again = np.minimum((scaled + ECHO * self.toward) / self.length, 1.0)
            ranking = ranking.add("echo", weight * (again - scaled))
        return ranking.add("hop", HOP * self.score * self.share)


def follow(plan: Plan, first: Ranking, words: Words, leaders: npt.NDArray[np.int64] | None = None) -> tuple[Lead, Pool]:
    """Where the first look leads, and the pool with the rows that a hop brings in, measured.

    leaders: the rows of which the best one leads; None for all.
    """
    pool = first.pool
    order = np.lexsort((pool.take("keys"), -first.scores))
    top = int(order[0] if leaders is None else order[np.isin(order, leaders)][0])
    home, row = int(pool.space[top]), int(pool.rows[top])
    terms = _terms(plan, pool.spaces[home], row, words)
    shares: dict[int, Scored] = {}
    for n, space in enumerate(pool.spaces):
        share = _share(plan, space, terms)
        if share is None:
            continue
        shares[n] = share
        mask = without_veto(space, space.mask)
        strong = share.values > HOP_SHARE_MIN
        if mask is not None:
            strong &= mask[share.rows]
        near, values = share.rows[strong], share.values[strong]
        pool = admit(pool, n, near[best(values, space.catalogue.keys, HOP_ROWS, rows=near)], plan.recipe)
    hit = _vector(pool.spaces[home], row)
    toward = None if hit is None else _toward(pool, hit[0])
    length = 1.0 if hit is None else math.sqrt(1.0 + ECHO * ECHO + 2.0 * ECHO * max(-1.0, min(1.0, hit[1])))
    return Lead(float(first.scores[top]), toward, length, _of_pool(pool, shares)), pool


def _of_pool(pool: Pool, shares: dict[int, Scored]) -> Floats:
    out = np.zeros(pool.size)
    for n, share in shares.items():
        mine = pool.of_space(n)
        out[mine] = share.at(pool.rows[mine])
    return out


def _vector(space: Space, row: int) -> tuple[CodedQuery, float] | None:
    """The coded row of the hit, and its cosine with the question."""
    leg = space.vector
    hit = None if leg is None else leg.table.row(row)
    return None if leg is None or hit is None else (hit, float(leg.approximately(np.array([row]))[0]))


def _toward(pool: Pool, hit: CodedQuery) -> Floats:
    """(m,) cosines with the hit, the turns around each turn included."""

    def look(space: Space, rows: npt.NDArray[np.integer]) -> Floats | None:
        return None if space.vector is None else space.vector.table.some(rows, hit)

    toward = np.zeros(pool.size)
    for n, space in enumerate(pool.spaces):
        mine = pool.of_space(n)
        found = look(space, pool.rows[mine])
        if found is not None:
            toward[mine] = np.fmax(found, 0.0)
    return smoothed(pool, toward, look)


def _terms(plan: Plan, space: Space, row: int, words: Words) -> list[str]:
    """The rarest words that a passage adds to the question: base terms, rarest first, in two passages at least."""
    text = space.snapshot.passage_text(int(space.catalogue.pids[row]))
    if text is None:
        return []
    asked = {base for term in plan.reading.terms for base in term.bases}
    new: dict[str, None] = {}
    for chunk in words.analyzer.chunks(text):
        for term in chunk.terms:
            if term.text in words.stop_words or term.text in words.names or len(term.text) < TERM_CHARS_MIN:
                continue
            if term.bases and term.bases[0] not in asked:
                new[term.bases[0]] = None
    counts = frequencies(space.snapshot.lexicon, space.shelf, space.view, list(new))
    return sorted((t for t in new if counts[t] > 1), key=lambda t: (counts[t], t))[:HOP_TERMS]


def _share(plan: Plan, space: Space, terms: list[str]) -> Scored | None:
    """BM25 of the hop's words as a share of what a passage with all of them could get."""
    catalogue = space.catalogue
    found: dict[str, Postings] = space.shelf.lexicon.postings(
        space.snapshot.lexicon, space.view.state.epoch, catalogue, terms
    )
    if not found:
        return None
    weighted = [
        (p, idf(catalogue.evidence.count, catalogue.evidence.frequency(p.ordinals))) for _, p in sorted(found.items())
    ]
    params = plan.text.params
    lengths, average = catalogue.lengths(params.essence_weight, context=False)
    ideal = (params.k1 + 1.0) * sum(weight for _, weight in weighted)
    held = space.shelf.shares(lengths, params, context=False)
    found_in = accumulate(weighted, lengths, average, params, held=held)
    return found_in.shares(ideal)
