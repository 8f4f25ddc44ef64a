"""What does one sentence say, for comparison? Its content in order, whether it denies, what kind of sentence it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from simonides.conflicts import lexicon as words
from simonides.conflicts.values import Token, scan
from simonides.text.folding import clean, folded_form
from simonides.text.stems import stemmer

SENTENCES_MAX = 12
TEXT_CHARS_MAX = 4_000
_CONTRACTIONS: Final = (
    (re.compile(r"\bcan['’]?t\b|\bcannot\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon['’]t\b", re.IGNORECASE), "will not"),
    (re.compile(r"n['’]t\b", re.IGNORECASE), " not"),
    (re.compile(r"\bno one\b", re.IGNORECASE), "nobody"),
    (re.compile(r"\bit is not true that\b", re.IGNORECASE), "not"),
    (re.compile(r"\bsquare (met(?:re|er)s?)\b", re.IGNORECASE), "sqm"),
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_]|[\"“„])|\n+")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_SUPPOSED = re.compile(words.SUPPOSED, re.IGNORECASE)
_TODAY = re.compile(words.TODAY, re.IGNORECASE)
_NO_LONGER = re.compile(words.NO_LONGER, re.IGNORECASE)
_NOT_NEGATION = re.compile(words.NOT_NEGATION, re.IGNORECASE)
_FRAMES = re.compile(words.FRAMES, re.IGNORECASE)
_REASONS = re.compile(words.REASONS, re.IGNORECASE)
_ANAPHORA = re.compile(words.ANAPHORA, re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
_UPDATE = re.compile(words.UPDATE_PHRASES, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """A token that counts. joined: nothing but an article stands between it and the piece before.

    listed: it stands beside a comma or "and". name: it is capitalised where no sentence begins.
    """

    token: Token
    key: str
    joined: bool
    listed: bool
    name: bool

    @property
    def typed(self) -> bool:
        return self.token.kind != "word"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, ready to be compared.

    verb: index of the first piece of what is said of the subject (after the first verb, colon or equals sign);
    None when no such border was seen. surface: every word in lower case. distinct: keys of its pieces. typed: how
    many of them are numbers, dates and the like. frames: stretches of time that it names.
    """

    text: str
    pieces: tuple[Piece, ...]
    verb: int | None
    separated: bool
    denies: bool
    changes: bool
    asks: bool
    supposed: bool
    today: bool
    approximate: bool
    surface: frozenset[str]
    distinct: frozenset[str]
    typed: int
    frames: frozenset[str]

    @property
    def keys(self) -> list[str]:
        return [piece.key for piece in self.pieces]


