"""Which decoded postings are kept for the next question?"""

from __future__ import annotations

from collections import OrderedDict

from simonides.index.postings import Postings

_ENTRY_BYTES = 300  # what an entry costs besides its arrays


class PieceCache:
    """Decoded postings, the longest unused thrown out first. None says that the segment does not have the term."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._held: OrderedDict[tuple[tuple[int, int], str], Postings | None] = OrderedDict()

    def fill(self, place: tuple[int, int], pieces: dict[str, list[Postings]]) -> list[str]:
        """Append what is held of these terms; returns those of which nothing is known."""
        held = self._held
        missing = []
        for term, parts in pieces.items():
            key = (place, term)
            if key not in held:
                missing.append(term)
                continue
            held.move_to_end(key)
            piece = held[key]
            if piece is not None:
                parts.append(piece)
        return missing

    def keep(self, place: tuple[int, int], term: str, piece: Postings | None) -> None:
        """Hold what was not held."""
        self._held[place, term] = piece
        self._bytes += size_of(term, piece)

    def shrink(self) -> None:
        """Throw out until the limit holds."""
        while self._bytes > self._limit:
            (_, term), piece = self._held.popitem(last=False)
            self._bytes -= size_of(term, piece)

    def clear(self) -> None:
        """Forget everything."""
        self._held.clear()
        self._bytes = 0


class Answers:
    """What was answered for the catalogue that asked last: questions share words, and most come between writes."""

    def __init__(self, limit: int) -> None:
        self.held: dict[str, Postings] = {}
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
        self._bytes += size_of(term, postings)

    def shrink(self) -> None:
        """Start anew when the limit is passed."""
        if self._bytes > self._limit:
            self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.held.clear()
        self._bytes = 0
        self._for = None


def size_of(term: str, piece: Postings | None) -> int:
    """Bytes in memory, about."""
    return _ENTRY_BYTES + len(term) + (0 if piece is None else 5 * len(piece.ordinals))
