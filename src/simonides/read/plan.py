"""What exactly will be done? Every default filled in, every argument checked, before anything is read.

Below this file nothing reads configuration or the clock, and nothing knows a default.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from simonides.clock import SECOND, to_instant
from simonides.config import MAX_OF_STORE, Config, SearchConfig
from simonides.embedders.builtin import StaticEmbedder
from simonides.embedders.door import Unit, unit
from simonides.engine import Engine
from simonides.errors import InvalidQueryError, InvalidRecencyArgumentError, RecencyModeConflictError
from simonides.index.bm25 import Bm25Params
from simonides.model.namespace import check_namespace
from simonides.model.predicate import All, Compare, Predicate, read_filters
from simonides.model.query import MODES, Budget, Profile, Recency, Scope
from simonides.model.thought import ThoughtType
from simonides.read.budget import estimate_tokens
from simonides.read.legs.full_text import TextRules
from simonides.read.recipes import DEFAULT, FIVE_SIGNAL, REFLECTIONS, RRF, SIMILAR, TEXT, Recipe
from simonides.text.query import read_query
from simonides.text.reading import Reading

T = TypeVar("T")
_log = logging.getLogger(__name__)
WAYS = ("annotate", "demote", "exclude")  # what is done with superseded hits
TOP_K_MAX = 10_000
POOL_MAX = 100_000
TABLE_SHARE = 0.25  # of the vector leg in `recall`, with the built-in table
MODEL_SHARE = 0.35  # the same with any other model
PRESENTED = 200  # hits made ready for an explicit budget to choose from
QUERY_CHARS_MAX = 2_000_000


@dataclass(frozen=True, slots=True)
class Graph:
    """The weighted graph signal and the expansion from reflections."""

    decay: float
    neighbours_max: int
    expand: bool
    expand_top_n: int
    expand_factor: float
    sources_max: int
    sources_ceiling: int


@dataclass(frozen=True, slots=True)
class Collapse:
    """Which rows stand for one unit: paths into metadata, and how many of a unit may stay."""

    paths: tuple[tuple[str, ...], ...]
    per_unit: int


@dataclass(frozen=True, slots=True)
class Plan:
    """One question, settled. weights: per column of the recipe. limits: candidates per leg.

    asked_at: for the log, where `scope.now` may be another instant. given: the caller's vector as float64 bytes,
    little-endian, of which `vector` is the unit row.
    """

    query: str
    reading: Reading
    recipe: Recipe
    scope: Scope
    top_k: int
    weights: Mapping[str, float]
    fts_limit: int
    vector_limit: int
    vector: Unit | None
    wants_vector: bool
    deadline_s: float
    text: TextRules
    rrf_k: int
    recency: Recency | None
    recency_boost: float
    recency_field: str
    graph: Graph | None
    reflection_boost: float
    reflection_cap: float
    collapse: Collapse | None
    window_factor: int
    budget: Budget
    default_budget: bool
    min_score: float | None
    second_look: bool
    shown: int
    superseded: str
    count_tokens: Callable[[str], int]
    asked_at: int
    given: bytes | None


@dataclass(frozen=True, slots=True)
class Where:
    """The part of a question that says what may be seen."""

    namespace: str | Sequence[str]
    filters: object = None
    include_archived: bool = False
    include_reflections: bool = True
    now: object = None
    concepts: str | Sequence[str] | None = None


def plan_scope(engine: Engine, where: Where) -> Scope:
    """The scope; `now` is read once per question, unless it is given."""
    names = (where.namespace,) if isinstance(where.namespace, str) else tuple(where.namespace)
    if not names:
        raise InvalidQueryError("namespace is an empty list; expected one or more names")
    return Scope(
        namespaces=tuple(dict.fromkeys(check_namespace(name) for name in names)),
        predicate=read_filters(where.filters),
        include_archived=_flag("include_archived", where.include_archived),
        include_reflections=_flag("include_reflections", where.include_reflections),
        now=engine.read_clock() if where.now is None else _instant("now", where.now),
        concepts=None if where.concepts is None else read_filters({"concepts": _listed(where.concepts)}),
    )


def plan_recall(
    engine: Engine,
    query: str,
    where: Where,
    top_k: int,
    query_vector: object,
    budget: Budget | None,
    min_score: float | None,
    superseded: str,
) -> Plan:
    """`recall`: the default recipe. A budget without `max_units` gives at most top_k hits."""
    settings = engine.config.recall
    table = isinstance(engine.embedder, StaticEmbedder) and query_vector is None
    share = (TABLE_SHARE if table else MODEL_SHARE) if settings.vector_weight is None else settings.vector_weight
    limit = max(settings.leg_top_k, _top_k(top_k))
    return _plan(
        engine, query, where, DEFAULT, top_k, query_vector,
        weights={"fts": 1.0 - share, "vector": share}, limits=(limit, limit),
        budget=_counted(budget, top_k), default_budget=budget is None, search=engine.config.search,
        min_score=min_score, superseded=_way(superseded),
    )  # fmt: skip


def _way(superseded: str) -> str:
    if superseded not in WAYS:
        raise InvalidQueryError(f"superseded is {superseded!r}; expected one of {', '.join(WAYS)}")
    return superseded


def _counted(budget: Budget | None, top_k: int) -> Budget:
    if budget is None:
        return Budget(max_units=top_k)
    return budget if budget.max_units is not None else replace(budget, max_units=top_k)


def plan_retrieve(
    engine: Engine,
    query: str,
    where: Where,
    profile: Profile | str,
    query_vector: object,
    budget: Budget | None,
    recency_boost: float | None,
    min_score: float | None,
    superseded: str,
) -> Plan:
    """`retrieve`: reciprocal rank fusion of the legs that the profile names."""
    settings = engine.config.retrieve
    profile = Profile(profile) if isinstance(profile, str) else profile  # type: ignore[arg-type]  # it checks the mode
    fts, vector = MODES[profile.mode]
    weights = {"fts": fts * settings.fts_weight, "vector": vector * settings.vector_weight}
    weights |= profile.weights or {}
    where = where if profile.concept_filter is None else replace(where, concepts=profile.concept_filter)
    boost = settings.recency_boost if recency_boost is None else _weight("recency_boost", recency_boost)
    units = settings.max_units if budget is None else budget.max_units
    top_k = min(POOL_MAX, settings.leg_top_k * 2) if units is None else max(1, int(units))
    return _plan(
        engine, query, where, RRF, top_k, query_vector,
        weights=weights, limits=(settings.leg_top_k, settings.leg_top_k), budget=budget or Budget(max_units=units),
        default_budget=budget is None, search=engine.config.search, recency_boost=boost,
        min_score=min_score, superseded=_way(superseded),
    )  # fmt: skip


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


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
    current_cycle: int | None = None
    recency_half_life: float | None = None
    recency_now: object = None
    recency_now_half_life: float | None = None
    recency_field: str | None = None
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
    k = _top_k(top_k)
    provider = cycle_provider(engine, where)
    recency = plan_recency(engine.config, options, provider)
    weights = {
        "fts": _weight("fts_weight", _or(options.fts_weight, config.default_fts_weight)),
        "vector": _weight("vector_weight", _or(options.vector_weight, config.default_vector_weight)),
        "recency": _weight("recency_weight", _or(options.recency_weight, config.default_recency_weight)),
        "priority": _weight("priority_weight", _or(options.priority_weight, config.default_priority_weight)),
        "graph": _weight("graph_weight", _or(options.graph_weight, config.default_graph_weight)),
    }
    factor = 1 if options.collapse_key is None else config.collapse_pool_factor
    fts = max(k, _count("fts_top_k", _or(options.fts_top_k, config.fts_top_k))) * factor
    vector = max(k, _count("vector_top_k", _or(options.vector_top_k, config.vector_top_k))) * factor
    graph = Graph(
        decay=_weight("graph_edge_decay", _or(options.graph_edge_decay, config.graph_edge_decay)),
        neighbours_max=config.max_neighbors_per_candidate,
        expand=config.graph_expansion_enabled and where.include_reflections,
        expand_top_n=config.graph_expansion_top_n,
        expand_factor=config.graph_expansion_propagation_factor,
        sources_max=config.graph_expansion_max_sources_per_reflection,
        sources_ceiling=config.graph_expansion_reflection_source_ceiling,
    )
    return _plan(
        engine, query, where, FIVE_SIGNAL, k, query_vector,
        weights=weights, limits=(min(fts, POOL_MAX), min(vector, POOL_MAX)), budget=Budget(max_units=k),
        default_budget=True, search=config, recency=recency, graph=graph,
        reflection_boost=_weight("reflection_boost", _or(options.reflection_boost, config.reflection_boost)),
        collapse=_collapse(options.collapse_key, options.collapse_max_per_unit), min_score=options.min_score,
    )  # fmt: skip


def plan_text(engine: Engine, query: str, where: Where, top_k: int) -> Plan:
    """`search_fts`: BM25 alone."""
    k = _top_k(top_k)
    return _plan(
        engine, query, where, TEXT, k, None, weights={"fts": 1.0, "vector": 0.0}, limits=(k, 0),
        budget=Budget(max_units=k), default_budget=True, search=engine.config.search,
    )  # fmt: skip


def plan_similar(engine: Engine, query_vector: object, where: Where, top_k: int, threshold: float) -> Plan:
    """`search_similar`: cosine alone."""
    k = _top_k(top_k)
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float)) or not -1 <= threshold <= 1:
        raise InvalidQueryError(f"threshold is {threshold!r}; expected a cosine from -1 to 1")
    return _plan(
        engine, "", where, SIMILAR, k, query_vector, weights={"fts": 0.0, "vector": 1.0}, limits=(0, k),
        budget=Budget(max_units=k), default_budget=True, search=engine.config.search, min_score=float(threshold),
    )  # fmt: skip


def plan_reflections(
    engine: Engine, query: str, query_vector: object, where: Where, top_k: int, current_cycle: int | None
) -> Plan:
    """`search_reflections_only`: exact cosines of reflections, blended with recency when there is a cycle."""
    k = _top_k(top_k)
    weight = engine.config.search.default_recency_weight
    recency = plan_recency(engine.config, HybridOptions(current_cycle=current_cycle), cycle_provider(engine, where))
    share = min(1.0, weight) if recency is not None else 0.0
    scoped = replace(where, filters=All(_parts_of(where.filters)))
    return _plan(
        engine, query, scoped, REFLECTIONS, k, query_vector,
        weights={"fts": 0.0, "vector": 1.0 - share, "recency": share}, limits=(0, POOL_MAX),
        budget=Budget(max_units=k), default_budget=True, search=engine.config.search, recency=recency,
    )  # fmt: skip


def _parts_of(filters: object) -> tuple[Predicate, ...]:
    given = read_filters(filters)
    only = Compare("thought_type", "$eq", ThoughtType.REFLECTION.value)
    return (only,) if given is None else (only, given)


def cycle_provider(engine: Engine, where: Where) -> Callable[[], int] | None:
    """What answers "which cycle is it?": a fixed number, the caller's function, or the newest cycle in the scope."""
    provider = engine.config.cycle_provider
    if provider is None or callable(provider):
        return provider
    if provider != MAX_OF_STORE:
        return lambda: int(provider)
    names = (where.namespace,) if isinstance(where.namespace, str) else tuple(where.namespace)

    def newest_cycle() -> int:
        with engine.database.snapshot() as snapshot:
            return max((snapshot.newest_cycle(snapshot.state(name).ns) for name in names), default=0)

    return newest_cycle


