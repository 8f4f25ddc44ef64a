"""THE READ STORY: plan → one snapshot {legs → pool → signals → fuse → order → collapse → cap → present → budget}."""

from __future__ import annotations

import logging

from simonides.engine import Engine
from simonides.model.answer import HybridSearchResult
from simonides.model.ids import new_id
from simonides.read.ask import ask_legs
from simonides.read.plan import Plan
from simonides.read.present import present
from simonides.read.question import Question
from simonides.read.rank import rank
from simonides.read.telemetry import reported
from simonides.read.trail import Trail, observer

_log = logging.getLogger("simonides.search")


def recall(engine: Engine, plan: Plan) -> HybridSearchResult:
    """Answers a plan."""
    trail = Trail()
    with reported(plan, trail):
        question = Question(engine, plan)
        trail.lap("ask")
        with engine.looking(plan.scope.namespaces, vectors=plan.weights.get("vector", 0.0) > 0) as look:
            trail.lap("open")
            spaces = ask_legs(engine, plan, question, look, trail)
            ranking, order = rank(engine, plan, spaces, trail)
            trail.lap("rank")
            answer = present(plan, ranking, order, trail, new_id(plan.scope.now))
            watcher = observer()
            if watcher is not None:
                watcher(plan, trail, answer)
        trail.lap("present")
    _log.info("hybrid.search %s %s: %d hits of %d", answer.query_id, plan.recipe.name, len(answer.hits), trail.pool)
    return answer
