"""How is a word written so that every database reads the same token?

A token holds only `a-z`, `0-9` and `_`: those letters and digits stand for themselves, every other character becomes
`_` + its code point in lower-case hex + `_`. No code is the beginning of another one, so a token begins with another
token exactly when the word begins with the other word: prefix search works on tokens.

Two marks cannot be mistaken for a code, because neither `p` nor `=` is a hex digit:
`_p` in front of a token of the plain reading (see `analysis.Analysis.more`), `=` in front of an exact postings term.
"""

from __future__ import annotations

import re
from typing import Final

PLAIN_MARK: Final = "_p"
EXACT_MARK: Final = "="
WORD_CHARS_MAX: Final = 128
"""Longest form that is indexed, in code points; the rest of a longer one is left out, in stored texts and in queries
alike. Keeps every token under 1,100 bytes, below the key limits of SQLite's FTS5 and of PostgreSQL."""

_CODED = re.compile(r"[^a-z0-9]")
_CODE = re.compile(r"_([0-9a-f]+)_")


def encode(word: str) -> str:
    """Token of a case-folded word, cut to `WORD_CHARS_MAX` code points first.

    >>> encode("retry"), encode("ord-4471"), encode("hôtel")
    ('retry', 'ord_2d_4471', 'h_f4_tel')
    """
    word = word[:WORD_CHARS_MAX]
    if word.isascii() and word.isalnum() and word.islower():  # most words: nothing to code
        return word
    return _CODED.sub(lambda match: f"_{ord(match[0]):x}_", word)


def decode(token: str) -> str:
    """Word behind a token of `encode` or an exact or plain one; for people, logs and tests.

    >>> decode("=ord_2d_4471"), decode("_pretry")
    ('ord-4471', 'retry')
    """
    return _CODE.sub(lambda match: chr(int(match[1], 16)), token.removeprefix(EXACT_MARK).removeprefix(PLAIN_MARK))
