"""In which order do the candidates come? Signals, the scoring rule, boosts, and what is cut; per recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.model.answer import Degradation
from simonides.read.candidates import Pool, Space, gather, refined
from simonides.read.collapse import collapse, spread
from simonides.read.conversation import adjust, factors_of, smooth_vectors
from simonides.read.fuse import Ranking, effective_weights, empty, fuse
from simonides.read.legs.newest import newest
from simonides.read.order import order_of
from simonides.read.reflections import REFLECTION, boost, cap, expand
from simonides.read.second_look import Lead, Words, follow
from simonides.read.signals.graph import graph
from simonides.read.signals.priority import priority
from simonides.read.signals.recency import hyperbolic, recency
from simonides.read.succession import demotion, superseded

if TYPE_CHECKING:
    from simonides.engine import Engine
    from simonides.read.plan import Plan
    from simonides.read.trail import Trail

Ints = npt.NDArray[np.int64]
REFLECTIONS_BESIDE = 3
ALIKE_MORE = 100  # the same when hits that are alike go behind others
REFINED_MORE = 8  # rows beyond those shown whose cosines are made exact: the scan may swap close neighbours


def rank(engine: Engine, plan: Plan, spaces: tuple[Space, ...], trail: Trail) -> tuple[Ranking, Ints]:
    trail.spaces = spaces
    has_text = any(s.text is not None for s in spaces)
    has_vector = any(s.vector is not None for s in spaces)
    if not has_text and not has_vector:
        return _window(plan, spaces, trail)
    pool = gather(spaces, plan.recipe, plan.fts_limit, plan.vector_limit)
    trail.pool = pool.size
    active = {name for name, has in (("fts", has_text), ("vector", has_vector)) if has}
    trail.backends |= {"fts5" if name == "fts" else name for name in active if plan.weights.get(name, 0.0) > 0}
    if plan.recipe.beside:
        trail.beside = _reflections_beside(plan, spaces, trail)
    if plan.recipe.conversational:
        ranking = _in_conversation(engine, plan, spaces, pool, trail)
        if plan.alike is not None:
            ranking = spread(ranking, order_of(ranking), plan.alike, plan.shown, trail.alike)
        return ranking, _settled(plan, ranking, order_of(ranking), trail)
    pool, active = _measure(plan, pool, active)
    weights = effective_weights(plan.weights, frozenset(active), plan.recipe.normalise)
    ranking = fuse(pool, plan.recipe, weights, plan.rrf_k)
    if plan.graph is not None and weights.get("graph", 0.0) > 0:
        ranking = _with_graph(plan, ranking, weights)
    stage = order_of(ranking) if plan.recipe.name == "rrf" else None
    ranking = _boosted(plan, ranking, trail)
    if plan.superseded == "demote":
        ranking = ranking.multiply("superseded", demotion(ranking.pool, plan.scope.holds_at))
    trail.backends |= {name for name, part in ranking.parts if name in ("recency", "priority", "graph") and part.any()}
    places = None if stage is None else np.argsort(stage, kind="stable").astype(np.int64)
    return ranking, _settled(plan, ranking, order_of(ranking, places), trail)


def _shares(plan: Plan, spaces: tuple[Space, ...]) -> dict[str, float]:
    """The weights of the legs that can run."""
    has = {"fts": any(s.text is not None for s in spaces), "vector": any(s.vector is not None for s in spaces)}
    return effective_weights(plan.weights, frozenset(n for n, there in has.items() if there), normalise=True)


def _reflections_beside(plan: Plan, spaces: tuple[Space, ...], trail: Trail) -> Ranking | None:
    """The best reflections, ranked by the legs alone; they stand beside the evidence and take no place of it."""
    chosen = tuple(replace(s, mask=s.beside, vector_mask=s.beside) for s in spaces if s.beside is not None)
    if not chosen:
        return None
    pool = gather(chosen, plan.recipe, REFLECTIONS_BESIDE, REFLECTIONS_BESIDE)
    ranking = fuse(refined(pool), plan.recipe, _shares(plan, chosen), plan.rrf_k)
    order = _without_superseded(plan, ranking, order_of(ranking))
    assert order is not None
    order = order[:REFLECTIONS_BESIDE]
    return ranking.pick(order[ranking.scores[order] > 0])


def _in_conversation(engine: Engine, plan: Plan, spaces: tuple[Space, ...], pool: Pool, trail: Trail) -> Ranking:
    """The default recipe: fuse and boost, look again from the best hit, make exact what will be shown."""
    speakers = [s.shelf.speakers(s.snapshot, s.view.state) for s in spaces]
    weights = _shares(plan, spaces)
    pool = smooth_vectors(pool)
    fused = fuse(pool, plan.recipe, weights, plan.rrf_k)
    trail.confidence = float(fused.scores.max(initial=0.0))
    factors = _factors(plan, pool, speakers)
    ranking = adjust(fused, factors)
    lead: Lead | None = None
    leaders = _without_superseded(plan, ranking, None)
    some = pool.size if leaders is None else len(leaders)
    if plan.second_look and some and not trail.late(plan.budget.max_ms, "second look"):
        names = frozenset(word for table in speakers for name in table.values() for word in name.casefold().split())
        lead, wider = follow(plan, ranking, Words(engine.analyzer, engine.stop_words, names), leaders)
        if wider is not pool:
            pool, factors = wider, _factors(plan, wider, speakers)
            fused = fuse(pool, plan.recipe, weights, plan.rrf_k)
        ranking = adjust(lead.add(fused), factors)
    wanted = plan.shown + (REFINED_MORE if plan.alike is None else ALIKE_MORE)
    trail.ranking, trail.order = ranking, order_of(ranking, first=None if plan.superseded == "exclude" else wanted)
    best = _without_superseded(plan, ranking, trail.order)
    assert best is not None
    shown = best[:wanted]
    ranking = fuse(smooth_vectors(refined(pool.pick(shown))), plan.recipe, weights, plan.rrf_k)
    if lead is not None:
        ranking = lead.pick(shown).add(ranking)
    return adjust(ranking, {name: factor[shown] for name, factor in factors.items()})


def _without_superseded(plan: Plan, ranking: Ranking, order: Ints | None) -> Ints | None:
    """An order (None: any) without rows that something supersedes, when the question wants it so."""
    if plan.superseded != "exclude":
        return order
    replaced = superseded(ranking.pool, plan.scope.now)
    return np.flatnonzero(~replaced) if order is None else order[~replaced[order]]


def _factors(plan: Plan, pool: Pool, speakers: Sequence[Mapping[int, str]]) -> dict[str, npt.NDArray[np.float64]]:
    """What scores are multiplied by, in order."""
    factors = factors_of(pool, plan.query, speakers)
    if plan.superseded == "demote":
        factors["superseded"] = demotion(pool, plan.scope.holds_at)
    return factors


def _measure(plan: Plan, pool: Pool, active: set[str]) -> tuple[Pool, set[str]]:
    """The signals that take part."""
    if plan.recency is not None and plan.weights.get("recency", 0.0) > 0:
        pool, active = pool.with_column("recency", recency(pool, plan.recency)), active | {"recency"}
    if plan.weights.get("priority", 0.0) > 0:
        pool, active = pool.with_column("priority", priority(pool)), active | {"priority"}
    if plan.weights.get("graph", 0.0) > 0:
        active = active | {"graph"}
    return pool, active


def _with_graph(plan: Plan, ranking: Ranking, weights: dict[str, float]) -> Ranking:
    """The graph signal looks at the scaled legs of the whole pool, so it comes after them."""
    assert plan.graph is not None
    zeros = np.zeros(ranking.pool.size)
    base = np.maximum(ranking.scaled.get("fts", zeros), ranking.scaled.get("vector", zeros))
    pool = ranking.pool.with_column("graph", graph(ranking.pool, base, plan.graph, _holds_at(plan)))
    return fuse(pool, plan.recipe, weights, plan.rrf_k)


def _holds_at(plan: Plan) -> int | None:
    return None if plan.scope.valid_any else plan.scope.holds_at


def _boosted(plan: Plan, ranking: Ranking, trail: Trail) -> Ranking:
    if plan.recency_boost > 0:
        fresh = hyperbolic(ranking.pool, plan.recency_field, plan.scope.now)
        ranking = ranking.multiply("recency_boost", 1.0 + plan.recency_boost * fresh)
    if plan.graph is not None and plan.graph.expand:
        ranking, rose = expand(ranking, plan.graph)
        if rose:
            trail.backends.add("graph_expansion")
    return boost(ranking, plan.reflection_boost)


def _settled(plan: Plan, ranking: Ranking, order: Ints, trail: Trail) -> Ints:
    """Threshold, collapse, the cut and the cap."""
    if trail.ranking is None:
        trail.ranking, trail.order = ranking, order
    if plan.superseded == "exclude":
        order = order[~superseded(ranking.pool, plan.scope.holds_at)[order]]
    if plan.min_score is not None:
        order = order[ranking.scores[order] >= plan.min_score]
    if plan.collapse is not None:
        order = collapse(ranking, order, plan.collapse, len(order))
    trail.kept = order
    if plan.recipe.name != "five_signal":
        return order
    window, evicted = cap(ranking, order, plan.top_k, plan.reflection_cap)
    trail.evicted = frozenset((int(ranking.pool.space[row]), int(ranking.pool.tids[row])) for row in evicted)
    return window


def _window(plan: Plan, spaces: tuple[Space, ...], trail: Trail) -> tuple[Ranking, Ints]:
    """Neither leg can run: the newest rows, scored by what is left."""
    axis = plan.recency if plan.weights.get("recency", 0.0) > 0 else None
    five = plan.recipe.name == "five_signal"
    field_name = axis.field if axis is not None else ("updated_cycle" if five else "updated_at")
    asked = plan.query.strip() and plan.recipe.name in ("default", "rrf")  # it names nothing that can be found
    if plan.recipe.name in ("fts", "similar") or asked:
        return empty(newest(spaces, field_name, 0)), np.empty(0, np.int64)
    if plan.recipe.exhaustive and not trail.degraded:
        trail.degraded.append(Degradation("vector", "the question has no vector: nothing is compared"))
    wide = plan.top_k if plan.collapse is None else plan.top_k * plan.window_factor
    pool = newest(spaces, field_name, wide, but=REFLECTION if five and plan.reflection_cap < 1.0 else None)
    trail.pool = pool.size
    places = pool.columns["window"].ranks
    assert places is not None
    active: set[str] = set()
    if axis is not None:
        pool, active = _measure(plan, pool, active)
    weights = effective_weights(plan.weights, frozenset(active - {"graph"}), plan.recipe.normalise)
    ranking = fuse(pool, plan.recipe, weights, plan.rrf_k)
    trail.backends |= {name for name, part in ranking.parts if part.any()}
    ranking = boost(ranking, plan.reflection_boost)
    if not five:
        return ranking, _settled(plan, ranking, order_of(ranking, places), trail)
    window = _settled(plan, ranking, np.arange(pool.size), trail)
    return ranking, window[np.lexsort((places[window], -ranking.scores[window]))]
