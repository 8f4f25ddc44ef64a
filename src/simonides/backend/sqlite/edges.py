"""How does a stored edge become a value?"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from simonides.clock import to_datetime
from simonides.model.edge import Edge, EdgeType


def read_edge(values: tuple[Any, ...], namespace: str) -> Edge:
    return Edge(
        edge_id=values[0],
        namespace=namespace,
        from_id=values[1],
        to_id=values[2],
        edge_type=EdgeType(values[3]),
        weight=values[4],
        created_at=to_datetime(values[5]),
        valid_from=_when(values[6]),
        valid_until=_when(values[7]),
        source=values[8],
        metadata=json.loads(values[9]),
    )


def _when(value: int | None) -> datetime | None:
    return None if value is None else to_datetime(value)
