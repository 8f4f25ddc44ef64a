"""How are two thoughts connected, or taken apart?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.backend.rows import NewEdge
from simonides.errors import InvalidThoughtError, ThoughtNotFoundError
from simonides.model.edge import Edge, EdgeType
from simonides.model.ids import new_id
from simonides.write.accept import check_optional, check_share, check_validity, metadata_json, read_enum
from simonides.write.journal import Note, write_note

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.engine import Engine

CHAIN_MAX = 10_000  # thoughts followed to look for a circle of SUPERSEDES


@dataclass(frozen=True, slots=True)
class Link:
    """An edge to be: public ids of both ends, and what it is."""

    from_id: str
    to_id: str
    edge_type: EdgeType | str = EdgeType.ASSOCIATED
    weight: float = 1.0
    valid_from: int | None = None
    valid_until: int | None = None
    source: str | None = None
    metadata: Mapping[str, object] | None = None


def link(engine: Engine, namespace: str, wanted: Link, reason: str | None) -> Edge:
    """Writes an edge inside a namespace; the same ends and type again change it.

    Raises ThoughtNotFoundError when an end is not in the namespace, InvalidThoughtError for a bad weight or type.
    """
    edge_type = read_enum(EdgeType, wanted.edge_type, "edge_type")
    weight = check_share(wanted.weight, "weight")
    if weight is None:
        raise InvalidThoughtError("weight is None; expected a number from 0 to 1")
    metadata = metadata_json(wanted.metadata, "metadata") or "{}"
    source = check_optional(wanted.source, "source")
    check_validity(wanted.valid_from, wanted.valid_until)
    at = engine.clock()

    def job(tx: Transaction) -> Edge:
        ns = tx.state(namespace).ns
        tids = tx.tids_of(ns, [wanted.from_id, wanted.to_id])
        ends = [_end(tids, thought_id, namespace) for thought_id in (wanted.from_id, wanted.to_id)]
        if edge_type is EdgeType.SUPERSEDES:
            check_succession(tx, ends[0], ends[1])
        note = Note(at, ns, engine.actor, reason)
        edge = NewEdge(
            ns, new_id(at), ends[0], ends[1], edge_type.value, weight, at,
            wanted.valid_from, wanted.valid_until, source, metadata,
        )  # fmt: skip
        edge_id = put_edge(tx, note, edge)
        if edge_type is EdgeType.CONSOLIDATED_FROM:
            from simonides.write.revise import refresh_reflections

            refresh_reflections(tx, note, ends[1])
        return tx.edge(ns, edge_id)

    return engine.database.write(job)


def check_succession(tx: Transaction, newer: int, older: int) -> None:
    """Raises InvalidThoughtError when the older one already replaces the newer one, directly or through others."""
    if newer != older and not tx.relations([newer], [EdgeType.SUPERSEDES.value], incoming=True, limit=1):
        return  # nothing replaces the newer one: no way leads there
    seen, front = {older}, [older]
    while front and newer not in seen and len(seen) < CHAIN_MAX:
        found = tx.relations(front, [EdgeType.SUPERSEDES.value], incoming=False, limit=CHAIN_MAX)
        front = [row.other for row in found if row.other not in seen]
        seen.update(front)
    if newer in seen:
        names = tx.thought_ids([newer, older])
        raise InvalidThoughtError(
            f"{names[newer]!r} cannot supersede {names[older]!r}: that would be a circle",
            hint="unlink what is wrong first",
        )


def put_edge(tx: Transaction, note: Note, edge: NewEdge) -> str:
    """Writes an edge and its journal entry; returns the edge's id."""
    edge_id = tx.put_edge(edge)
    write_note(tx, note, "edge.written", edge_id, edge_payload(edge))
    return edge_id


def edge_payload(edge: NewEdge) -> dict[str, object]:
    """What the digest of an edge covers."""
    return {
        "from": edge.from_tid,
        "to": edge.to_tid,
        "type": edge.edge_type,
        "weight": edge.weight,
        "valid_from": edge.valid_from,
        "valid_until": edge.valid_until,
        "source": edge.source,
        "metadata": edge.metadata,
    }


def edge_between(note: Note, from_tid: int, to_tid: int, edge_type: EdgeType) -> NewEdge:
    """An edge as a change brings it along."""
    return NewEdge(note.ns, new_id(note.at), from_tid, to_tid, edge_type.value, 1.0, note.at, None, None, None, "{}")


def unlink(engine: Engine, namespace: str, from_id: str, to_id: str, kind: EdgeType | str, reason: str | None) -> bool:
    """Removes an edge; False when there was none."""
    edge_type = read_enum(EdgeType, kind, "edge_type")
    at = engine.clock()

    def job(tx: Transaction) -> bool:
        ns = tx.state(namespace).ns
        tids = tx.tids_of(ns, [from_id, to_id])
        if from_id not in tids or to_id not in tids:
            return False
        tx.history.keep_edge(tids[from_id], tids[to_id], edge_type.value, at)
        edge_id = tx.remove_edge(tids[from_id], tids[to_id], edge_type.value)
        if edge_id is None:
            return False
        note = Note(at, ns, engine.actor, reason)
        write_note(tx, note, "edge.removed", edge_id, {})
        if edge_type is EdgeType.CONSOLIDATED_FROM:
            from simonides.write.revise import refresh_reflection

            refresh_reflection(tx, note, tids[from_id])
        return True

    return engine.database.write(job)


def _end(tids: Mapping[str, int], thought_id: str, namespace: str) -> int:
    tid = tids.get(thought_id)
    if tid is None:
        raise ThoughtNotFoundError(
            f"no thought {thought_id!r} in namespace {namespace!r}", hint="edges stay inside one namespace"
        )
    return tid
