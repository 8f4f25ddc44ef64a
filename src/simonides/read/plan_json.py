"""How is a plan kept, so that the same can be done again? As JSON; what changes from question to question is apart."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from simonides.index.bm25 import Bm25Params
from simonides.model.predicate import All, Compare, Either, Not
from simonides.model.query import Budget, Recency, Scope
from simonides.read.budget import estimate_tokens
from simonides.read.legs.full_text import TextRules
from simonides.read.legs.topic_beam import Walk
from simonides.read.plan import Alike, Collapse, Graph, Plan
from simonides.read.recipes import Recipe
from simonides.text.query import read_query

if TYPE_CHECKING:
    from simonides.backend.audit_port import LogRow
    from simonides.engine import Engine
    from simonides.model.thought import Json

APART = frozenset({"query", "reading", "vector", "given", "asked_at", "count_tokens"})
PARTS = (Recipe, Scope, All, Compare, Either, Not, TextRules, Bm25Params, Recency, Graph, Collapse, Alike, Walk, Budget)
KIND = "$"  # the key that names the class of a part
_BY_NAME: dict[str, type] = {part.__name__: part for part in PARTS}
_NAMES: dict[type, tuple[str, ...]] = {
    **{part: tuple(f.name for f in fields(part)) for part in PARTS},
    Plan: tuple(f.name for f in fields(Plan) if f.name not in APART),
}


def plan_json(plan: Plan) -> dict[str, Json]:
    """All of a plan that questions of the same kind share; `now` and the start of the recency axis are 0 in it."""
    shape = {name: encoded(getattr(plan, name)) for name in _NAMES[Plan]}
    cast("dict[str, Json]", shape["scope"])["now"] = 0
    if plan.recency is not None:
        cast("dict[str, Json]", shape["recency"])["reference"] = 0
    return shape


def plan_key(plan: Plan) -> Hashable:
    """Equal for plans whose JSON is equal; cheaper than the JSON."""
    values = {name: getattr(plan, name) for name in _NAMES[Plan]}
    scope, recency = plan.scope, plan.recency
    values["scope"] = (
        *(scope.namespaces, scope.include_archived, scope.include_reflections),
        *(scope.valid_at, scope.valid_any, scope.as_of),
    )
    values["filters"] = (repr(scope.predicate), repr(scope.concepts))  # True and 1 are equal, their text is not
    values["recency"] = None if recency is None else (recency.axis, recency.half_life, recency.field)
    return tuple(tuple(value.items()) if isinstance(value, Mapping) else value for value in values.values())


def encoded(value: object) -> Json:
    """Parts as objects that name their class, tuples as lists. Raises TypeError for anything that is not a plan's."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [encoded(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): encoded(item) for name, item in value.items()}
    names = _NAMES.get(type(value))
    if names is None:
        raise TypeError(f"a plan holds {type(value).__name__}; name it in PARTS")
    return {KIND: type(value).__name__, **{name: encoded(getattr(value, name)) for name in names}}


def decoded(value: Json) -> Any:
    """The other way. Raises KeyError or TypeError for what another version wrote."""
    if isinstance(value, list):
        return tuple(decoded(item) for item in value)
    if isinstance(value, dict):
        inner = {name: decoded(item) for name, item in value.items() if name != KIND}
        kind = value.get(KIND)
        return inner if kind is None else _BY_NAME[str(kind)](**inner)
    return value


def plan_from(engine: Engine, shape: dict[str, Any], row: LogRow, query: str) -> Plan:
    """The plan of a logged question. shape: what `plan_json` gave. Its text is read anew, by the analyser of today.

    Raises KeyError or TypeError for a plan of another version.
    """
    shape = {**shape, "scope": {**shape["scope"], "now": row.now}}
    if shape["recency"] is not None:
        shape["recency"] = {**shape["recency"], "reference": row.reference}
    return Plan(
        query=query,
        reading=read_query(query, engine.analyzer, stop_words=engine.stop_words),
        vector=None if row.vector is None else np.frombuffer(row.vector, "<f4").astype(np.float32),
        given=None,
        asked_at=row.at,
        count_tokens=engine.config.token_counter or estimate_tokens,
        **{name: decoded(value) for name, value in shape.items()},
    )