def plan_recency(config: Config, options: HybridOptions, provided: Callable[[], int] | None) -> Recency | None:
    """The recency axis. Raises before any provider is asked when both references are given.

    provided: the configured cycle provider, asked only when no reference is given.
    """
    search = config.search
    if options.current_cycle is not None and options.recency_now is not None:
        raise RecencyModeConflictError(
            "current_cycle and recency_now are both given", hint="a query ranks along one axis: leave one out"
        )
    field = _or(options.recency_field, search.recency_field)
    if options.recency_now is not None:
        half_life = _or(options.recency_now_half_life, search.recency_now_half_life)
        if isinstance(half_life, bool) or not isinstance(half_life, (int, float)) or not half_life > 0:
            raise InvalidRecencyArgumentError(f"recency_now_half_life is {half_life!r}; expected seconds above 0")
        if field not in ("updated_at", "occurred_at", "created_at"):
            raise InvalidRecencyArgumentError(
                f"recency_field is {field!r}; expected updated_at, occurred_at or created_at"
            )
        try:
            reference = _moment(options.recency_now)
        except (ValueError, OverflowError, TypeError, AttributeError) as error:
            raise InvalidRecencyArgumentError(f"recency_now is {options.recency_now!r:.80}: {error}") from None
        return Recency("instant", reference, half_life * SECOND, field)
    cycle = options.current_cycle
    if cycle is None:
        cycle = provided() if provided is not None else None
    if cycle is None:
        return None
    half_life = _or(options.recency_half_life, search.recency_half_life)
    if isinstance(half_life, bool) or not isinstance(half_life, (int, float)) or not half_life > 0:
        raise InvalidRecencyArgumentError(f"recency_half_life is {half_life!r}; expected cycles above 0")
    if isinstance(cycle, bool) or not isinstance(cycle, int) or not -(2**62) < cycle < 2**62:
        raise InvalidRecencyArgumentError(f"current_cycle is {cycle!r}; expected a whole number")
    return Recency("cycle", cycle, float(half_life), "updated_cycle")


