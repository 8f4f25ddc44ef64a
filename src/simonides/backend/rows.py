"""Which values cross the port? Rows as the engine sees them, independent of the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from simonides.model.thought import LifecycleStatus, Priority, Thought, ThoughtType

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int64]"

TYPES = tuple(ThoughtType)  # the position is the stored code; only ever append
STATUSES = tuple(LifecycleStatus)
PRIORITIES = tuple(Priority)
TYPE_CODES = {t: n for n, t in enumerate(TYPES)}
STATUS_CODES = {s: n for n, s in enumerate(STATUSES)}
ACTIVE = STATUS_CODES[LifecycleStatus.ACTIVE]
ARCHIVED = STATUS_CODES[LifecycleStatus.ARCHIVED]
REFLECTION = TYPE_CODES[ThoughtType.REFLECTION]
PRIORITY_CODES = {p: n for n, p in enumerate(PRIORITIES)}
NO_VECTOR, PENDING, STORED = 0, 1, 2  # passages.embedding


class NamespaceState(NamedTuple):
    """How far a namespace is: `seq` of its last change, `epoch` of its last segment change. (0, 0, 0) when new."""

    ns: int
    seq: int
    epoch: int


class CatalogueRow(NamedTuple):
    """What ranking needs to know of one passage and its thought, as numbers. None times are None."""

    pid: int
    tid: int
    thought_id: str
    content_hash: bytes
    words: int
    essence_words: int
    asks: float
    session: int
    position: int | None
    speaker: int
    thought_type: int
    lifecycle_status: int
    retired: int
    priority: int
    updated_at: int
    updated_cycle: int
    created_at: int
    occurred_at: int | None
    expires_at: int | None
    valid_from: int | None
    valid_until: int | None


class TailRow(NamedTuple):
    """The postings of one passage before they are in a segment: terms joined by spaces, one byte each.

    A byte holds two frequencies: content in the low four bits, essence in the high four, each capped at 15.
    """

    pid: int
    terms: str
    frequencies: bytes


class SegmentHead(NamedTuple):
    """An immutable run of passages of the postings index. pids: ascending int64, at most 65,536."""

    segment: int
    pids: Ints


class Block(NamedTuple):
    """Postings of consecutive terms of one segment.

    terms: joined by newlines; counts: uint32 documents per term; docs: uint16 positions within the segment's
    pids, term after term; frequencies: uint8, aligned with docs. A dense block has one term, no docs and one
    frequency per passage of the segment (0 where absent).
    """

    first_term: str
    last_term: str
    dense: bool
    terms: str
    counts: bytes
    docs: bytes
    frequencies: bytes


class StoredThought(NamedTuple):
    """A current thought with its row id; `retired` marks a reflection whose sources have all gone."""

    tid: int
    retired: bool
    thought: Thought


class NewThought(NamedTuple):
    """The identity half of a thought to insert."""

    ns: int
    thought_id: str
    created_at: int
    created_cycle: int
    session: int
    position: int | None
    speaker: int
    dedup: bytes | None


class VersionAt(NamedTuple):
    """Which revision of which thought, and when it began: journal seq and instant."""

    tid: int
    ns: int
    revision: int
    seq: int
    recorded_from: int


class NewVersion(NamedTuple):
    """The changeable half of a thought: one row per revision. Enumerations are codes, metadata is JSON text."""

    thought_type: int
    content_type: str
    content: str
    essence: str | None
    priority: int
    lifecycle_status: int
    retired: int
    updated_at: int
    updated_cycle: int
    occurred_at: int | None
    expires_at: int | None
    valid_from: int | None
    valid_until: int | None
    source: str | None
    source_type: str | None
    confidence: float | None
    visibility: str | None
    pinned: int
    metadata: str
    provenance: str | None
    content_hash: bytes


class Analysed(NamedTuple):
    """What both text indexes hold of a passage and its essence.

    tokens: uint32 CRC-32 of the base terms in reading order. asks: share of the words that stand in questions.
    """

    words: int
    essence_words: int
    asks: float
    tokens: bytes
    terms: str
    frequencies: bytes
    content: str
    essence: str
    content_more: str
    essence_more: str


class NewPassage(NamedTuple):
    """One passage with everything the indexes need. vector: little-endian float32 unit row."""

    part: int
    start: int
    stop: int
    text: Analysed
    embedding: int
    vector: bytes | None = None


class NewEdge(NamedTuple):
    ns: int
    edge_id: str
    from_tid: int
    to_tid: int
    edge_type: str
    weight: float
    created_at: int
    valid_from: int | None
    valid_until: int | None
    source: str | None
    metadata: str


class JournalEntry(NamedTuple):
    """A change to note; `digest` is already salted. The backend gives seq and hash."""

    at: int
    ns: int
    actor: str
    reason: str | None
    kind: str
    subject_id: str
    revision: int | None
    digest: bytes


class JournalRow(NamedTuple):
    seq: int
    at: int
    ns: int
    namespace: str
    actor: str
    reason: str | None
    kind: str
    subject_id: str
    revision: int | None
    digest: bytes
    hash: bytes


class Copied(NamedTuple):
    """A finished copy of a store: its size and the journal's last seq in it (0: no change yet)."""

    size_bytes: int
    seq: int


class PendingPassage(NamedTuple):
    pid: int
    tid: int
    thought_id: str
    text: str


class Neighbour(NamedTuple):
    """One edge of a candidate, ranked within the candidate's edges by weight and edge id."""

    tid: int
    neighbour: int
    weight: float
    edge_id: str


class PassageRow(NamedTuple):
    """Where a passage lies in its thought: code points."""

    pid: int
    tid: int
    part: int
    start: int
    stop: int


class Relation(NamedTuple):
    """One edge seen from `tid`: the other end, its weight and type, when it was valid."""

    tid: int
    other: int
    weight: float
    edge_id: str
    edge_type: str
    valid_from: int | None
    valid_until: int | None
