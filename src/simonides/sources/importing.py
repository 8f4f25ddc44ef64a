"""How does a source get into a store, so that doing it twice adds nothing and a bad record costs only itself?"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from simonides.errors import (
    ConfigError,
    InvalidThoughtError,
    InvalidVectorError,
    ModelMismatchError,
    ThoughtNotFoundError,
)
from simonides.sources.limits import PROBLEMS_KEPT_MAX, RECORDS_MAX
from simonides.sources.read import read_records
from simonides.sources.record import Problem, Record, SourceKind

if TYPE_CHECKING:
    from simonides.model.thought import Draft, Json, Thought
    from simonides.store import Store

Progress = Callable[[int], None]
_OF_ONE_RECORD = (InvalidThoughtError, InvalidVectorError, ModelMismatchError, ThoughtNotFoundError)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. Records that were read = added + updated + skipped + left out.

    `skipped`: the store had them already, as they are. `left_out`: each has a problem with `kept=False`.
    `problems` holds the first PROBLEMS_KEPT_MAX; `problem_count` counts all, also those of records that were kept.
    """

    added: int
    updated: int
    skipped: int
    left_out: int
    problem_count: int
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was left out."""
        return self.left_out == 0

    def to_dict(self) -> dict[str, Json]:
        """JSON values."""
        return {
            "added": self.added,
            "updated": self.updated,
            "skipped": self.skipped,
            "left_out": self.left_out,
            "problem_count": self.problem_count,
            "problems": [
                {"file": p.place.file, "position": p.place.position, "message": p.message, "kept": p.kept}
                for p in self.problems
            ],
        }


def import_into(
    store: Store,
    path: str | os.PathLike[str],
    *,
    kind: SourceKind | str | None = None,
    source: str | None = None,
    batch: int = 1_000,
    progress: Progress | None = None,
) -> ImportReport:
    """Remember everything a file or folder holds, in the namespace of the handle.

    A record whose id the store has is left alone when its text, essence and metadata are the same; otherwise the
    thought gets a new revision (what the store's metadata has besides stays). What somebody deleted comes back.
    batch: records that are looked up and written together. progress: told how many records were read.
    Raises as `read_source`, and StoreError; what was written until then stays, and running it again goes on.
    """
    if batch < 1:
        raise ConfigError(f"batch is {batch}; expected at least 1")
    tally = _Tally()
    found = _within_limit(read_records(path, kind=kind, source=source))
    while chunk := list(islice(found, batch)):
        records = []
        for item in chunk:
            if isinstance(item, Problem):
                tally.note(item)
            else:
                records.append(item)
        _take_in(store, records, tally)
        tally.read += len(records)
        if progress is not None:
            progress(tally.read)
    return tally.report()


@dataclass(slots=True)
class _Tally:
    """The counts while an import runs, and a digest of every id's text to notice ids that come twice."""

    read: int = 0
    added: int = 0
    updated: int = 0
    skipped: int = 0
    left_out: int = 0
    problem_count: int = 0
    problems: list[Problem] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)

    def note(self, problem: Problem) -> None:
        self.problem_count += 1
        self.left_out += not problem.kept
        if len(self.problems) < PROBLEMS_KEPT_MAX:
            self.problems.append(problem)

    def report(self) -> ImportReport:
        return ImportReport(
            self.added, self.updated, self.skipped, self.left_out, self.problem_count, tuple(self.problems)
        )


def _within_limit(found: Iterator[Record | Problem]) -> Iterator[Record | Problem]:
    for number, item in enumerate(found):
        if number == RECORDS_MAX:
            yield Problem(item.place, f"this is record {RECORDS_MAX + 1:,}; the rest was not read")
            return
        yield item


def _take_in(store: Store, records: Sequence[Record], tally: _Tally) -> None:
    """Sort a batch into new, changed and known records and write it."""
    known = {thought.thought_id: thought for thought in store.get_thoughts([_id(record) for record in records])}
    new: list[Record] = []
    for record in records:
        digest = _digest(record.draft)
        before = tally.seen.get(_id(record))
        tally.seen.setdefault(_id(record), digest)
        if before is not None:
            if before == digest:
                tally.skipped += 1
            else:
                tally.note(Problem(record.place, f"the id {_id(record)!r:.80} came before with another text"))
        elif _id(record) in known:
            _revise(store, record, known[_id(record)], tally)
        else:
            new.append(record)
    _remember(store, new, tally)


def _id(record: Record) -> str:
    assert record.draft.thought_id is not None, "readers give every draft an id"
    return record.draft.thought_id


def _digest(draft: Draft) -> int:
    return hash((draft.content, draft.essence, json.dumps(draft.metadata, sort_keys=True)))


def _revise(store: Store, record: Record, stored: Thought, tally: _Tally) -> None:
    """Write what differs from the stored thought; keys that only the store's metadata has stay."""
    draft = record.draft
    essence = stored.essence if draft.essence is None else draft.essence
    metadata = {**stored.metadata, **(draft.metadata or {})}
    if (draft.content, essence, metadata) == (stored.content, stored.essence, stored.metadata):
        tally.skipped += 1
        return
    try:
        store.update_thought(stored.thought_id, content=draft.content, essence=essence, metadata=metadata)
        tally.updated += 1
    except _OF_ONE_RECORD as error:
        tally.note(Problem(record.place, error.message))


def _remember(store: Store, records: Sequence[Record], tally: _Tally) -> None:
    """Write new records; when one of them is refused, halve until it stands alone."""
    if not records:
        return
    try:
        store.remember_many([record.draft for record in records])
    except _OF_ONE_RECORD as error:
        if len(records) == 1:
            tally.note(Problem(records[0].place, error.message))
            return
        middle = len(records) // 2
        _remember(store, records[:middle], tally)
        _remember(store, records[middle:], tally)
        return
    tally.added += len(records)
