"""How does a filter become SQL? One condition over `t` (thoughts) and `v` (the current version), values bound."""

from __future__ import annotations

import json

from simonides.backend.rows import PRIORITY_CODES, STATUS_CODES, TYPE_CODES
from simonides.model.predicate import ROW, All, Compare, Either, Not, Predicate, Scalar

_COLUMNS = {
    ROW: "t.tid",
    "thought_id": "t.thought_id",
    "speaker": "(SELECT name FROM speakers s WHERE s.speaker = t.speaker)",
    "session": "(SELECT name FROM sessions s WHERE s.session = t.session)",
    "source": "v.source",
    "source_type": "v.source_type",
    "content_type": "v.content_type",
    "visibility": "v.visibility",
    "thought_type": "v.thought_type",
    "priority": "v.priority",
    "lifecycle_status": "v.lifecycle_status",
    "created_at": "t.created_at",
    "updated_at": "v.updated_at",
    "occurred_at": "v.occurred_at",
    "expires_at": "v.expires_at",
    "valid_from": "v.valid_from",
    "valid_until": "v.valid_until",
    "last_accessed_at": "t.last_accessed_at",
    "created_cycle": "t.created_cycle",
    "updated_cycle": "v.updated_cycle",
    "confidence": "v.confidence",
    "position": "t.position",
    "revision": "v.revision",
    "access_count": "t.access_count",
    "confirmation_count": "t.confirmation_count",
    "pinned": "v.pinned",
}
_CODES: dict[str, dict[str, int]] = {
    "thought_type": {str(k): n for k, n in TYPE_CODES.items()},
    "priority": {str(k): n for k, n in PRIORITY_CODES.items()},
    "lifecycle_status": {str(k): n for k, n in STATUS_CODES.items()},
}
_ORDER = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
_LABELS = "FROM labels l WHERE"
_LABEL_KIND = {"concepts": "concept", "topics": "topic"}
Bindings = list["str | int | float | None"]


def compile_predicate(predicate: Predicate, labels: str = "labels") -> tuple[str, Bindings]:
    """A condition that is true, or not true (false or NULL never leaks out of a NOT), and its bindings in order.

    labels: the table, or what stands for it, that holds concepts and topics.
    """
    bindings: Bindings = []
    condition = _compile(predicate, bindings)
    return condition if labels == "labels" else condition.replace(_LABELS, f"FROM {labels} l WHERE"), bindings


def _compile(predicate: Predicate, bindings: Bindings) -> str:
    if isinstance(predicate, All):
        return "(" + " AND ".join(_compile(p, bindings) for p in predicate.parts) + ")" if predicate.parts else "1"
    if isinstance(predicate, Either):
        return "(" + " OR ".join(_compile(p, bindings) for p in predicate.parts) + ")" if predicate.parts else "0"
    if isinstance(predicate, Not):
        return f"(NOT {_compile(predicate.part, bindings)})"
    if predicate.field in _LABEL_KIND:
        return _label(predicate, bindings)
    if predicate.field == "metadata":
        return _metadata(predicate, bindings)
    return _column(predicate, bindings)


def _negative(predicate: Compare) -> tuple[Compare, bool]:
    """$ne and $nin as the positive operator and True."""
    positive = {"$ne": "$eq", "$nin": "$in"}.get(predicate.operator)
    if positive is None:
        return predicate, False
    return Compare(predicate.field, positive, predicate.value, predicate.path), True


def _column(predicate: Compare, bindings: Bindings) -> str:
    predicate, negative = _negative(predicate)
    column = _COLUMNS[predicate.field]
    value = predicate.value
    if predicate.operator == "$exists":
        sql = f"({column} IS NOT NULL)" if value else f"({column} IS NULL)"
    elif predicate.operator == "$in":
        assert isinstance(value, tuple)
        values = [_stored(predicate.field, v) for v in value]
        bindings.append(json.dumps([v for v in values if v is not None]))
        sql = f"ifnull({column} IN (SELECT value FROM json_each(?)), 0)"
        if None in values:
            sql = f"({sql} OR {column} IS NULL)"
    elif predicate.operator == "$eq":
        bindings.append(_stored(predicate.field, value))
        sql = f"({column} IS ?)"
    else:
        bindings.append(_stored(predicate.field, value))
        sql = f"ifnull({column} {_ORDER[predicate.operator]} ?, 0)"
    return f"(NOT {sql})" if negative else sql


