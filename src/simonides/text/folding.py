"""Which spellings of a word count as the same?

`exact_form` keeps everything but case and the choice between composed and decomposed characters.
`folded_form` also drops accents, width and ligatures: `Straße` is `strasse`, `Trần` is `tran`, `Ｗｅｂ` is `web`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]+"
)
"""Characters without a look of their own (soft hyphen, joiners, direction and variation marks). They are taken out of
words. The zero-width space is not among them: it stands between words of scripts without spaces."""

_ACCENTS = re.compile(
    "(\u0438\u0306)|["  # the Cyrillic й is a letter of its own: kept
    "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # accents of Latin, Greek and Cyrillic
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # Arabic vowel signs, tatweel
    "]+"
)

_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t", "ŋ": "n", "ı": "i"}
)


def clean(text: str) -> str:
    """The text as the analyser reads it: invisible characters taken out, composed (NFC). Length may change."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text))


def exact_form(word: str) -> str:
    """Case-folded, composed; accents kept. Equal for canonically equivalent words.

    >>> exact_form("Cha\u0302teau"), exact_form("STRASSE") == exact_form("Straße")
    ('château', True)
    """
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold())


def wide_form(word: str) -> str:
    """Case-folded after compatibility mapping: full-width, half-width and ligature forms become the usual ones."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", word).casefold())


def folded_form(word: str) -> str:
    """`wide_form` without accents, with letters such as ø, ł, đ, æ spelled in plain Latin.

    >>> folded_form("Trần"), folded_form("Łódź"), folded_form("İstanbul"), folded_form("Ｗｅｂ")
    ('tran', 'lodz', 'istanbul', 'web')
    """
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFD", wide_form(word).translate(_LETTERS))
    return unicodedata.normalize("NFC", _ACCENTS.sub(lambda match: match[1] or "", apart))