def _plan(
    engine: Engine,
    query: str,
    where: Where,
    recipe: Recipe,
    top_k: int,
    query_vector: object,
    *,
    weights: Mapping[str, float],
    limits: tuple[int, int],
    budget: Budget,
    default_budget: bool,
    search: SearchConfig,
    recency: Recency | None = None,
    recency_boost: float = 0.0,
    graph: Graph | None = None,
    reflection_boost: float = 1.0,
    collapse: Collapse | None = None,
    min_score: float | None = None,
    superseded: str = "annotate",
) -> Plan:
    text = engine.config.text
    if not isinstance(query, str):
        raise InvalidQueryError(f"the query is {type(query).__name__}; expected text")
    if len(query) > QUERY_CHARS_MAX:
        raise InvalidQueryError(f"the query has {len(query)} characters; at most {QUERY_CHARS_MAX}")
    scope = plan_scope(engine, where)
    reading = read_query(query, engine.analyzer, stop_words=engine.stop_words)
    if reading.malformed:
        engine.note_match_failure()
        _log.warning("a query that looks like an expert one cannot be read as such; it is read bare")
    deadline = engine.config.embedding.query_deadline_s
    if budget.max_ms is not None:
        deadline = min(deadline, budget.max_ms / 1000)
    return Plan(
        query=query,
        reading=reading,
        recipe=recipe,
        scope=scope,
        top_k=_top_k(top_k),
        weights=weights,
        fts_limit=limits[0],
        vector_limit=limits[1],
        vector=None if query_vector is None else unit(query_vector, "the query"),
        wants_vector=query_vector is None and weights.get("vector", 0.0) > 0 and reading.kind != "empty",
        deadline_s=deadline,
        text=TextRules(Bm25Params(text.k1, text.b, text.essence_weight), text.terms_max, recipe.conversational),
        rrf_k=engine.config.retrieve.rrf_k,
        recency=recency,
        recency_boost=recency_boost,
        recency_field=engine.config.retrieve.recency_field,
        graph=graph,
        reflection_boost=reflection_boost,
        reflection_cap=search.reflection_topk_cap,
        collapse=collapse,
        window_factor=search.collapse_pool_factor,
        budget=budget,
        default_budget=default_budget,
        min_score=None if min_score is None else _finite("min_score", min_score),
        shown=top_k if default_budget else max(top_k, PRESENTED),
        superseded=superseded,
        count_tokens=engine.config.token_counter or estimate_tokens,
        asked_at=scope.now if where.now is None else engine.about_now(),
        given=None if query_vector is None else np.asarray(query_vector, "<f8").tobytes(),
        second_look=recipe.conversational and engine.config.recall.second_look,
    )


