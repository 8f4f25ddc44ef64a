"""Which blocks and which decoded postings are kept for the next question?"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.backend.rows import Block
    from simonides.index.postings import Postings

ABSENT_MAX = 50_000
COUNTS_MAX = 200_000
_ENTRY_BYTES = 300  # what an entry costs besides its arrays


class BlockCache:
    """Blocks as they are stored, the longest unused thrown out first. Segments never change, so they stay true."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._held: OrderedDict[tuple[int, str], Block] = OrderedDict()
        self._first: dict[int, list[str]] = {}  # per segment the first terms of what is held, ascending
        self._absent: set[tuple[int, str]] = set()  # terms that a segment does not have

    def lacks(self, segment: int, term: str) -> bool:
        """Whether it is known that a segment does not have a term."""
        return (segment, term) in self._absent

    def note_absent(self, segment: int, term: str) -> None:
        """A segment does not have a term."""
        if len(self._absent) >= ABSENT_MAX:
            self._absent.clear()
        self._absent.add((segment, term))

    def find(self, segment: int, term: str) -> Block | None:
        """The held block that covers a term; None when there is none, which says nothing about the segment."""
        first = self._first.get(segment)
        at = bisect_right(first, term) if first else 0
        if not first or not at:
            return None
        key = (segment, first[at - 1])
        block = self._held[key]
        if term > block.last_term:
            return None
        self._held.move_to_end(key)
        return block

    def keep(self, segment: int, block: Block) -> None:
        """Hold a block, if it is not held."""
        key = (segment, block.first_term)
        if key not in self._held:
            self._held[key] = block
            self._bytes += _block_bytes(block)
            insort(self._first.setdefault(segment, []), block.first_term)

    def shrink(self) -> None:
        """Throw out until the limit holds."""
        while self._bytes > self._limit:
            (segment, term), block = self._held.popitem(last=False)
            self._bytes -= _block_bytes(block)
            self._first[segment].remove(term)

    def clear(self) -> None:
        """Forget everything."""
        self._held.clear()
        self._first.clear()
        self._absent.clear()
        self._bytes = 0


class Answers:
    """What was answered for the catalogue that asked last: questions share words, and most come between writes."""

    def __init__(self, limit: int) -> None:
        self.held: dict[str, Postings] = {}
        self.counts: dict[str, int] = {}  # of living passages, also of terms whose postings are not held
        self._limit = limit
        self._bytes = 0
        self._for: tuple[int, object] | None = None

    def turn_to(self, epoch: int, catalogue: object) -> None:
        """Forget the answers unless they are for this epoch and this very catalogue object."""
        if self._for is None or self._for[0] != epoch or self._for[1] is not catalogue:
            self.clear()
            self._for = (epoch, catalogue)

    def keep(self, term: str, postings: Postings) -> None:
        """Hold what was not held."""
        self.held[term] = postings
        self.counts[term] = len(postings.ordinals)
        self._bytes += size_of(term, postings)

    def shrink(self) -> None:
        """Start anew when the limit is passed."""
        if self._bytes > self._limit:
            self.clear()
        if len(self.counts) > COUNTS_MAX:
            self.counts.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.held.clear()
        self.counts.clear()
        self._bytes = 0
        self._for = None


def size_of(term: str, piece: Postings | None) -> int:
    """Bytes in memory, about."""
    return _ENTRY_BYTES + len(term) + (0 if piece is None else 5 * len(piece.ordinals))


def _block_bytes(block: Block) -> int:
    return _ENTRY_BYTES + len(block.terms) + len(block.counts) + len(block.docs) + len(block.frequencies)
