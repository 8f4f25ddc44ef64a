"""Do the words of a question stand together in a passage? A bonus for neighbours, from stored token sequences.

For each pair of consecutive query terms: .8 · min(idf, idf) where they stand side by side in the order of the question;
apart, ½ · min(idf, idf) / distance, and half of that in the other order; the nearest pair within 8 tokens counts. In
the unit of BM25, added to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from zlib import crc32

import numpy as np
import numpy.typing as npt

WINDOW = 8  # tokens
SIDE_BY_SIDE = 0.8
APART = 0.5
REVERSED = 0.5
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_STRIDE = 1 << 32  # between passages in one line of positions


def proximity(sequences: Sequence[bytes], terms: Sequence[tuple[str, float]]) -> Floats:
    """(m,) bonus of m passages. sequences: uint32 CRC-32 of base terms in order. terms: (base term, idf) in order."""
    out = np.zeros(len(sequences))
    if len(terms) < 2 or not sequences:
        return out
    tokens = np.frombuffer(b"".join(sequences), np.uint32)
    lengths = np.array([len(s) // 4 for s in sequences], np.int64)
    starts = np.repeat(np.arange(len(sequences)), lengths)
    places = np.arange(len(tokens)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    line = starts * _STRIDE + places
    found = {term: line[tokens == np.uint32(crc32(term.encode()))] for term, _ in terms}
    for (first, idf_first), (second, idf_second) in pairwise(terms):
        here, there = found[first], found[second]
        if first == second or not len(here) or not len(there):
            continue
        bonus = np.zeros(len(sequences))
        for ahead in (True, False):
            rows, gaps = _gaps(here, there, ahead=ahead)
            worth = np.where(gaps == 1, SIDE_BY_SIDE, APART / gaps) if ahead else APART * REVERSED / gaps
            np.maximum.at(bonus, rows, worth)
        out += min(idf_first, idf_second) * bonus
    return out


def _gaps(here: Ints, there: Ints, *, ahead: bool) -> tuple[Ints, Ints]:
    """Passages and distances from each occurrence of the first term to the nearest second one on one side."""
    place = np.searchsorted(there, here) - (0 if ahead else 1)
    valid = (place >= 0) & (place < len(there))
    near, mine = there[place[valid]], here[valid]
    gaps = np.abs(near - mine)
    close = (gaps > 0) & (gaps <= WINDOW)
    return mine[close] // _STRIDE, gaps[close]
