"""Where is a long text divided into passages, the units that both indexes hold?

A text of at most `limit` code points is one passage. A longer one is cut at the last paragraph border of the second
half of the allowed stretch, else at the last sentence border there, else at the last line, else at the last blank,
else between two characters as people see them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from simonides.text.graphemes import border_at_or_before

PASSAGE_CHARS_MAX: Final = 1200
"""About 200 English words: what one vector can stand for, and what fits into an answer's budget as one piece."""

_BORDERS: Final = (
    re.compile(r"\n[^\S\n]*\n\s*|\u2029\s*"),  # paragraphs
    re.compile(r"[.!?…][)\]}\"'”’»]*\s+|[。！？｡．।॥؟۔။។།]+[)\]}\"'”’»」』）]*\s*"),  # sentences
    re.compile(r"[\n\r\u2028\x85]+"),  # lines
    re.compile(r"[,;:、，；：]\s*(?=\D)|[\s\u200b]+"),  # clauses and words
)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: code points from `start` up to, not including, `end`."""

    start: int
    end: int


def split(text: str, limit: int = PASSAGE_CHARS_MAX) -> tuple[Span, ...]:
    """Passages of a text in order: at least one, each of at most `limit` code points, without gap or overlap.

    A cluster (é in two code points, a family emoji) is torn only if it is longer than `limit` itself. No piece but a
    text's only one is shorter than an eighth of the limit. limit ≥ 8. Linear in the length of the text.

    >>> split("First one. Second one.", 16)
    (Span(start=0, end=11), Span(start=11, end=22))
    """
    assert limit >= 8
    spans: list[Span] = []
    start = 0
    while len(text) - start > limit:
        end = _border(text, start, limit)
        spans.append(Span(start, end))
        start = end
    return (*spans, Span(start, len(text)))


def _border(text: str, start: int, limit: int) -> int:
    """Best place in the second half of the stretch; the rest after it keeps at least a quarter of the limit."""
    latest = start + min(limit, len(text) - start - limit // 4)
    earliest = start + (latest - start) // 2
    for pattern in _BORDERS:
        borders = [match.end() for match in pattern.finditer(text, earliest, latest)]
        for border in reversed(borders):
            if border_at_or_before(text, border, start=start) == border:
                return border
    border = border_at_or_before(text, latest, start=start)
    return border if border > start else latest
