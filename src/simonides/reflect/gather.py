"""What can be consolidated? The thoughts of a namespace as rows of numbers, and the reflections that there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.backend.rows import STATUS_CODES, TYPE_CODES, StoredThought
from simonides.model.edge import EdgeType
from simonides.model.reflection import Reflection
from simonides.model.thought import LifecycleStatus, ThoughtType
from simonides.reflect.words import vectors_of_words
from simonides.topics.codes import unit_rows

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.engine import Engine, Look
    from simonides.index.catalogue import Catalogue

ACTIVE = STATUS_CODES[LifecycleStatus.ACTIVE]
REFLECTION = TYPE_CODES[ThoughtType.REFLECTION]
AROUND = (0.3, 0.1)  # what a turn takes of the turns one and two steps away: "Yes, I loved it" says nothing alone
REPEATS_MAX = 20  # of equal texts that become sources; the others are the same memory
EDGES_AT_ONCE = 5_000
ALL_EDGES = 10_000_000
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Known:
    """A reflection that is there. members: row ids of its sources, by edges. at_rest: archived, to be left alone.

    stale: to be written again if there is anything to write about. retired: no search finds it.
    """

    tid: int
    thought_id: str
    document: Reflection
    members: tuple[int, ...]
    at_rest: bool
    stale: bool
    retired: bool


@dataclass(frozen=True, slots=True)
class Gathered:
    """units: row ids of equal texts, one line per row of `rows` (n, d), unit rows with the turns around them mixed in.
    Sources of reflections that are to be left alone are not among them.

    own: (n, d) the same without them; empty without an embedder. names, marks: public id and 64 bits of the text per
    row id. model: of the store.
    """

    ns: int
    units: tuple[tuple[int, ...], ...]
    rows: Floats
    own: Floats
    names: dict[int, str]
    marks: dict[int, int]
    known: tuple[Known, ...]
    model: str | None

    def sources(self, group: Sequence[int]) -> list[int]:
        """Row ids of the thoughts of some units."""
        return [tid for unit in group for tid in self.units[unit]]

    def dormant(self, known: Known) -> tuple[int, ...]:
        """Row ids of sources of a reflection that cannot be consolidated now."""
        return tuple(tid for tid in known.members if tid not in self.marks)

    def digest(self, tids: Sequence[int]) -> str:
        """Of some thoughts and their texts."""
        lines = sorted(f"{self.names[tid]} {self.marks[tid]}" for tid in tids)
        return blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()


def gather(engine: Engine, namespace: str, now: int) -> Gathered | None:
    """None when the namespace is empty. ACTIVE thoughts that are no reflections, not expired and not superseded."""
    with engine.looking((namespace,), vectors=False) as look:
        view = look.views.get(namespace)
        if view is None:
            return None
        catalogue, snapshot, ns = view.catalogue, look.snapshot, view.state.ns
        known = _known(snapshot, ns, catalogue, look.model is not None)
        ordinals = _eligible(snapshot, catalogue, now)
        ordinals, own, mixed = _vectors(engine, look, ns, catalogue, ordinals)
        resting = [tid for reflection in known if reflection.at_rest for tid in reflection.members]
        free = ~np.isin(catalogue.tids[ordinals], np.array(resting, np.int64))
        ordinals, own, mixed = ordinals[free], own[free] if len(own) else own, mixed[free]
        places = _units(catalogue, ordinals)
        units = tuple(tuple(catalogue.tids[ordinals[place]].tolist()[:REPEATS_MAX]) for place in places)
        tids = [tid for unit in units for tid in unit]
        marks = dict(zip(catalogue.tids[ordinals].tolist(), catalogue.texts[ordinals].tolist(), strict=True))
        first = np.array([place[0] for place in places], np.int64)
        own = own[first] if len(own) else own
        return Gathered(ns, units, mixed[first], own, snapshot.thought_ids(tids), marks, known, snapshot.meta("model"))


def _eligible(snapshot: Snapshot, catalogue: Catalogue, now: int) -> Ints:
    """Ordinals, ascending."""
    wanted = (catalogue.status == ACTIVE) & (catalogue.thought_type != REFLECTION) & (catalogue.expires_at > now)
    if catalogue.live is not None:
        wanted &= catalogue.live
    ordinals = np.flatnonzero(wanted)
    gone = _superseded(snapshot, np.unique(catalogue.tids[ordinals]).tolist(), now)
    return ordinals if not gone else ordinals[~np.isin(catalogue.tids[ordinals], np.array(sorted(gone), np.int64))]


def _superseded(snapshot: Snapshot, tids: Sequence[int], now: int) -> set[int]:
    found: set[int] = set()
    for start in range(0, len(tids), EDGES_AT_ONCE):
        part = tids[start : start + EDGES_AT_ONCE]
        for edge in snapshot.relations(part, [EdgeType.SUPERSEDES.value], incoming=True, limit=ALL_EDGES):
            if (edge.valid_from is None or edge.valid_from <= now) and (
                edge.valid_until is None or edge.valid_until > now
            ):
                found.add(edge.tid)
    return found


def _known(snapshot: Snapshot, ns: int, catalogue: Catalogue, vectors: bool) -> tuple[Known, ...]:
    """Reflections that consolidation wrote, ascending by row id."""
    mine = catalogue.thought_type == REFLECTION
    if catalogue.live is not None:
        mine &= catalogue.live
    tids = np.unique(catalogue.tids[mine]).tolist()
    members: dict[int, list[int]] = {}
    stored: list[StoredThought] = []
    for start in range(0, len(tids), EDGES_AT_ONCE):
        part = tids[start : start + EDGES_AT_ONCE]
        stored += snapshot.thoughts(ns, part)
        for edge in snapshot.relations(part, [EdgeType.CONSOLIDATED_FROM.value], incoming=False, limit=ALL_EDGES):
            members.setdefault(edge.tid, []).append(edge.other)
    found = []
    for row in sorted(stored, key=lambda row: row.tid):
        document = Reflection.of(row.thought)
        if document is not None:
            at_rest = row.thought.lifecycle_status is not LifecycleStatus.ACTIVE
            sources = tuple(sorted(members.get(row.tid, [])))
            other = row.thought.embedding == ("none" if vectors else "present")
            stale = bool(row.thought.metadata.get("stale")) or other or row.retired
            found.append(Known(row.tid, row.thought.thought_id, document, sources, at_rest, stale, row.retired))
    return tuple(found)


def _vectors(engine: Engine, look: Look, ns: int, catalogue: Catalogue, ordinals: Ints) -> tuple[Ints, Floats, Floats]:
    """(ordinals, one per thought and only those with a vector; own rows; rows with the turns around)."""
    order = np.argsort(catalogue.tids[ordinals], kind="stable")
    ordinals = ordinals[order]
    tids, starts = np.unique(catalogue.tids[ordinals], return_index=True)
    first = ordinals[starts]
    if look.model is None:
        own = vectors_of_words(engine, look.snapshot, ns, tids.tolist())
        has, kept = own.any(axis=1), own[:0]
    else:
        dimension = look.model.dimension
        pids, vectors = look.snapshot.vectors_since(ns, 0, dimension)
        thought = np.searchsorted(tids, _tids_of(catalogue, pids))
        thought[thought == len(tids)] = 0
        mine = (len(tids) > 0) & (tids[thought] == _tids_of(catalogue, pids)) if len(tids) else np.zeros(0, np.bool_)
        own = np.zeros((len(tids), dimension), np.float32)
        np.add.at(own, thought[mine], vectors[mine])
        has = own.any(axis=1)
        own[has] = unit_rows(own[has])
        kept = own
    mixed = _with_turns_around(catalogue, first, own)
    return first[has], kept[has] if len(kept) else kept, mixed[has]


def _tids_of(catalogue: Catalogue, pids: Ints) -> Ints:
    """Row ids of thoughts by passage; −1 for a passage that is not there."""
    places = np.minimum(np.searchsorted(catalogue.pids, pids), max(0, catalogue.size - 1))
    if not catalogue.size:
        return np.full(len(pids), -1, np.int64)
    return np.where(catalogue.pids[places] == pids, catalogue.tids[places], -1)


def _with_turns_around(catalogue: Catalogue, first: Ints, own: Floats) -> Floats:
    """own + Σ share · neighbours within the session, as unit rows. first: ordinal of each row, any order."""
    links = catalogue.neighbours
    if links is None or not len(own):
        return own
    place = np.full(catalogue.size + 1, len(own), np.int64)
    place[first] = np.arange(len(own))
    padded = np.vstack([own, np.zeros((1, own.shape[1]), np.float32)])
    mixed = own.astype(np.float64)
    for step, share in enumerate(AROUND):
        for side in (2 * step, 2 * step + 1):
            near = links[first, side].astype(np.int64)
            near[(near < 0) | (near >= catalogue.size)] = catalogue.size
            mixed += share * padded[place[near]]
    has = own.any(axis=1)
    out = own.copy()
    out[has] = unit_rows(mixed[has].astype(np.float32))
    return out


def _units(catalogue: Catalogue, ordinals: Ints) -> list[Ints]:
    """Places of `ordinals` that are one memory: equal texts outside of any session; a turn is one by itself."""
    alone = catalogue.session[ordinals] > 0
    keys = np.where(alone, np.arange(len(ordinals)), catalogue.texts[ordinals])
    marks = np.stack([alone.astype(np.int64), keys], axis=1)
    _, groups = np.unique(marks, axis=0, return_inverse=True)
    groups = groups.ravel()
    order = np.argsort(groups, kind="stable")
    borders = np.flatnonzero(np.diff(groups[order])) + 1
    return sorted(np.split(order, borders), key=lambda places: int(places[0])) if len(ordinals) else []
