"""Which rows does a caller want? Filters as a small tree of conditions, read from plain dictionaries.

A filter is a mapping of field to condition; several fields mean all of them:

    {"speaker": "Ana"}                                equals
    {"speaker": ["Ana", "Ben"]}                       one of
    {"occurred_at": {"$gte": "2026-01-01", "$lt": "2026-02-01"}}
    {"metadata.project.name": {"$ne": "atlas"}}       a path into metadata
    {"metadata.tags": {"$contains": "red"}}           an element of a list
    {"metadata.due": {"$exists": True}}
    {"topics": {"$under": ["deploy"]}}                a topic or one below it (deploy/staging)
    {"$or": [{"priority": "P1"}, {"$not": {"thought_type": "NOTE"}}]}

A field that is missing satisfies `$ne`, `$nin` and `$exists: False` and nothing else. A metadata value equals
only a value of its own JSON type (numbers: by value).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from simonides.clock import to_instant
from simonides.errors import InvalidFilterError
from simonides.model.thought import LifecycleStatus, Priority, ThoughtType

Scalar: TypeAlias = "bool | int | float | str | None"

TEXT_FIELDS = frozenset({"thought_id", "speaker", "session", "source", "source_type", "content_type", "visibility"})
CODE_FIELDS = {"thought_type": ThoughtType, "priority": Priority, "lifecycle_status": LifecycleStatus}
TIME_FIELDS = frozenset(
    {"created_at", "updated_at", "occurred_at", "expires_at", "valid_from", "valid_until", "last_accessed_at"}
)
NUMBER_FIELDS = frozenset(
    {"created_cycle", "updated_cycle", "confidence", "position", "revision", "access_count", "confirmation_count"}
)
FLAG_FIELDS = frozenset({"pinned"})
LABEL_FIELDS = frozenset({"concepts", "topics"})
ROW = "#row"  # the engine's own: the row id of a thought
ALIASES = {"status": "lifecycle_status", "type": "thought_type"}
FIELDS = TEXT_FIELDS | set(CODE_FIELDS) | TIME_FIELDS | NUMBER_FIELDS | FLAG_FIELDS | LABEL_FIELDS

OPERATORS = ("$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte", "$exists", "$contains", "$under")
DEPTH_MAX = 16
CONDITIONS_MAX = 1_000
VALUES_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Compare:
    """`field operator value`; `path` is set for metadata and holds its keys."""

    field: str
    operator: str
    value: Scalar | tuple[Scalar, ...]
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class All:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Either:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Predicate


Predicate: TypeAlias = "Compare | All | Either | Not"


def read_filters(filters: object) -> Predicate | None:
    """The predicate of a filter mapping; None for None or an empty mapping.

    Raises InvalidFilterError that names the place, what was found and what is expected.
    """
    if filters is None:
        return None
    if isinstance(filters, (Compare, All, Either, Not)):
        return filters
    budget = [CONDITIONS_MAX]
    predicate = _mapping(filters, "filters", 0, budget)
    return None if predicate == All(()) else predicate


def _mapping(value: object, where: str, depth: int, budget: list[int]) -> Predicate:
    if depth > DEPTH_MAX:
        raise InvalidFilterError(f"{where} is nested deeper than {DEPTH_MAX} levels")
    if not isinstance(value, Mapping):
        raise InvalidFilterError(f"{where} is {type(value).__name__}; expected a mapping of field to condition")
    parts: list[Predicate] = []
    for key, condition in value.items():
        budget[0] -= 1
        if budget[0] < 0:
            raise InvalidFilterError(f"a filter may hold {CONDITIONS_MAX} conditions")
        if not isinstance(key, str):
            raise InvalidFilterError(f"{where} has the key {key!r}; expected a field name")
        here = f"{where}.{key}"
        if key in ("$and", "$or"):
            if not isinstance(condition, Sequence) or isinstance(condition, str):
                raise InvalidFilterError(f"{here} expects a list of filters")
            inner = tuple(_mapping(c, f"{here}[{n}]", depth + 1, budget) for n, c in enumerate(condition))
            parts.append(All(inner) if key == "$and" else Either(inner))
        elif key == "$not":
            parts.append(Not(_mapping(condition, here, depth + 1, budget)))
        elif key.startswith("$"):
            raise InvalidFilterError(f"{here}: unknown operator {key}; expected $and, $or, $not or a field name")
        else:
            parts.append(_field(key, condition, here, budget))
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _field(key: str, condition: object, where: str, budget: list[int]) -> Predicate:
    name, path = _name(key, where)
    if not isinstance(condition, Mapping) or not any(str(k).startswith("$") for k in condition):
        if isinstance(condition, Mapping):
            raise InvalidFilterError(f"{where}: a mapping must hold operators", hint=", ".join(OPERATORS))
        listed = isinstance(condition, (list, tuple, set, frozenset))
        return _compare(name, "$in" if listed else "$eq", condition, path, where)
    parts: list[Predicate] = []
    for operator, operand in condition.items():
        budget[0] -= 1
        if operator not in OPERATORS:
            raise InvalidFilterError(f"{where}: unknown operator {operator!r}", hint=", ".join(OPERATORS))
        parts.append(_compare(name, operator, operand, path, where))
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _name(key: str, where: str) -> tuple[str, tuple[str, ...]]:
    name = ALIASES.get(key, key)
    if name in FIELDS:
        return name, ()
    if name.startswith("metadata."):
        path = tuple(name.split(".")[1:])
        if all(path) and _encodable(name):
            return "metadata", path
    known = ", ".join(sorted(FIELDS))
    raise InvalidFilterError(f"{where}: unknown field {key!r}", hint=f"metadata.<path> or one of {known}")


def _compare(name: str, operator: str, operand: object, path: tuple[str, ...], where: str) -> Predicate:
    if operator == "$exists":
        if not isinstance(operand, bool):
            raise InvalidFilterError(f"{where}: $exists expects True or False, not {operand!r}")
        return Compare(name, operator, operand, path)
    if operator == "$under":
        if name not in LABEL_FIELDS:
            raise InvalidFilterError(f"{where}: $under works on topics and concepts")
        operand = [operand] if isinstance(operand, str) else operand
    if operator in ("$in", "$nin", "$under"):
        if not isinstance(operand, (list, tuple, set, frozenset)):
            raise InvalidFilterError(f"{where}: {operator} expects a list")
        if len(operand) > VALUES_MAX:
            raise InvalidFilterError(f"{where}: {len(operand)} values; at most {VALUES_MAX}")
        values = [_value(name, v, where) for v in operand]
        ordered = tuple(dict.fromkeys(sorted(values, key=lambda v: (type(v).__name__, str(v)))))
        return Compare(name, operator, ordered, path)
    if operator == "$contains" and name not in LABEL_FIELDS and name != "metadata":
        raise InvalidFilterError(f"{where}: $contains works on metadata lists, concepts and topics")
    value = _value(name, operand, where)
    unordered = value is None or isinstance(value, bool) or name in LABEL_FIELDS
    if operator in ("$gt", "$gte", "$lt", "$lte") and unordered:
        raise InvalidFilterError(f"{where}: {operator} cannot order {operand!r}")
    return Compare(name, operator, value, path)


def _value(name: str, value: object, where: str) -> Scalar:
    if value is None:
        return None
    if name in TIME_FIELDS:
        if isinstance(value, (datetime, str, int, float)):
            try:
                return to_instant(value)
            except (ValueError, OverflowError) as error:
                raise InvalidFilterError(f"{where}: {value!r} is not an instant: {error}") from None
        raise InvalidFilterError(f"{where}: {value!r} is not an instant; expected ISO-8601 text or a datetime")
    if name in CODE_FIELDS:
        try:
            return str(CODE_FIELDS[name](str(value)))
        except ValueError:
            raise InvalidFilterError(f"{where}: {value!r} is not one of {', '.join(CODE_FIELDS[name])}") from None
    if name in FLAG_FIELDS and not isinstance(value, bool):
        raise InvalidFilterError(f"{where}: expected True or False, not {value!r}")
    if name in NUMBER_FIELDS and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise InvalidFilterError(f"{where}: expected a number, not {value!r}")
    if name in TEXT_FIELDS | LABEL_FIELDS and not isinstance(value, str):
        raise InvalidFilterError(f"{where}: expected text, not {value!r}")
    if isinstance(value, float) and value != value:
        raise InvalidFilterError(f"{where}: NaN compares with nothing")
    if not isinstance(value, (bool, int, float, str)):
        raise InvalidFilterError(f"{where}: {type(value).__name__} cannot be compared")
    if isinstance(value, str) and not _encodable(value):
        raise InvalidFilterError(f"{where}: {value!r} holds half a surrogate pair, no stored text does")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InvalidFilterError(f"{where}: {value} has more than 64 bits", hint="compare with a float")
    return value


def _encodable(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in text)
