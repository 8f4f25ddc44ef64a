"""How is a filter written on a command line? As `field=value` with the usual comparisons, or as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simonides.errors import InvalidFilterError

if TYPE_CHECKING:
    from simonides.model.thought import Json

_CONDITION = re.compile(r"\s*([A-Za-z_][^\s=!<>]*)\s*(!=|>=|<=|=|>|<)(.*)", re.DOTALL)
_OPERATORS = {"=": "$eq", "!=": "$ne", ">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte"}


def read_filter(conditions: Sequence[str]) -> dict[str, Json] | None:
    """The filter of all conditions together; None for none.

    A condition is a JSON object, or a field, a comparison and a value. The value is JSON for metadata, numbers
    and flags when it can be read so (`metadata.floor=3`, `pinned=true`, `metadata.code="3"`), else text.
    Raises InvalidFilterError.
    """
    parts: list[Json] = [_condition(text) for text in conditions]
    if not parts:
        return None
    first = parts[0]
    return first if len(parts) == 1 and isinstance(first, dict) else {"$and": parts}


def _condition(text: str) -> dict[str, Json]:
    if text.lstrip().startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidFilterError(f"the filter {text!r:.80} is not JSON: {error}") from None
        assert isinstance(value, dict)
        return value
    found = _CONDITION.fullmatch(text)
    if not found:
        raise InvalidFilterError(
            f"the filter {text!r:.80} is neither JSON nor a comparison", hint="speaker=Ana, occurred_at>=2026-01-01"
        )
    field, sign, value = found.groups()
    return {field: {_OPERATORS[sign]: _value(field, value.strip())}}


def _value(field: str, text: str) -> Json:
    from simonides.model.predicate import ALIASES, FLAG_FIELDS, NUMBER_FIELDS

    name = ALIASES.get(field, field)
    if not (name.startswith("metadata.") or name in NUMBER_FIELDS or name in FLAG_FIELDS):
        return text
    return read_scalar(text)


def read_scalar(text: str) -> Json:
    """A value typed by a person: JSON when it is JSON, else the text itself.

    >>> read_scalar("3"), read_scalar("true"), read_scalar("blue"), read_scalar('"3"')
    (3, True, 'blue', '3')
    """
    try:
        value: Json = json.loads(text, parse_constant=lambda name: name)
    except (ValueError, RecursionError):
        return text
    return value


def read_metadata(pairs: Sequence[str]) -> dict[str, Json] | None:
    """Metadata from `key=value` pairs. Raises InvalidFilterError for one without a key."""
    metadata: dict[str, Json] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not key.strip() or not sign:
            raise InvalidFilterError(f"{pair!r:.80} is no metadata", hint="key=value")
        metadata[key.strip()] = read_scalar(value)
    return metadata or None
