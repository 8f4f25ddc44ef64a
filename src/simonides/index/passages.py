"""What do the indexes hold of a text? Passages with their postings, full-text columns and tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from zlib import crc32

from simonides.backend.rows import PENDING, Analysed, NewPassage
from simonides.model.reflection import read_reflection
from simonides.text.analysis import Analysis, Analyzer
from simonides.text.passages import split
from simonides.text.questions import asking_share

FREQUENCY_MAX = 15  # of a term in a field of a passage: four bits
_EMPTY = Analysis((), (), {}, 0, ())


def passages_of(content: str, essence: str | None, speaker: str | None, analyzer: Analyzer) -> list[NewPassage]:
    """The passages of a thought, in order, all marked as waiting for a vector. The essence goes with the first.

    The document of a reflection is not read for its words, which are its sources' own and their ids: its one passage
    is empty and carries the essence.
    """
    if essence and read_reflection(content) is not None:
        return [NewPassage(part=0, start=0, stop=0, text=analysed(analyzer, "", essence, None), embedding=PENDING)]
    return [
        NewPassage(
            part=part,
            start=span.start,
            stop=span.end,
            text=analysed(analyzer, content[span.start : span.end], essence if part == 0 else None, speaker),
            embedding=PENDING,
        )
        for part, span in enumerate(split(content))
    ]


def analysed(analyzer: Analyzer, content: str, essence: str | None, speaker: str | None) -> Analysed:
    """A passage and its essence as both text indexes hold them.

    The postings also hold the speaker's name, as if the turn began with it; the full-text columns do not.
    """
    body = analyzer.analyse(content)
    head = analyzer.analyse(essence) if essence else _EMPTY
    voice = analyzer.analyse(speaker) if speaker else _EMPTY
    own = body.counts if voice is _EMPTY else Counter(body.counts) + Counter(voice.counts)
    terms = sorted(own) if head is _EMPTY else sorted(own.keys() | head.counts.keys())
    frequencies = bytes(_capped(own, terms))
    if head is not _EMPTY:
        frequencies = bytes(low | high << 4 for low, high in zip(frequencies, _capped(head.counts, terms), strict=True))
    return Analysed(
        words=body.length + voice.length,
        essence_words=head.length,
        asks=asking_share(content),
        tokens=b"".join(map(_token, body.sequence)),
        terms=" ".join(terms),
        frequencies=frequencies,
        content=" ".join(body.words),
        essence=" ".join(head.words),
        content_more=" ".join(body.more),
        essence_more=" ".join(head.more),
    )


@lru_cache(maxsize=30_000)
def _token(term: str) -> bytes:
    """A base term as proximity knows it: its CRC-32, four bytes, the lowest first."""
    return crc32(term.encode()).to_bytes(4, "little")


def _capped(counts: Mapping[str, int], terms: Sequence[str]) -> list[int]:
    found = [counts.get(term, 0) for term in terms]
    return found if max(found, default=0) <= FREQUENCY_MAX else [min(count, FREQUENCY_MAX) for count in found]
