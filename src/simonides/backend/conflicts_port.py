"""What do conflicts between memories need from a database?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class ConflictRow(NamedTuple):
    """A conflict as stored. evidence: JSON text. texts: digest of both contents."""

    cid: int
    conflict_id: str
    older_tid: int
    newer_tid: int
    kind: str
    status: str
    confidence: float
    evidence: str
    texts: bytes
    proposed_at: int
    decided_at: int | None
    decided_by: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class NewConflict:
    """A conflict to insert; proposed, unless it comes from elsewhere and was decided there."""

    ns: int
    conflict_id: str
    older_tid: int
    newer_tid: int
    kind: str
    confidence: float
    evidence: str
    texts: bytes
    proposed_at: int
    status: str = "proposed"
    decided_at: int | None = None
    decided_by: str | None = None
    reason: str | None = None


class ConflictsReader(Protocol):
    """Reads of one snapshot."""

    def fresh(self, ns: int, after_seq: int, limit: int) -> list[tuple[int, int]]: ...
    def scanned(self, ns: int) -> int: ...
    def sharing(self, ns: int, field: str, values: Sequence[str]) -> list[tuple[str, int]]: ...
    def get(self, ns: int, conflict_id: str) -> ConflictRow | None: ...
    def page(self, ns: int, status: str, after_cid: int, limit: int) -> list[ConflictRow]: ...
    def touching(self, tids: Sequence[int]) -> list[ConflictRow]: ...
    def counts(self, ns: int) -> dict[str, int]: ...


class ConflictsWriter(ConflictsReader, Protocol):
    """Writes inside the caller's transaction; nothing is journaled here."""

    def set_scanned(self, ns: int, seq: int) -> None: ...
    def put(self, conflict: NewConflict) -> None: ...
    def decide(self, row: ConflictRow) -> None: ...
    def drop(self, cid: int) -> None: ...
