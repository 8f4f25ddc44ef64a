"""What do the legs say? Each namespace is asked in the same snapshot."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from simonides.model.predicate import Compare, Predicate
from simonides.read.candidates import Space
from simonides.read.legs import full_text, vector
from simonides.read.scoping import eligible, narrowed, without_reflections

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from simonides.engine import Engine, Look
    from simonides.index.shelf import View
    from simonides.read.plan import Plan
    from simonides.read.question import Question
    from simonides.read.trail import Trail

_log = logging.getLogger(__name__)


def ask_legs(engine: Engine, plan: Plan, question: Question, look: Look, trail: Trail) -> tuple[Space, ...]:
    """The legs over every namespace. The text leg runs while the question is being embedded."""
    masks, texts, besides = {}, {}, {}
    for name, view in look.views.items():
        mask, beside = eligible(look.snapshot, view, plan.scope), None
        if plan.recipe.beside:
            mask, beside = without_reflections(view.catalogue, mask)
        masks[name], besides[name] = mask, beside
        if plan.weights.get("fts", 0.0) > 0:
            texts[name] = full_text.search(look.snapshot, look.shelves[name], view, plan.reading, plan.text)
    texts = _retried(engine, plan, look, masks, texts)
    trail.lap("text")
    row = None if trail.late(plan.budget.max_ms, "vector") else question.vector(look, trail.degraded)
    hurry = None if plan.budget.max_ms is None else partial(trail.late, plan.budget.max_ms, "topics")
    spaces = []
    for name, view in look.views.items():
        leg = None if row is None else vector.search(look.snapshot, view, row, plan.walk, hurry)
        mask, beside = masks[name], besides[name]
        near = narrowed(look.snapshot, view, mask, _concepts(look, view, plan))
        spaces.append(Space(name, look.snapshot, look.shelves[name], view, mask, texts.get(name), leg, near, beside))
    trail.lap("vector")
    return tuple(spaces)


def _retried(
    engine: Engine,
    plan: Plan,
    look: Look,
    masks: dict[str, npt.NDArray[np.bool_] | None],
    texts: dict[str, full_text.TextLeg | None],
) -> dict[str, full_text.TextLeg | None]:
    """The bare reading, when an expert one found nothing anywhere and may be retried, or could not be run."""
    legs = [leg for leg in texts.values() if leg is not None]
    if plan.reading.kind != "expert" or not legs:
        return texts
    failed = any(leg.failed for leg in legs)
    if failed:
        engine.note_match_failure()
        _log.warning("FTS5 could not run an expert query; it is read bare")
    found = any(len(leg.passages(masks[name])[0]) for name, leg in texts.items() if leg is not None)
    fallback = plan.reading.fallback
    if found or fallback is None:
        return texts
    return {
        name: full_text.search(look.snapshot, look.shelves[name], view, fallback, plan.text)
        for name, view in look.views.items()
    }


def _concepts(look: Look, view: View, plan: Plan) -> Predicate | None:
    """The concept filter with aliases of the namespace put in their place."""
    wanted = plan.scope.concepts
    if not isinstance(wanted, Compare) or not isinstance(wanted.value, tuple):
        return wanted
    aliases = look.snapshot.aliases(view.state.ns)
    names = tuple(aliases.get(str(value), value) for value in wanted.value)
    return replace(wanted, value=tuple(dict.fromkeys(names)))
