"""What does the postings index need from a database?

A namespace's postings are its segments (immutable) plus its tail (append-only while `namespaces.epoch` stands
still). A posting is a fact about a passage id; whether the passage still counts is the catalogue's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from simonides.backend.rows import Block, Ints, SegmentHead, TailRow


class SegmentSize(NamedTuple):
    """How many passages a segment was written with, dead ones included."""

    segment: int
    passages: int


class LexiconReader(Protocol):
    """Reads of one snapshot."""

    def segment_ids(self, ns: int) -> tuple[int, ...]:
        """Segments of the namespace, oldest first."""
        ...

    def segment_sizes(self, ns: int) -> tuple[SegmentSize, ...]:
        """Segments of the namespace with their sizes, oldest first; never reads the passage ids."""
        ...

    def segment(self, segment: int) -> SegmentHead:
        """One segment's passage ids. Raises StoreDamagedError when it is not there."""
        ...

    def blocks_for(self, wanted: Sequence[tuple[int, str]]) -> list[Block | None]:
        """Per (segment, term) the block that could hold the term: the one with the greatest first term not above it."""
        ...

    def blocks(self, segment: int) -> Iterator[Block]:
        """Every block of the segment, terms ascending. Finish it before writing."""
        ...

    def tail(self, ns: int, after_pid: int = 0) -> list[TailRow]:
        """Rows not yet in a segment with an id above `after_pid`, ids ascending."""
        ...

    def tail_size(self, ns: int) -> int:
        """How many rows the tail has, dead ones included."""
        ...

    def dead(self, ns: int) -> Ints:
        """Ids of passages that no longer count. (n,) int64 ascending."""
        ...


class LexiconWriter(LexiconReader, Protocol):
    """Writes inside the caller's transaction. Everything but `add_tail` raises the namespace's epoch."""

    def add_tail(self, ns: int, rows: Sequence[TailRow]) -> None:
        """Append rows whose ids are above every id the namespace ever had."""
        ...

    def remove_tail(self, pids: Sequence[int]) -> None:
        """Erase rows of the tail. Not needed for a passage that merely died: its row goes with the next flush."""
        ...

    def write_segment(self, ns: int, pids: Ints, blocks: Sequence[Block]) -> int:
        """Store an immutable segment; returns its number, which is never used again."""
        ...

    def drop_segments(self, ns: int, segments: Sequence[int]) -> None:
        """Delete segments with their blocks."""
        ...

    def clear_tail(self, ns: int, up_to_pid: int) -> None:
        """Delete the tail's rows with ids up to and including `up_to_pid`."""
        ...