def _stored(field: str, value: Scalar | tuple[Scalar, ...]) -> str | int | float | None:
    assert not isinstance(value, tuple)
    codes = _CODES.get(field)
    if codes is not None and value is not None:
        return codes[str(value)]
    return int(value) if isinstance(value, bool) else value


def _label(predicate: Compare, bindings: Bindings) -> str:
    predicate, negative = _negative(predicate)
    base = f"EXISTS (SELECT 1 {_LABELS} l.tid = t.tid AND l.kind = ?"
    bindings.append(_LABEL_KIND[predicate.field])
    if predicate.operator == "$exists":
        negative = not predicate.value
        return f"(NOT {base}))" if negative else f"({base}))"
    values = predicate.value if isinstance(predicate.value, tuple) else (predicate.value,)
    bindings.append(json.dumps(list(values)))
    match = "l.label IN (SELECT value FROM json_each(?))"
    if predicate.operator == "$under":
        below = "substr(l.label, 1, length(a.value) + 1) = a.value || '/'"
        match = f"EXISTS (SELECT 1 FROM json_each(?) a WHERE l.label = a.value OR {below})"
    sql = f"({base} AND {match}))"
    return f"(NOT {sql})" if negative else sql


def _metadata(predicate: Compare, bindings: Bindings) -> str:
    predicate, negative = _negative(predicate)
    path = "$" + "".join(f".{json.dumps(key, ensure_ascii=False)}" for key in predicate.path)
    value = predicate.value
    if predicate.operator == "$exists":
        bindings.append(path)
        return f"(json_type(v.metadata, ?) IS {'NOT ' if value else ''}NULL)"
    if predicate.operator in ("$eq", "$in"):
        values = value if isinstance(value, tuple) else (value,)
        parts = [_equals(path, v, bindings) for v in values]
        sql = "(" + " OR ".join(parts) + ")" if parts else "0"
    elif predicate.operator == "$contains":
        assert not isinstance(value, tuple)
        bindings.append(path)
        bindings.append(path)
        sql = (
            "(json_type(v.metadata, ?) IS 'array' AND EXISTS (SELECT 1 FROM json_each(v.metadata, ?) m WHERE "
            f"{_same('m.type', 'm.value', value, bindings)}))"
        )
    else:
        kinds = "('text')" if isinstance(value, str) else "('integer', 'real')"
        bindings.extend([path, path, value])  # type: ignore[list-item]  # a scalar: tuples go to $in
        sql = (
            f"(ifnull(json_type(v.metadata, ?) IN {kinds}, 0) "
            f"AND json_extract(v.metadata, ?) {_ORDER[predicate.operator]} ?)"
        )
    return f"(NOT {sql})" if negative else sql


def _equals(path: str, value: Scalar, bindings: Bindings) -> str:
    """True when the value at a path has the same JSON type and value."""
    if value is None or isinstance(value, bool):
        bindings.append(path)
        return f"(json_type(v.metadata, ?) IS '{_json_type(value)}')"
    bindings.append(path)
    bindings.append(path)
    kinds = "('text')" if isinstance(value, str) else "('integer', 'real')"
    bindings.append(value)
    return f"(ifnull(json_type(v.metadata, ?) IN {kinds}, 0) AND json_extract(v.metadata, ?) = ?)"


def _same(kind: str, column: str, value: Scalar, bindings: Bindings) -> str:
    if value is None or isinstance(value, bool):
        return f"{kind} = '{_json_type(value)}'"
    bindings.append(value)
    kinds = "('text')" if isinstance(value, str) else "('integer', 'real')"
    return f"({kind} IN {kinds} AND {column} = ?)"


def _json_type(value: bool | None) -> str:
    return "null" if value is None else ("true" if value else "false")
