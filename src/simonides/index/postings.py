"""How are postings packed into blocks, found in one, and merged?

A segment is a run of at most 65,536 passages. Its terms are sorted and cut into blocks of at most 128 terms and
about 2,000 postings, so that finding a term reads one row of a few kilobytes. A term in more than a third of the
passages is dense: one byte per passage is then less than three per posting. Everything here is pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from struct import unpack_from
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from simonides.backend.rows import Block, Ints, SegmentHead, TailRow

if TYPE_CHECKING:
    from simonides.backend.lexicon_port import SegmentSize

Docs = npt.NDArray[np.uint16]
Frequencies = npt.NDArray[np.uint8]
Ordinals = npt.NDArray[np.int32]

SEGMENT_MAX = 65_536  # passages of a segment: a position within it is two bytes
TAIL_MAX = 4_096  # rows of a tail that make it worth a segment
FAN = 4  # segments of one size class that are merged
_BLOCK_TERMS = 128
_BLOCK_POSTINGS = 2_000
_DENSE_POSTINGS = 1_000  # below this a block of its own costs more than it saves
_FULL = 5 / 8  # a segment this full is left alone


class Postings(NamedTuple):
    """Where a term occurs. ordinals: (m,) int32 ascending, unique; frequencies: (m,) uint8, two nibbles each."""

    ordinals: Ordinals
    frequencies: Frequencies


class Encoded(NamedTuple):
    """A segment ready to be stored. pids: (n,) int64 ascending; blocks: terms ascending."""

    pids: Ints
    blocks: list[Block]


class Local(NamedTuple):
    """A term's postings within a segment. docs: (m,) uint16 positions, ascending; frequencies: (m,) uint8."""

    docs: Docs
    frequencies: Frequencies


class _Flat(NamedTuple):
    """Postings one by one: the term's rank in the vocabulary, the position of its passage, the frequency byte."""

    ranks: Ints
    docs: Ints
    frequencies: Frequencies


def encode(rows: Sequence[TailRow]) -> Encoded:
    """Pack rows into a segment. rows: at most 65,536, ids ascending, the terms of a row distinct."""
    words = _words(" ".join(row.terms for row in rows if row.terms), " ")
    counts = np.fromiter((len(row.frequencies) for row in rows), np.int64, len(rows))
    assert len(words) == counts.sum(), "one frequency per term"
    vocabulary = sorted(set(words))
    flat = _Flat(
        _ranks(vocabulary, words),
        np.repeat(np.arange(len(rows)), counts),
        np.frombuffer(b"".join(row.frequencies for row in rows), np.uint8),
    )
    pids = np.fromiter((row.pid for row in rows), np.int64, len(rows))
    return Encoded(pids, _blocks(vocabulary, flat, len(rows)))


def merge(parts: Sequence[tuple[SegmentHead, Sequence[Block]]], dead: Ints) -> Encoded:
    """One segment out of several, without the passages in `dead` and the terms only they had.

    The parts share no passage and hold at most 65,536 living ones together.
    """
    living = [np.isin(head.pids, dead, assume_unique=True, invert=True) for head, _ in parts]
    pids = np.sort(np.concatenate([head.pids[keep] for (head, _), keep in zip(parts, living, strict=True)]))
    opened = [open_all(blocks) for _, blocks in parts]
    vocabulary = sorted(set().union(*(words for words, _, _ in opened)))
    flats = []
    for (head, _), keep, (words, counts, local) in zip(parts, living, opened, strict=True):
        moved = np.where(keep, np.searchsorted(pids, head.pids), -1)[local.docs]
        kept = moved >= 0
        ranks = np.repeat(_ranks(vocabulary, words), counts)
        flats.append(_Flat(ranks[kept], moved[kept], local.frequencies[kept]))
    return Encoded(pids, _blocks(vocabulary, _Flat(*map(np.concatenate, zip(*flats, strict=True))), len(pids)))


def find(block: Block, term: str) -> Local | None:
    """The postings of one term, or None when the block does not hold it. The arrays are read-only views."""
    if term < block.first_term or term > block.last_term:
        return None
    if block.dense:
        return _open_dense(block)
    index = _index(block, term)
    if index < 0:
        return None
    counts = unpack_from(f"<{index + 1}I", block.counts)
    count = counts[index]
    start = sum(counts) - count
    docs = np.frombuffer(block.docs, "<u2", count, 2 * start)
    return Local(docs, np.frombuffer(block.frequencies, np.uint8, count, start))


def count(block: Block, term: str) -> int:
    """In how many passages of a block's segment a term occurs: as many postings as `find` gives."""
    if term < block.first_term or term > block.last_term:
        return 0
    if block.dense:
        return int(np.count_nonzero(np.frombuffer(block.frequencies, np.uint8)))
    index = _index(block, term)
    return 0 if index < 0 else int.from_bytes(block.counts[4 * index : 4 * index + 4], "little")


def _index(block: Block, term: str) -> int:
    """The number of a term in its block, −1 when it is not there. No list is made of the terms."""
    if term == block.first_term:
        return 0
    at = f"{block.terms}\n".find(f"\n{term}\n")
    return -1 if at < 0 else block.terms.count("\n", 0, at + 1)


