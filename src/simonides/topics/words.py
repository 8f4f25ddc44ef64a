"""Which words of a text may name a topic? Those that say something, in runs, so that phrases can be made of them."""

from __future__ import annotations

import re
from collections.abc import Set

WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
SENTENCE_END = re.compile(r"[.!?:;\n]\W*\Z")
WORD_CHARS_MIN = 3
WORDS_MAX = 120  # of one text; a long one repeats itself
CONTRACTED = frozenset({"let"})  # before 's, where it is no owner
Runs = tuple[tuple[str, ...], ...]


def runs_of(text: str, without: Set[str]) -> Runs:
    """Words of a text in runs that only a blank separates; `without`, short ones and contractions part runs.

    without: folded words. A word that begins a sentence loses its capital, unless another follows, as in "New York".

    >>> runs_of("Adoption agencies? It's Oliver's vet, in New York.", frozenset({"it", "in"}))
    (('adoption', 'agencies'), ('Oliver',), ('vet',), ('New', 'York'))
    """
    found: list[list[str]] = []
    stop, count = -1, 0
    for match in WORD.finditer(text):
        start, word = match.start(), _bare(match.group())
        if word is None or len(word) < WORD_CHARS_MIN or word.casefold() in without:
            continue
        if count == WORDS_MAX:
            break
        count += 1
        if (
            word[1:].islower()
            and _begins_sentence(text, start)
            and not text[match.end() + 1 : match.end() + 2].isupper()
        ):
            word = word.lower()
        if stop >= 0 and text[stop:start] == " ":
            found[-1].append(word)
        else:
            found.append([word])
        stop = match.end() if word.casefold() == match.group().casefold() else -1
    return tuple(map(tuple, found))


def _begins_sentence(text: str, start: int) -> bool:
    return start == 0 or SENTENCE_END.search(text, max(0, start - 4), start) is not None


def _bare(word: str) -> str | None:
    """A word without the sign of an owner; None for contractions such as "can't" and "let's"."""
    head, _, tail = word.replace("’", "'").partition("'")
    if not tail:
        return head
    return head if tail.casefold() == "s" and head.casefold() not in CONTRACTED else None
