"""How does a ranking become an answer? Thoughts are read, contributions named, context added, the budget kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.model.answer import Hit, HybridSearchResult, Part, Passage, ReadQuery
from simonides.model.reflection import HEAD
from simonides.model.thought import ThoughtType
from simonides.read.augment import context_of
from simonides.read.budget import fit
from simonides.read.collapse import copies_of
from simonides.read.scoping import visible

if TYPE_CHECKING:
    from simonides.backend.rows import PassageRow, StoredThought
    from simonides.read.candidates import Pool
    from simonides.read.fuse import Ranking
    from simonides.read.plan import Plan
    from simonides.read.trail import Trail
    from simonides.text.reading import Reading

Ints = npt.NDArray[np.int64]
Key = tuple[int, int]


def present(plan: Plan, ranking: Ranking, order: Ints, trail: Trail, query_id: str) -> HybridSearchResult:
    """The answer of a ranked pool."""
    chosen = ranking.pick(order[: plan.shown])
    hits = _hits(plan, chosen)
    kept, left_out, truncated = fit(hits, plan.budget, plan.count_tokens)
    kept = [hit if hit.rank == n else replace(hit, rank=n) for n, hit in enumerate(kept, 1)]
    legs = {space.name: space.vector for space in trail.spaces if space.vector is not None}
    return HybridSearchResult(
        query=plan.query,
        hits=tuple(kept),
        reading=describe(plan.reading, [s.text.reading for s in ranking.pool.spaces if s.text is not None], ranking),
        backends_used=frozenset(trail.backends),
        weights=dict(ranking.weights),
        recipe=plan.recipe.name,
        query_id=query_id,
        reflections=() if trail.beside is None else tuple(_hits(plan, trail.beside)),
        reflections_evicted=len(trail.evicted),
        truncated=trail.out_of_time or (truncated and not plan.default_budget),
        left_out=() if plan.default_budget else tuple(left_out),
        degraded=tuple(trail.degraded),
        confidence=trail.confidence,
        pool=trail.pool,
        vectors_scored=sum(leg.scanned for leg in legs.values()),
        centroids_scored=sum(leg.centroids for leg in legs.values()),
        vectors_looked_up=sum(leg.looked_up for leg in legs.values()),
        trees={name: leg.tree for name, leg in legs.items() if leg.tree is not None},
        timings=trail.timings,
    )


def _hits(plan: Plan, ranking: Ranking) -> list[Hit]:
    pool = ranking.pool
    thoughts, passages, context, names = _read(plan, pool)
    scores = ranking.scores.tolist()
    parts = _parts(ranking)
    copies = _copies(pool) if plan.recipe.collapse else [0] * pool.size
    hits: list[Hit] = []
    for n, key in enumerate(zip(pool.space.tolist(), pool.tids.tolist(), strict=True)):
        stored = thoughts.get(key)
        if stored is None or not visible(stored.thought, plan.scope):
            continue
        thought = stored.thought
        place = passages.get((key[0], int(pool.spaces[key[0]].catalogue.pids[pool.rows[n]])))
        start, stop = (place.start, place.stop) if place is not None else (0, len(thought.content))
        whole, said = thought.content, thought.content[start:stop]
        if thought.thought_type is ThoughtType.REFLECTION and thought.essence and whole.startswith(HEAD):
            start, stop, whole, said = 0, 0, thought.essence, thought.essence  # its document is not for reading
        successors, conflicts, supports = context.get(key, ((), (), ()))
        hits.append(
            Hit(
                thought=thought,
                score=scores[n],
                rank=len(hits) + 1,
                parts=parts[n],
                passage=Passage(start, stop, said),
                text=whole,
                copies=copies[n],
                superseded_by=_known(names, key[0], successors),
                conflicts=_known(names, key[0], conflicts),
                supported_by=_known(names, key[0], supports),
            )
        )
    return hits


def _read(
    plan: Plan, pool: Pool
) -> tuple[dict[Key, StoredThought], dict[Key, PassageRow], dict[Key, tuple[tuple[int, ...], ...]], dict[Key, str]]:
    """Everything the hits need from the snapshot, a few statements per namespace."""
    thoughts: dict[Key, StoredThought] = {}
    passages: dict[Key, PassageRow] = {}
    context: dict[Key, tuple[tuple[int, ...], ...]] = {}
    names: dict[Key, str] = {}
    for n, space in enumerate(pool.spaces):
        mine = pool.space == n
        tids = pool.tids[mine].tolist()
        if not tids:
            continue
        thoughts.update(((n, s.tid), s) for s in space.snapshot.thoughts(space.view.state.ns, tids))
        if space.catalogue.several_passages:
            pids = space.catalogue.pids[pool.rows[mine]].tolist()
            passages.update(((n, p.pid), p) for p in space.snapshot.passages_of(pids))
        if plan.recipe.augment and space.snapshot.has_meaning(space.view.state.ns):
            found = context_of(space.snapshot, tids, plan.scope.holds_at)
            others = sorted({other for lists in found.values() for ids in lists for other in ids})
            visible_tids = _in_scope(pool, n, others)
            names.update(((n, tid), name) for tid, name in space.snapshot.thought_ids(visible_tids).items())
            context.update(((n, tid), lists) for tid, lists in found.items())
    return thoughts, passages, context, names


def _copies(pool: Pool) -> list[int]:
    out = np.zeros(pool.size, np.int64)
    for n, space in enumerate(pool.spaces):
        mine = pool.space == n
        if mine.any():
            out[mine] = copies_of(space, pool.rows[mine])
    return out.tolist()


def _in_scope(pool: Pool, n: int, tids: Sequence[int]) -> list[int]:
    """Row ids that the scope lets through, so that context never names what may not be seen."""
    if not tids:
        return []
    space = pool.spaces[n]
    rows = space.catalogue.ordinals_of_tids(np.array(tids, np.int64))
    if space.mask is not None:
        rows = rows[space.mask[rows]]
    return sorted(set(space.catalogue.tids[rows].tolist()))


def _known(names: Mapping[Key, str], space: int, tids: Sequence[int]) -> tuple[str, ...]:
    return tuple([names[space, tid] for tid in tids if (space, tid) in names]) if tids else ()


def _parts(ranking: Ranking) -> list[tuple[Part, ...]]:
    """What every row's score is made of. A factor that leaves a row alone is no part of it."""
    found: list[list[Part]] = [[] for _ in range(ranking.pool.size)]
    for name, contribution in ranking.parts:
        column, scaled = ranking.pool.columns.get(name), ranking.scaled.get(name)
        weight = ranking.weights.get(name)
        nothing = [None] * len(found)
        values = nothing if column is None else column.values.tolist()
        scales = nothing if scaled is None else scaled.tolist()
        ranks = nothing if column is None or column.ranks is None else column.ranks.tolist()
        for n, given in enumerate(contribution.tolist()):
            if column is not None or given != 0.0:
                value = values[n]
                known = None if value is None or value != value else value  # NaN is not known
                found[n].append(Part(name, known, scales[n], weight, given, ranks[n] or None))
    return list(map(tuple, found))


def describe(asked: Reading, used: Sequence[Reading], ranking: Ranking | None) -> ReadQuery:
    """How the question was read, with what the namespaces made of it."""
    last = used[0] if used else asked
    kind = "expert→bare" if asked.kind == "expert" and last.kind == "bare" else last.kind
    terms = tuple(t.text for t in last.terms)
    unscored: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    if ranking is not None and ranking.pool.spaces:
        legs = [s.text for s in ranking.pool.spaces if s.text is not None]
        terms = tuple(dict.fromkeys(t for leg in legs for t in leg.terms))
        unscored = tuple(dict.fromkeys(t for leg in legs for t in leg.unscored if t not in terms))
        known = {*terms, *unscored}
        absent = tuple(t.text for t in last.terms if legs and t.text not in known and not t.stop)
    return ReadQuery(
        text=asked.text,
        kind=kind,
        terms=terms,
        unscored=unscored,
        dropped=tuple((d.text, d.reason) for d in (*asked.dropped, *(last.dropped if last is not asked else ())))
        + tuple((name, "occurs nowhere") for name in absent),
        expression=asked.match if kind == "expert" else None,
    )
