"""Where does a term occur, in a snapshot, without reading the same rows twice?

A namespace's postings are what its segments and its tail hold, minus passages that died. Segments never change,
so their blocks are kept as they are stored. The tail only grows while the epoch stands still,
so it is kept per epoch and cut at the size of the asking snapshot. Writing is in `segments`.
"""

from __future__ import annotations

import threading
from array import array
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from simonides.index.opened import OpenedSegment, opened_bytes
from simonides.index.postings import Frequencies, Ordinals, Postings, count, find, places_of
from simonides.index.recent import Answers, BlockCache

if TYPE_CHECKING:
    from simonides.backend.lexicon_port import LexiconReader
    from simonides.backend.rows import Block, Ints, SegmentHead, TailRow

CACHE_BYTES = 96 << 20  # of one namespace: blocks as stored, decoded answers, decoded segments, a third each
OPEN_AFTER = 64  # blocks read of a segment after which reading all of them at once is cheaper
_VIEWS = 3  # snapshots of different epochs that are kept ready


class CatalogueView(Protocol):
    """The passages a snapshot knows. An ordinal is a position in `pids`; within a generation it keeps its passage."""

    @property
    def pids(self) -> Ints:
        """(n,) int64 ascending, dead ones included."""
        ...

    @property
    def live(self) -> npt.NDArray[np.bool_] | None:
        """(n,) bool, or None when every passage counts."""
        ...

    @property
    def generation(self) -> int:
        """Changes when ordinals are given anew."""
        ...


