"""THE CONSOLIDATION STORY: gather → cluster → compose → publish.

Nothing is removed, hidden or merged: a reflection stands beside its sources. A run that finds nothing new writes
nothing; one that was killed is taken up by the next, which finds what was published and goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from simonides.model.consolidation import Composer, Consolidated, PlannedReflection
from simonides.model.reflection import Reflection
from simonides.reflect.cluster import Group, Shape, bound_of, cohesion, settled
from simonides.reflect.compose import Composed, Source, compose
from simonides.reflect.gather import Gathered, Known, gather
from simonides.reflect.words import Background, background
from simonides.topics.codes import unit_rows
from simonides.write.reflections import NewReflection, put_reflections, retire_reflections

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.config import ConsolidationConfig
    from simonides.engine import Engine

BATCH = 50  # reflections of one transaction
SAMPLE = 1_000  # texts that show what is usual in the namespace
SLACK = 0.15  # of the mean cosine: how far a changed source may stray before it is let go
WORDS_COSINE = 0.6  # of the limits of the bound, without an embedder: words have less in common than meanings
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """cycle: of the caller's clock, for what is written. composer: writes essences. dry_run: nothing is written."""

    config: ConsolidationConfig
    cycle: int | None = None
    composer: Composer | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Draught:
    """A reflection to be written: the units of its theme, and the one that it replaces.

    dormant: sources that are not ACTIVE now. givers: row ids of reflections that have had some of the sources so far.
    """

    thought_id: str
    group: Group
    known: Known | None
    dormant: tuple[int, ...]
    givers: frozenset[int]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run has to do. orphans: reflections that have no source left to speak of, and are still found."""

    bound: float
    draughts: tuple[Draught, ...]
    orphans: tuple[Known, ...]
    unchanged: int
    grouped: int


def consolidate(engine: Engine, namespace: str, options: Options, progress: Progress | None = None) -> Consolidated:
    """Writes new reflections and those whose sources changed; progress(done, total) counts reflections."""
    gathered = gather(engine, namespace, engine.clock())
    if gathered is None:
        return Consolidated(namespace, dry_run=options.dry_run)
    plan = cluster(gathered, options.config)
    with engine.database.snapshot() as snapshot:
        plan = _named(snapshot, gathered, plan)
    report = Consolidated(
        namespace,
        unchanged=plan.unchanged,
        thoughts=len(gathered.names),
        grouped=plan.grouped,
        bound=round(plan.bound, 6),
        dry_run=options.dry_run,
    )
    usual: Background | None = None
    for start in range(0, len(plan.draughts), BATCH):
        batch = plan.draughts[start : start + BATCH]
        with engine.database.snapshot() as snapshot:
            usual = usual or _usual(snapshot, gathered)
            themes = [_sources(snapshot, gathered, draught) for draught in batch]
        written = _composed(engine, gathered, batch, themes, usual, options)
        done = [draught.thought_id for draught, _ in written]
        if not options.dry_run:
            news = [_new(gathered, draught, composed, options) for draught, composed in written]
            done = put_reflections(engine, namespace, news, gathered.model, engine.clock())
        report = _summed(report, batch, written, set(done))
        if progress is not None:
            progress(min(start + BATCH, len(plan.draughts)), len(plan.draughts))
    return _without_orphans(engine, report, plan.orphans)


def _without_orphans(engine: Engine, report: Consolidated, orphans: Sequence[Known]) -> Consolidated:
    """Retires what has no source left: the last one expired, was superseded, or is another reflection's by now."""
    if not orphans:
        return report
    gone = {known.tid for known in orphans}
    if not report.dry_run:
        gone = retire_reflections(engine, report.namespace, [known.tid for known in orphans], engine.clock())
    planned = [PlannedReflection(k.thought_id, "retired", "", ()) for k in orphans if k.tid in gone]
    return replace(report, retired=len(planned), reflections=(*report.reflections, *planned))


def cluster(gathered: Gathered, config: ConsolidationConfig) -> Plan:
    """Which themes there are, and what that means for the reflections that are there."""
    scale = 1.0 if gathered.model is not None else WORDS_COSINE
    bound = bound_of(gathered.rows, config.deviations, scale * config.cosine_min, scale * config.cosine_max)
    shape = Shape(bound, config.sources_min, config.sources_max)
    owners = _owners(gathered)
    owned: dict[int, list[int]] = {}
    for unit in sorted(owners):
        owned.setdefault(owners[unit], []).append(unit)
    old = [_kept(gathered, known, owned.get(known.tid, []), bound) for known in gathered.known]
    groups, fresh = settled(gathered.rows, old, shape)
    changed = [
        draught
        for known, group in zip(gathered.known, groups, strict=True)
        if (draught := _changed(gathered, known, group)) is not None
    ]
    new = [Draught("", group, None, (), _givers(gathered, group, None)) for group in fresh]
    orphans = tuple(
        known
        for known, group in zip(gathered.known, groups, strict=True)
        if not group and not known.at_rest and not known.retired
    )
    grouped = sum(len(gathered.units[unit]) for group in (*groups, *fresh) for unit in group)
    return Plan(bound, (*changed, *new), orphans, len(groups) - len(changed) - len(orphans), grouped)


def _owners(gathered: Gathered) -> dict[int, int]:
    """Unit → row id of the reflection that has it: the oldest, when equal texts have brought several together."""
    unit_of = {tid: n for n, unit in enumerate(gathered.units) for tid in unit}
    owners: dict[int, int] = {}
    for known in gathered.known:
        for tid in known.members if not known.at_rest else ():
            unit = unit_of.get(tid)
            if unit is not None:
                owners.setdefault(unit, known.tid)
    return owners


