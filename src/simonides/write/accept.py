"""Can this draft be remembered? Validates, normalises, hashes and stamps; touches no store.

Every field has one rule, and a refusal names the field, what was given and what is expected.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar

from simonides.backend.chain import content_hash
from simonides.backend.rows import PRIORITY_CODES, STATUS_CODES, TYPE_CODES, NewVersion
from simonides.clock import SECOND, to_datetime, to_instant
from simonides.embedders.door import Unit, unit
from simonides.errors import InvalidThoughtError
from simonides.model.ids import new_id
from simonides.model.thought import Draft, LifecycleStatus, Priority, ThoughtType
from simonides.topics.keys import key_of

NAME_MAX = 300
CONTENT_MAX = 20_000_000  # code points
ESSENCE_MAX = 10_000
REASON_MAX = 10_000
METADATA_BYTES_MAX = 1_000_000
METADATA_DEPTH_MAX = 64
LABELS_MAX = 256
TTL_S_MAX = 3_155_760_000  # a hundred years
E = TypeVar("E", bound=StrEnum)
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters and lone surrogates


@dataclass(frozen=True, slots=True)
class Accepted:
    """A draft that passed: everything but row ids, positions and vectors is settled."""

    thought_id: str
    given_id: bool
    version: NewVersion
    created_at: int
    created_cycle: int
    speaker: str | None
    session: str | None
    concepts: tuple[str, ...]
    topics: tuple[str, ...]
    supersedes: str | None
    dedup: bytes | None
    vector: Unit | None
    reason: str | None


def accept(draft: Draft, now: int) -> Accepted:
    """The accepted form of a draft at an instant. Raises InvalidThoughtError or InvalidVectorError."""
    content = check_content(draft.content)
    thought_id = new_id(now) if draft.thought_id is None else check_name(draft.thought_id, "thought_id")
    created_at = _instant(draft.created_at, "created_at")
    updated_at = _instant(draft.updated_at, "updated_at")
    created = now if created_at is None else created_at
    created_cycle = check_cycle(draft.created_cycle, "created_cycle")
    updated_cycle = created_cycle if draft.updated_cycle is None else check_cycle(draft.updated_cycle, "updated_cycle")
    digest = content_hash(content)
    valid = (_instant(draft.valid_from, "valid_from"), _instant(draft.valid_until, "valid_until"))
    check_validity(*valid)
    version = NewVersion(
        thought_type=TYPE_CODES[read_enum(ThoughtType, draft.thought_type, "thought_type")],
        content_type=check_name(draft.content_type, "content_type"),
        content=content,
        essence=check_essence(draft.essence),
        priority=PRIORITY_CODES[read_enum(Priority, draft.priority, "priority")],
        lifecycle_status=STATUS_CODES[read_enum(LifecycleStatus, draft.lifecycle_status, "lifecycle_status")],
        retired=0,
        updated_at=created if updated_at is None else updated_at,
        updated_cycle=updated_cycle,
        occurred_at=_instant(draft.occurred_at, "occurred_at"),
        expires_at=_expiry(draft, now),
        valid_from=valid[0],
        valid_until=valid[1],
        source=check_optional(draft.source, "source"),
        source_type=check_optional(draft.source_type, "source_type"),
        confidence=check_share(draft.confidence, "confidence"),
        visibility=check_optional(draft.visibility, "visibility"),
        pinned=check_flag(draft.pinned, "pinned"),
        metadata=metadata_json(draft.metadata, "metadata") or "{}",
        provenance=metadata_json(draft.provenance, "provenance"),
        content_hash=digest,
    )
    return Accepted(
        thought_id=thought_id,
        given_id=draft.thought_id is not None,
        version=version,
        created_at=created,
        created_cycle=created_cycle,
        speaker=check_optional(draft.speaker, "speaker"),
        session=check_optional(draft.session, "session"),
        concepts=check_labels(draft.concepts, "concepts"),
        topics=not_of_the_tree(check_labels(draft.topics, "topics")),
        supersedes=None if draft.supersedes is None else check_name(draft.supersedes, "supersedes"),
        dedup=digest if check_flag(draft.deduplicate, "deduplicate") else None,
        vector=None if draft.vector is None else unit(draft.vector, thought_id),
        reason=None if draft.reason is None else check_reason(draft.reason),
    )


def _expiry(draft: Draft, now: int) -> int | None:
    """When the memory's time is up: as given, or a time to live from now on, in seconds or as a timedelta."""
    if draft.ttl is None:
        return _instant(draft.expires_at, "expires_at")
    if draft.expires_at is not None:
        raise InvalidThoughtError("both ttl and expires_at are given", hint="leave one out")
    seconds = draft.ttl.total_seconds() if isinstance(draft.ttl, timedelta) else draft.ttl
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= TTL_S_MAX:
        raise InvalidThoughtError(f"ttl is {draft.ttl!r}; expected seconds above 0, at most {TTL_S_MAX:,}")
    return now + round(seconds * SECOND)


def check_content(content: object) -> str:
    """The content, unchanged. It may be any Unicode text with at least one visible character."""
    if not isinstance(content, str):
        raise InvalidThoughtError(f"content is {type(content).__name__}; expected text")
    if len(content) > CONTENT_MAX:
        raise InvalidThoughtError(f"content has {len(content)} characters; at most {CONTENT_MAX}", hint="split it")
    if not content.strip():
        raise InvalidThoughtError("content is blank: there is nothing to remember")
    if not _encodable(content):
        at = next(n for n, c in enumerate(content) if "\ud800" <= c <= "\udfff")
        raise InvalidThoughtError(
            f"content holds half a surrogate pair ({content[at]!r}) at position {at}",
            hint="such text is not valid Unicode; decode the source with errors='replace'",
        )
    return content


