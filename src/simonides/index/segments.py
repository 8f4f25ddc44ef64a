"""How do postings get from the tail into segments, and the dead out of both? In write transactions, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from simonides.index.postings import FAN, SEGMENT_MAX, TAIL_MAX, Encoded, choose_merge, encode, merge, places_of

if TYPE_CHECKING:
    from simonides.backend.lexicon_port import LexiconWriter
    from simonides.backend.rows import Ints, TailRow

LOOKED_EVERY = 64  # passages
_ODD = 0x9E3779B1  # 2³² by the golden ratio: neighbours end far apart
_REBUILD_ROWS = 16_384  # rows a rebuild holds in memory at a time


def due(pids: Sequence[int]) -> bool:
    """Whether who wrote some passages looks for upkeep: counting a tail costs as much as its rows.

    One passage in `LOOKED_EVERY` says so, by a hash of its id, so that no pattern of writers can pass by for ever.
    """
    return len(pids) >= LOOKED_EVERY or any((pid * _ODD >> 16) % LOOKED_EVERY == 0 for pid in pids)


def maintain(
    writer: LexiconWriter, ns: int, *, tail_max: int = TAIL_MAX, fan: int = FAN, segment_max: int = SEGMENT_MAX
) -> bool:
    """Do one step of upkeep: flush a full tail, or else merge `fan` segments of one size. False: nothing to do.

    Dead passages are left out of what is written; a segment with more dead than living ones is written anew
    with a flush. Call it in a write transaction, again (in a new one) until it says False.
    """
    if writer.tail_size(ns) >= tail_max:
        dead = writer.dead(ns)
        flush(writer, ns, dead, segment_max)
        _rewrite(writer, ns, dead, 0.5)
        return True
    chosen = choose_merge(writer.segment_sizes(ns), fan, tail_max, segment_max)
    if chosen:
        _replace(writer, ns, chosen, writer.dead(ns))
    return bool(chosen)


def flush(writer: LexiconWriter, ns: int, dead: Ints, segment_max: int = SEGMENT_MAX) -> None:
    """Write the tail as a segment, without the passages in `dead`, and empty it."""
    rows = writer.tail(ns)
    if not rows:
        return
    living = _without(rows, dead)
    for start in range(0, len(living), segment_max):
        writer.write_segment(ns, *encode(living[start : start + segment_max]))
    writer.clear_tail(ns, rows[-1].pid)


def rebuild(writer: LexiconWriter, ns: int, rows: Iterable[TailRow], up_to_pid: int) -> None:
    """Replace everything up to `up_to_pid` by segments of `rows` (ids ascending, living ones)."""
    writer.drop_segments(ns, writer.segment_ids(ns))
    writer.clear_tail(ns, up_to_pid)
    waiting = iter(rows)
    while chunk := list(islice(waiting, _REBUILD_ROWS)):
        writer.write_segment(ns, *encode(chunk))


def purge(writer: LexiconWriter, ns: int) -> None:
    """Take every trace of dead passages out of the tail and the segments."""
    dead = writer.dead(ns)
    tail = writer.tail(ns)
    kept = {row.pid for row in _without(tail, dead)}
    writer.remove_tail([row.pid for row in tail if row.pid not in kept])
    _rewrite(writer, ns, dead, 0.0)


def _rewrite(writer: LexiconWriter, ns: int, dead: Ints, share: float) -> None:
    """Write anew the segments in which more than `share` of the passages are dead."""
    if not len(dead):
        return
    for segment in writer.segment_ids(ns):
        pids = writer.segment(segment).pids
        if np.count_nonzero(places_of(pids, dead) >= 0) > share * len(pids):
            _replace(writer, ns, (segment,), dead)


def _replace(writer: LexiconWriter, ns: int, segments: Sequence[int], dead: Ints) -> None:
    merged: Encoded = merge([(writer.segment(number), list(writer.blocks(number))) for number in segments], dead)
    writer.drop_segments(ns, segments)
    if len(merged.pids):
        writer.write_segment(ns, *merged)


def _without(rows: Sequence[TailRow], dead: Ints) -> list[TailRow]:
    found = places_of(dead, np.fromiter((row.pid for row in rows), np.int64, len(rows)))
    return [row for row, place in zip(rows, found.tolist(), strict=True) if place < 0]
