"""Which memories disagree, and what was decided about them? `store.conflicts`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from simonides.clock import to_datetime
from simonides.errors import InvalidQueryError, StoreReadOnlyError, ThoughtNotFoundError
from simonides.model.conflict import Conflict, ConflictKind, ConflictScan, ConflictStatus, Disagreement, Judge
from simonides.model.thought import LifecycleStatus, Thought
from simonides.write.conflict import Decision, decide, texts_of

if TYPE_CHECKING:
    from simonides.backend.conflicts_port import ConflictRow
    from simonides.backend.port import Snapshot
    from simonides.engine import Engine
    from simonides.upkeep.conflicts import Progress

CONFLICTS_PAGE = 10_000  # conflicts of one page, at most
READ = 500


class Conflicts:
    """Disagreements between memories of the handle's namespace, or of another one that is named.

    A scan proposes; nothing is ranked otherwise, hidden or merged until somebody confirms.
    """

    def __init__(self, engine: Engine, name: Callable[[str | None], str]) -> None:
        self._engine = engine
        self._name = name

    def scan(
        self,
        *,
        limit: int | None = None,
        judge: Judge | None = None,
        min_confidence: float | None = None,
        again: bool = False,
        namespace: str | None = None,
        progress: Progress | None = None,
    ) -> ConflictScan:
        """Compares memories written since the last scan with those near them, and proposes what disagrees.

        limit: memories looked at. judge: asked about every pair that is compared, with what the detectors found; what
        it returns counts. again: looks at all memories; what was decided stays. Reads and writes in batches; who was
        killed goes on. Raises StoreReadOnlyError, InvalidQueryError.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     for code in (4471, 4472):
        ...         _ = store.remember(f"Ana's locker code is {code}")
        ...     store.conflicts.scan().proposed, store.conflicts.list()[0].found.slot
        (1, 'number')
        """
        from simonides.upkeep.conflicts import rescan, rules_of, scan

        self._writing("looking for conflicts")
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
            raise InvalidQueryError(f"limit is {limit!r}; expected a whole number of at least 1")
        rules = replace(rules_of(self._engine), judge=judge)
        if min_confidence is not None:
            if isinstance(min_confidence, bool) or not isinstance(min_confidence, (int, float)):
                raise InvalidQueryError(f"min_confidence is {min_confidence!r}; expected 0..1")
            if not 0 <= min_confidence <= 1:
                raise InvalidQueryError(f"min_confidence is {min_confidence!r}; expected 0..1")
            rules = replace(rules, min_confidence=float(min_confidence))
        if again:
            rescan(self._engine, self._name(namespace))
        return scan(self._engine, self._name(namespace), rules, limit, progress)

    def list(
        self,
        status: ConflictStatus | str = ConflictStatus.PROPOSED,
        *,
        limit: int = 100,
        after: str | None = None,
        namespace: str | None = None,
    ) -> list[Conflict]:
        """Conflicts of one status in the order in which they were proposed.

        Proposals about archived or ended memories, or about a text that has changed, are left out. after: the
        conflict_id where the last page ended. Raises InvalidQueryError.
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= CONFLICTS_PAGE:
            raise InvalidQueryError(f"limit is {limit!r}; expected 1..{CONFLICTS_PAGE}")
        name, wanted = self._name(namespace), read_status(status)
        found: list[Conflict] = []
        with self._engine.database.snapshot() as snapshot:
            ns = snapshot.state(name).ns
            last = 0
            if after is not None:
                row = snapshot.conflicts.get(ns, after)
                if row is None:
                    raise InvalidQueryError(f"after names {after!r:.100}, which is no conflict here")
                last = row.cid
            while len(found) < limit and (rows := snapshot.conflicts.page(ns, wanted.value, last, READ)):
                last = rows[-1].cid
                found += [c for c in _told(snapshot, ns, name, rows) if c is not None and _shown(c)]
        return found[:limit]

    def get(self, conflict_id: str, *, namespace: str | None = None) -> Conflict:
        """One conflict. Raises ThoughtNotFoundError when there is none of that id, or a memory of it has ended."""
        name = self._name(namespace)
        with self._engine.database.snapshot() as snapshot:
            ns = snapshot.state(name).ns
            row = snapshot.conflicts.get(ns, conflict_id)
            told = None if row is None else _told(snapshot, ns, name, [row])[0]
        if told is None:
            raise ThoughtNotFoundError(f"no conflict {conflict_id!r:.100} in namespace {name!r}")
        return told

    def counts(self, *, namespace: str | None = None) -> dict[str, int]:
        """Status → number of conflicts."""
        with self._engine.database.snapshot() as snapshot:
            found = snapshot.conflicts.counts(snapshot.state(self._name(namespace)).ns)
        return {status.value: found.get(status.value, 0) for status in ConflictStatus}

    def confirm(
        self,
        conflict_id: str,
        *,
        kind: ConflictKind | str | None = None,
        newer: str | None = None,
        reason: str | None = None,
        namespace: str | None = None,
    ) -> Conflict:
        """Says that it is so: the newer memory is linked to the older one, SUPERSEDES or CONTRADICTS.

        kind: another kind than was proposed. newer: the id of the memory that holds, when it is the other one. The
        link shows beside hits and moves what `superseded=` says. Raises ThoughtNotFoundError, RevisionConflictError
        when a text has changed since, InvalidQueryError.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     old = store.remember("The launch is on 24 May")
        ...     new = store.remember("The launch is on 7 June")
        ...     _ = store.conflicts.scan()
        ...     _ = store.conflicts.confirm(store.conflicts.list()[0].conflict_id, kind="SUPERSEDES")
        ...     [hit.superseded_by == (new.thought_id,) for hit in store.recall("launch 24 May").hits]
        [True, False]
        """
        self._writing("confirming a conflict")
        decision = Decision(conflict_id, ConflictStatus.CONFIRMED, kind, newer, reason)
        return self._decide(decision, namespace)

    def reject(self, conflict_id: str, *, reason: str | None = None, namespace: str | None = None) -> Conflict:
        """Says that it is not so: no scan proposes this pair again, unless a text of it changes.

        A link that `confirm` made goes. Raises ThoughtNotFoundError.
        """
        self._writing("rejecting a conflict")
        return self._decide(Decision(conflict_id, ConflictStatus.REJECTED, reason=reason), namespace)

    def _decide(self, decision: Decision, namespace: str | None) -> Conflict:
        decide(self._engine, self._name(namespace), decision)
        return self.get(decision.conflict_id, namespace=namespace)

    def _writing(self, what: str) -> None:
        if self._engine.database.read_only:
            raise StoreReadOnlyError(f"{what} changes the store, which is open read-only", hint="open it for writing")


