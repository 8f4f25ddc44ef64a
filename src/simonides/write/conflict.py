"""How is a disagreement proposed, and how is it decided? A proposal changes no ranking; a confirmed one is an edge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from simonides.backend.conflicts_port import ConflictRow, NewConflict
from simonides.backend.rows import NewEdge
from simonides.errors import InvalidQueryError, RevisionConflictError, ThoughtNotFoundError
from simonides.model.conflict import ConflictKind, ConflictStatus, Disagreement
from simonides.model.edge import EdgeType
from simonides.model.ids import new_id
from simonides.write.accept import read_enum
from simonides.write.journal import Note, write_note
from simonides.write.relate import check_succession, put_edge

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.engine import Engine

PROPOSED, CONFIRMED, REJECTED = (status.value for status in ConflictStatus)


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two thoughts by row id, their contents as they were compared, and what they disagree about."""

    older_tid: int
    newer_tid: int
    texts: bytes
    found: Disagreement


@dataclass(frozen=True, slots=True)
class Decision:
    """kind, newer: None leaves them as proposed. newer: id of the thought that holds now."""

    conflict_id: str
    status: ConflictStatus
    kind: ConflictKind | str | None = None
    newer: str | None = None
    reason: str | None = None


def texts_of(older: str, newer: str) -> bytes:
    """What a pair of contents is known by, whichever comes first."""
    digests = sorted(sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (older, newer))
    return sha256(b"".join(digests)).digest()[:16]


def evidence_of(found: Disagreement) -> str:
    values = {"slot": found.slot, "older": found.older, "newer": found.newer}
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def propose(engine: Engine, tx: Transaction, ns: int, proposals: Sequence[Proposal], scanned: Sequence[int]) -> Counts:
    """Writes proposals; those of scanned thoughts whose texts have changed since are withdrawn first.

    A pair that was decided stays decided, until one of its texts changes.
    """
    note = Note(engine.clock(), ns, engine.actor, "scan")
    tids = {*scanned, *(tid for p in proposals for tid in (p.older_tid, p.newer_tid))}
    texts = {s.tid: s.thought.content for s in tx.thoughts(ns, sorted(tids))}
    touching = tx.conflicts.touching(sorted(tids))
    missing = {tid for row in touching for tid in (row.older_tid, row.newer_tid)} - set(texts)
    texts |= {s.tid: s.thought.content for s in tx.thoughts(ns, sorted(missing))}
    known: dict[frozenset[int], ConflictRow] = {}
    withdrawn = 0
    for row in touching:
        if _current(row, texts) or row.status == CONFIRMED:
            known[frozenset((row.older_tid, row.newer_tid))] = row
            continue
        tx.conflicts.drop(row.cid)
        write_note(tx, note, "conflict.withdrawn", row.conflict_id, {})
        withdrawn += row.status == PROPOSED
    proposed = 0
    for proposal in proposals:
        pair = frozenset((proposal.older_tid, proposal.newer_tid))
        there = all(tid in texts for tid in pair)
        if pair in known or not there or texts_of(*(texts[tid] for tid in pair)) != proposal.texts:
            continue
        known[pair] = _put(tx, note, proposal)
        proposed += 1
    return Counts(proposed, withdrawn)


@dataclass(frozen=True, slots=True)
class Counts:
    """Conflicts proposed and withdrawn."""

    proposed: int
    withdrawn: int


def _current(row: ConflictRow, texts: dict[int, str]) -> bool:
    if row.older_tid not in texts or row.newer_tid not in texts:
        return True  # one of them has ended; it may come back
    return texts_of(texts[row.older_tid], texts[row.newer_tid]) == row.texts


