"""Which memories disagree, and what was decided about it?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from simonides.model.thought import Json, Thought


class ConflictKind(StrEnum):
    """CONTRADICTS: both cannot be true. SUPERSEDES: the newer one gives a new value."""

    CONTRADICTS = "CONTRADICTS"
    SUPERSEDES = "SUPERSEDES"


class ConflictStatus(StrEnum):
    """A proposal changes nothing until somebody confirms it; a rejected one does not come back."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What two memories disagree about. confidence: 0..1.

    slot: number, range, date, dates, time, weekday, month, version, ratio, phone, code, name, word, negation, subject,
    or what a judge says. older, newer: the words that differ; "" where one side only denies or leaves out.
    """

    kind: ConflictKind
    confidence: float
    slot: str
    older: str
    newer: str


Judge = Callable[[Thought, Thought, Disagreement | None], Disagreement | None]
"""(older, newer, what the detectors found) → what is to be proposed; None: nothing."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two memories of one namespace that seem to disagree. decided_by: the actor who confirmed or rejected it."""

    conflict_id: str
    namespace: str
    status: ConflictStatus
    found: Disagreement
    older: Thought
    newer: Thought
    proposed_at: datetime
    decided_at: datetime | None = None
    decided_by: str | None = None
    reason: str | None = None

    def to_dict(self) -> dict[str, Json]:
        """JSON values; the memories by id and content."""
        return {
            "conflict_id": self.conflict_id,
            "namespace": self.namespace,
            "kind": self.found.kind.value,
            "status": self.status.value,
            "confidence": self.found.confidence,
            "slot": self.found.slot,
            "older": _side(self.older, self.found.older),
            "newer": _side(self.newer, self.found.newer),
            "proposed_at": self.proposed_at.isoformat(),
            "decided_at": None if self.decided_at is None else self.decided_at.isoformat(),
            "decided_by": self.decided_by,
            "reason": self.reason,
        }


def _side(thought: Thought, words: str) -> dict[str, Json]:
    at = thought.occurred_at or thought.created_at
    return {
        "thought_id": thought.thought_id,
        "at": at.isoformat(),
        "speaker": thought.speaker,
        "content": thought.content,
        "differs": words,
    }


@dataclass(frozen=True, slots=True)
class ConflictScan:
    """What a scan did: thoughts that were new or changed, pairs compared, conflicts proposed and withdrawn.

    done: nothing is left to look at. A proposal is withdrawn when a text of it has changed.
    """

    namespace: str
    thoughts: int
    pairs: int
    proposed: int
    withdrawn: int
    done: bool
