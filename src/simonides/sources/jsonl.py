"""How does one JSON object per line become drafts? The fields are those of `Draft`; the rest goes to metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import datetime
from pathlib import Path

from simonides.clock import to_instant
from simonides.model.thought import Draft, Json, LifecycleStatus, Priority, Thought, ThoughtType
from simonides.sources.jsonstream import RecordError, lines
from simonides.sources.record import Place, Problem, Record, derived_id

_ALIASES = {"text": "content", "id": "thought_id"}
_OURS = {field.name for field in fields(Draft)} - {"deduplicate"}
_PASSED_OVER = {field.name for field in fields(Thought)} - _OURS  # what `list --json` adds; the store keeps its own
_PASSED_OVER.add("deduplicate")  # every record has an id, so nothing comes in twice anyway
_TEXTS = ("thought_id", "essence", "content_type", "speaker", "session", "source", "source_type", "visibility")
_CODES = {"thought_type": ThoughtType, "priority": Priority, "lifecycle_status": LifecycleStatus}
_INSTANTS = ("created_at", "updated_at", "occurred_at", "expires_at", "valid_from", "valid_until")
_LISTS = ("concepts", "topics")
_MAKE: Callable[..., Draft] = Draft  # the values were checked by name, which types cannot follow
_EXPECTED: dict[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys((*_TEXTS, "supersedes", *_CODES), ((str,), "text")),
    **dict.fromkeys(("metadata", "provenance"), ((dict,), "an object")),
    **dict.fromkeys(_LISTS, ((list,), "a list of texts")),
    **dict.fromkeys(_INSTANTS, ((str, int, float), "ISO-8601 text or seconds since 1970")),
    **dict.fromkeys(("created_cycle", "updated_cycle"), ((int,), "a whole number")),
    "pinned": ((bool,), "true or false"),
    "confidence": ((int, float), "a number"),
    "vector": ((list,), "a list of numbers"),
}


def read_jsonl(path: Path, name: str) -> Iterator[Record | Problem]:
    """The records of a file of JSON lines, in order. name: how the file is called in places and in `source`.

    A record without an id gets one made of its session, speaker, time and content and of how many equal ones
    stood before it, so that the same file read again, also with lines added, gives the same ids.
    """
    equal: Counter[str] = Counter()
    with path.open("rb") as file:
        for piece in lines(file):
            place = Place(name, f"line {piece.number}")
            if piece.flaw:
                yield Problem(place, piece.flaw)
                continue
            try:
                draft = _draft(piece.value, name)
            except RecordError as error:
                yield Problem(place, str(error))
                continue
            if piece.repaired:
                yield Problem(place, "half a surrogate pair was replaced by U+FFFD", kept=True)
            yield Record(place, _identified(draft, equal))


def _draft(value: Json, name: str) -> dict[str, object]:
    """The arguments of a draft. Raises RecordError for a field that cannot be meant."""
    if not isinstance(value, dict):
        raise RecordError("the record is not a JSON object")
    given: dict[str, object] = {}
    extra: dict[str, Json] = {}
    for key, item in value.items():
        field = key if key in _OURS else _ALIASES.get(key, key)
        if field in _OURS and field not in given:
            if item is not None:
                given[field] = _checked(field, item)
        elif key not in _PASSED_OVER:
            extra[key] = item
    if not str(given.get("content", "")).strip():
        raise RecordError('the record has no text under "content"')
    if extra:
        stated = given.get("metadata")
        given["metadata"] = extra | stated if isinstance(stated, dict) else extra
    given.setdefault("source", name)
    given.setdefault("source_type", "jsonl")
    return given


def _checked(field: str, item: Json) -> object:
    if field == "content":
        if not isinstance(item, str):
            raise RecordError(f'"content" is {_kind(item)}; expected text')
        return item
    types, expected = _EXPECTED[field]
    if not isinstance(item, types) or (isinstance(item, bool) and bool not in types):
        raise RecordError(f'"{field}" is {_kind(item)}; expected {expected}')
    if field in _LISTS and isinstance(item, list):
        if not all(isinstance(label, str) for label in item):
            raise RecordError(f'"{field}" expects {expected}')
        return tuple(item)
    if field in _CODES and item not in list(_CODES[field]):
        raise RecordError(f'"{field}" is {item!r}; expected one of {", ".join(_CODES[field])}')
    if field in _INSTANTS:
        check_instant(field, item)
    return item


def check_instant(field: str, item: Json) -> datetime | str | int | float:
    """The value itself when it is an instant. Raises RecordError otherwise."""
    if isinstance(item, bool) or not isinstance(item, (str, int, float)):
        raise RecordError(f'"{field}" is {_kind(item)}; expected ISO-8601 text or seconds since 1970')
    try:
        to_instant(item)
    except (ValueError, OverflowError):
        raise RecordError(f'"{field}" is {str(item)[:40]!r}; expected ISO-8601 text or seconds since 1970') from None
    return item


def _identified(given: dict[str, object], equal: Counter[str]) -> Draft:
    if "thought_id" not in given:
        parts = [str(given.get(name, "")) for name in ("session", "speaker", "occurred_at")]
        key = derived_id("jsonl", *parts, str(given["content"]))
        equal[key] += 1
        given["thought_id"] = key if equal[key] == 1 else derived_id(key, str(equal[key]))
    return _MAKE(**given)


def _kind(item: Json) -> str:
    if item is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return names[type(item)]
