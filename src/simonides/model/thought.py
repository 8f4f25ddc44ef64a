"""What is one stored memory, before and after it is accepted?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Instant: TypeAlias = "datetime | date | str | int | float"
VectorLike: TypeAlias = "np.ndarray | list[float] | tuple[float, ...]"


class ThoughtType(StrEnum):
    """What kind of memory it is."""

    NOTE = "NOTE"
    OBSERVATION = "OBSERVATION"
    BELIEF = "BELIEF"
    TASK = "TASK"
    OUTPUT_DRAFT = "OUTPUT_DRAFT"
    REFLECTION = "REFLECTION"


class Priority(StrEnum):
    """How much it matters, P1 most. The ranking values are 1.0, 0.6, 0.3 and 0.0."""

    P1 = "P1"
    P2 = "P2"
    P3 = "P3"
    P4 = "P4"


class LifecycleStatus(StrEnum):
    """Where it is in its life: CREATED → ACTIVE → DONE → ARCHIVED, and back to ACTIVE by restore."""

    CREATED = "CREATED"
    ACTIVE = "ACTIVE"
    DONE = "DONE"
    ARCHIVED = "ARCHIVED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A thought that somebody wants to be remembered. Only `content` is needed.

    Instants may be datetimes, dates, ISO-8601 text or seconds since the epoch; naive ones are UTC.
    `vector` is a given embedding of the whole content: (dimension,) numbers, any length but zero.
    """

    content: str
    thought_id: str | None = None
    essence: str | None = None
    thought_type: ThoughtType | str = ThoughtType.NOTE
    content_type: str = "text"
    priority: Priority | str = Priority.P3
    lifecycle_status: LifecycleStatus | str = LifecycleStatus.ACTIVE
    metadata: Mapping[str, Json] | None = None
    provenance: Mapping[str, Json] | None = None
    concepts: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    speaker: str | None = None
    session: str | None = None
    source: str | None = None
    source_type: str | None = None
    confidence: float | None = None
    visibility: str | None = None
    pinned: bool = False
    created_cycle: int = 0
    updated_cycle: int | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    occurred_at: Instant | None = None
    expires_at: Instant | None = None
    ttl: float | timedelta | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    vector: VectorLike | None = field(default=None, compare=False)
    supersedes: str | None = None
    deduplicate: bool = False
    reason: str | None = None  # why it is remembered; the journal keeps it


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """A stored memory at one revision. Times are UTC; `content` is byte for byte what was given.

    `access_count` says how often a search has shown it, `confirmation_count` how often the same was remembered again
    with `deduplicate=True`, `last_accessed_at` when either was last; two thoughts that differ in these alone are equal.
    `position` counts within the session from 0. `embedding` says whether a vector is stored:
    "present", "pending" (to be made by `embed_pending`) or "none" (the text has no vector).
    """

    thought_id: str
    namespace: str
    content: str
    essence: str | None
    thought_type: ThoughtType
    content_type: str
    priority: Priority
    lifecycle_status: LifecycleStatus
    metadata: dict[str, Json]
    provenance: dict[str, Json] | None
    concepts: tuple[str, ...]
    topics: tuple[str, ...]
    speaker: str | None
    session: str | None
    position: int | None
    source: str | None
    source_type: str | None
    confidence: float | None
    visibility: str | None
    pinned: bool
    created_cycle: int
    updated_cycle: int
    created_at: datetime
    updated_at: datetime
    occurred_at: datetime | None
    expires_at: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    last_accessed_at: datetime | None = field(compare=False)
    access_count: int = field(compare=False)
    confirmation_count: int = field(compare=False)
    content_hash: str
    revision: int
    embedding: str

    def to_dict(self) -> dict[str, Json]:
        """Everything as JSON values; instants as ISO-8601 text."""
        out: dict[str, Json] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, datetime):
                value = value.isoformat()
            elif isinstance(value, StrEnum):
                value = value.value
            elif isinstance(value, tuple):
                value = list(value)
            out[name] = value
        return out