def _put(tx: Transaction, note: Note, proposal: Proposal) -> ConflictRow:
    found = proposal.found
    new = NewConflict(
        note.ns, new_id(note.at), proposal.older_tid, proposal.newer_tid, found.kind.value, found.confidence,
        evidence_of(found), proposal.texts, note.at,
    )  # fmt: skip
    tx.conflicts.put(new)
    payload = {
        "older": new.older_tid,
        "newer": new.newer_tid,
        "kind": new.kind,
        "confidence": new.confidence,
        "evidence": new.evidence,
    }
    write_note(tx, note, "conflict.proposed", new.conflict_id, payload)
    row = tx.conflicts.get(note.ns, new.conflict_id)
    assert row is not None
    return row


def decide(engine: Engine, namespace: str, decision: Decision) -> str:
    """Confirms (and links) or rejects (and unlinks) a conflict; the same again changes nothing. Returns its id.

    Raises ThoughtNotFoundError for an unknown conflict or one whose thoughts have ended, RevisionConflictError when
    a text has changed since it was proposed, InvalidQueryError for a `newer` that is neither of the two.
    """
    at = engine.clock()

    def job(tx: Transaction) -> str:
        ns = tx.state(namespace).ns
        row = tx.conflicts.get(ns, decision.conflict_id)
        if row is None:
            raise ThoughtNotFoundError(f"no conflict {decision.conflict_id!r:.100} in namespace {namespace!r}")
        note = Note(at, ns, engine.actor, decision.reason)
        new = _decided(tx, note, row, decision)
        if (new.kind, new.status, new.newer_tid) == (row.kind, row.status, row.newer_tid):
            return row.conflict_id
        if row.status == CONFIRMED:
            _unlink(tx, note, row)
        if new.status == CONFIRMED:
            _link(tx, note, new)
        tx.conflicts.decide(new)
        payload = {"kind": new.kind, "older": new.older_tid, "newer": new.newer_tid}
        write_note(tx, note, f"conflict.{new.status}", new.conflict_id, payload)
        return new.conflict_id

    return engine.database.write(job)


def _decided(tx: Transaction, note: Note, row: ConflictRow, decision: Decision) -> ConflictRow:
    """The row as it is to be."""
    new = row._replace(status=decision.status.value, decided_at=note.at, decided_by=note.actor, reason=note.reason)
    if decision.status is not ConflictStatus.CONFIRMED:
        return new
    found = {s.tid: s.thought for s in tx.thoughts(note.ns, [row.older_tid, row.newer_tid])}
    if len(found) < 2:
        raise ThoughtNotFoundError(f"a memory of conflict {row.conflict_id!r} has ended")
    if row.status != CONFIRMED and not _current(row, {tid: thought.content for tid, thought in found.items()}):
        raise RevisionConflictError(
            f"a text of conflict {row.conflict_id!r} has changed since it was proposed", hint="scan again"
        )
    if decision.kind is not None:
        new = new._replace(kind=read_enum(ConflictKind, decision.kind, "kind").value)
    if decision.newer is not None:
        tids = {thought.thought_id: tid for tid, thought in found.items()}
        if decision.newer not in tids:
            raise InvalidQueryError(f"newer is {decision.newer!r:.100}; expected one of {', '.join(sorted(tids))}")
        newer = tids.pop(decision.newer)
        new = new._replace(older_tid=tids.popitem()[1], newer_tid=newer)
    return new


def _link(tx: Transaction, note: Note, row: ConflictRow) -> None:
    if row.kind == EdgeType.SUPERSEDES:
        check_succession(tx, row.newer_tid, row.older_tid)
    values = {"conflict": row.conflict_id, "confidence": row.confidence}
    metadata = json.dumps(values, separators=(",", ":"))  # as every metadata is written
    edge = NewEdge(
        note.ns, new_id(note.at), row.newer_tid, row.older_tid, EdgeType(row.kind).value, 1.0, note.at, None, None,
        "conflicts", metadata,
    )  # fmt: skip
    put_edge(tx, note, edge)


def _unlink(tx: Transaction, note: Note, row: ConflictRow) -> None:
    edge_id = tx.remove_edge(row.newer_tid, row.older_tid, EdgeType(row.kind).value)
    if edge_id is not None:
        write_note(tx, note, "edge.removed", edge_id, {})
