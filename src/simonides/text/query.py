"""What does the text that somebody typed ask for?

The bare reading is the default: every word may match, the rare ones count most. docs/query-language.md has the rules.
No text raises: what cannot be read as an expert query is read bare.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from simonides.text import expert
from simonides.text.analysis import Analyzer, Chunk, TermForms, query_terms
from simonides.text.graphemes import cut
from simonides.text.match import fts5_match
from simonides.text.reading import (
    DROPPED_NAMED_MAX,
    And,
    Column,
    DroppedTerm,
    Kind,
    Node,
    Not,
    Or,
    Phrase,
    QueryTerm,
    Reading,
    Term,
)

EXACT_WEIGHT: Final = 0.12
"""Weight of an exact form beside 1 for its base: enough to put the word as typed above its other shapes."""

PAIR_WEIGHT: Final = 0.5
"""Weight shared by the syllable pairs of a Hangul word beside 1 for the whole word."""

QUERY_CHARS_MAX: Final = 200_000
READ_TERMS_MAX: Final = 4_096
"""Distinct terms that a reading holds. `reading.keep_rarest` brings them down to what is scored."""


def read_query(
    text: str, analyzer: Analyzer, *, stop_words: frozenset[str], exact_weight: float = EXACT_WEIGHT
) -> Reading:
    """The reading of a query. Never raises for any string; linear in its length, which is cut at `QUERY_CHARS_MAX`.

    >>> from simonides.text.stopwords import stop_words
    >>> [term.text for term in read_query("sister's dog", Analyzer(), stop_words=stop_words()).terms]
    ['sister', 's', 'dog']
    """
    scribe = _Scribe(analyzer, stop_words, exact_weight)
    short = cut(text, QUERY_CHARS_MAX)
    reading = _read(short, scribe)
    if len(short) == len(text):
        return reading
    lost = DroppedTerm(cut(text[len(short) :], 40), f"text beyond the first {QUERY_CHARS_MAX} characters")
    dropped = (lost, *reading.dropped)[:DROPPED_NAMED_MAX]
    return replace(reading, text=text, dropped=dropped, dropped_count=reading.dropped_count + 1)


def _read(text: str, scribe: _Scribe) -> Reading:
    bare = scribe.bare(text)
    if bare.kind == "empty" or not expert.may_be_expert(text) or expert.is_prose(text):
        return bare
    try:
        signs = expert.words_for_operators(expert.signs_of(text))
        if not expert.has_expert_sign(signs):
            return replace(bare, malformed=expert.has_dangling_operator(signs))
        if expert.has_dangling_operator(signs):
            return replace(bare, malformed=True)
        reading = scribe.structured(text, signs)
    except expert.MalformedError:
        return replace(bare, malformed=True)
    if reading is None:
        return bare
    final = expert.holds_not_or_column(signs) or expert.is_one_phrase(signs)
    return reading if final else replace(reading, fallback=bare)


@dataclass(slots=True)
class _Terms:
    """Query terms in order of appearance, unique by first base, counted beyond the limit."""

    by_base: dict[tuple[str, bool], QueryTerm] = field(default_factory=dict)
    dropped: list[DroppedTerm] = field(default_factory=list)
    dropped_count: int = 0

    def add(self, term: QueryTerm) -> None:
        if len(self.by_base) < READ_TERMS_MAX:
            self.by_base.setdefault((term.bases[0], term.prefix), term)
            return
        if (term.bases[0], term.prefix) in self.by_base:
            return
        self.dropped_count += 1
        if len(self.dropped) < DROPPED_NAMED_MAX:
            self.dropped.append(DroppedTerm(term.text, f"more than {READ_TERMS_MAX} distinct terms in the query"))


class _Scribe:
    """Turns chunks into terms and nodes under fixed settings."""

    def __init__(self, analyzer: Analyzer, stop_words: frozenset[str], exact_weight: float) -> None:
        self._analyzer = analyzer
        self._stop_words = stop_words
        self._exact_weight = exact_weight

    def bare(self, text: str) -> Reading:
        found = _Terms()
        for chunk in self._analyzer.chunks(text):
            for forms in query_terms(chunk):
                found.add(self._term(forms))
        kind: Kind = "bare" if found.by_base else "empty"
        return Reading(
            text, kind, tuple(found.by_base.values()), dropped=tuple(found.dropped), dropped_count=found.dropped_count
        )

    def structured(self, text: str, signs: list[expert.Sign]) -> Reading | None:
        positive, excluded = _Terms(), _Terms()

        def make(sign: expert.Sign, denied: bool) -> expert.Operand | None:
            chunks = [chunk for chunk in self._analyzer.chunks(sign.text) if chunk.words]
            self._collect(chunks, sign, excluded if denied else positive)
            return self._operand(chunks, sign)

        tree = expert.parse(signs, make)
        if tree is None:
            return None
        veto = _veto(tree)
        return Reading(
            text,
            "expert",
            tuple(positive.by_base.values()),
            tree=tree,
            match=fts5_match(tree),
            veto=veto,
            veto_match=None if veto is None else fts5_match(veto),
            excluded=tuple(excluded.by_base.values()),
        )

    def _collect(self, chunks: list[Chunk], sign: expert.Sign, into: _Terms) -> None:
        for at, chunk in enumerate(chunks):
            if sign.prefix and at == len(chunks) - 1 and not chunk.unspaced:
                into.add(QueryTerm(chunk.text + "*", (chunk.folded[0],), (), prefix=True))
                continue
            for forms in query_terms(chunk):
                into.add(self._term(forms))

    def _operand(self, chunks: list[Chunk], sign: expert.Sign) -> expert.Operand | None:
        if not chunks:
            return None
        if sign.kind == "phrase":
            return expert.Operand(_phrase(sign.text, chunks, sign.prefix))
        if sign.prefix:
            nodes = [_word(chunk) for chunk in chunks[:-1]]
            return expert.Operand(expert.both([*nodes, _phrase(chunks[-1].text, chunks[-1:], True)]))
        needed = [chunk for chunk in chunks if not self._is_stop(chunk)]
        node = expert.both([_word(chunk) for chunk in needed or chunks])
        return expert.Operand(node, dispensable=not needed and not sign.column)

    def _is_stop(self, chunk: Chunk) -> bool:
        return len(chunk.terms) == 1 and chunk.terms[0].text in self._stop_words

    def _term(self, forms: TermForms) -> QueryTerm:
        share = 1.0 / len(forms.bases)
        weighted = [(base, share) for base in forms.bases]
        weighted += [(pair, PAIR_WEIGHT / len(forms.pairs)) for pair in dict.fromkeys(forms.pairs)]
        if forms.exact:
            weighted.append((forms.exact, self._exact_weight))
        return QueryTerm(forms.text, forms.bases, tuple(weighted), stop=forms.text in self._stop_words)


def _word(chunk: Chunk) -> Node:
    """Condition for a plain word: any shape of it; a compound also by its parts side by side."""
    if chunk.unspaced and len(chunk.words) > 1:
        return _phrase(chunk.text, [chunk], False)
    forms = query_terms(chunk)[0]
    whole = Term(forms.text, forms.bases)
    return Or((whole, _phrase(whole.text, [chunk], False))) if chunk.compound else whole


def _phrase(text: str, chunks: list[Chunk], prefix: bool) -> Phrase:
    """Words side by side, compounds as typed or by their parts, accents as typed or left out."""
    plain = tuple(token for chunk in chunks for token in chunk.plain)
    typed = tuple(token for chunk in chunks for token in chunk.words)
    folded = tuple(token for chunk in chunks for token in chunk.folded)
    return Phrase(text, tuple(dict.fromkeys((typed, folded, plain))), plain, prefix)


def _veto(tree: Node) -> Node | None:
    """Condition that no match of the tree fulfils because of a NOT at its top: what other legs must leave out."""
    match tree:
        case Not():
            inner = _veto(tree.keep) if tree.keep is not None else None
            return tree.drop if inner is None else Or((tree.drop, inner))
        case Column():
            within = _veto(tree.part)
            return None if within is None else Column(tree.name, within)
        case And():
            found = [veto for part in tree.parts if (veto := _veto(part)) is not None]
            return Or(tuple(found)) if len(found) > 1 else next(iter(found), None)
        case _:
            return None
