"""Where may a text be cut without tearing a character that people see as one?

Grapheme clusters by Unicode's rules (UAX 29) as apsw implements them; offsets and lengths are code points.
"""

from __future__ import annotations

import re

import apsw.unicode

_ALWAYS_APART = re.compile("[\0-\x7f\u3001-\u3029\u3041-\u3096\u30a0-\u9fff]{2}")
"""Two signs that never form one cluster, except CR LF: ASCII, ideographic punctuation, kana and Han."""


def graphemes(text: str) -> list[str]:
    """The clusters of a text in order; joined they are the text.

    >>> [len(cluster) for cluster in graphemes("ne\u0301e")], len(graphemes("\U0001f469\u200d\U0001f680!"))
    ([1, 2, 1], 2)
    """
    return list(text) if text.isascii() and "\r" not in text else list(apsw.unicode.grapheme_iter(text))


def count(text: str) -> int:
    """Number of clusters.

    >>> count("ne\u0301e"), count("")
    (3, 0)
    """
    return len(text) if text.isascii() and "\r" not in text else apsw.unicode.grapheme_length(text)


def border_at_or_before(text: str, offset: int, *, start: int = 0) -> int:
    """Largest cluster border ≤ `offset`, looking from `start`, which must be a border itself.

    start ≤ result ≤ len(text). Cost: constant between ASCII or Han signs, else linear in `offset - start`.

    >>> border_at_or_before("ne\u0301e", 2), border_at_or_before("abc", 2), border_at_or_before("abc", 9)
    (1, 2, 3)
    """
    if offset >= len(text):
        return len(text)
    around = text[max(0, offset - 1) : offset + 1]
    if offset <= start or (_ALWAYS_APART.fullmatch(around) and around != "\r\n"):
        return max(offset, start)
    position = start
    for cluster in apsw.unicode.grapheme_iter(text[start : offset + 1]):
        if position + len(cluster) > offset:
            break
        position += len(cluster)
    return position


def cut(text: str, chars_max: int) -> str:
    """The longest beginning of at most `chars_max` code points that ends at a cluster border.

    >>> cut("ne\u0301e", 2), cut("short", 99)
    ('n', 'short')
    """
    return text if len(text) <= chars_max else text[: border_at_or_before(text, max(0, chars_max))]
