"""What does a new thought look like once it is stored? Known from what was written: nobody has to read it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simonides.backend.rows import PENDING, PRIORITIES, STATUSES, STORED, TYPES, NewPassage
from simonides.clock import to_datetime
from simonides.model.thought import Thought

if TYPE_CHECKING:
    from datetime import datetime

    from simonides.write.accept import Accepted

_EMBEDDING = {STORED: "present", PENDING: "pending"}


def as_written(namespace: str, item: Accepted, passages: Sequence[NewPassage], position: int | None) -> Thought:
    """The thought that reading it back would give, right after its first revision was written."""
    version = item.version
    states = {passage.embedding for passage in passages}
    return Thought(
        thought_id=item.thought_id,
        namespace=namespace,
        content=version.content,
        essence=version.essence,
        thought_type=TYPES[version.thought_type],
        content_type=version.content_type,
        priority=PRIORITIES[version.priority],
        lifecycle_status=STATUSES[version.lifecycle_status],
        metadata={} if version.metadata == "{}" else json.loads(version.metadata),
        provenance=None if version.provenance is None else json.loads(version.provenance),
        concepts=item.concepts,
        topics=item.topics,
        speaker=item.speaker,
        session=item.session,
        position=position,
        source=version.source,
        source_type=version.source_type,
        confidence=version.confidence,
        visibility=version.visibility,
        pinned=bool(version.pinned),
        created_cycle=item.created_cycle,
        updated_cycle=version.updated_cycle,
        created_at=to_datetime(item.created_at),
        updated_at=to_datetime(version.updated_at),
        occurred_at=_moment(version.occurred_at),
        expires_at=_moment(version.expires_at),
        valid_from=_moment(version.valid_from),
        valid_until=_moment(version.valid_until),
        last_accessed_at=None,
        access_count=0,
        confirmation_count=0,
        content_hash=version.content_hash.hex(),
        revision=1,
        embedding=_EMBEDDING.get(PENDING if PENDING in states else max(states), "none"),
    )


def _moment(instant: int | None) -> datetime | None:
    return None if instant is None else to_datetime(instant)