def _givers(gathered: Gathered, group: Group, taker: Known | None) -> frozenset[int]:
    """Reflections other than the taker that have one of the units so far. What a plan gives away, it gives at once."""
    tids = {tid for unit in group for tid in gathered.units[unit]}
    return frozenset(
        known.tid
        for known in gathered.known
        if known is not taker and not known.at_rest and not tids.isdisjoint(known.members)
    )


def _kept(gathered: Gathered, known: Known, group: list[int], bound: float) -> Group:
    """The units of a reflection; when a source changed, without those that have nothing in common with the rest."""
    if known.at_rest:
        return ()
    if _digest(gathered, group) == known.document.digest:
        return tuple(group)
    while len(group) > 1:
        near = cohesion(gathered.rows[group])
        worst = int(np.argmin(near))
        if near[worst] >= bound - SLACK:
            break
        del group[worst]
    return tuple(group)


def _digest(gathered: Gathered, group: Sequence[int]) -> str:
    return gathered.digest([tid for unit in group for tid in gathered.units[unit]])


def _changed(gathered: Gathered, known: Known, group: Group) -> Draught | None:
    """What is to be written of a reflection; None when it says what its sources say, or none of them is ACTIVE."""
    if not group:
        return None
    dormant = tuple(tid for tid in known.members if tid not in gathered.marks)
    linked = set(known.members).difference(dormant) == {tid for unit in group for tid in gathered.units[unit]}
    if linked and not known.stale and _digest(gathered, group) == known.document.digest:
        return None
    return Draught(known.thought_id, group, known, dormant, _givers(gathered, group, known))


def _named(snapshot: Snapshot, gathered: Gathered, plan: Plan) -> Plan:
    """The plan with ids for what is new. The same sources give the same id in every store where it is free."""
    names: dict[int, str] = {}
    waiting: dict[int, str] = {
        n: "\n".join(sorted(gathered.names[tid] for unit in draught.group for tid in gathered.units[unit]))
        for n, draught in enumerate(plan.draughts)
        if draught.known is None
    }
    while waiting:
        waiting = {n: blake2b(text.encode(), digest_size=16).hexdigest() for n, text in waiting.items()}
        wanted = {n: f"reflection-{text}" for n, text in waiting.items()}
        taken = {*snapshot.tids_of(gathered.ns, sorted(wanted.values())), *names.values()}
        names |= {n: name for n, name in wanted.items() if name not in taken}
        waiting = {n: text for n, text in waiting.items() if n not in names}
    named = tuple(replace(d, thought_id=names.get(n, d.thought_id)) for n, d in enumerate(plan.draughts))
    return replace(plan, draughts=named)


def _usual(snapshot: Snapshot, gathered: Gathered) -> Background:
    """Words of thoughts from all over the namespace."""
    places = np.unique(np.linspace(0, len(gathered.units) - 1, min(len(gathered.units), SAMPLE)).astype(np.int64))
    tids = [gathered.units[place][0] for place in places.tolist()]
    return background([stored.thought.content for stored in snapshot.thoughts(gathered.ns, tids)])


def _sources(snapshot: Snapshot, gathered: Gathered, draught: Draught) -> list[Source]:
    """The thoughts of a theme; those that went meanwhile are left out, and publishing will notice."""
    first = {gathered.units[unit][0]: unit for unit in draught.group}
    return [
        Source(stored.thought, len(gathered.units[first[stored.tid]]) - 1, gathered.rows[first[stored.tid]])
        for stored in snapshot.thoughts(gathered.ns, list(first))
    ]


def _composed(
    engine: Engine,
    gathered: Gathered,
    batch: Sequence[Draught],
    themes: Sequence[list[Source]],
    usual: Background,
    options: Options,
) -> list[tuple[Draught, Composed]]:
    config, stop_words = options.config, engine.stop_words
    return [
        (draught, compose(draught.thought_id, sources, usual, stop_words, config, options.composer))
        for draught, sources in zip(batch, themes, strict=True)
        if len(sources) == len(draught.group)
    ]


def _new(gathered: Gathered, draught: Draught, composed: Composed, options: Options) -> NewReflection:
    tids = [tid for unit in draught.group for tid in gathered.units[unit]]
    document = Reflection(
        tuple(sorted(gathered.names[tid] for tid in tids)),
        composed.theme.keywords,
        composed.theme.keyphrases,
        composed.theme.excerpts,
        composed.span,
        composed.composed_by,
        gathered.digest(tids),
    )
    centroid = None
    if len(gathered.own):
        centroid = unit_rows(gathered.own[list(draught.group)].sum(axis=0, dtype=np.float64)[None])[0]
    return NewReflection(
        draught.thought_id,
        None if draught.known is None else draught.known.tid,
        document,
        composed.essence,
        {tid: gathered.marks[tid] for tid in tids},
        draught.dormant,
        draught.givers,
        centroid,
        composed.span[1],
        options.cycle,
    )


def _summed(
    report: Consolidated, batch: Sequence[Draught], written: Sequence[tuple[Draught, Composed]], done: set[str]
) -> Consolidated:
    planned = tuple(
        PlannedReflection(
            draught.thought_id,
            "created" if draught.known is None else "updated",
            composed.essence,
            tuple(sorted(thought.thought_id for thought in composed.theme.sources)),
        )
        for draught, composed in written
        if draught.thought_id in done
    )
    return replace(
        report,
        created=report.created + sum(plan.action == "created" for plan in planned),
        updated=report.updated + sum(plan.action == "updated" for plan in planned),
        skipped=report.skipped + len(batch) - len(planned),
        reflections=report.reflections + planned,
        problems=report.problems + tuple(c.problem for _, c in written if c.problem is not None),
    )
