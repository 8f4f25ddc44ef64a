"""How does a stored thought change? A new revision, an archive, a restore, an end; history stays."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.backend.chain import content_hash
from simonides.backend.rows import PRIORITY_CODES, STATUS_CODES, STORED, TYPE_CODES, NewPassage, NewVersion
from simonides.clock import to_instant
from simonides.embedders.door import Unit, unit
from simonides.errors import InvalidThoughtError, RevisionConflictError, StoreBusyError, ThoughtNotFoundError
from simonides.model.reflection import read_reflection
from simonides.model.thought import LifecycleStatus, Priority, ThoughtType
from simonides.write import accept as check
from simonides.write.embed import Request, ask_for_vectors, embed, settle_model
from simonides.write.journal import Note, write_note, write_version

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.embedders.port import ModelInfo
    from simonides.engine import Engine

TRIES = 20
STALE = "stale"  # metadata of a reflection whose sources say something else by now
TOUCHING = frozenset({"content", "essence", "metadata", "priority", "lifecycle_status", "updated_cycle", "updated_at"})
Reader = Callable[[object], object]


@dataclass(frozen=True, slots=True)
class Revision:
    """What is to change. `values` holds only fields that were given; None in it clears a field."""

    thought_id: str
    values: Mapping[str, object]
    expected_revision: int | None = None
    reason: str | None = None
    kind: str = "thought.updated"

    @property
    def makes_passages(self) -> bool:
        """Whether passages and vectors may be made anew."""
        return not self.values.keys().isdisjoint(("content", "essence", "vector"))


def revise(engine: Engine, namespace: str, revision: Revision) -> int:
    """Writes a new revision unless nothing differs; returns the row id.

    `updated_at` moves with content, essence, metadata, priority and lifecycle. Raises ThoughtNotFoundError,
    RevisionConflictError, and InvalidThoughtError for a field that cannot be accepted.
    """
    vector = revision.values.get("vector")
    row = None if vector is None else unit(vector, revision.thought_id)
    changes = {name: _read(name, value) for name, value in revision.values.items() if name != "vector"}
    for _ in range(TRIES):
        tid, number, old, speaker = _current(engine, namespace, revision.thought_id)
        _expect(revision, number)
        new = _changed(old, changes, engine.clock())
        text_changed = (new.content, new.essence) != (old.content, old.essence)
        passages, model = None, None
        if text_changed or row is not None:
            passages, model = _passages(engine, Subject(revision.thought_id, speaker), new, row)
        derived = row is None and new.content == old.content and read_reflection(new.content) is not None
        plan = _Plan(tid, number, old, new, passages, model, derived)
        if engine.database.write(lambda tx, plan=plan: _write(engine, tx, namespace, revision, plan)):  # type: ignore[misc]  # mypy cannot type a lambda's default
            return tid
    raise StoreBusyError(f"thought {revision.thought_id!r} kept changing under {TRIES} attempts", hint="try again")


@dataclass(frozen=True, slots=True)
class _Plan:
    """derived: the vector is that of a reflection's sources, whatever is written on it."""

    tid: int
    number: int
    old: NewVersion
    new: NewVersion
    passages: list[NewPassage] | None
    model: ModelInfo | None
    derived: bool


def _write(engine: Engine, tx: Transaction, namespace: str, revision: Revision, plan: _Plan) -> bool:
    """False when somebody else wrote a revision, or changed the store's model, in between."""
    ns = tx.state(namespace).ns
    current = tx.version(plan.tid)
    if current is None or current[0] != plan.number or engine.model(tx) not in (None, plan.model or engine.model(tx)):
        return False
    if plan.new == plan.old and plan.passages is None:
        return True
    note = Note(engine.clock(), ns, engine.actor, revision.reason)
    subject = (plan.tid, revision.thought_id)
    seq = write_version(tx, note, revision.kind, subject, plan.number + 1, plan.new)
    if plan.passages is not None:
        from simonides.index.segments import maintain

        settle_model(engine, tx, plan.model)
        passages = _with_centroid(tx, plan.tid, plan.passages) if plan.derived else plan.passages
        tx.remove_passages(ns, plan.tid, seq)
        tx.add_passages(ns, plan.tid, seq, passages)
        maintain(tx.lexicon, ns)
        ask_for_vectors(tx, namespace, passages, note.at)
        if plan.new.content != plan.old.content:
            tx.move_dedup(ns, plan.tid, plan.new.content_hash)
    if (plan.new.lifecycle_status, plan.new.content) != (plan.old.lifecycle_status, plan.old.content):
        refresh_reflections(tx, note, plan.tid, stale=True)
    return True


