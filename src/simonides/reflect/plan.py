"""Which reflections are to be written, and of which themes? Thoughts that belong together, against what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from simonides.reflect.cluster import Group, Shape, bound_of, cohesion, settled

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.config import ConsolidationConfig
    from simonides.reflect.gather import Gathered, Known

SLACK = 0.15  # of the mean cosine: how far a changed source may stray before it is let go
WORDS_COSINE = 0.6  # of the limits of the bound, without an embedder: words have less in common than meanings


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
    holders = holders_of(gathered)
    changed = [
        draught_of(gathered, holders, known.thought_id, group, known)
        for known, group in zip(gathered.known, groups, strict=True)
        if group and not is_written(gathered, known, group)
    ]
    new = [draught_of(gathered, holders, "", group, None) for group in fresh]
    orphans = tuple(
        known
        for known, group in zip(gathered.known, groups, strict=True)
        if not group and not known.at_rest and not known.retired
    )
    grouped = sum(len(gathered.units[unit]) for group in (*groups, *fresh) for unit in group)
    return Plan(bound, (*changed, *new), orphans, len(groups) - len(changed) - len(orphans), grouped)


def _owners(gathered: Gathered) -> dict[int, int]:
    """Unit → row id of the reflection that has it: the oldest, when equal texts have brought several together."""
    unit_of = units_of(gathered)
    owners: dict[int, int] = {}
    for known in gathered.known:
        for tid in known.members if not known.at_rest else ():
            unit = unit_of.get(tid)
            if unit is not None:
                owners.setdefault(unit, known.tid)
    return owners


def holders_of(gathered: Gathered) -> dict[int, set[int]]:
    """Row id of a thought → row ids of the reflections that have it. What is at rest is left out."""
    holders: dict[int, set[int]] = {}
    for known in gathered.known:
        for tid in known.members if not known.at_rest else ():
            holders.setdefault(tid, set()).add(known.tid)
    return holders


def draught_of(
    gathered: Gathered, holders: dict[int, set[int]], name: str, group: Group, known: Known | None
) -> Draught:
    """What a plan gives to one reflection it takes from the others at once."""
    having = set().union(*(holders.get(tid, ()) for tid in gathered.sources(group)))
    if known is None:
        return Draught(name, group, None, (), frozenset(having))
    return Draught(name, group, known, gathered.dormant(known), frozenset(having - {known.tid}))


def _kept(gathered: Gathered, known: Known, group: list[int], bound: float) -> Group:
    """The units of a reflection; when a source changed, without those that have nothing in common with the rest."""
    if known.at_rest:
        return ()
    if digest_of(gathered, group) == known.document.digest:
        return tuple(group)
    while len(group) > 1:
        near = cohesion(gathered.rows[group])
        worst = int(np.argmin(near))
        if near[worst] >= bound - SLACK:
            break
        del group[worst]
    return tuple(group)


def is_written(gathered: Gathered, known: Known, group: Group) -> bool:
    """Whether a reflection speaks of just these sources as they are, and its edges lead to them."""
    linked = set(known.members).difference(gathered.dormant(known)) == set(gathered.sources(group))
    return linked and not known.stale and digest_of(gathered, group) == known.document.digest


def digest_of(gathered: Gathered, group: Sequence[int]) -> str:
    """Of the sources of a theme and what they say."""
    return gathered.digest(gathered.sources(group))


def units_of(gathered: Gathered) -> dict[int, int]:
    """Row id of a thought → its unit."""
    return {tid: n for n, unit in enumerate(gathered.units) for tid in unit}


def named(snapshot: Snapshot, gathered: Gathered, plan: Plan) -> Plan:
    """The plan with ids for what is new. The same sources give the same id in every store where it is free."""
    names: dict[int, str] = {}
    waiting: dict[int, str] = {
        n: "\n".join(sorted(gathered.names[tid] for tid in gathered.sources(draught.group)))
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
