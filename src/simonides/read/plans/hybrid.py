"""What does `search_hybrid` ask for?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.errors import InvalidQueryError
from simonides.read.plan import Collapse, Graph, Plan
from simonides.read.plans.checks import POOL_MAX, count, either, top_k_of, weight
from simonides.read.plans.recency import UNSAID, Axis, plan_recency
from simonides.read.plans.settle import Ask, Where, settle
from simonides.read.recipes import FIVE_SIGNAL

if TYPE_CHECKING:
    from simonides.engine import Engine

_POSITION = re.compile(r"\[([0-9]{1,9})\]")


@dataclass(frozen=True, slots=True)
class HybridOptions:
    """Per-call overrides of `search_hybrid`; None means the configured value."""

    fts_weight: float | None = None
    vector_weight: float | None = None
    recency_weight: float | None = None
    priority_weight: float | None = None
    graph_weight: float | None = None
    fts_top_k: int | None = None
    vector_top_k: int | None = None
    axis: Axis = UNSAID
    graph_edge_decay: float | None = None
    reflection_boost: float | None = None
    collapse_key: str | Sequence[str] | None = None
    collapse_max_per_unit: int = 1
    min_score: float | None = None


def plan_hybrid(
    engine: Engine, query: str, query_vector: object, where: Where, top_k: int, options: HybridOptions
) -> Plan:
    """`search_hybrid`: the weighted five-signal ranking."""
    config = engine.config.search
    k = top_k_of(top_k)
    recency = plan_recency(engine, where, options.axis)
    weights = {
        "fts": weight("fts_weight", either(options.fts_weight, config.default_fts_weight)),
        "vector": weight("vector_weight", either(options.vector_weight, config.default_vector_weight)),
        "recency": weight("recency_weight", either(options.recency_weight, config.default_recency_weight)),
        "priority": weight("priority_weight", either(options.priority_weight, config.default_priority_weight)),
        "graph": weight("graph_weight", either(options.graph_weight, config.default_graph_weight)),
    }
    factor = 1 if options.collapse_key is None else config.collapse_pool_factor
    fts = max(k, count("fts_top_k", either(options.fts_top_k, config.fts_top_k))) * factor
    vector = max(k, count("vector_top_k", either(options.vector_top_k, config.vector_top_k))) * factor
    graph = Graph(
        decay=weight("graph_edge_decay", either(options.graph_edge_decay, config.graph_edge_decay)),
        neighbours_max=config.max_neighbors_per_candidate,
        expand=config.graph_expansion_enabled and where.include_reflections,
        expand_top_n=config.graph_expansion_top_n,
        expand_factor=config.graph_expansion_propagation_factor,
        sources_max=config.graph_expansion_max_sources_per_reflection,
        sources_ceiling=config.graph_expansion_reflection_source_ceiling,
    )
    ask = Ask(
        query, query_vector, FIVE_SIGNAL, k, weights, (min(fts, POOL_MAX), min(vector, POOL_MAX)),
        min_score=options.min_score, recency=recency, graph=graph,
        reflection_boost=weight("reflection_boost", either(options.reflection_boost, config.reflection_boost)),
        collapse=_collapse(options.collapse_key, options.collapse_max_per_unit),
    )  # fmt: skip
    return settle(engine, where, ask)


def _collapse(key: str | Sequence[str] | None, per_unit: int) -> Collapse | None:
    if key is None:
        return None
    names = list(key) if isinstance(key, Sequence) and not isinstance(key, str) else [key]
    if not names or not all(isinstance(name, str) and all(name.split(".")) for name in names):
        raise InvalidQueryError(f"collapse_key is {key!r}; expected a path into metadata such as 'document.id'")
    paths = tuple(_path(name) for name in names)
    return Collapse(paths, count("collapse_max_per_unit", per_unit))


def _path(name: str) -> tuple[str, ...]:
    """The keys of a path into metadata: `a.b`, `$.a.b` and `metadata.a.b` are one; `a[0]` and `a.0` too."""
    keys = name.removeprefix("$.").removeprefix("metadata.")
    return tuple(_POSITION.sub(r".\1", keys).split("."))
