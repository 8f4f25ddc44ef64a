"""What if most terms of a segment are asked for? Then it is decoded once, whole, and a term is a slice of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simonides.index.postings import Ordinals, Postings, open_all

if TYPE_CHECKING:
    from simonides.backend.rows import Block

_TERM_BYTES = 160  # a term's text, its place in the table and the numbers that it takes


class OpenedSegment:
    """Every term of one segment with its postings in ordinals of one catalogue. Read-only, shared by threads."""

    def __init__(self, blocks: Sequence[Block], ordinals: Ordinals) -> None:
        """ordinals: (m,) int32 of the segment's passages, −1 for those that the catalogue does not have."""
        words, counts, local = open_all(blocks)
        ends = np.concatenate(([0], np.cumsum(counts)))
        places, frequencies = ordinals[local.docs], local.frequencies
        known = places >= 0
        if not known.all():
            ends = np.concatenate(([0], np.cumsum(known)))[ends]
            places, frequencies = places[known], frequencies[known]
        places.flags.writeable = False
        frequencies.flags.writeable = False
        self._places, self._frequencies = places, frequencies
        self._numbers = {word: number for number, word in enumerate(words)}
        self._ends: list[int] = ends.tolist()

    def find(self, term: str) -> Postings | None:
        """The postings of a term; None when the segment has none."""
        number = self._numbers.get(term)
        if number is None:
            return None
        start, stop = self._ends[number], self._ends[number + 1]
        return Postings(self._places[start:stop], self._frequencies[start:stop]) if stop > start else None

    def count(self, term: str) -> int:
        """As many postings as `find` gives."""
        number = self._numbers.get(term)
        return 0 if number is None else self._ends[number + 1] - self._ends[number]


def opened_bytes(blocks: Sequence[Block]) -> int:
    """What a segment takes in memory when it is decoded, about."""
    return sum(5 * len(block.frequencies) + _TERM_BYTES * (len(block.counts) // 4) for block in blocks)
