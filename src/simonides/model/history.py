"""What happened to a thought, and what do two of its revisions differ in?"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.model.thought import Json, Thought


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One thing that happened to a thought: seq, at, actor, reason and kind as in the journal.

    revision, thought: of an entry that wrote a revision, with the labels that it began with; else None.
    until: when that revision ended, None for the current one. actor, reason and kind are None where the journal was
    pruned.
    """

    seq: int
    at: datetime
    actor: str | None
    reason: str | None
    kind: str | None
    revision: int | None
    until: datetime | None
    thought: Thought | None

    def to_dict(self) -> dict[str, Json]:
        """Plain values, times as ISO-8601 text."""
        return {
            "seq": self.seq,
            "at": self.at.isoformat(),
            "actor": self.actor,
            "reason": self.reason,
            "kind": self.kind,
            "revision": self.revision,
            "until": None if self.until is None else self.until.isoformat(),
            "thought": None if self.thought is None else self.thought.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of a thought in two revisions."""

    field: str
    before: Json
    after: Json

    def __str__(self) -> str:
        if isinstance(self.before, str) and isinstance(self.after, str) and self.field in ("content", "essence"):
            lines = difflib.unified_diff(
                self.before.splitlines(), self.after.splitlines(), "before", "after", lineterm="", n=1
            )
            return "\n".join([f"{self.field}:", *list(lines)[2:]])
        return f"{self.field}: {_shown(self.before)} → {_shown(self.after)}"


@dataclass(frozen=True, slots=True)
class RevisionDiff:
    """What changed from one revision of a thought to another, in the order of the fields of a thought."""

    thought_id: str
    before: int
    after: int
    changes: tuple[FieldChange, ...]

    def __str__(self) -> str:
        head = f"{self.thought_id}: revision {self.before} → {self.after}"
        return "\n".join([head, *map(str, self.changes)] if self.changes else [head, "no difference"])

    def to_dict(self) -> dict[str, Json]:
        changes: list[Json] = [{"field": c.field, "before": c.before, "after": c.after} for c in self.changes]
        return {"thought_id": self.thought_id, "before": self.before, "after": self.after, "changes": changes}


def _shown(value: Json) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