def _with_centroid(tx: Transaction, tid: int, passages: list[NewPassage]) -> list[NewPassage]:
    """The vector that is there stays with the first passage."""
    old = tx.vector_of(tid)
    return passages if old is None else [passages[0]._replace(embedding=STORED, vector=old), *passages[1:]]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose passages are made anew."""

    thought_id: str
    speaker: str | None


def _current(engine: Engine, namespace: str, thought_id: str) -> tuple[int, int, NewVersion, str | None]:
    """(row id, revision, fields, speaker) read in a snapshot of its own, so that embedding can happen outside."""

    with engine.database.snapshot() as snapshot:
        ns = snapshot.state(namespace).ns
        tid = snapshot.tids_of(ns, [thought_id]).get(thought_id)
        found = None if tid is None else snapshot.version(tid)
        speaker = None if tid is None else next((s.thought.speaker for s in snapshot.thoughts(ns, [tid])), None)
    if tid is None or found is None:
        raise not_found(thought_id, namespace)
    return tid, found[0], found[1], speaker


def not_found(thought_id: str, namespace: str) -> ThoughtNotFoundError:
    return ThoughtNotFoundError(f"no thought {thought_id!r} in namespace {namespace!r}")


def _expect(revision: Revision, number: int) -> None:
    expected = revision.expected_revision
    if expected is not None and expected != number:
        raise RevisionConflictError(
            f"thought {revision.thought_id!r} is at revision {number}, expected {expected}", hint="read it again"
        )


def _changed(old: NewVersion, changes: Mapping[str, object], now: int) -> NewVersion:
    values = dict(changes)
    if "content" in values:
        content = values["content"]
        assert isinstance(content, str)
        values["content_hash"] = content_hash(content)
    new = old._replace(**values)  # type: ignore[arg-type]  # _read gave each value the type of its field
    if new == old:
        return old
    check.check_validity(new.valid_from, new.valid_until)
    touched = any(getattr(new, name) != getattr(old, name) for name in TOUCHING)
    return new._replace(updated_at=now) if touched and "updated_at" not in values else new


def _passages(
    engine: Engine, subject: Subject, version: NewVersion, row: Unit | None
) -> tuple[list[NewPassage], ModelInfo | None]:
    from simonides.index.passages import passages_of

    parts = passages_of(version.content, version.essence, subject.speaker, engine.analyzer)
    embedded = embed(engine, [Request(subject.thought_id, version.content, parts, row)])
    return embedded.passages[0], embedded.model


def delete(engine: Engine, namespace: str, thought_id: str, reason: str | None) -> None:
    """Ends a thought: out of every index and listing at once, its edges with it; its history stays until erased."""
    at = engine.clock()

    def job(tx: Transaction) -> None:
        ns = tx.state(namespace).ns
        tid = tx.tids_of(ns, [thought_id]).get(thought_id)
        if tid is None:
            raise not_found(thought_id, namespace)
        note = Note(at, ns, engine.actor, reason)
        reflections = [found[0] for found in tx.sources_state(tid)]
        tx.history.keep_edges(tid, at)
        tx.history.keep_labels(ns, tid, at)
        for edge_id in tx.remove_edges(tid):
            write_note(tx, note, "edge.removed", edge_id, {})
        seq = write_note(tx, note, "thought.deleted", thought_id, {})
        tx.close_version(tid, at)
        tx.remove_passages(ns, tid, seq)
        tx.set_dedup(tid, None)
        tx.set_labels(ns, tid, {})
        for reflection in reflections:
            _refresh(tx, note, reflection, tx.sources_of(reflection), had_sources=True, stale=True)

    engine.database.write(job)


def refresh_reflections(tx: Transaction, note: Note, tid: int, *, stale: bool = False) -> None:
    """A reflection is retired when it has sources and none is ACTIVE any more; it comes back with one of them.

    stale: what the thought says is not what reflections on it say.
    """
    for reflection, total, active in tx.sources_state(tid):
        _refresh(tx, note, reflection, (total, active), stale=stale)


def refresh_reflection(tx: Transaction, note: Note, reflection: int, *, lost: bool = False) -> None:
    """The same for one reflection, after its edges changed. lost: one of those whose words it has went elsewhere."""
    _refresh(tx, note, reflection, tx.sources_of(reflection), had_sources=lost, stale=lost)


def retire(tx: Transaction, note: Note, reflection: int) -> bool:
    """Nothing finds it until it is written again; False when nothing did before."""
    before = tx.version(reflection)
    _refresh(tx, note, reflection, (0, 0), had_sources=True)
    return tx.version(reflection) != before


def without_stale(metadata: str) -> str:
    """Metadata of a reflection that says what its sources say."""
    values = json.loads(metadata)
    return metadata if values.pop(STALE, None) is None else check.metadata_json(values, "metadata") or "{}"


def _refresh(
    tx: Transaction,
    note: Note,
    tid: int,
    sources: tuple[int, int],
    *,
    had_sources: bool = False,
    stale: bool = False,
) -> None:
    """sources: how many there are, and how many of them are ACTIVE."""
    total, active = sources
    found = tx.version(tid)
    if found is None:
        return
    number, version = found
    if version.thought_type != TYPE_CODES[ThoughtType.REFLECTION]:
        return
    retired = int((total > 0 or had_sources) and active == 0)
    new = version._replace(retired=retired)
    if stale and read_reflection(version.content) is not None:  # what people wrote themselves is theirs to judge
        new = new._replace(
            metadata=check.metadata_json({**json.loads(version.metadata), STALE: True}, "metadata") or "{}"
        )
    if new == version:
        return
    kind = "thought.stale" if retired == version.retired else "thought.retired" if retired else "thought.revived"
    write_version(tx, note, kind, (tid, tx.thought_ids([tid])[tid]), number + 1, new)


def _read(name: str, value: object) -> object:
    reader = _READERS.get(name)
    if reader is None:
        raise InvalidThoughtError(f"{name} cannot be changed", hint=f"one of {', '.join(sorted(_READERS))}")
    return reader(value)


def _when(name: str) -> Reader:
    def read(value: object) -> int | None:
        try:
            return None if value is None else to_instant(value)  # type: ignore[arg-type]  # others raise
        except (ValueError, TypeError, OverflowError, AttributeError) as error:
            raise InvalidThoughtError(f"{name} is {value!r:.80}, not an instant: {error}") from None

    return read


def _updated_at(value: object) -> int:
    moment = _when("updated_at")(value)
    if not isinstance(moment, int):
        raise InvalidThoughtError("updated_at is None; a thought always has one", hint="leave it out to keep it")
    return moment


def _text(name: str) -> Reader:
    return lambda value: None if value is None else check.check_name(value, name)


_READERS: dict[str, Reader] = {
    "content": check.check_content,
    "essence": check.check_essence,
    "metadata": lambda v: check.metadata_json(v, "metadata") or "{}",  # type: ignore[arg-type]  # others raise
    "provenance": lambda v: check.metadata_json(v, "provenance"),  # type: ignore[arg-type]  # others raise
    "thought_type": lambda v: TYPE_CODES[check.read_enum(ThoughtType, v, "thought_type")],
    "priority": lambda v: PRIORITY_CODES[check.read_enum(Priority, v, "priority")],
    "lifecycle_status": lambda v: STATUS_CODES[check.read_enum(LifecycleStatus, v, "lifecycle_status")],
    "content_type": lambda v: check.check_name(v, "content_type"),
    "confidence": lambda v: check.check_share(v, "confidence"),
    "pinned": lambda v: check.check_flag(v, "pinned"),
    "updated_cycle": lambda v: check.check_cycle(v, "updated_cycle"),
    "updated_at": _updated_at,
    **{name: _text(name) for name in ("source", "source_type", "visibility")},
    **{name: _when(name) for name in ("occurred_at", "expires_at", "valid_from", "valid_until")},
}