def check_essence(essence: object) -> str | None:
    if essence is None:
        return None
    if not isinstance(essence, str) or len(essence) > ESSENCE_MAX or not _encodable(essence):
        raise InvalidThoughtError(f"essence must be valid text of at most {ESSENCE_MAX} characters")
    return essence if essence.strip() else None


def check_name(value: object, field: str) -> str:
    """A short text: 1 to 300 code points, no control characters."""
    if not isinstance(value, str) or not 1 <= len(value) <= NAME_MAX:
        raise InvalidThoughtError(f"{field} is {value!r:.80}; expected text of 1 to {NAME_MAX} characters")
    if _UNFIT.search(value):
        raise InvalidThoughtError(f"{field} is {value!r:.80}; control characters and lone surrogates are not allowed")
    return value


def check_reason(value: object) -> str:
    """Why something was changed, for the journal: 1 to 10,000 code points."""
    if not isinstance(value, str) or not 1 <= len(value) <= REASON_MAX or not _encodable(value):
        raise InvalidThoughtError(f"reason is {value!r:.80}; expected text of 1 to {REASON_MAX} characters")
    return value


def check_labels(values: object, field: str) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, (tuple, list, set, frozenset)):
        raise InvalidThoughtError(f"{field} is {values!r:.80}; expected a list of names")
    if len(values) > LABELS_MAX:
        raise InvalidThoughtError(f"{field} holds {len(values)} names; at most {LABELS_MAX}")
    return tuple(sorted({check_name(v, field) for v in values}))


def not_of_the_tree(topics: tuple[str, ...]) -> tuple[str, ...]:
    """Raises InvalidThoughtError for a key that the topic tree may use for a topic of its own."""
    for name in topics:
        if key_of(name) is not None:
            raise InvalidThoughtError(f"{name!r} is a key of the topic tree", hint="call it otherwise")
    return topics


def check_share(value: object, field: str) -> float | None:
    """None or a number in [0, 1]."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidThoughtError(f"{field} is {value!r}; expected a number from 0 to 1")
    return float(value)


def check_validity(valid_from: int | None, valid_until: int | None) -> None:
    """Raises InvalidThoughtError for an end before the beginning; both at once: it never held."""
    if valid_from is not None and valid_until is not None and valid_until < valid_from:
        begins, ends = (to_datetime(value).isoformat() for value in (valid_from, valid_until))
        raise InvalidThoughtError(f"valid_until is {ends}, before valid_from {begins}")


def read_enum(kind: type[E], value: object, field: str) -> E:
    if isinstance(value, kind):
        return value
    try:
        return kind(value)  # type: ignore[arg-type]  # the enumeration refuses what it does not know
    except ValueError:
        raise InvalidThoughtError(f"{field} is {value!r}; expected one of {', '.join(kind)}") from None


def metadata_json(value: Mapping[str, object] | None, field: str) -> str | None:
    """Metadata as JSON text, keys in the order given. None for None.

    Raises InvalidThoughtError for what JSON cannot hold: other types, NaN, infinities, deep or very large values.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidThoughtError(f"{field} is {type(value).__name__}; expected a mapping")
    plain = _plain(value, field, 0)
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if not _encodable(text):
        raise InvalidThoughtError(f"{field} holds half a surrogate pair; such text is not valid Unicode")
    size = len(text.encode())
    if size > METADATA_BYTES_MAX:
        raise InvalidThoughtError(f"{field} has {size} bytes as JSON; at most {METADATA_BYTES_MAX}")
    return text


def _plain(value: object, where: str, depth: int) -> object:
    if depth > METADATA_DEPTH_MAX:
        raise InvalidThoughtError(f"{where[:200]} is nested deeper than {METADATA_DEPTH_MAX} levels")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise InvalidThoughtError(f"{where[:200]} is {value}; whole numbers have at most 64 bits", hint="use text")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidThoughtError(f"{where[:200]} is {value}; JSON has no such number")
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InvalidThoughtError(f"{where[:200]} has the key {key!r}; expected text")
        return {key: _plain(item, f"{where}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{where}[{n}]", depth + 1) for n, item in enumerate(value)]
    raise InvalidThoughtError(f"{where[:200]} is {type(value).__name__}; expected a JSON value")


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_optional(value: object, field: str) -> str | None:
    return None if value is None else check_name(value, field)


def check_flag(value: object, field: str) -> int:
    if not isinstance(value, bool):
        raise InvalidThoughtError(f"{field} is {value!r}; expected True or False")
    return int(value)


def check_cycle(value: object, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**62) < value < 2**62:
        raise InvalidThoughtError(f"{field} is {value!r}; expected a whole number of less than 62 bits")
    return value


def _instant(value: object, field: str) -> int | None:
    if value is None:
        return None
    try:
        return to_instant(value)  # type: ignore[arg-type]  # anything else raises and is named here
    except (ValueError, TypeError, OverflowError, AttributeError) as error:
        raise InvalidThoughtError(f"{field} is {value!r:.80}, not an instant: {error}") from None
