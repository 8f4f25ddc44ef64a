"""What does the best hit of the first look tell about the question? Its direction, and words that lead one hop on.

echo: the vector leg asks again with norm(question + .3 · the hit's vector). hop: rows that share the rarest words
that the hit adds to the question. Both are terms of the one scoring rule; they follow the pool, not the row alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.index.bm25 import accumulate, idf
from simonides.index.postings import Postings
from simonides.read.candidates import Pool, Space, admit, without_veto
from simonides.read.conversation import smoothed
from simonides.read.fuse import Ranking
from simonides.read.legs.select import best
from simonides.read.plan import Plan
from simonides.text.analysis import Analyzer

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
    """The best hit of the first look: its space, passage and score, and the hop's share of every passage per space."""

    space: int
    row: int
    score: float
    shares: dict[int, Floats]


def follow(plan: Plan, first: Ranking, words: Words) -> tuple[Lead, Pool]:
    """Where the first look leads, and the pool with the rows that a hop brings in, measured."""
    pool = first.pool
    top = int(np.lexsort((pool.take("keys"), -first.scores))[0])
    home, row = int(pool.space[top]), int(pool.rows[top])
    terms = _terms(plan, pool.spaces[home], row, words)
    shares: dict[int, Floats] = {}
    fresh = pool
    for n, space in enumerate(pool.spaces):
        share = _share(plan, space, terms)
        if share is None:
            continue
        shares[n] = share
        mask = without_veto(space, space.mask)
        near = np.flatnonzero(share > HOP_SHARE_MIN if mask is None else (share > HOP_SHARE_MIN) & mask)
        rows = near[best(share[near], space.catalogue.keys[near], HOP_ROWS)]
        fresh = admit(fresh, n, rows, plan.recipe)
    return Lead(home, row, float(first.scores[top]), shares), fresh


def add(ranking: Ranking, lead: Lead) -> Ranking:
    """The ranking with `echo` and `hop`."""
    pool = ranking.pool
    weight = ranking.weights.get("vector", 0.0)
    if weight and "vector" in ranking.scaled:
        ranking = ranking.add("echo", weight * _echo(pool, lead, ranking.scaled["vector"]))
    share = np.zeros(pool.size)
    for n, values in lead.shares.items():
        mine = pool.space == n
        share[mine] = values[pool.rows[mine]]
    return ranking.add("hop", HOP * lead.score * share)


def _echo(pool: Pool, lead: Lead, scaled: Floats) -> Floats:
    """What asking again in the hit's direction changes of every scaled cosine."""
    home = pool.spaces[lead.space].vector
    hit = None if home is None else home.table.row(lead.row)
    if hit is None or home is None:
        return np.zeros(pool.size)

    def look(space: Space, rows: npt.NDArray[np.integer]) -> Floats | None:
        return None if space.vector is None else space.vector.table.some(rows, hit)

    toward = np.zeros(pool.size)
    for n, space in enumerate(pool.spaces):
        mine = np.flatnonzero(pool.space == n)
        found = look(space, pool.rows[mine])
        if found is not None:
            toward[mine] = np.fmax(found, 0.0)
    toward = smoothed(pool, toward, look)
    own = float(home.approximately(np.array([lead.row]))[0])
    length = math.sqrt(1.0 + ECHO * ECHO + 2.0 * ECHO * max(-1.0, min(1.0, own)))
    return np.minimum((scaled + ECHO * toward) / length, 1.0) - scaled


def _terms(plan: Plan, space: Space, row: int, words: Words) -> list[str]:
    """The rarest words that a passage adds to the question: base terms, rarest first, in two passages at least."""
    stored = space.snapshot.passages_of([int(space.catalogue.pids[row])])
    texts = space.snapshot.thoughts(space.view.state.ns, [int(space.catalogue.tids[row])])
    if not stored or not texts:
        return []
    text = texts[0].thought.content[stored[0].start : stored[0].stop]
    asked = {base for term in plan.reading.terms for base in term.bases}
    new: dict[str, None] = {}
    for chunk in words.analyzer.chunks(text):
        for term in chunk.terms:
            if term.text in words.stop_words or term.text in words.names or len(term.text) < TERM_CHARS_MIN:
                continue
            if term.bases and term.bases[0] not in asked:
                new[term.bases[0]] = None
    counts = space.shelf.lexicon.frequencies(space.snapshot.lexicon, space.view.state.epoch, space.catalogue, list(new))
    return sorted((t for t in new if counts[t] > 1), key=lambda t: (counts[t], t))[:HOP_TERMS]


def _share(plan: Plan, space: Space, terms: list[str]) -> Floats | None:
    """(n,) BM25 of the hop's words as a share of what a passage with all of them could get."""
    catalogue = space.catalogue
    found: dict[str, Postings] = space.shelf.lexicon.postings(
        space.snapshot.lexicon, space.view.state.epoch, catalogue, terms
    )
    if not found:
        return None
    weighted = [(p, idf(catalogue.count, len(p.ordinals))) for _, p in sorted(found.items())]
    params = plan.text.params
    lengths, average = catalogue.lengths(params.essence_weight, context=False)
    ideal = (params.k1 + 1.0) * sum(weight for _, weight in weighted)
    return np.minimum(1.0, accumulate(weighted, lengths, average, params) / ideal)
