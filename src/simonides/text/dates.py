"""Which time does a question name? Months with or without day and year, ISO dates, years; English and ISO.

Other languages simply name none, and nothing is boosted then.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_WORDS_TOO = frozenset({"march", "may"})  # verbs as well: a neighbour must show that the month is meant
_MONTH = re.compile(
    rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+)?\b({'|'.join(MONTHS)})\b"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,?\s+((?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_BEFORE_MONTH = re.compile(
    r"\b(in|of|on|during|since|by|until|before|after|last|this|early|late|mid)[ -]+$", re.IGNORECASE
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
NAMED_MAX = 8


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A day, a month or a year as a question names it; None where it says nothing."""

    year: int | None
    month: int | None
    day: int | None

    def spans(self, around: datetime) -> list[tuple[datetime, datetime]]:
        """Begin and end (exclusive), UTC; a time without a year gives the years next to `around`."""
        years = [self.year] if self.year is not None else [around.year - 1, around.year, around.year + 1]
        spans = []
        for year in years:
            if self.month is None:
                spans.append((datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)))
                continue
            days = monthrange(year, self.month)[1]
            if self.day is not None and self.day > days:
                continue
            start = datetime(year, self.month, self.day or 1, tzinfo=UTC)
            spans.append((start, start + timedelta(days=1 if self.day else days)))
        return spans


def named_times(text: str) -> list[NamedTime]:
    """The times that a question names, in order, at most `NAMED_MAX`.

    >>> named_times("What happened on 7 May 2023?"), named_times("May I march?")
    ([NamedTime(year=2023, month=5, day=7)], [])
    """
    found = []
    for match in _MONTH.finditer(text):
        before, name, after, year = match.groups()
        day = int(before or after) if before or after else None
        bare = day is None and year is None
        if name.lower() in _WORDS_TOO and bare and not _BEFORE_MONTH.search(text[: match.start(2)]):
            continue
        if day is not None and not 1 <= day <= 31:
            day = None
        found.append(NamedTime(int(year) if year else None, MONTHS.index(name.lower()) + 1, day))
    for match in _ISO.finditer(text):
        month, day = int(match[2]), int(match[3]) if match[3] else None
        if 1 <= month <= 12 and (day is None or 1 <= day <= 31):
            found.append(NamedTime(int(match[1]), month, day))
    if not found:
        found = [NamedTime(int(match[1]), None, None) for match in _YEAR.finditer(text)]
    return found[:NAMED_MAX]
