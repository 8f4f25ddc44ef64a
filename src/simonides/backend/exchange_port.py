"""What does moving a whole store need from a database? Every row in a stable order, and rows put back as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from simonides.backend.rows import JournalRow, NewEdge, NewVersion


class Space(NamedTuple):
    """A namespace. ns: the number that the journal's chain covers."""

    ns: int
    name: str
    created_at: int
    seq: int


class StoredVersion(NamedTuple):
    """One revision with the times at which it was current; recorded_to is None for the current one."""

    revision: int
    seq: int
    recorded_from: int
    recorded_to: int | None
    salt: bytes
    version: NewVersion


class StoredPassage(NamedTuple):
    """embedding: NO_VECTOR, PENDING or STORED. vector: little-endian float32."""

    part: int
    start: int
    stop: int
    embedding: int
    vector: bytes | None


class StoredPast(NamedTuple):
    """A passage that the change with the seq `until` ended. vector: little-endian float32."""

    until: int
    part: int
    start: int
    stop: int
    vector: bytes | None


class WholeThought(NamedTuple):
    """A thought with all there is of it. tid, ns: of the store that it comes from.

    past: passages that have ended. past_labels: (until, kind, label), sets that were true until an instant; the kind is
    '' in an empty one.
    """

    tid: int
    ns: int
    thought_id: str
    created_at: int
    created_cycle: int
    session: str | None
    position: int | None
    speaker: str | None
    dedup: bytes | None
    access_count: int
    confirmation_count: int
    last_accessed_at: int | None
    labels: Mapping[str, Sequence[str]]
    versions: tuple[StoredVersion, ...]
    passages: tuple[StoredPassage, ...]
    past: tuple[StoredPast, ...] = ()
    past_labels: tuple[tuple[int, str, str], ...] = ()


class StoredSession(NamedTuple):
    ns: int
    name: str
    turns: int
    last: str | None


class StoredAlias(NamedTuple):
    ns: int
    alias: str
    concept: str


class StoredTopic(NamedTuple):
    ns: int
    key: str
    title: str | None
    created_at: int


class StoredEdge(NamedTuple):
    """eid, ns: of the store that it comes from. metadata: JSON text."""

    eid: int
    ns: int
    edge_id: str
    from_id: str
    to_id: str
    edge_type: str
    weight: float
    created_at: int
    valid_from: int | None
    valid_until: int | None
    source: str | None
    metadata: str


class StoredPastEdge(NamedTuple):
    """An edge as it was until an instant."""

    until: int
    edge: StoredEdge


class StoredConflict(NamedTuple):
    """cid, ns: of the store that it comes from. evidence: JSON text."""

    cid: int
    ns: int
    conflict_id: str
    older_id: str
    newer_id: str
    kind: str
    status: str
    confidence: float
    evidence: str
    texts: bytes
    proposed_at: int
    decided_at: int | None
    decided_by: str | None
    reason: str | None


class TablePage(NamedTuple):
    """Some rows of a view for analysts."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


class ExchangeReader(Protocol):
    """Reads of one snapshot, over all namespaces."""

    def spaces(self) -> list[Space]: ...
    def thoughts(self, after_tid: int, limit: int) -> list[WholeThought]: ...
    def versions(self, tid: int) -> list[StoredVersion]: ...
    def sessions(self) -> list[StoredSession]: ...
    def aliases(self) -> list[StoredAlias]: ...
    def user_topics(self) -> list[StoredTopic]: ...
    def edges(self, after_eid: int, limit: int) -> list[StoredEdge]: ...
    def past_edges(self, after: tuple[int, str, int], limit: int) -> list[StoredPastEdge]: ...
    def conflicts(self, after_cid: int, limit: int) -> list[StoredConflict]: ...
    def left_out(self) -> dict[str, int]: ...
    def table(self, name: str, namespaces: Sequence[str], page: int) -> Iterator[TablePage]: ...
    def has_edge(self, edge: NewEdge) -> bool: ...


class ExchangeWriter(ExchangeReader, Protocol):
    """Inside the caller's transaction. Rows keep what they were given; nothing is journaled here."""

    def add_space(self, space: Space) -> None: ...
    def add_journal(self, rows: Sequence[JournalRow]) -> None: ...
    def add_counts(self, tid: int, thought: WholeThought) -> None: ...
    def add_version(self, tid: int, ns: int, stored: StoredVersion) -> None: ...
    def add_past(self, tid: int, ns: int, thought: WholeThought) -> None: ...
    def add_past_edge(self, until: int, edge: NewEdge) -> None: ...
    def set_session(self, ns: int, session: StoredSession) -> None: ...
    def drop_meta(self, key: str) -> None: ...
    def finish(self) -> None: ...
