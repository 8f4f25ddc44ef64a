"""THE CONSOLIDATION STORY: gather → cluster → compose → publish.

Nothing is removed, hidden or merged: a reflection stands beside its sources. A run that finds nothing new writes
nothing; one that was killed is taken up by the next, which comes to what the first would have come to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simonides.model.consolidation import Composer, Consolidated, PlannedReflection
from simonides.model.reflection import Reflection
from simonides.reflect.compose import Composed, Source, compose
from simonides.reflect.gather import Gathered, Known, gather
from simonides.reflect.plan import Draught, Plan, cluster, named
from simonides.reflect.resume import note_down, strike_out, unfinished
from simonides.reflect.words import Background, background
from simonides.topics.codes import unit_rows
from simonides.write.reflections import NewReflection, put_reflections, retire_reflections

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.config import ConsolidationConfig
    from simonides.engine import Engine

BATCH = 50  # reflections of one transaction
SAMPLE = 1_000  # texts that show what is usual in the namespace
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """cycle: of the caller's clock, for what is written. composer: writes essences. dry_run: nothing is written."""

    config: ConsolidationConfig
    cycle: int | None = None
    composer: Composer | None = None
    dry_run: bool = False


def consolidate(engine: Engine, namespace: str, options: Options, progress: Progress | None = None) -> Consolidated:
    """Writes new reflections and those whose sources changed; progress(done, total) counts reflections."""
    report = Consolidated(namespace, dry_run=options.dry_run)
    gathered = gather(engine, namespace, engine.clock())
    if gathered is not None and not options.dry_run:
        with engine.database.snapshot() as snapshot:
            left = unfinished(snapshot, gathered)
        if left is not None:
            report = _publish(engine, gathered, left, options, report, progress)
            gathered = gather(engine, namespace, engine.clock())
    if gathered is None:
        return report
    plan = cluster(gathered, options.config)
    with engine.database.snapshot() as snapshot:
        plan = named(snapshot, gathered, plan)
    report = replace(
        report,
        unchanged=max(0, plan.unchanged - report.created - report.updated),
        thoughts=len(gathered.names),
        grouped=plan.grouped,
        bound=round(plan.bound, 6),
    )
    if len(plan.draughts) > BATCH and not options.dry_run:
        note_down(engine, gathered, plan)
    return _publish(engine, gathered, plan, options, report, progress)


def _publish(
    engine: Engine,
    gathered: Gathered,
    plan: Plan,
    options: Options,
    report: Consolidated,
    progress: Progress | None,
) -> Consolidated:
    """Writes what is planned, some reflections at a time; a plan that was noted down is struck out at the end."""
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
            done = put_reflections(engine, report.namespace, news, gathered.model, engine.clock())
        report = _summed(report, batch, written, set(done))
        if progress is not None:
            progress(min(start + BATCH, len(plan.draughts)), len(plan.draughts))
    if not options.dry_run:
        strike_out(engine, gathered.ns)
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


def _usual(snapshot: Snapshot, gathered: Gathered) -> Background:
    """Words of thoughts from all over the namespace."""
    places = np.unique(np.linspace(0, len(gathered.units) - 1, min(len(gathered.units), SAMPLE)).astype(np.int64))
    tids = [gathered.units[place][0] for place in places.tolist()]
    thoughts = [stored.thought for stored in snapshot.thoughts(gathered.ns, tids)]
    return background([thought.content for thought in thoughts], [thought.speaker for thought in thoughts])


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
    tids = gathered.sources(draught.group)
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
