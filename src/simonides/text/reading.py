"""How was a query understood? Frozen values that a ranking, a backend and a log can all read.

The tree knows no database: `match.py` turns it into FTS5, another module may turn it into something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias

COLUMNS: Final = ("content", "essence")
"""The only names that act as column filters."""

DROPPED_NAMED_MAX: Final = 100
"""Dropped terms that a reading lists by name; the others are only counted."""


@dataclass(frozen=True, slots=True)
class Term:
    """Texts that hold a word in any of its shapes: one of `bases` is among their base terms."""

    text: str
    bases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Texts in which words stand next to each other in this order.

    readings: token sequences, one of which must occur in `Analysis.words`; or else `plain` in the plain reading.
    prefix: the last word only needs to begin with the last token.
    """

    text: str
    readings: tuple[tuple[str, ...], ...]
    plain: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Texts that match `keep` and do not match `drop`; none at all where `keep` is None."""

    keep: Node | None
    drop: Node


@dataclass(frozen=True, slots=True)
class Column:
    """`part`, looked for in one field only."""

    name: str
    part: Node


Node: TypeAlias = Term | Phrase | And | Or | Not | Column
Kind: TypeAlias = Literal["bare", "expert", "empty"]


class QueryTerm(NamedTuple):
    """One word of a query, as BM25 sees it.

    text: as people read it. bases: equivalent base terms; the first one stands in `Analysis.sequence`.
    forms: (postings term, weight); a row's score for the word is the weighted sum over them. Empty for a prefix.
    stop: too common to be scored while any other term occurs. prefix: `bases` holds the beginning of a word.
    """

    text: str
    bases: tuple[str, ...]
    forms: tuple[tuple[str, float], ...]
    stop: bool = False
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class DroppedTerm:
    """A part of the query that is not searched for, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A query as it was understood.

    kind: "bare" (any word may match), "expert" (`tree` must match) or "empty" (no letter or digit in it).
    terms: what is scored: positive terms in order of appearance, unique by their first base.
    tree, match: the condition of an expert reading and its FTS5 expression; an expert reading whose match is None
        matches nothing ("NOT bilal").
    veto, veto_match: rows that no leg may return, taken from the query's NOT; None if there are none.
    excluded: terms under NOT, in order.
    fallback: the bare reading to use when the expert one finds nothing; None where that is not allowed.
    malformed: the text looked like an expert query and could not be read as one; this is its bare reading.
    dropped: at most `DROPPED_NAMED_MAX` of the parts not searched for; dropped_count: all of them.
    """

    text: str
    kind: Kind
    terms: tuple[QueryTerm, ...]
    tree: Node | None = None
    match: str | None = None
    veto: Node | None = None
    veto_match: str | None = None
    excluded: tuple[QueryTerm, ...] = ()
    fallback: Reading | None = None
    malformed: bool = False
    dropped: tuple[DroppedTerm, ...] = ()
    dropped_count: int = 0

    @property
    def retry_if_empty(self) -> bool:
        """Shall `fallback` be tried when this reading finds nothing?"""
        return self.fallback is not None


def keep_rarest(reading: Reading, document_frequency: Mapping[str, int], terms_max: int) -> Reading:
    """The reading with at most `terms_max` scored terms: the rarest that occur at all, in their old order.

    document_frequency: postings term → number of rows; a missing one counts as 0. The rest goes to `dropped`.
    The fallback is treated alike; the condition of an expert reading stays as it is. terms_max ≥ 1.
    """
    fallback = reading.fallback and keep_rarest(reading.fallback, document_frequency, terms_max)
    if len(reading.terms) <= terms_max:
        return reading if fallback is reading.fallback else replace(reading, fallback=fallback)

    def rank(at: int) -> tuple[bool, bool, int, int]:
        term = reading.terms[at]
        rows = max(document_frequency.get(base, 0) for base in term.bases)
        return rows == 0, term.stop, rows, at

    kept = set(sorted(range(len(reading.terms)), key=rank)[:terms_max])
    reason = f"more than {terms_max} distinct terms; the rarest are kept"
    lost = [DroppedTerm(term.text, reason) for at, term in enumerate(reading.terms) if at not in kept]
    return replace(
        reading,
        terms=tuple(term for at, term in enumerate(reading.terms) if at in kept),
        fallback=fallback,
        dropped=(*reading.dropped, *lost)[:DROPPED_NAMED_MAX],
        dropped_count=reading.dropped_count + len(lost),
    )