def places_of(pids: Ints, wanted: Ints) -> Ordinals:
    """Positions of ids. pids, wanted: int64 ascending → (len(wanted),) int32, −1 where it is not there."""
    places = np.searchsorted(pids, wanted)
    places[places == len(pids)] = -1
    if len(pids):
        places[pids[places] != wanted] = -1
    return places.astype(np.int32)


def choose_merge(sizes: Sequence[SegmentSize], fan: int, tail_max: int, segment_max: int) -> tuple[int, ...]:
    """The segments to merge next: `fan` of one size class, oldest first, or () when no class has as many.

    Class c holds the sizes around tail_max · fan^c. Never above `segment_max` together: then fewer, at least two.
    """
    assert min(tail_max, fan - 1) > 0, f"tail_max is {tail_max}, fan is {fan}"
    classes: dict[int, list[SegmentSize]] = {}
    for size in sizes:
        if size.passages < segment_max * _FULL:
            ratio = max(1.0, 1.3 * size.passages / tail_max)
            classes.setdefault(int(math.log(ratio, fan)), []).append(size)
    for _, members in sorted(classes.items()):
        if len(members) >= fan:
            for start in range(len(members) - 1):
                chosen = _fitting(members[start : start + fan], segment_max)
                if len(chosen) > 1:
                    return chosen
    return ()


def _fitting(members: Sequence[SegmentSize], segment_max: int) -> tuple[int, ...]:
    chosen: list[int] = []
    total = 0
    for segment, passages in members:
        total += passages
        if total > segment_max:
            break
        chosen.append(segment)
    return tuple(chosen)


def _words(text: str, separator: str) -> list[str]:
    return text.split(separator) if text else []


def _ranks(vocabulary: Sequence[str], words: Sequence[str]) -> Ints:
    rank = {word: number for number, word in enumerate(vocabulary)}
    return np.fromiter(map(rank.__getitem__, words), np.int64, len(words))


def _blocks(vocabulary: Sequence[str], flat: _Flat, passages: int) -> list[Block]:
    """Cut postings into blocks. A posting of frequency 0 is none."""
    assert passages <= SEGMENT_MAX, f"{passages} passages do not fit a segment"
    key = (flat.ranks << 24) | (flat.docs << 8) | flat.frequencies
    key = key[flat.frequencies > 0]
    key.sort()
    docs = ((key >> 8) & 0xFFFF).astype("<u2")
    frequencies = (key & 0xFF).astype(np.uint8)
    counts = np.bincount(key >> 24, minlength=len(vocabulary))
    present = np.flatnonzero(counts)
    if len(present) < len(counts):
        vocabulary = [vocabulary[number] for number in present.tolist()]
        counts = counts[present]
    ends = np.concatenate(([0], np.cumsum(counts)))
    dense = (counts > _DENSE_POSTINGS) & (3 * counts > passages)
    blocks = []
    for i, j in _cuts(ends, np.flatnonzero(dense)):
        a, b = int(ends[i]), int(ends[j])
        held = (docs[a:b].tobytes(), frequencies[a:b].tobytes())
        if dense[i]:
            column = np.zeros(passages, np.uint8)
            column[docs[a:b]] = frequencies[a:b]
            held = (b"", column.tobytes())
        terms = vocabulary[i:j]
        count = counts[i:j].astype("<u4").tobytes()
        blocks.append(Block(terms[0], terms[-1], bool(dense[i]), "\n".join(terms), count, *held))
    return blocks


def _cuts(ends: Ints, dense: Ints) -> Iterable[tuple[int, int]]:
    """Ranges of terms that make a block each; a dense term stands alone. ends: (terms + 1,) cumulated counts."""
    full = np.searchsorted(ends, ends + _BLOCK_POSTINGS, "right") - 1
    stops = [*dense.tolist(), len(ends) - 1]
    at = start = 0
    while start < len(ends) - 1:
        if start == stops[at]:
            stop, at = start + 1, at + 1
        else:
            stop = max(start + 1, min(start + _BLOCK_TERMS, int(full[start]), stops[at]))
        yield start, stop
        start = stop


def _open_dense(block: Block) -> Local:
    column = np.frombuffer(block.frequencies, np.uint8)
    docs = np.flatnonzero(column).astype(np.uint16)
    return Local(docs, column[docs])


def open_all(blocks: Sequence[Block]) -> tuple[list[str], Ints, Local]:
    """All terms of a segment, their counts, and their postings, term after term."""
    opened = [
        _open_dense(block)
        if block.dense
        else Local(np.frombuffer(block.docs, "<u2"), np.frombuffer(block.frequencies, np.uint8))
        for block in blocks
    ]
    words = _words("\n".join(block.terms for block in blocks), "\n")
    counts = np.frombuffer(b"".join(block.counts for block in blocks), "<u4").astype(np.int64)
    empty = Local(np.empty(0, np.uint16), np.empty(0, np.uint8))
    return words, counts, Local(*map(np.concatenate, zip(empty, *opened, strict=True)))
