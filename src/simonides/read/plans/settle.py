"""How does what a verb asks for become a plan? The scope, the reading and the limits that all verbs share."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simonides.embedders.door import unit
from simonides.errors import InvalidQueryError
from simonides.index.bm25 import Bm25Params
from simonides.model.namespace import check_namespace
from simonides.model.predicate import read_filters
from simonides.model.query import Budget, Recency, Scope
from simonides.read.budget import estimate_tokens
from simonides.read.legs.full_text import TextRules
from simonides.read.legs.topic_beam import Walk
from simonides.read.plan import Alike, Collapse, Graph, Plan
from simonides.read.plans.checks import count, finite, flag, instant, top_k_of
from simonides.text.query import read_query

if TYPE_CHECKING:
    from simonides.config import RecallConfig, TopicsConfig
    from simonides.engine import Engine
    from simonides.read.recipes import Recipe
    from simonides.text.reading import Reading

_log = logging.getLogger(__name__)
ANY_TIME = "any"  # as `valid_at`: whether a statement holds does not matter
WAYS = ("annotate", "demote", "exclude")  # what is done with superseded hits
PRESENTED = 200  # hits made ready for an explicit budget to choose from
QUERY_CHARS_MAX = 2_000_000


@dataclass(frozen=True, slots=True)
class Where:
    """The part of a question that says what may be seen, and how far a topic tree is walked for it."""

    namespace: str | Sequence[str]
    filters: object = None
    include_archived: bool = False
    include_reflections: bool = True
    now: object = None
    concepts: str | Sequence[str] | None = None
    valid_at: object = None
    as_of: object = None
    beam_width: int | None = None
    max_depth: int | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """The rest of a question as its verb puts it. limits: candidates of the text and of the vector leg.

    budget: None for the default one, `top_k` hits, which never makes an answer count as truncated.
    """

    query: str
    query_vector: object
    recipe: Recipe
    top_k: int
    weights: Mapping[str, float]
    limits: tuple[int, int]
    budget: Budget | None = None
    min_score: float | None = None
    superseded: str = "annotate"
    recency: Recency | None = None
    recency_boost: float = 0.0
    graph: Graph | None = None
    reflection_boost: float = 1.0
    collapse: Collapse | None = None


def settle(engine: Engine, where: Where, ask: Ask) -> Plan:
    """The plan. Raises InvalidQueryError, or what the check of a vector raises, naming the argument."""
    config = engine.config
    reading = _read(engine, ask.query)
    scope = plan_scope(engine, where)
    budget = Budget(max_units=ask.top_k) if ask.budget is None else ask.budget
    deadline = config.embedding.query_deadline_s
    if ask.superseded not in WAYS:
        raise InvalidQueryError(f"superseded is {ask.superseded!r}; expected one of {', '.join(WAYS)}")
    return Plan(
        query=ask.query,
        reading=reading,
        recipe=ask.recipe,
        scope=scope,
        top_k=top_k_of(ask.top_k),
        weights=ask.weights,
        fts_limit=ask.limits[0],
        vector_limit=ask.limits[1],
        vector=None if ask.query_vector is None else unit(ask.query_vector, "the query"),
        wants_vector=ask.query_vector is None and ask.weights.get("vector", 0.0) > 0 and reading.kind != "empty",
        deadline_s=deadline if budget.max_ms is None else min(deadline, budget.max_ms / 1000),
        text=_text_rules(engine, ask.recipe),
        rrf_k=config.retrieve.rrf_k,
        recency=ask.recency,
        recency_boost=ask.recency_boost,
        recency_field=config.retrieve.recency_field,
        graph=ask.graph,
        reflection_boost=ask.reflection_boost,
        reflection_cap=config.search.reflection_topk_cap,
        collapse=ask.collapse,
        alike=_alike(config.recall, ask.recipe),
        walk=_walk(config.topics, where),
        window_factor=config.search.collapse_pool_factor,
        budget=budget,
        default_budget=ask.budget is None,
        min_score=None if ask.min_score is None else finite("min_score", ask.min_score),
        shown=ask.top_k if ask.budget is None else max(ask.top_k, PRESENTED),
        superseded=ask.superseded,
        count_tokens=config.token_counter or estimate_tokens,
        asked_at=scope.now if where.now is None and where.as_of is None else engine.about_now(),
        given=None if ask.query_vector is None else np.asarray(ask.query_vector, "<f8").tobytes(),
        second_look=ask.recipe.conversational and config.recall.second_look,
    )


def _alike(settings: RecallConfig, recipe: Recipe) -> Alike | None:
    """The rule for texts that are nearly the same, where a setting wants one."""
    wanted = recipe.conversational and settings.alike_factor < 1.0
    return Alike(settings.alike_share, settings.alike_factor) if wanted else None


def plan_scope(engine: Engine, where: Where) -> Scope:
    """The scope; `now` is read once per question, unless it is given."""
    names = (where.namespace,) if isinstance(where.namespace, str) else tuple(where.namespace)
    if not names:
        raise InvalidQueryError("namespace is an empty list; expected one or more names")
    as_of = None if where.as_of is None else instant("as_of", where.as_of)
    now = as_of if where.now is None else instant("now", where.now)
    whenever = isinstance(where.valid_at, str) and where.valid_at.strip().lower() == ANY_TIME
    return Scope(
        namespaces=tuple(dict.fromkeys(check_namespace(name) for name in names)),
        predicate=read_filters(where.filters),
        include_archived=flag("include_archived", where.include_archived),
        include_reflections=flag("include_reflections", where.include_reflections),
        now=engine.read_clock() if now is None else now,
        concepts=None if where.concepts is None else read_filters({"concepts": _listed(where.concepts)}),
        valid_at=None if where.valid_at is None or whenever else instant("valid_at", where.valid_at),
        valid_any=whenever,
        as_of=as_of,
    )


def _read(engine: Engine, query: object) -> Reading:
    if not isinstance(query, str):
        raise InvalidQueryError(f"the query is {type(query).__name__}; expected text")
    if len(query) > QUERY_CHARS_MAX:
        raise InvalidQueryError(f"the query has {len(query)} characters; at most {QUERY_CHARS_MAX}")
    reading = read_query(query, engine.analyzer, stop_words=engine.stop_words)
    if reading.malformed:
        engine.note_match_failure()
        _log.warning("a query that looks like an expert one cannot be read as such; it is read bare")
    return reading


def _walk(topics: TopicsConfig, where: Where) -> Walk:
    """The beam, by the call or by the settings."""
    width = topics.beam_width if where.beam_width is None else count("beam_width", where.beam_width)
    depth = topics.max_depth if where.max_depth is None else where.max_depth
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 0):
        raise InvalidQueryError(f"max_depth is {depth!r}; expected a whole number of at least 0")
    return Walk(width, max(topics.beam_width_max, width or 1), depth)


def _text_rules(engine: Engine, recipe: Recipe) -> TextRules:
    text = engine.config.text
    return TextRules(Bm25Params(text.k1, text.b, text.essence_weight), text.terms_max, recipe.conversational)


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
