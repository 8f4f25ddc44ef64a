"""THE READ STORY: plan → one snapshot {legs → pool → signals → fuse → order → collapse → cap → present → budget} → audit."""  # noqa: E501  # the story is one line

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from simonides.model.answer import Degradation, HybridSearchResult
from simonides.model.ids import new_id
from simonides.read.ask import ask_legs
from simonides.read.audit import Asked, asked, audited
from simonides.read.present import present
from simonides.read.question import Question
from simonides.read.rank import rank
from simonides.read.telemetry import reported
from simonides.read.trail import Trail, observer

if TYPE_CHECKING:
    from simonides.engine import Engine
    from simonides.read.plan import Plan

_log = logging.getLogger("simonides.search")


def recall(engine: Engine, plan: Plan) -> HybridSearchResult:
    """Answers a plan; leaves one line in the log of the process and one row in that of the store.

    A search that somebody watches to learn why leaves neither.
    """
    entry = answered(engine, plan)
    if observer() is not None:
        return entry.answer
    answer = audited(engine, entry)
    if _log.isEnabledFor(logging.INFO):
        _say(entry, answer)
    return answer


def answered(engine: Engine, plan: Plan) -> Asked:
    """The answer, with what the retrieval log keeps of it."""
    trail = Trail()
    with reported(plan, trail):
        question = Question(engine, plan)
        trail.lap("ask")
        vectors = plan.weights.get("vector", 0.0) > 0
        with engine.looking(plan.scope.namespaces, vectors=vectors, as_of=plan.scope.as_of) as look:
            trail.lap("open")
            if look.vectors_lost:
                lost = f"{look.vectors_lost} passages of that time have no vector: only their words count"
                trail.degraded.append(Degradation("vector", lost))
            spaces = ask_legs(engine, plan, question, look, trail)
            ranking, order = rank(engine, plan, spaces, trail)
            trail.lap("rank")
            answer = present(plan, ranking, order, trail, new_id(plan.scope.now))
            watcher = observer()
            if watcher is not None:
                watcher(plan, trail, answer)
            entry = asked(plan, answer, trail, look)
        trail.lap("present")
    return entry


def _say(entry: Asked, answer: HybridSearchResult) -> None:
    """The line: ids, counts and milliseconds, no word of the question."""
    _log.info(
        "hybrid.search query_id=%s verb=%s recipe=%s mode=%s namespaces=%d hits=%d pool=%d truncated=%s degraded=%s "
        "ms=%.1f",
        answer.query_id,
        entry.verb,
        answer.recipe,
        entry.mode,
        len(entry.plan.scope.namespaces),
        len(answer.hits),
        answer.pool,
        str(answer.truncated).lower(),
        ",".join(problem.what for problem in answer.degraded) or "none",
        sum(answer.timings.values()) * 1e3,
    )
