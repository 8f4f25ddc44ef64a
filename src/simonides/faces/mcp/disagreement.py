"""What does the tool `conflicts` answer? Values with names, which are also the output schema."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Side:
    id: str
    time: str
    text: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two memories that contradict each other; `says` is the one that was linked to `against`."""

    says: Side
    against: Side


@dataclass(frozen=True, slots=True)
class Proposed:
    """Two memories that seem to disagree; nobody has said so. kind: what it would be, were it so."""

    id: str
    kind: str
    confidence: float
    older: Side
    newer: Side


@dataclass(frozen=True, slots=True)
class Conflicts:
    """left_out: contradictions and proposals that did not fit."""

    conflicts: list[Conflict]
    proposed: list[Proposed]
    left_out: int
