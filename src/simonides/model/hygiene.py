"""What would tidying up take away, and why?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.model.thought import Json, Thought


@dataclass(frozen=True, slots=True)
class Aged:
    """A memory that is archived or erased, with the reasons. last_used: when it was last written or shown."""

    thought: Thought
    action: str  # archive or erase
    reasons: tuple[str, ...]
    last_used: datetime

    def to_dict(self) -> dict[str, Json]:
        """JSON values; the memory by id and content."""
        return {
            "thought_id": self.thought.thought_id,
            "action": self.action,
            "reasons": list(self.reasons),
            "last_used": self.last_used.isoformat(),
            "content": self.thought.content,
        }


@dataclass(frozen=True, slots=True)
class HygieneReport:
    """What `hygiene` or `expire` did, or would do (`dry_run`).

    kept: why others stay → how many. more: there is more than the limit lets through. skipped: memories that somebody
    changed meanwhile. caution: what makes the report less sure, or None.
    """

    namespace: str
    dry_run: bool
    items: tuple[Aged, ...]
    kept: Mapping[str, int]
    more: bool = False
    skipped: int = 0
    caution: str | None = None

    @property
    def archived(self) -> int:
        """Memories archived, or to be archived."""
        return sum(item.action == "archive" for item in self.items)

    @property
    def erased(self) -> int:
        """Memories erased, or to be erased."""
        return sum(item.action == "erase" for item in self.items)

    def to_dict(self) -> dict[str, Json]:
        """JSON values."""
        return {
            "namespace": self.namespace,
            "dry_run": self.dry_run,
            "archived": self.archived,
            "erased": self.erased,
            "items": [item.to_dict() for item in self.items],
            "kept": dict(self.kept),
            "more": self.more,
            "skipped": self.skipped,
            "caution": self.caution,
        }
