"""The text leg: which passages share words with the question, and how much are the words worth?

A bare question is answered from the postings index. An expert one asks FTS5 which passages match; what they score
is the same BM25. Scores come from the namespace's own statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.index.bm25 import Bm25Params, Scored, accumulate, idf
from simonides.index.postings import Postings
from simonides.text.match import fts5_match
from simonides.text.reading import Phrase, QueryTerm, Reading, keep_rarest

if TYPE_CHECKING:
    from simonides.backend.lexicon_port import LexiconReader
    from simonides.backend.port import Snapshot
    from simonides.index.catalogue import Catalogue
    from simonides.index.evidence import Evidence
    from simonides.index.shelf import Shelf, View

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TextRules:
    """How text is scored. context: the turns around a turn count as well. terms_max: distinct terms scored."""

    params: Bm25Params
    terms_max: int
    context: bool


@dataclass(frozen=True, slots=True)
class TextLeg:
    """What the text leg knows about one namespace.

    bm25: of every passage with a scored term. rows: passages it may return, None for all of those.
    stop: makes BM25 of stop words alone, for rows that share nothing else; None when there are none.
    ideal: the most a passage could get, were all terms in it; those that occur nowhere count too.
    scored: (base term, idf) of what was scored, in order.
    veto: passages that an expert query's NOT refuses. failed: an expert expression that could not be run.
    """

    reading: Reading
    bm25: Scored
    rows: Ints | None
    stop: Callable[[], Scored] | None
    ideal: float
    scored: tuple[tuple[str, float], ...]
    terms: tuple[str, ...]
    unscored: tuple[str, ...]
    veto: Ints | None = None
    failed: bool = False

    def passages(self, mask: Mask | None) -> tuple[Ints, Floats]:
        """Passages with a scored term (or that an expert query matched), within a scope, and their BM25."""
        if self.rows is None:
            return _within(self.bm25, mask)
        rows = self.rows if mask is None else self.rows[mask[self.rows]]
        return rows, self.bm25.at(rows)

    def leftovers(self, mask: Mask | None) -> tuple[Ints, Floats]:
        """Passages that share only stop words with the question, and BM25 of those."""
        if self.stop is None or self.rows is not None:
            return np.empty(0, np.int64), np.empty(0)
        rows, values = _within(self.stop(), mask)
        others = self.bm25.at(rows) <= 0
        return rows[others], values[others]


def _within(scored: Scored, mask: Mask | None) -> tuple[Ints, Floats]:
    if mask is None:
        return scored.rows, scored.values
    seen = mask[scored.rows]
    return scored.rows[seen], scored.values[seen]


def search(snapshot: Snapshot, shelf: Shelf, view: View, reading: Reading, rules: TextRules) -> TextLeg | None:
    """The leg for one namespace; None when the question has no searchable term or the namespace no passage."""
    catalogue = view.catalogue
    if reading.kind == "empty" or not catalogue.count:
        return None
    lexicon, rows = shelf.lexicon, snapshot.lexicon
    if len(reading.terms) > rules.terms_max:
        reading = keep_rarest(reading, frequencies(rows, shelf, view, _asked(reading.terms)), rules.terms_max)

    def look_up(terms: Sequence[QueryTerm]) -> dict[str, Postings]:
        return lexicon.postings(rows, view.state.epoch, catalogue, _asked(terms))

    postings = look_up([t for t in reading.terms if not t.stop])
    _add_prefixes(snapshot, view, reading, postings)
    leg = _score(shelf, catalogue, reading, postings, look_up, rules)
    if reading.kind != "expert":
        return leg
    found = _matching(snapshot, view, reading.match)
    veto = None if reading.veto_match is None else _matching(snapshot, view, reading.veto_match)
    return replace(leg, rows=np.empty(0, np.int64) if found is None else found, veto=veto, failed=found is None)


def frequencies(reader: LexiconReader, shelf: Shelf, view: View, terms: Sequence[str]) -> dict[str, int]:
    """In how many passages that are no reflections each term occurs; 0 where it does not."""
    catalogue = view.catalogue
    if catalogue.evidence.derived is None:
        return shelf.lexicon.frequencies(reader, view.state.epoch, catalogue, terms)
    found = shelf.lexicon.postings(reader, view.state.epoch, catalogue, terms)
    return {term: catalogue.evidence.frequency(found[term].ordinals) if term in found else 0 for term in terms}


def _asked(terms: Sequence[QueryTerm]) -> list[str]:
    return list(dict.fromkeys(form for term in terms for form, _ in term.forms))


def _matching(snapshot: Snapshot, view: View, expression: str | None) -> Ints | None:
    """Ordinals that an FTS5 expression finds; none at all for None; None when FTS5 cannot read it."""
    if expression is None:
        return np.empty(0, np.int64)
    pids = snapshot.match(expression)
    if pids is None:
        return None
    rows, live = view.catalogue.ordinals(pids), view.catalogue.live
    return rows if live is None else rows[live[rows]]


def _add_prefixes(snapshot: Snapshot, view: View, reading: Reading, postings: dict[str, Postings]) -> None:
    """A prefix counts as one term that every matching passage holds once."""
    for term in reading.terms:
        if term.prefix:
            base = term.bases[0]
            rows = _matching(snapshot, view, fts5_match(Phrase(term.text, ((base,),), (base,), prefix=True)))
            if rows is not None and len(rows):
                postings[_prefix_key(term)] = Postings(rows.astype(np.int32), np.ones(len(rows), np.uint8))


def _prefix_key(term: QueryTerm) -> str:
    return f"{term.bases[0]}*"


def _score(
    shelf: Shelf,
    catalogue: Catalogue,
    reading: Reading,
    postings: dict[str, Postings],
    look_up: Callable[[Sequence[QueryTerm]], dict[str, Postings]],
    rules: TextRules,
) -> TextLeg:
    """The leg. postings: of all terms but stop words, which are looked up when nothing else occurs or fills a pool."""
    evidence = catalogue.evidence
    stops = [t for t in reading.terms if t.stop]
    asked = [t for t in reading.terms if not t.stop]
    scored = _present(asked, postings)
    absent = len(asked) - len(scored)
    stop: Callable[[], Scored] | None = None
    if scored and stops:

        def stop() -> Scored:
            found = look_up(stops)
            plain, mean = catalogue.lengths(rules.params.essence_weight, context=False)
            held = shelf.shares(plain, rules.params, context=False)
            present = _present(stops, found)
            weighted = _weighted(present, [_idf(t, found, evidence) for t in present], found)
            return accumulate(weighted, plain, mean, rules.params, held=held)

    elif stops:
        postings = look_up(stops)
        scored, stops = _present(stops, postings), []
    around = catalogue.context if rules.context else None
    lengths, average = catalogue.lengths(rules.params.essence_weight, context=around is not None)
    held = shelf.shares(lengths, rules.params, context=around is not None)
    rarities = [_idf(t, postings, evidence) for t in scored]
    weighted = _weighted(scored, rarities, postings)
    return TextLeg(
        reading=reading,
        bm25=accumulate(weighted, lengths, average, rules.params, around, held),
        rows=None,
        stop=stop,
        ideal=(rules.params.k1 + 1.0) * (sum(weight for _, weight in weighted) + absent * idf(evidence.count, 0)),
        scored=tuple([(t.bases[0], rarity) for t, rarity in zip(scored, rarities, strict=True)]),
        terms=tuple(t.text for t in scored),
        unscored=tuple(t.text for t in stops),
    )


def _present(terms: Sequence[QueryTerm], postings: dict[str, Postings]) -> list[QueryTerm]:
    return [t for t in terms if any(form in postings for form, _ in _forms(t))]


def _forms(term: QueryTerm) -> tuple[tuple[str, float], ...]:
    return ((_prefix_key(term), 1.0),) if term.prefix else term.forms


def _idf(term: QueryTerm, postings: dict[str, Postings], evidence: Evidence) -> float:
    """The idf of a term is that of its most frequent form: an exact form is not rarer than the word itself."""
    found = [postings[form].ordinals for form, _ in _forms(term) if form in postings]
    return idf(evidence.count, max(map(evidence.frequency, found)))


def _weighted(
    terms: Sequence[QueryTerm], rarities: Sequence[float], postings: dict[str, Postings]
) -> list[tuple[Postings, float]]:
    """Postings with idf · weight, in the order of the terms and their forms."""
    weighted: list[tuple[Postings, float]] = []
    for term, rarity in zip(terms, rarities, strict=True):
        weighted += [(postings[form], weight * rarity) for form, weight in _forms(term) if form in postings]
    return weighted
