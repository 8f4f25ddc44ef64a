"""What do `recall` and `retrieve` ask for?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simonides.embedders.builtin import StaticEmbedder
from simonides.model.query import MODES, Budget, Profile
from simonides.read.plans.checks import POOL_MAX, top_k_of, weight
from simonides.read.plans.settle import Ask, Where, settle
from simonides.read.recipes import DEFAULT, RRF

if TYPE_CHECKING:
    from simonides.engine import Engine
    from simonides.read.plan import Plan

TABLE_SHARE = 0.25  # of the vector leg in `recall`, with the built-in table
MODEL_SHARE = 0.35  # the same with any other model


@dataclass(frozen=True, slots=True)
class Everyday:
    """What the two verbs for every day have in common."""

    query_vector: object = None
    budget: Budget | None = None
    min_score: float | None = None
    superseded: str = "annotate"


def plan_recall(engine: Engine, query: str, where: Where, top_k: int, options: Everyday) -> Plan:
    """`recall`: the default recipe. A budget without `max_units` gives at most top_k hits."""
    settings = engine.config.recall
    k = top_k_of(top_k)
    table = isinstance(engine.embedder, StaticEmbedder) and options.query_vector is None
    share = (TABLE_SHARE if table else MODEL_SHARE) if settings.vector_weight is None else settings.vector_weight
    limit = max(settings.leg_top_k, k)
    budget = options.budget
    if budget is not None and budget.max_units is None:
        budget = replace(budget, max_units=k)
    ask = Ask(
        query, options.query_vector, DEFAULT, k, {"fts": 1.0 - share, "vector": share}, (limit, limit),
        budget, options.min_score, options.superseded,
    )  # fmt: skip
    return settle(engine, where, ask)


def plan_retrieve(
    engine: Engine, query: str, where: Where, profile: Profile | str, recency_boost: float | None, options: Everyday
) -> Plan:
    """`retrieve`: reciprocal rank fusion of the legs that the profile names."""
    settings = engine.config.retrieve
    profile = Profile(profile) if isinstance(profile, str) else profile  # type: ignore[arg-type]  # it checks the mode
    where = where if profile.concept_filter is None else replace(where, concepts=profile.concept_filter)
    boost = settings.recency_boost if recency_boost is None else weight("recency_boost", recency_boost)
    units = settings.max_units if options.budget is None else options.budget.max_units
    top_k = min(POOL_MAX, settings.leg_top_k * 2) if units is None else max(1, int(units))
    ask = Ask(
        query, options.query_vector, RRF, top_k, _weights(profile, settings.fts_weight, settings.vector_weight),
        (settings.leg_top_k, settings.leg_top_k), options.budget, options.min_score, options.superseded,
        recency_boost=boost,
    )  # fmt: skip
    return settle(engine, where, ask)


def _weights(profile: Profile, fts_weight: float, vector_weight: float) -> Mapping[str, float]:
    fts, vector = MODES[profile.mode]
    return {"fts": fts * fts_weight, "vector": vector * vector_weight, **(profile.weights or {})}