def _or(value: T | None, default: T) -> T:
    return default if value is None else value


def _top_k(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= TOP_K_MAX:
        raise InvalidQueryError(f"top_k is {value!r}; expected 1..{TOP_K_MAX}", hint="leave top_k out to use 10")
    return value


def _finite(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InvalidQueryError(f"{name} is {value!r}; expected a finite number")
    return float(value)


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= POOL_MAX:
        raise InvalidQueryError(f"{name} is {value!r}; expected 1..{POOL_MAX}")
    return value


def _weight(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise InvalidQueryError(f"{name} is {value!r}; expected a finite number of at least 0")
    return float(value)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidQueryError(f"{name} is {value!r}; expected True or False")
    return value


def _instant(name: str, value: object) -> int:
    try:
        return _moment(value)
    except (ValueError, OverflowError, TypeError, AttributeError) as error:
        raise InvalidQueryError(f"{name} is {value!r:.80}, not an instant: {error}") from None


def _moment(value: object) -> int:
    return to_instant(value)  # type: ignore[arg-type]  # whatever is not an instant raises


def _collapse(key: str | Sequence[str] | None, per_unit: int) -> Collapse | None:
    if key is None:
        return None
    names = list(key) if isinstance(key, Sequence) and not isinstance(key, str) else [key]
    if not names or not all(isinstance(name, str) and all(name.split(".")) for name in names):
        raise InvalidQueryError(f"collapse_key is {key!r}; expected a path into metadata such as 'document.id'")
    paths = tuple(tuple(name.removeprefix("$.").removeprefix("metadata.").split(".")) for name in names)
    return Collapse(paths, _count("collapse_max_per_unit", per_unit))
