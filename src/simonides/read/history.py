"""What happened to a thought, by whom and why, and what do two of its revisions differ in?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simonides.clock import to_datetime
from simonides.errors import InvalidQueryError, ThoughtNotFoundError
from simonides.model.history import FieldChange, HistoryEntry, RevisionDiff

if TYPE_CHECKING:
    from simonides.backend.history_port import Event, StoredRevision
    from simonides.engine import Engine
    from simonides.model.thought import Thought

LEFT_OUT = frozenset({
    "thought_id", "namespace", "revision", "content_hash", "embedding", "created_at", "updated_at", "created_cycle",
    "access_count", "confirmation_count", "last_accessed_at", "session", "position",
})  # fmt: skip


def history(engine: Engine, namespace: str, thought_id: str) -> list[HistoryEntry]:
    """By seq, oldest first. Raises ThoughtNotFoundError."""
    with engine.database.snapshot() as snapshot:
        ns = snapshot.state(namespace).ns
        tids = snapshot.erasure.of_ids(ns, [thought_id])  # ended thoughts included
        revisions = snapshot.history.revisions(ns, tids[0]) if tids else []
        events = [event for event in snapshot.history.events(ns, thought_id) if event.kind.startswith("thought.")]
    if not revisions and not events:
        raise ThoughtNotFoundError(f"no thought {thought_id!r} in namespace {namespace!r}")
    return sorted([*map(_revised, revisions), *map(_happened, events)], key=lambda entry: entry.seq)


def _revised(row: StoredRevision) -> HistoryEntry:
    until = None if row.recorded_to is None else to_datetime(row.recorded_to)
    at = to_datetime(row.recorded_from)
    return HistoryEntry(row.seq, at, row.actor, row.reason, row.kind, row.revision, until, row.thought)


def _happened(event: Event) -> HistoryEntry:
    at = to_datetime(event.at)
    return HistoryEntry(event.seq, at, event.actor, event.reason, event.kind, None, None, None)


def diff(engine: Engine, namespace: str, thought_id: str, before: int | None, after: int | None) -> RevisionDiff:
    """Field by field. Raises ThoughtNotFoundError, InvalidQueryError."""
    entries = history(engine, namespace, thought_id)
    known = {entry.revision: entry.thought for entry in entries if entry.revision is not None and entry.thought}
    if not known:
        raise ThoughtNotFoundError(f"no revision of {thought_id!r} is left", hint="it was erased")
    numbers = sorted(number for number in known if number is not None)
    last = numbers[-1] if after is None else after
    first = max((n for n in numbers if n < last), default=last) if before is None else before
    for name, number in (("before", first), ("after", last)):
        if number not in known:
            raise InvalidQueryError(f"{name} is {number!r}; {thought_id!r} has the revisions {_ranges(numbers)}")
    return RevisionDiff(thought_id, first, last, _changes(known[first], known[last]))


def _changes(old: Thought, new: Thought) -> tuple[FieldChange, ...]:
    was, becomes = old.to_dict(), new.to_dict()
    return tuple(
        FieldChange(name, was[name], becomes[name])
        for name in was
        if name not in LEFT_OUT and was[name] != becomes[name]
    )


def _ranges(numbers: list[int]) -> str:
    return f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
