"""What is kept of an answer? One row per question, made of references on the way and of text later, elsewhere."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from simonides.backend.audit_port import LogRow, NewLog
from simonides.model.answer import Degradation, Hit, HybridSearchResult, Part
from simonides.read.identity import query_hash
from simonides.read.plan_json import encoded, plan_json, plan_key

if TYPE_CHECKING:
    from simonides.engine import Engine, Look
    from simonides.model.thought import Json
    from simonides.read.plan import Plan
    from simonides.read.trail import Trail

VERBS = {
    "default": "recall",
    "rrf": "retrieve",
    "five_signal": "search_hybrid",
    "fts": "search_fts",
    "similar": "search_similar",
    "reflections": "search_reflections_only",
}
LEGS = ("fts", "vector")
TOP_DIGITS = 9
SHARED = 256  # kinds of questions whose plans are kept at hand
_SHARED: dict[tuple[str, str | None, Hashable], tuple[str, str]] = {}
_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False)


@dataclass(frozen=True, slots=True)
class Leg:
    """What a leg gave: how many candidates, and the measure of its best one."""

    name: str
    count: int
    top: float | None


@dataclass(frozen=True, slots=True)
class Asked:
    """An answered question. seqs: how far each namespace was. model: of the store."""

    plan: Plan
    answer: HybridSearchResult
    legs: tuple[Leg, ...]
    seqs: dict[str, int]
    model: str | None

    @property
    def asked_at(self) -> int:
        return self.plan.asked_at

    @property
    def shown(self) -> list[tuple[str, str]]:
        hits = (*self.answer.hits, *self.answer.reflections)
        return [(hit.thought.namespace, hit.thought.thought_id) for hit in hits]

    @property
    def mode(self) -> str:
        """The legs that really ran."""
        ran = [name for name in LEGS if ("fts5" if name == "fts" else name) in self.answer.backends_used]
        return "+".join(ran) or "none"

    @property
    def verb(self) -> str:
        return VERBS.get(self.plan.recipe.name, self.plan.recipe.name)

    def row(self, settings: str, *, text: bool) -> NewLog:
        """The row. settings: JSON of what else an answer depends on. text: whether the question itself is kept."""
        plan, answer = self.plan, self.answer
        names = plan.scope.namespaces
        plan_hash, shared = _shared(plan, settings, self.model)
        row = LogRow(
            query_id=answer.query_id,
            at=plan.asked_at,
            namespace=names[0] if len(names) == 1 else "",
            namespaces=_json(list(names)),
            verb=self.verb,
            recipe=plan.recipe.name,
            mode=self.mode,
            query_hash=query_hash(plan.query, plan.given),
            query=_storable(plan.query) if text else None,
            vector=None if plan.vector is None or not text else plan.vector.astype("<f4").tobytes(),
            query_profile=_json(self._profile(text)),
            sources=_json([*map(_source, answer.hits), *(_source(hit, True) for hit in answer.reflections)]),
            now=plan.scope.now,
            reference=None if plan.recency is None else plan.recency.reference,
            plan=plan_hash,
            seqs=_json(self.seqs),
            trees=_json(answer.trees) if answer.trees else None,
        )
        return NewLog(row, shared)

    def _profile(self, text: bool) -> dict[str, Json]:
        plan, answer = self.plan, self.answer
        return {
            "mode": self.mode,
            "legs": {leg.name: {"count": leg.count, "top": leg.top} for leg in self.legs},
            "vectors_scored": answer.vectors_scored,
            "centroids_scored": answer.centroids_scored,
            "vectors_looked_up": answer.vectors_looked_up,
            "weights": dict(answer.weights),
            "backends": [*sorted(answer.backends_used)],
            "filters": encoded(plan.scope.predicate),
            "concepts": encoded(plan.scope.concepts),
            "include_archived": plan.scope.include_archived,
            "given": {"text": bool(plan.query.strip()), "vector": plan.vector is not None},
            "reading": _reading(answer, text),
            "degraded": [[problem.what, problem.reason] for problem in answer.degraded],
            "hits": len(answer.hits),
            "pool": answer.pool,
            "confidence": answer.confidence,
            "truncated": answer.truncated,
            "left_out": [[left.thought_id, left.reason, left.size] for left in answer.left_out],
            "reflections_evicted": answer.reflections_evicted,
            "took_ms": {stage: round(took * 1e3, 3) for stage, took in answer.timings.items()},
        }


def asked(plan: Plan, answer: HybridSearchResult, trail: Trail, look: Look) -> Asked:
    """References to what a row needs, and the few numbers that would keep a snapshot alive."""
    seqs = {name: state.seq for name, state in look.states.items()}
    model = None if look.model is None else f"{look.model.model_id} {look.model.fingerprint}"
    return Asked(plan, answer, _legs(trail), seqs, model)


def audited(engine: Engine, entry: Asked) -> HybridSearchResult:
    """Hands the entry over; the answer says so when it cannot be kept."""
    problem = None if engine.auditor is None else engine.auditor.record(entry)
    if problem is None:
        return entry.answer
    return replace(entry.answer, degraded=(*entry.answer.degraded, Degradation("audit", problem)))


def _shared(plan: Plan, settings: str, model: str | None) -> tuple[str, str]:
    """(hash, text) of what many questions share. Made once per kind of question, not once per question."""
    key = (settings, model, plan_key(plan))
    found = _SHARED.get(key)
    if found is None:
        text = f'{{"settings":{settings},"model":{_json(model)},"plan":{_json(plan_json(plan))}}}'
        found = blake2b(text.encode(), digest_size=16).hexdigest(), text
        if len(_SHARED) >= SHARED:
            _SHARED.clear()
        _SHARED[key] = found
    return found


def _legs(trail: Trail) -> tuple[Leg, ...]:
    if trail.ranking is None:
        return ()
    legs = []
    for name in LEGS:
        column = trail.ranking.pool.columns.get(name)
        if column is None or column.ranks is None:
            continue
        first = np.flatnonzero(column.ranks == 1)
        top = float(column.values[first[0]]) if len(first) else np.nan
        legs.append(Leg(name, int(np.count_nonzero(column.ranks)), None if top != top else round(top, TOP_DIGITS)))
    return tuple(legs)


def _source(hit: Hit, beside: bool = False) -> dict[str, Json]:
    """One hit; what says nothing is left out."""
    thought = hit.thought
    found: dict[str, Json] = {
        "id": thought.thought_id,
        "namespace": thought.namespace,
        "revision": thought.revision,
        "digest": thought.content_hash,
        "rank": hit.rank,
        "score": hit.score,
        "parts": [_part(part) for part in hit.parts],
        "passage": [hit.passage.start, hit.passage.stop],
    }
    if hit.cut:
        found["cut"] = len(hit.text)
    if hit.copies:
        found["copies"] = hit.copies
    for name in ("superseded_by", "conflicts", "supported_by"):
        ids: Sequence[str] = getattr(hit, name)
        if ids:
            found[name] = list(ids)
    if beside:
        found["reflection"] = True
    return found


def _part(part: Part) -> list[Json]:
    values: list[Json] = [part.name, part.value, part.scaled, part.weight, part.contribution, part.rank]
    return [*values, part.note] if part.note else values


def _reading(answer: HybridSearchResult, text: bool) -> dict[str, Json]:
    """How the question was read. Its terms are its words, so they are kept only where the text is."""
    reading = answer.reading
    if not text:
        return {"kind": reading.kind}
    return {name: value for name, value in reading.to_dict().items() if name != "text"}


def _json(value: Json | Mapping[str, int] | Sequence[Json]) -> str:
    return _ENCODER.encode(value)


def _storable(text: str) -> str | bytes:
    """The text; as bytes when a database cannot take it as text, for half a surrogate pair is in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text
