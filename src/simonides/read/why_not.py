"""Why was something not found? The search is run again and watched; the first stage that lost the thought answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.backend.rows import STATUS_CODES, TYPE_CODES
from simonides.errors import ThoughtNotFoundError
from simonides.model.thought import LifecycleStatus, ThoughtType
from simonides.model.trail import WhyNot
from simonides.read.candidates import Space, identity
from simonides.read.collapse import stands_for
from simonides.read.succession import superseded
from simonides.read.trail import Trail, observed

if TYPE_CHECKING:
    from simonides.model.answer import HybridSearchResult
    from simonides.read.plan import Plan

Ints = npt.NDArray[np.int64]
Numbers = dict[str, float | int | str | None]


@dataclass(frozen=True, slots=True)
class _Case:
    """One thought in one watched search."""

    plan: Plan
    trail: Trail
    answer: HybridSearchResult
    thought_id: str
    place: int  # of its space
    space: Space
    tid: int
    rows: Ints  # its passages

    def says(self, stage: str, sentence: str, **numbers: float | int | str | None) -> WhyNot:
        return WhyNot(self.thought_id, stage == "found", stage, sentence, numbers)


def why_not(
    verb: Callable[..., object], namespaces: Sequence[str], query: str, thought_id: str, arguments: Mapping[str, object]
) -> WhyNot:
    """Runs `verb(query, **arguments)` and says where the thought went."""
    found: list[WhyNot] = []

    def watch(plan: Plan, trail: Trail, answer: HybridSearchResult) -> None:
        found.append(_look(plan, trail, answer, thought_id, namespaces))

    with observed(watch):
        verb(query, **arguments)
    return found[0]


def _look(plan: Plan, trail: Trail, answer: HybridSearchResult, thought_id: str, namespaces: Sequence[str]) -> WhyNot:
    for n, space in enumerate(trail.spaces):
        tid = space.snapshot.tids_of(space.view.state.ns, [thought_id]).get(thought_id)
        if tid is not None:
            rows = space.catalogue.ordinals_of_tids(np.array([tid], np.int64))
            case = _Case(plan, trail, answer, thought_id, n, space, tid, rows)
            return next(said for step in _STEPS if (said := step(case)) is not None)
    raise ThoughtNotFoundError(f"no thought {thought_id!r} in {', '.join(map(repr, namespaces))}")


def _found(case: _Case) -> WhyNot | None:
    for hit in case.answer.hits:
        if hit.thought_id == case.thought_id and hit.thought.namespace == case.space.name:
            return case.says("found", f"it is hit {hit.rank} with {hit.score:.4f}", rank=hit.rank, score=hit.score)
    return None


def _scope(case: _Case) -> WhyNot | None:
    mask, catalogue, row = case.space.mask, case.space.catalogue, int(case.rows[0])
    if mask is None or mask[case.rows].any():
        return None
    if catalogue.expires_at[row] <= case.plan.scope.now:
        return case.says("expired", "it has expired", expires_at=int(catalogue.expires_at[row]))
    scope = case.plan.scope
    begins, ends = int(catalogue.valid_from[row]), int(catalogue.valid_until[row])
    if not scope.valid_any and not begins <= scope.holds_at < ends:
        return case.says("not_valid", "what it says does not hold then; valid_at= names another time, or 'any'",
                         holds_at=scope.holds_at)  # fmt: skip
    if catalogue.retired[row]:
        return case.says("retired", "it is a reflection whose sources have all left ACTIVE")
    if catalogue.idle[row]:
        return case.says("retired", "it is a reflection that is not ACTIVE")
    archived = STATUS_CODES[LifecycleStatus.ARCHIVED]
    if catalogue.status[row] == archived and not case.plan.scope.include_archived:
        return case.says("archived", "it is archived; include_archived=True would let it in")
    reflection = TYPE_CODES[ThoughtType.REFLECTION]
    if catalogue.thought_type[row] == reflection and not case.plan.scope.include_reflections:
        return case.says("reflection", "it is a reflection, and include_reflections is False")
    return case.says("filter", "it does not satisfy the filters")


def _no_legs(case: _Case) -> WhyNot | None:
    if case.space.text is not None or case.space.vector is not None:
        return None
    sentence = "the question has no searchable term and no vector; only the newest thoughts were shown"
    return case.says("no_legs", sentence, top_k=case.plan.top_k)


def _excluded(case: _Case) -> WhyNot | None:
    veto = None if case.space.text is None else case.space.text.veto
    if veto is None or not np.isin(case.rows, veto).any():
        return None
    return case.says("excluded", "the NOT of the query refuses it")


def _pool(case: _Case) -> WhyNot | None:
    ranking = case.trail.ranking
    assert ranking is not None
    if _index(case) is not None:
        return None
    numbers: Numbers = {"fts_limit": case.plan.fts_limit, "vector_limit": case.plan.vector_limit}
    parts = []
    text, vector = case.space.text, case.space.vector
    if text is not None:
        raw = float(text.bm25.at(case.rows).max())
        better = int((text.bm25.values > raw).sum()) + 1
        numbers |= {"fts_value": raw, "fts_rank": better if raw > 0 else None}
        limit = f"{case.plan.fts_limit} went on"
        parts.append(
            f"in the text leg it is about number {better} ({limit})" if raw > 0 else "it shares no scored word"
        )
    if vector is not None:
        cosine = float(np.fmax(vector.cosines(case.rows), -1.0).max())
        better = int((vector.approximate > cosine).sum()) + 1
        numbers |= {"vector_value": cosine, "vector_rank": better}
        parts.append(f"in the vector leg about number {better} ({case.plan.vector_limit} went on)")
    return case.says("pool", "no leg returned it: " + ", ".join(parts), **numbers)


def _index(case: _Case) -> int | None:
    """Where the thought itself stands in the pool."""
    pool = case.trail.ranking.pool if case.trail.ranking is not None else None
    if pool is None:
        return None
    mine = np.flatnonzero((pool.space == case.place) & (pool.tids == case.tid))
    return int(mine[0]) if len(mine) else None


def _same_text(case: _Case) -> WhyNot | None:
    """Another thought with the same text stands for it, before the pool."""
    key = identity(case.space.catalogue, case.plan.recipe.collapse)
    ranking = case.trail.ranking
    if key is None or ranking is None or _index(case) is not None:
        return None
    pool = ranking.pool
    mine = np.flatnonzero(pool.space == case.place)
    same = mine[np.isin(key[pool.rows[mine]], key[case.rows])]
    if not len(same):
        return None
    name = pool.thought_ids(same[:1])[0]
    return case.says("collapsed", f"its text equals that of {name}, which stands for it", stands=name)


def _cut(case: _Case) -> WhyNot:
    """It was ranked: where, and what cut it."""
    ranking, order, index = case.trail.ranking, case.trail.order, _index(case)
    assert ranking is not None
    assert order is not None
    assert index is not None
    rank = int(np.flatnonzero(order == index)[0]) + 1
    score = float(ranking.scores[index])
    numbers: Numbers = {"rank": rank, "score": score, "pool": ranking.pool.size}
    left = next((x for x in case.answer.left_out if x.thought_id == case.thought_id), None)
    if left is not None:
        return case.says("budget", f"it did not fit the budget: {left.reason} ({left.size})", **numbers, size=left.size)
    if case.plan.superseded == "exclude" and superseded(ranking.pool, case.plan.scope.now)[index]:
        return case.says("superseded", "another memory supersedes it, and superseded ones are left out", **numbers)
    if case.plan.min_score is not None and score < case.plan.min_score:
        numbers["min_score"] = case.plan.min_score
        return case.says("min_score", f"its score {score:.4f} is below {case.plan.min_score:.4f}", **numbers)
    if (case.place, case.tid) in case.trail.evicted:
        return case.says("evicted", f"it was number {rank}, but reflections have a cap", **numbers)
    rule, kept = case.plan.collapse, case.trail.kept
    if rule is not None and kept is not None and index not in kept:
        first = stands_for(ranking, kept, index, rule)
        name = None if first is None else ranking.pool.thought_ids(np.array([first]))[0]
        return case.says("collapsed", f"its unit is shown by {name}", **numbers, stands=name)
    twin = case.trail.alike.get((case.place, case.tid))
    if twin is not None:
        name = case.trail.spaces[twin[0]].snapshot.thought_ids([twin[1]])[twin[1]]
        return case.says("alike", f"its words are nearly those of {name}, so others go before it", **numbers, like=name)
    cut = min((hit.score for hit in case.answer.hits), default=0.0)
    sentence = f"it is number {rank} of {ranking.pool.size} with {score:.4f}; the last hit has {cut:.4f}"
    return case.says("cut", sentence, **numbers, cut=cut, shown=len(case.answer.hits))


_STEPS: tuple[Callable[[_Case], WhyNot | None], ...] = (
    _found,
    _scope,
    _no_legs,
    _excluded,
    _same_text,
    _pool,
    _cut,
)
