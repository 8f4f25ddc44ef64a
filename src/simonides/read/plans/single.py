"""What do the verbs of one leg ask for: `search_fts`, `search_similar`, `search_reflections_only`?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simonides.errors import InvalidQueryError, InvalidVectorError
from simonides.model.predicate import All, Compare, Predicate, read_filters
from simonides.model.thought import ThoughtType
from simonides.read.plans.checks import POOL_MAX, real, top_k_of
from simonides.read.plans.recency import Axis, plan_recency
from simonides.read.plans.settle import Ask, Where, settle
from simonides.read.recipes import REFLECTIONS, SIMILAR, TEXT

if TYPE_CHECKING:
    from simonides.engine import Engine
    from simonides.read.plan import Plan


def plan_text(engine: Engine, query: str, where: Where, top_k: int) -> Plan:
    """`search_fts`: BM25 alone."""
    k = top_k_of(top_k)
    return settle(engine, where, Ask(query, None, TEXT, k, {"fts": 1.0, "vector": 0.0}, (k, 0)))


def plan_similar(engine: Engine, query_vector: object, where: Where, top_k: int, threshold: float) -> Plan:
    """`search_similar`: cosine alone."""
    k = top_k_of(top_k)
    least = real(threshold)
    if least is None or not -1 <= least <= 1:
        raise InvalidQueryError(f"threshold is {threshold!r}; expected a cosine from -1 to 1")
    if query_vector is None:
        raise InvalidVectorError("the vector of the query is None", hint="recall finds by a text")
    weights = {"fts": 0.0, "vector": 1.0}
    return settle(engine, where, Ask("", query_vector, SIMILAR, k, weights, (0, k), min_score=least))


def plan_reflections(
    engine: Engine, query: str, query_vector: object, where: Where, top_k: int, current_cycle: int | None
) -> Plan:
    """`search_reflections_only`: exact cosines of reflections, blended with recency when there is a cycle."""
    k = top_k_of(top_k)
    recency = plan_recency(engine, where, Axis(current_cycle=current_cycle))
    share = 0.0 if recency is None else min(1.0, engine.config.search.default_recency_weight)
    scoped = replace(where, filters=All(_parts_of(where.filters)))
    weights = {"fts": 0.0, "vector": 1.0 - share, "recency": share}
    return settle(engine, scoped, Ask(query, query_vector, REFLECTIONS, k, weights, (0, POOL_MAX), recency=recency))


def _parts_of(filters: object) -> tuple[Predicate, ...]:
    given = read_filters(filters)
    only = Compare("thought_type", "$eq", ThoughtType.REFLECTION.value)
    return (only,) if given is None else (only, given)
