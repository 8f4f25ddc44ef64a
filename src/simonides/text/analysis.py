"""Which tokens does a text have, for the index and for a query alike?

`Analyzer.analyse` serves the writing side, `Analyzer.chunks` the reading side; both go through the same `Chunk`, so a
stored word and the same word in a query cannot come apart. Nothing here knows a database; tokens are ASCII (tokens.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from simonides.text import chunks as breaking
from simonides.text.folding import clean, exact_form, folded_form, wide_form
from simonides.text.graphemes import graphemes
from simonides.text.rules import ANALYSIS_VERSION, signature
from simonides.text.stems import language_names, stemmer
from simonides.text.tokens import EXACT_MARK, PLAIN_MARK, WORD_CHARS_MAX, decode, encode

_CACHED_CHUNKS_MAX = 30_000
_CACHED_CHARS_MAX = 48
_SURFACE_CHARS_MAX = 4 * WORD_CHARS_MAX
_SINGLE_SIGNS = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff]+")
_ASCII_STEMMERS = frozenset({"english"})


@dataclass(frozen=True, slots=True)
class Analysis:
    """The tokens of one text.

    words: exact forms in reading order, one per position; compounds whole; unspaced scripts sign by sign.
    more: every distinct base term in order of first appearance; then, only where it differs from `words`, the *plain
        reading* marked `_p`: the text by its parts, without accents, unstemmed, in reading order (for phrases).
    counts: postings term → frequency. Base terms as they are, exact terms with `=` in front.
    length: BM25 length: the length of `sequence`.
    sequence: first base term of every word in reading order; a compound is followed by its parts; a run of an
        unspaced script gives its pairs of signs.
    """

    words: tuple[str, ...]
    more: tuple[str, ...]
    counts: Mapping[str, int]
    length: int
    sequence: tuple[str, ...]


class TermForms(NamedTuple):
    """One thing that a query can ask for.

    text: as people read it. bases: equivalent base terms, the first one stands in `Analysis.sequence`.
    exact: its exact postings term, or "" for parts and signs. pairs: two-syllable pieces of a Hangul word.
    """

    text: str
    bases: tuple[str, ...]
    exact: str = ""
    pairs: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """Everything the index and the query need to know about one chunk.

    text: as people read it, case-folded.
    words: exact tokens (one, or one per sign of an unspaced run). folded: the same without accents.
    plain: folded tokens of the leaves, unmarked.
    terms: the whole first, then its parts in order, then its segments; left to `query_terms` for an unspaced run.
    postings: every term to count, with repetitions. sequence: this chunk's stretch of `Analysis.sequence`.
    """

    text: str
    words: tuple[str, ...]
    folded: tuple[str, ...]
    plain: tuple[str, ...]
    terms: tuple[TermForms, ...]
    postings: tuple[str, ...]
    sequence: tuple[str, ...]
    compound: bool = False
    unspaced: bool = False


class Analyzer:
    """Text to tokens under fixed settings. Immutable from outside, safe to share between threads.

    language: a Snowball name ("english"), a two-letter code, several of them, or None for no language at all.
    stemming: False keeps folded words unstemmed. Raises ConfigError for an unknown language.

    >>> Analyzer().analyse("Running fast").sequence
    ('run', 'fast')
    """

    __slots__ = ("_cache", "_stemmers", "languages", "signature", "stemming", "version")

    def __init__(
        self, language: str | tuple[str, ...] | list[str] | None = "english", *, stemming: bool = True
    ) -> None:
        self.languages = language_names(language)
        self.stemming = stemming and bool(self.languages)
        self.version = ANALYSIS_VERSION
        self.signature = signature(language, stemming=stemming)
        self._stemmers = tuple((name in _ASCII_STEMMERS, stemmer(name)) for name in self.languages if self.stemming)
        self._cache: dict[str, Chunk] = {}

    def analyse(self, text: str) -> Analysis:
        """Tokens of a text; any string is accepted. Linear in its length, about 1.5 µs a word in English."""
        words: list[str] = []
        plain: list[str] = []
        sequence: list[str] = []
        counts: dict[str, int] = {}
        for chunk in self.chunks(text):
            words += chunk.words
            plain += chunk.plain
            sequence += chunk.sequence
            for term in chunk.postings:
                counts[term] = counts.get(term, 0) + 1
        more = [term for term in counts if term[0] != EXACT_MARK]
        if plain != words:
            more += [PLAIN_MARK + token for token in plain]
        return Analysis(tuple(words), tuple(more), counts, len(sequence), tuple(sequence))

    def chunks(self, text: str) -> list[Chunk]:
        """Chunks of a text in reading order."""
        cache = self._cache
        surfaces = breaking.chunks(text if text.isascii() else clean(text))
        return [cache.get(surface) or self._remembered(surface) for surface in surfaces]

    def _remembered(self, surface: str) -> Chunk:
        chunk = self._chunk(surface)
        if len(surface) <= _CACHED_CHARS_MAX:
            if len(self._cache) >= _CACHED_CHUNKS_MAX:
                self._cache.clear()
            self._cache[surface] = chunk
        return chunk

    def _chunk(self, surface: str) -> Chunk:
        if surface.isascii() and surface.isalpha() and surface.islower() and len(surface) <= _CACHED_CHARS_MAX:
            return self._usual(surface)
        if breaking.is_unspaced(surface):
            return _unspaced_run(surface)
        leaves = breaking.parts(surface)
        return self._word(surface) if leaves == [surface] else self._compound(surface, leaves)

    def _usual(self, surface: str) -> Chunk:
        """`_word` of a word of a to z: there is nothing to fold and nothing to part."""
        bases = tuple(dict.fromkeys([encode(stem(surface) or surface) for _, stem in self._stemmers])) or (surface,)
        word, exact = (surface,), EXACT_MARK + surface
        term = TermForms(surface, bases, exact)
        return Chunk(surface, word, word, word, (term,), (*bases, exact), bases[:1])

    def _word(self, surface: str) -> Chunk:
        term = self._whole(surface)
        word = (term.exact[1:],)
        folded = word if surface.isascii() else (encode(folded_form(surface[:_SURFACE_CHARS_MAX])),)
        return Chunk(
            text=term.text,
            words=word,
            folded=folded,
            plain=folded,
            terms=(term,),
            postings=(*term.bases, *term.pairs, term.exact),
            sequence=term.bases[:1],
        )

    def _compound(self, surface: str, leaves: list[str]) -> Chunk:
        whole = self._whole(surface)
        parts = [self._part(leaf) for leaf in leaves]
        terms = (whole, *parts, *map(self._part, breaking.segments(surface)))
        return Chunk(
            text=whole.text,
            words=(whole.exact[1:],),
            folded=(encode(folded_form(surface[:_SURFACE_CHARS_MAX])),),
            plain=tuple(encode(folded_form(leaf[:_SURFACE_CHARS_MAX])) for leaf in leaves),
            terms=terms,
            postings=(*(base for term in terms for base in (*term.bases, *term.pairs)), whole.exact),
            sequence=tuple(term.bases[0] for term in (whole, *parts)),
            compound=True,
        )

    def _whole(self, surface: str) -> TermForms:
        exact = exact_form(surface[:_SURFACE_CHARS_MAX])
        bases = self._bases(exact.replace(",", "") if breaking.is_grouped_number(surface) else exact)
        return TermForms(exact, bases, EXACT_MARK + encode(exact), _syllable_pairs(exact))

    def _part(self, surface: str) -> TermForms:
        exact = exact_form(surface[:_SURFACE_CHARS_MAX])
        return TermForms(exact, self._bases(exact))

    def _bases(self, exact: str) -> tuple[str, ...]:
        """Base terms of an exact form: per language the stem of the folded form and the folded form of the stem.

        Most languages' stemmers want accents, but a word typed without them must meet the same term.
        """
        folded = folded_form(exact)
        if len(self._stemmers) == 1 and folded == exact and folded.isalpha():
            return (encode(self._stemmers[0][1](folded[:WORD_CHARS_MAX])),)
        if not self._stemmers or not (folded.isalpha() if folded.isascii() else any(map(str.isalpha, folded))):
            return (encode(folded),)
        forms = []
        for ascii_only, stem in self._stemmers:
            forms.append(stem(folded[:WORD_CHARS_MAX]))
            if not ascii_only and folded != exact:
                forms.append(folded_form(stem(exact[:WORD_CHARS_MAX])))
        return tuple(dict.fromkeys(encode(form or folded) for form in forms))


def query_terms(chunk: Chunk) -> tuple[TermForms, ...]:
    """What a query asks for when it holds this chunk: pairs of signs for an unspaced run, the sign if it is alone."""
    return chunk.terms or tuple(TermForms(decode(token), (token,)) for token in dict.fromkeys(chunk.sequence))


_sign_token = lru_cache(maxsize=10_000)(encode)


def _unspaced_run(surface: str) -> Chunk:
    wide = wide_form(surface)
    single = _SINGLE_SIGNS.fullmatch(wide) is not None
    signs = list(wide) if single else [sign for sign in graphemes(wide) if any(map(str.isalnum, sign))]
    words = tuple(map(_sign_token, signs))
    sequence = tuple(first + second for first, second in pairwise(words)) or words
    return Chunk(
        text="".join(signs),
        words=words,
        folded=words,
        plain=words,
        terms=(),
        postings=sequence if len(words) == 1 else (*sequence, *words),
        sequence=sequence,
        unspaced=True,
    )


def _syllable_pairs(word: str) -> tuple[str, ...]:
    """Overlapping pairs of syllables of a Hangul word of three or more: Korean glues particles to nouns."""
    if len(word) < 3 or word.isascii() or not all("\uac00" <= sign <= "\ud7a3" for sign in word):
        return ()
    return tuple(encode(word[at : at + 2]) for at in range(min(len(word), WORD_CHARS_MAX) - 1))
