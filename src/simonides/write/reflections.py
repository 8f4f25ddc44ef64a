"""How is a reflection written? Document, essence, centroid and edges together, if its sources are what they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.backend.rows import STATUS_CODES, NewEdge, NewPassage
from simonides.index.passages import passages_of
from simonides.index.segments import maintain
from simonides.model.edge import EdgeType
from simonides.model.ids import new_id
from simonides.model.reflection import Reflection, read_reflection
from simonides.model.thought import Draft, LifecycleStatus, ThoughtType
from simonides.write.accept import Accepted, accept
from simonides.write.index import with_vectors
from simonides.write.journal import Note, write_note, write_version
from simonides.write.relate import put_edge
from simonides.write.remember import write_one
from simonides.write.revise import refresh_reflection, retire, without_stale

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.backend.rows import Relation
    from simonides.embedders.door import Unit
    from simonides.engine import Engine

SOURCE_TYPE = "consolidation"
DERIVED = EdgeType.CONSOLIDATED_FROM.value
ALL_EDGES = 1_000_000


@dataclass(frozen=True, slots=True)
class NewReflection:
    """A reflection to be written. tid: of the one that it replaces. marks: row id of an ACTIVE source → 64 bits of its
    text; dormant: row ids of sources that are not ACTIVE now; givers: row ids of other reflections that the sources are
    taken from. centroid: unit row, or None without vectors."""

    thought_id: str
    tid: int | None
    document: Reflection
    essence: str
    marks: dict[int, int]
    dormant: tuple[int, ...]
    givers: frozenset[int]
    centroid: Unit | None
    occurred_at: str
    cycle: int | None


def put_reflections(
    engine: Engine, namespace: str, wanted: Sequence[NewReflection], model: str | None, at: int
) -> list[str]:
    """One transaction; returns the ids that were written. Left out is what no longer fits: sources that changed or
    that another reflection has, and everything when the store's vectors are of another model by now."""
    prepared = [(new, *_prepared(engine, new, at)) for new in wanted]

    def job(tx: Transaction) -> list[str]:
        if tx.meta("model") != model:
            return []
        ns = tx.state(namespace).ns
        note = Note(at, ns, engine.actor, SOURCE_TYPE)
        done = []
        for new, accepted, passages in prepared:
            if _fits(tx, note, new):
                _put(tx, note, new, accepted, passages)
                done.append(new.thought_id)
        maintain(tx.lexicon, ns)
        return done

    return engine.database.write(job)


def retire_reflections(engine: Engine, namespace: str, tids: Sequence[int], at: int) -> set[int]:
    """One transaction; returns the row ids of those that were found until now."""

    def job(tx: Transaction) -> set[int]:
        note = Note(at, tx.state(namespace).ns, engine.actor, SOURCE_TYPE)
        return {tid for tid in tids if not _rests(tx, tid) and retire(tx, note, tid)}

    return engine.database.write(job)


def _prepared(engine: Engine, new: NewReflection, at: int) -> tuple[Accepted, list[NewPassage]]:
    draft = Draft(
        content=new.document.to_json(),
        essence=new.essence,
        thought_id=new.thought_id,
        thought_type=ThoughtType.REFLECTION,
        content_type="json",
        source_type=SOURCE_TYPE,
        created_cycle=new.cycle or 0,
        occurred_at=new.occurred_at,
    )
    accepted = accept(draft, at)
    passages = passages_of(draft.content, draft.essence, None, engine.analyzer)
    return accepted, with_vectors(passages, [new.centroid])


def _fits(tx: Transaction, note: Note, new: NewReflection) -> bool:
    for tid, mark in new.marks.items():
        found = tx.version(tid)
        if found is None or text_mark(found[1].content_hash) != mark:
            return False
    for edge in _others(tx, new):
        if _is_ours(tx, edge.other) and (edge.other not in new.givers or _rests(tx, edge.other)):
            return False
    if new.tid is None:
        return not tx.tids_of(note.ns, [new.thought_id])
    return tx.version(new.tid) is not None and not _rests(tx, new.tid)


def _others(tx: Transaction, new: NewReflection) -> list[Relation]:
    """Edges to its sources from other reflections; of each, `tid` is the source and `other` the reflection."""
    edges = tx.relations(list(new.marks), [DERIVED], incoming=True, limit=ALL_EDGES)
    return [edge for edge in edges if edge.other != new.tid]


def _rests(tx: Transaction, tid: int) -> bool:
    found = tx.version(tid)
    return found is not None and found[1].lifecycle_status != STATUS_CODES[LifecycleStatus.ACTIVE]


def text_mark(content_hash: bytes) -> int:
    """The 64 bits by which the catalogue tells texts apart."""
    return int.from_bytes(content_hash[:8], "big", signed=True)


def _is_ours(tx: Transaction, tid: int) -> bool:
    found = tx.version(tid)
    return found is not None and read_reflection(found[1].content) is not None


def _put(tx: Transaction, note: Note, new: NewReflection, accepted: Accepted, passages: list[NewPassage]) -> None:
    for found in _others(tx, new):
        if found.other in new.givers:
            _take(tx, note, found.other, found.tid)
    tid = write_one(tx, note, accepted, passages) if new.tid is None else _rewrite(tx, note, new, accepted, passages)
    wanted = {*new.marks, *new.dormant}
    there = {edge.other for edge in tx.relations([tid], [DERIVED], incoming=False, limit=ALL_EDGES)}
    for source in sorted(there - wanted):
        _cut(tx, note, tid, source)
    for source in sorted(wanted - there):
        edge = NewEdge(note.ns, new_id(note.at), tid, source, DERIVED, 1.0, note.at, None, None, None, "{}")
        put_edge(tx, note, edge)
    refresh_reflection(tx, note, tid)


def _take(tx: Transaction, note: Note, giver: int, source: int) -> None:
    """The source leaves another reflection, which is stale if it still speaks of it, and retired without any other."""
    _cut(tx, note, giver, source)
    found = tx.version(giver)
    document = None if found is None else read_reflection(found[1].content)
    if document is not None:
        refresh_reflection(tx, note, giver, lost=tx.thought_ids([source])[source] in document.members)


def _cut(tx: Transaction, note: Note, reflection: int, source: int) -> None:
    tx.history.keep_edge(reflection, source, DERIVED, note.at)
    removed = tx.remove_edge(reflection, source, DERIVED)
    if removed is not None:
        write_note(tx, note, "edge.removed", removed, {})


def _rewrite(tx: Transaction, note: Note, new: NewReflection, accepted: Accepted, passages: list[NewPassage]) -> int:
    """A new revision; what people set on the reflection (priority, pin, labels, metadata) stays."""
    assert new.tid is not None
    found = tx.version(new.tid)
    assert found is not None
    revision, old = found
    version = old._replace(
        content=accepted.version.content,
        content_hash=accepted.version.content_hash,
        essence=accepted.version.essence,
        occurred_at=accepted.version.occurred_at,
        metadata=without_stale(old.metadata),
        updated_at=note.at,
        updated_cycle=old.updated_cycle if new.cycle is None else new.cycle,
    )
    seq = write_version(tx, note, "thought.updated", (new.tid, new.thought_id), revision + 1, version)
    tx.remove_passages(note.ns, new.tid, seq)
    tx.add_passages(note.ns, new.tid, seq, passages)
    return new.tid