@lru_cache(maxsize=2_048)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, at most `SENTENCES_MAX`."""
    parts = [part.strip() for part in _SENTENCE.split(clean(text[:TEXT_CHARS_MAX]).strip())]
    return tuple([part for part in parts if part][:SENTENCES_MAX])


def is_german(one: str, two: str) -> bool:
    """Whether the small words of two texts are rather German than English."""
    return sum(map(leaning, (one, two))) > 0


@lru_cache(maxsize=2_048)
def leaning(text: str) -> int:
    """German small words less English ones; an umlaut decides where there are as many."""
    found = frozenset(_LETTERS.findall(text[:TEXT_CHARS_MAX].lower()))
    more = 2 * (len(found & words.GERMAN) - len(found & words.ENGLISH))
    return more + any(set(word) & set("äöüß") for word in found)


@lru_cache(maxsize=8_192)
def read(sentence: str, german: bool) -> Statement:
    """One sentence, with the stems of one language."""
    text = sentence
    for pattern, instead in _CONTRACTIONS:
        text = pattern.sub(instead, text)
    text = _ANAPHORA.sub(r"\1 is now ", text)
    longer = _NO_LONGER.search(text)
    text = _NOT_NEGATION.sub(" ", text)
    changes = longer is not None or _UPDATE.search(text) is not None
    text = _UPDATE.sub(lambda match: " not " if match[0].lower() == "no longer" else " ", text)
    if longer is not None:
        text = re.sub(r"\b(?:any ?more|any longer|mehr)\b", " ", text, flags=re.IGNORECASE)
    frames = frozenset(match[0].lower() for match in _FRAMES.finditer(text))
    text = _FRAMES.sub(" ", text)
    reason = _REASONS.search(text)
    if reason is not None and len(text[: reason.start()].split()) >= 4:
        changes = changes or reason[0].lower().split()[0].strip(",") in ("since", "seit")
        text = text[: reason.start()]
    tokens = scan(text)
    surface = frozenset(_bare(token.key) for token in tokens if token.kind == "word")
    reader = _Reader(german)
    for place, token in enumerate(tokens):
        reader.take(token, tokens[place + 1] if place + 1 < len(tokens) else None)
    return Statement(
        text=sentence,
        pieces=tuple(reader.pieces),
        verb=reader.verb,
        separated=reader.separated,
        denies=reader.denials % 2 == 1,
        changes=changes or reader.changes,
        asks=sentence.rstrip(" \"'”»").endswith("?"),
        supposed=_SUPPOSED.search(sentence) is not None or _quoted(sentence),
        today=_TODAY.search(sentence) is not None,
        approximate=reader.approximate,
        surface=surface,
        distinct=frozenset(piece.key for piece in reader.pieces),
        typed=sum(piece.typed for piece in reader.pieces),
        frames=frames,
    )


class _Reader:
    """Takes tokens in order and keeps what counts."""

    def __init__(self, german: bool) -> None:
        self.stem = _stem("german" if german else "english")
        self.german = german
        self.pieces: list[Piece] = []
        self.verb: int | None = None
        self.separated = self.changes = self.approximate = False
        self.denials = 0
        self._joined = self._listed = self._seen = False

    def take(self, token: Token, after: Token | None) -> None:
        if token.kind == "mark":
            return self._mark(token, after)
        word = _bare(token.key) if token.kind == "word" else ""
        if token.kind == "word" and self._function(word, token, after):
            self._seen = True
            return None
        listed = self._listed or (after is not None and (after.key == "," or after.key in ("and", "und", "or", "oder")))
        name = token.kind == "word" and token.text[:1].isupper() and bool(self.pieces or self._seen)
        joined = self._joined and self.verb != len(self.pieces)
        self.pieces.append(Piece(token, self._key(token, word), joined, listed, name))
        self._joined, self._listed = True, False
        return None

    def _mark(self, token: Token, after: Token | None) -> None:
        if token.key in ":=":
            self.separated = self.separated or bool(self.pieces)
            if self.verb is None and self.pieces:
                self.verb = len(self.pieces)
        self._joined = self._joined and token.key == ","
        self._listed = token.key == ","

    def _function(self, word: str, token: Token, after: Token | None) -> bool:
        """Whether the word says nothing of its own; it may still deny, change or begin what is said."""
        if word in words.NEGATION:
            self.denials += 1
            return True
        if word in words.UPDATE:
            self.changes = True
        if word in words.OPPOSITES and words.OPPOSITES[word] != word:
            self.denials += 1
        begins = word in words.VERBS and not (token.text[:1].isupper() and self.german)
        if begins and self.verb is None:
            self.verb = len(self.pieces) + (0 if word in words.DROPPED else 1)
        if word in words.APPROXIMATE and after is not None and after.kind in ("number", "time", "range"):
            self.approximate = True
            return True
        if word in words.DROPPED and not (word in ("a", "an", "in", "on", "off", "aus") and self._stands(token, after)):
            self._joined = self._joined and word not in words.BREAKS
            self._listed = word in ("and", "und", "or", "oder")
            return True
        if word == "a" and not self._stands(token, after):
            return True
        return word in words.UPDATE or word in words.LIGHT or word in ("with", "mit", "without", "ohne")

    def _stands(self, token: Token, after: Token | None) -> bool:
        """A letter that is a name ("team A has"), or a state at the end ("is on")."""
        if token.text == "A":
            return bool(self.pieces)
        if token.key in ("on", "an", "off", "aus"):
            return after is None and self.verb is not None
        return False

    def _key(self, token: Token, word: str) -> str:
        if token.kind != "word":
            return f"{token.kind}:{token.key}"
        word = words.OPPOSITES.get(word, word)
        return self.stem(words.EQUALS.get(word, word))


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word).replace("-", "").rstrip("'")


def _quoted(sentence: str) -> bool:
    return sentence[:1] in '"“„«' or sentence[-1:] in '"”»'


@cache
def _stem(language: str) -> Callable[[str], str]:
    stem = stemmer(language)
    return lru_cache(maxsize=20_000)(lambda word: folded_form(stem(word)))
