"""What connects two thoughts?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.model.thought import Json


class EdgeType(StrEnum):
    """The kinds of links. FOLLOWS points from a turn to the turn before it in the same session."""

    ASSOCIATED = "ASSOCIATED"
    DEPENDS_ON = "DEPENDS_ON"
    DERIVED_FROM = "DERIVED_FROM"
    MESSAGE_OF = "MESSAGE_OF"
    BRIDGE = "BRIDGE"
    CONSOLIDATED_FROM = "CONSOLIDATED_FROM"
    CONTESTED_BY = "CONTESTED_BY"
    SUPERSEDES = "SUPERSEDES"
    CONTRADICTS = "CONTRADICTS"
    SUPPORTS = "SUPPORTS"
    FOLLOWS = "FOLLOWS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A directed, typed link inside one namespace; `weight` lies in [0, 1]. Unique per (from, to, type)."""

    edge_id: str
    namespace: str
    from_id: str
    to_id: str
    edge_type: EdgeType
    weight: float
    metadata: dict[str, Json]
    source: str | None
    created_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None

    def to_dict(self) -> dict[str, Json]:
        """Everything as JSON values."""
        out: dict[str, Json] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, datetime):
                value = value.isoformat()
            elif isinstance(value, StrEnum):
                value = value.value
            out[name] = value
        return out
