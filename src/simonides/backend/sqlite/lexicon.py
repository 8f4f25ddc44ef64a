"""Where in SQLite do the postings live?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simonides.backend.lexicon_port import SegmentSize
from simonides.backend.rows import Block, Ints, SegmentHead, TailRow
from simonides.backend.sqlfile import load
from simonides.backend.sqlite.run import insert
from simonides.errors import StoreDamagedError

if TYPE_CHECKING:
    import apsw

_SQL = load("simonides.backend.sqlite", "lexicon.sql")


class LexiconRows:
    """The lexicon's tables on one connection: `LexiconReader` and, inside a transaction, `LexiconWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def segment_ids(self, ns: int) -> tuple[int, ...]:
        """Segments of the namespace, oldest first."""
        return tuple(segment for (segment,) in self._connection.execute(_SQL["segment_ids"], {"ns": ns}))

    def segment_sizes(self, ns: int) -> tuple[SegmentSize, ...]:
        """Segments of the namespace with their sizes, oldest first."""
        return tuple(map(SegmentSize._make, self._connection.execute(_SQL["segment_sizes"], {"ns": ns})))

    def segment(self, segment: int) -> SegmentHead:
        """One segment's passage ids. Raises StoreDamagedError when it is not there."""
        import numpy as np

        pids = self._connection.execute(_SQL["segment"], {"segment": segment}).get
        if pids is None:
            raise StoreDamagedError(f"segment {segment} of the text index is missing", hint="rebuild the text index")
        return SegmentHead(segment, np.frombuffer(pids, "<i8"))

    def blocks_for(self, wanted: Sequence[tuple[int, str]]) -> list[Block | None]:
        """Per (segment, term) the block with the greatest first term not above the term. One statement."""
        found: list[Block | None] = [None] * len(wanted)
        for place, *values in self._connection.execute(_SQL["blocks_for"], (json.dumps(wanted),)):
            found[place] = _block(values)
        return found

    def blocks(self, segment: int) -> Iterator[Block]:
        """Every block of the segment, terms ascending."""
        return map(_block, self._connection.execute(_SQL["blocks"], {"segment": segment}))

    def tail(self, ns: int, after_pid: int = 0) -> list[TailRow]:
        """Rows in no segment with an id above `after_pid`, ids ascending."""
        return list(map(TailRow._make, self._connection.execute(_SQL["tail"], {"ns": ns, "after_pid": after_pid})))

    def tail_size(self, ns: int) -> int:
        """How many rows are in no segment."""
        return int(self._connection.execute(_SQL["tail_size"], {"ns": ns}).get)

    def dead(self, ns: int) -> Ints:
        """Ids of passages that no longer count. (n,) int64 ascending."""
        import numpy as np

        pids = [pid for (pid,) in self._connection.execute(_SQL["dead"], {"ns": ns})]
        return np.unique(np.array(pids, np.int64))

    def add_tail(self, ns: int, rows: Sequence[TailRow]) -> None:
        """Append rows; no change of epoch, readers catch up by id."""
        insert(self._connection, _SQL["add_tail"], [(pid, ns, terms, counts) for pid, terms, counts in rows])

    def remove_tail(self, pids: Sequence[int]) -> None:
        """Erase rows of the tail."""
        owners = self._connection.executemany(_SQL["remove_tail"], ({"pid": pid} for pid in pids))
        for ns in sorted({ns for (ns,) in owners}):
            self._bump(ns)

    def clear_tail(self, ns: int, up_to_pid: int) -> None:
        """Delete the tail's rows with ids up to and including `up_to_pid`."""
        self._connection.execute(_SQL["clear_tail"], {"ns": ns, "pid": up_to_pid})
        self._bump(ns)

    def write_segment(self, ns: int, pids: Ints, blocks: Sequence[Block]) -> int:
        """Store an immutable segment; returns its number."""
        values = {"ns": ns, "passages": len(pids), "pids": pids.astype("<i8").tobytes()}
        segment = int(self._connection.execute(_SQL["add_segment"], values).get)
        self._connection.executemany(_SQL["add_block"], ((segment, *block) for block in blocks))
        self._bump(ns)
        return segment

    def drop_segments(self, ns: int, segments: Sequence[int]) -> None:
        """Delete segments with their blocks."""
        for segment in segments:
            self._connection.execute(_SQL["drop_blocks"], {"segment": segment})
            self._connection.execute(_SQL["drop_segment"], {"segment": segment, "ns": ns})
        self._bump(ns)

    def _bump(self, ns: int) -> None:
        self._connection.execute(_SQL["bump_epoch"], {"ns": ns})


def _block(row: Sequence[Any]) -> Block:
    return Block(row[0], row[1], bool(row[2]), row[3], row[4], row[5], row[6])
