"""What does looking back need from a database? Ended versions, what belonged to them, and who changed what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from simonides.backend.rows import CatalogueRow, Ints
    from simonides.model.thought import Thought


class ClosedVersion(NamedTuple):
    """A version that has ended. row: as a passage of it would stand in the catalogue, without pid and words."""

    vid: int
    seq: int
    row: CatalogueRow
    content: str
    essence: str | None
    speaker: str | None


class PassageUntil(NamedTuple):
    """A passage that a change ended. until: the seq of the change. vector: little-endian float32."""

    tid: int
    until: int
    part: int
    start: int
    stop: int
    vector: bytes | None


class PassageNow(NamedTuple):
    """A current passage, with the text that it belongs to."""

    pid: int
    tid: int
    words: int
    essence_words: int
    asks: float
    content_hash: bytes
    essence: str | None


class PastPassage(NamedTuple):
    """A passage of an ended version made again. columns: the four of the full-text index, analysed."""

    pid: int
    tid: int
    part: int
    start: int
    stop: int
    tokens: bytes
    text: str
    columns: tuple[str, str, str, str]
    vector: bytes | None


class StoredRevision(NamedTuple):
    """A revision with what the journal says of it; None where that part of the journal was pruned."""

    seq: int
    revision: int
    recorded_from: int
    recorded_to: int | None
    actor: str | None
    reason: str | None
    kind: str | None
    thought: Thought


class Event(NamedTuple):
    """A row of the journal about a thought that wrote no revision."""

    seq: int
    at: int
    actor: str
    reason: str | None
    kind: str


class HistoryReader(Protocol):
    """Of one snapshot."""

    def closed(self, ns: int, at: int, limit: int) -> list[ClosedVersion]: ...
    def later(self, ns: int, at: int) -> Ints: ...
    def passages_until(self, tids: Sequence[int]) -> list[PassageUntil]: ...
    def passages_now(self, tids: Sequence[int]) -> list[PassageNow]: ...
    def revisions(self, ns: int, tid: int) -> list[StoredRevision]: ...
    def events(self, ns: int, thought_id: str) -> list[Event]: ...


class HistoryWriter(HistoryReader, Protocol):
    """Inside the caller's transaction, before the change: what was true until now is kept."""

    def keep_labels(self, ns: int, tid: int, at: int) -> None: ...
    def keep_edge(self, from_tid: int, to_tid: int, edge_type: str, at: int) -> None: ...
    def keep_edges(self, tid: int, at: int) -> None: ...
    def drop_vectors(self) -> None: ...