class Lexicon:
    """The postings of one namespace, shared by the threads of a process.

    Only committed snapshots may ask: a reader that sees its own uncommitted writes calls `clear` after a
    rollback. cache_bytes bounds what is kept; what one question needs may pass it for a moment. open_after: blocks
    read of a segment after which it is decoded whole, when there is room.
    """

    def __init__(self, ns: int, *, cache_bytes: int = CACHE_BYTES, open_after: int = OPEN_AFTER) -> None:
        self._ns = ns
        self._open_after = open_after
        self._lock = threading.Lock()
        self._views: OrderedDict[tuple[int, int], _View] = OrderedDict()
        self._blocks = BlockCache(cache_bytes // 3)
        self._answers = Answers(cache_bytes // 3)
        self._opened_max = cache_bytes // 3

    def postings(
        self, reader: LexiconReader, epoch: int, catalogue: CatalogueView, terms: Sequence[str]
    ) -> dict[str, Postings]:
        """Where each term occurs among the living passages of the snapshot; a term that does not is left out.

        epoch, catalogue: of the reader's snapshot. The arrays are shared: read-only. Never depends on when
        rows were flushed or merged. Keys come in the order of `terms`.
        """
        with self._lock:
            self._answers.turn_to(epoch, catalogue)
            missing = [term for term in terms if term not in self._answers.held]
            for term, pieces in self._pieces(reader, epoch, catalogue, missing).items():
                self._answers.keep(term, _living(_joined(pieces), catalogue.live))
            found = {term: self._answers.held[term] for term in terms}
            self._answers.shrink()
        return {term: postings for term, postings in found.items() if len(postings.ordinals)}

    def frequencies(
        self, reader: LexiconReader, epoch: int, catalogue: CatalogueView, terms: Sequence[str]
    ) -> dict[str, int]:
        """In how many living passages each term occurs; 0 where it does not. Arguments as for `postings`."""
        with self._lock:
            self._answers.turn_to(epoch, catalogue)
            found = {term: held for term in terms if (held := self._answers.counts.get(term)) is not None}
            missing = [term for term in terms if term not in found]
            for term, count in self._count(reader, epoch, catalogue, missing).items():
                self._answers.counts[term] = found[term] = count
            self._answers.shrink()
        return found

    def clear(self) -> None:
        """Forget everything: after a rollback, after a restore of the file."""
        with self._lock:
            self._views.clear()
            self._blocks.clear()
            self._answers.clear()

    def _pieces(
        self, reader: LexiconReader, epoch: int, catalogue: CatalogueView, terms: Sequence[str]
    ) -> dict[str, list[Postings]]:
        """Each term's postings by segment and tail, dead passages included. The lock is held."""
        pieces: dict[str, list[Postings]] = {term: [] for term in terms}
        view = self._view(reader, epoch, catalogue) if pieces else None
        if view is None:
            return pieces
        blocks = self._held(reader, view, pieces)
        for segment in view.segments:
            for term, parts in pieces.items():
                if segment.opened is not None:
                    piece = segment.opened.find(term)
                else:
                    piece = self._piece(segment, term, blocks.get((segment.number, term)))
                if piece is not None:
                    parts.append(piece)
        for term, parts in pieces.items():
            piece = view.tail.find(term, len(catalogue.pids))
            if piece is not None:
                parts.append(piece)
        self._blocks.shrink()
        return pieces

    def _piece(self, segment: _Segment, term: str, block: Block | None) -> Postings | None:
        piece = None if block is None else segment.open(block, term)
        if piece is None:
            self._blocks.note_absent(segment.number, term)
        return piece

    def _count(
        self, reader: LexiconReader, epoch: int, catalogue: CatalogueView, terms: Sequence[str]
    ) -> dict[str, int]:
        """Living passages per term. While all live, a block tells without being opened. The lock is held."""
        counts = dict.fromkeys(terms, 0)
        view = self._view(reader, epoch, catalogue) if counts else None
        if view is None:
            return counts
        if catalogue.live is not None or not all(segment.whole for segment in view.segments):
            pieces = self._pieces(reader, epoch, catalogue, terms)
            return {term: _living_count(parts, catalogue.live) for term, parts in pieces.items()}
        for (_, term), block in self._held(reader, view, counts).items():
            counts[term] += count(block, term)
        opened = [segment.opened for segment in view.segments if segment.opened is not None]
        for term in counts:
            counts[term] += sum([segment.count(term) for segment in opened])
            piece = view.tail.find(term, len(catalogue.pids))
            counts[term] += 0 if piece is None else len(piece.ordinals)
        self._blocks.shrink()
        return counts

    def _held(self, reader: LexiconReader, view: _View, terms: Iterable[str]) -> dict[tuple[int, str], Block]:
        """Per segment that is not opened, and term, the block that could hold it; one statement for what is missing."""
        self._open(reader, view)
        held = self._blocks
        asked = [segment for segment in view.segments if segment.opened is None]
        wanted = [(s.number, term) for s in asked for term in terms if not held.lacks(s.number, term)]
        blocks = {place: block for place in wanted if (block := held.find(*place)) is not None}
        lacking = [place for place in wanted if place not in blocks]
        if lacking:
            for place, block in zip(lacking, reader.blocks_for(lacking), strict=True):
                if block is None:
                    held.note_absent(*place)
                else:
                    held.keep(place[0], block)
                    blocks[place] = block
            read = Counter(number for number, _ in lacking)
            for segment in asked:
                segment.blocks_read += read[segment.number]
        return blocks

    def _open(self, reader: LexiconReader, view: _View) -> None:
        """Decode the segments that were asked for much, as long as there is room for them."""
        for segment in view.segments:
            if segment.opened is not None or segment.too_large or segment.blocks_read < self._open_after:
                continue
            blocks = list(reader.blocks(segment.number))
            size = opened_bytes(blocks)
            if size + sum(other.opened_bytes for other in view.segments) <= self._opened_max:
                segment.decode(blocks, size)
            else:
                segment.too_large = True

    def _view(self, reader: LexiconReader, epoch: int, catalogue: CatalogueView) -> _View:
        key = (epoch, catalogue.generation)
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = _View(catalogue.generation, self._segments(reader, catalogue))
            if len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        self._views.move_to_end(key)
        newest = int(catalogue.pids[-1]) if len(catalogue.pids) else 0
        if newest > view.tail.seen_pid:
            view.tail.extend(reader.tail(self._ns, view.tail.seen_pid), catalogue.pids, newest)
        return view

    def _segments(self, reader: LexiconReader, catalogue: CatalogueView) -> list[_Segment]:
        """The snapshot's segments by their first passage; those of other views of the generation are shared."""
        views = [view for view in self._views.values() if view.generation == catalogue.generation]
        known = {segment.number: segment for view in views for segment in view.segments}
        numbers = reader.segment_ids(self._ns)
        found = [known.get(number) or _Segment(reader.segment(number), catalogue.pids) for number in numbers]
        return sorted(found, key=lambda segment: segment.first_pid)


@dataclass(slots=True)
class _View:
    """What is known of one (epoch, generation): the segments, and the tail so far."""

    generation: int
    segments: Sequence[_Segment]
    tail: _Tail = field(default_factory=lambda: _Tail())


class _Segment:
    """A segment's passages as ordinals: (m,) int32, −1 for those the catalogue does not have."""

    def __init__(self, head: SegmentHead, pids: Ints) -> None:
        self.number = head.segment
        self.first_pid = int(head.pids[0]) if len(head.pids) else 0
        self._ordinals = places_of(pids, head.pids)
        self.blocks_read = 0
        self.opened: OpenedSegment | None = None
        self.too_large = False  # to be decoded whole, beside the others
        self.opened_bytes = 0
        self.whole = bool((self._ordinals >= 0).all())

    def decode(self, blocks: Sequence[Block], size: int) -> None:
        """Decode every term; `size` bytes."""
        self.opened, self.opened_bytes = OpenedSegment(blocks, self._ordinals), size

    def open(self, block: Block, term: str) -> Postings | None:
        """The postings of a term out of the block that could hold it; None for a term the segment does not have."""
        local = find(block, term)
        if local is None:
            return None
        ordinals, frequencies = self._ordinals[local.docs], local.frequencies
        if not self.whole:
            kept = ordinals >= 0
            ordinals, frequencies = ordinals[kept], frequencies[kept]
        return Postings(ordinals, frequencies)


class _Tail:
    """Rows in no segment. Each term has one packed number per row: the row's position << 8 | frequencies."""

    def __init__(self) -> None:
        self.seen_pid = 0
        self._terms: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        self._ordinals: Ordinals = np.empty(0, np.int32)

    def extend(self, rows: Sequence[TailRow], pids: Ints, newest: int) -> None:
        """Take rows newer than `seen_pid`; `newest` is the last id of the snapshot they come from."""
        self.seen_pid = max(newest, rows[-1].pid if rows else 0)
        if not rows:
            return
        terms = self._terms
        for position, row in enumerate(rows, len(self._ordinals)):
            packed = position << 8
            for term, frequency in zip(row.terms.split(" "), row.frequencies, strict=False):
                terms[term].append(packed | frequency)
        added = places_of(pids, np.fromiter((row.pid for row in rows), np.int64, len(rows)))
        self._ordinals = np.concatenate((self._ordinals, added))

    def find(self, term: str, size: int) -> Postings | None:
        """The term's postings with ordinals below `size`."""
        held = self._terms.get(term)
        if held is None:
            return None
        packed = np.frombuffer(held, np.uintc)
        ordinals = self._ordinals[packed >> 8]
        frequencies = packed.astype(np.uint8)
        kept = (ordinals >= 0) & (ordinals < size) & (frequencies > 0)
        if not kept.all():
            ordinals, frequencies = ordinals[kept], frequencies[kept]
        return _frozen(ordinals, frequencies)


def _joined(pieces: Sequence[Postings]) -> Postings:
    """Pieces without common ordinals as one; they come in order of their segments' first passages.

    The arrays are new or those of an opened segment, so that no answer holds a block that was read for it.
    """
    if len(pieces) == 1:
        (piece,) = pieces
        held = isinstance(piece.frequencies.base, bytes)
        return _frozen(piece.ordinals, piece.frequencies.copy() if held else piece.frequencies)
    if not pieces:
        return _frozen(np.empty(0, np.int32), np.empty(0, np.uint8))
    ordinals = np.concatenate([piece.ordinals for piece in pieces])
    frequencies = np.concatenate([piece.frequencies for piece in pieces])
    ends = [(piece.ordinals[0], piece.ordinals[-1]) for piece in pieces if len(piece.ordinals)]
    if any(last >= first for (_, last), (first, _) in pairwise(ends)):
        order = np.argsort(ordinals, kind="stable")
        ordinals, frequencies = ordinals[order], frequencies[order]
    return _frozen(ordinals, frequencies)


def _living_count(pieces: Sequence[Postings], live: npt.NDArray[np.bool_] | None) -> int:
    """How many living passages pieces without common ordinals hold."""
    if live is None:
        return sum(len(piece.ordinals) for piece in pieces)
    return sum(int(np.count_nonzero(live[piece.ordinals])) for piece in pieces)


def _living(postings: Postings, live: npt.NDArray[np.bool_] | None) -> Postings:
    if live is None:
        return postings
    kept = live[postings.ordinals]
    if kept.all():
        return postings
    return _frozen(postings.ordinals[kept], postings.frequencies[kept])


def _frozen(ordinals: Ordinals, frequencies: Frequencies) -> Postings:
    ordinals.flags.writeable = False
    frequencies.flags.writeable = False
    return Postings(ordinals, frequencies)
