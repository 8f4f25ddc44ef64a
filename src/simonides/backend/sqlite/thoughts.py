"""How does a stored thought become a value?"""

from __future__ import annotations

import json
from typing import Any

from simonides.backend.rows import PENDING, PRIORITIES, STATUSES, STORED, TYPES
from simonides.clock import to_datetime
from simonides.model.thought import Thought

THOUGHT = """
SELECT t.tid, v.retired, t.thought_id, n.name, v.content, v.essence, v.thought_type, v.content_type, v.priority,
       v.lifecycle_status, v.metadata, v.provenance, s.name, e.name, t.position, v.source, v.source_type, v.confidence,
       v.visibility, v.pinned, t.created_cycle, v.updated_cycle, t.created_at, v.updated_at, v.occurred_at,
       v.expires_at, v.valid_from, v.valid_until, t.last_accessed_at, t.access_count, t.confirmation_count,
       v.content_hash, v.revision,
       (SELECT CASE WHEN max(p.embedding = 1) THEN 1 ELSE max(p.embedding) END FROM passages p WHERE p.tid = t.tid),
       (SELECT json_group_array(json_array(l.kind, l.label) ORDER BY l.kind, l.label) FROM labels l
        WHERE l.tid = t.tid)
FROM thoughts t
JOIN versions v ON v.tid = t.tid AND v.recorded_to IS NULL
JOIN namespaces n ON n.ns = t.ns
LEFT JOIN speakers s ON s.speaker = t.speaker AND t.speaker > 0
LEFT JOIN sessions e ON e.session = t.session AND t.session > 0
"""


def read_thought(values: tuple[Any, ...]) -> Thought:
    """values: a row of `THOUGHT` behind its first two columns."""
    labels = [] if values[32] == "[]" else json.loads(values[32])
    embedding = {STORED: "present", PENDING: "pending"}.get(values[31], "none")
    return Thought(
        thought_id=values[0],
        namespace=values[1],
        content=values[2],
        essence=values[3],
        thought_type=TYPES[values[4]],
        content_type=values[5],
        priority=PRIORITIES[values[6]],
        lifecycle_status=STATUSES[values[7]],
        metadata={} if values[8] == "{}" else json.loads(values[8]),
        provenance=None if values[9] is None else json.loads(values[9]),
        concepts=tuple([label for kind, label in labels if kind == "concept"]) if labels else (),
        topics=tuple([label for kind, label in labels if kind == "topic"]) if labels else (),
        speaker=values[10],
        session=values[11],
        position=values[12],
        source=values[13],
        source_type=values[14],
        confidence=values[15],
        visibility=values[16],
        pinned=bool(values[17]),
        created_cycle=values[18],
        updated_cycle=values[19],
        created_at=to_datetime(values[20]),
        updated_at=to_datetime(values[21]),
        occurred_at=None if values[22] is None else to_datetime(values[22]),
        expires_at=None if values[23] is None else to_datetime(values[23]),
        valid_from=None if values[24] is None else to_datetime(values[24]),
        valid_until=None if values[25] is None else to_datetime(values[25]),
        last_accessed_at=None if values[26] is None else to_datetime(values[26]),
        access_count=values[27],
        confirmation_count=values[28],
        content_hash=values[29].hex(),
        revision=values[30],
        embedding=embedding,
    )