def read_status(value: ConflictStatus | str) -> ConflictStatus:
    try:
        return ConflictStatus(value.lower() if isinstance(value, str) else value)
    except ValueError:
        names = ", ".join(status.value for status in ConflictStatus)
        raise InvalidQueryError(f"status is {value!r:.80}; expected one of {names}") from None


def _told(snapshot: Snapshot, ns: int, namespace: str, rows: list[ConflictRow]) -> list[Conflict | None]:
    """Rows with their thoughts; None for one of which a thought has ended, or for a proposal about another text."""
    tids = sorted({tid for row in rows for tid in (row.older_tid, row.newer_tid)})
    thoughts = {s.tid: s.thought for s in snapshot.thoughts(ns, tids)}
    return [_one(namespace, row, thoughts.get(row.older_tid), thoughts.get(row.newer_tid)) for row in rows]


def _one(namespace: str, row: ConflictRow, older: Thought | None, newer: Thought | None) -> Conflict | None:
    if older is None or newer is None:
        return None
    status = ConflictStatus(row.status)
    if status is ConflictStatus.PROPOSED and texts_of(older.content, newer.content) != row.texts:
        return None
    told = json.loads(row.evidence)
    return Conflict(
        conflict_id=row.conflict_id,
        namespace=namespace,
        status=status,
        found=Disagreement(ConflictKind(row.kind), row.confidence, told["slot"], told["older"], told["newer"]),
        older=older,
        newer=newer,
        proposed_at=to_datetime(row.proposed_at),
        decided_at=None if row.decided_at is None else to_datetime(row.decided_at),
        decided_by=row.decided_by,
        reason=row.reason,
    )


def _shown(conflict: Conflict) -> bool:
    archived = LifecycleStatus.ARCHIVED in (conflict.older.lifecycle_status, conflict.newer.lifecycle_status)
    return conflict.status is not ConflictStatus.PROPOSED or not archived
