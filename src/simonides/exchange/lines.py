"""What does each line of an export say? Values of the store as JSON and back; docs/operations.md lists the kinds.

Instants are microseconds since 1970-01-01T00:00:00Z, bytes hexadecimal, vectors base64 of little-endian float32.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from simonides.backend.exchange_port import (
    Space,
    StoredAlias,
    StoredConflict,
    StoredEdge,
    StoredPassage,
    StoredPast,
    StoredPastEdge,
    StoredSession,
    StoredTopic,
    StoredVersion,
    WholeThought,
)
from simonides.backend.journal_port import KeptRow, StoredSeal
from simonides.backend.rows import (
    NO_VECTOR,
    PENDING,
    PRIORITIES,
    PRIORITY_CODES,
    STATUS_CODES,
    STATUSES,
    STORED,
    TYPE_CODES,
    TYPES,
    JournalRow,
    NewVersion,
)
from simonides.model.conflict import ConflictKind, ConflictStatus
from simonides.model.thought import LifecycleStatus, Priority, ThoughtType

FORMAT = "simonides-export"
FORMAT_VERSION = 1
_EMBEDDINGS = {NO_VECTOR: "none", PENDING: "pending", STORED: "present"}
_EMBEDDING_CODES = {name: code for code, name in _EMBEDDINGS.items()}
Line = Mapping[str, Any]  # any: it was read from a file that anybody may have written


def to_text(kind: str, values: Mapping[str, object]) -> str:
    """One line. Everything beyond ASCII is escaped, so no reader splits it at U+2028 or chokes on an encoding."""
    return json.dumps({"record": kind, **values}, separators=(",", ":"), allow_nan=False)


def space_line(space: Space) -> str:
    return to_text("namespace", {"ns": space.ns, "name": space.name, "created_at": space.created_at})


def read_space(line: Line) -> Space:
    return Space(_whole(line["ns"]), _text(line["name"]), _whole(line["created_at"]), 0)


def journal_line(row: JournalRow) -> str:
    values = {**row._asdict(), "digest": row.digest.hex(), "hash": row.hash.hex()}
    del values["namespace"]
    return to_text("journal", values)


def read_journal(line: Line) -> JournalRow:
    values = {name: line[name] for name in JournalRow._fields if name != "namespace"}
    values |= {name: bytes.fromhex(line[name]) for name in ("digest", "hash")}
    return JournalRow(namespace="", **values)


def seal_line(seal: StoredSeal) -> str:
    values = {**seal._asdict(), "hash": seal.hash.hex(), "kept": None if seal.kept is None else seal.kept.hex()}
    return to_text("seal", values)


def read_seal(line: Line) -> StoredSeal:
    kept = None if line["kept"] is None else bytes.fromhex(line["kept"])
    first, last, at, pruned = (_whole(line[name]) for name in ("first_seq", "last_seq", "last_at", "pruned"))
    return StoredSeal(first, last, at, bytes.fromhex(line["hash"]), pruned, kept)


def kept_line(row: KeptRow) -> str:
    return to_text("kept", {**row._asdict(), "digest": row.digest.hex()})


def read_kept(line: Line) -> KeptRow:
    return KeptRow(**{n: line[n] for n in KeptRow._fields if n != "digest"}, digest=bytes.fromhex(line["digest"]))


def thought_line(namespace: str, thought: WholeThought) -> str:
    values = {name: getattr(thought, name) for name in WholeThought._fields[2:12]}
    values["dedup"] = None if thought.dedup is None else thought.dedup.hex()
    values["concepts"] = list(thought.labels.get("concept", ()))
    values["topics"] = list(thought.labels.get("topic", ()))
    values["versions"] = [_version_out(stored) for stored in thought.versions]
    values["passages"] = [_passage_out(passage) for passage in thought.passages]
    if thought.past:
        values["past"] = [_past_out(passage) for passage in thought.past]
    if thought.past_labels:
        values["past_labels"] = [list(one) for one in thought.past_labels]
    return to_text("thought", {"namespace": namespace, **values})


def read_thought(line: Line) -> WholeThought:
    """Raises KeyError, TypeError or ValueError for what is not such a line."""
    dedup = line["dedup"]
    return WholeThought(
        tid=0,
        ns=0,
        thought_id=_text(line["thought_id"]),
        created_at=_whole(line["created_at"]),
        created_cycle=_whole(line["created_cycle"]),
        session=_optional(line["session"]),
        position=None if line["position"] is None else _whole(line["position"]),
        speaker=_optional(line["speaker"]),
        dedup=None if dedup is None else bytes.fromhex(dedup),
        access_count=_whole(line["access_count"]),
        confirmation_count=_whole(line["confirmation_count"]),
        last_accessed_at=None if line["last_accessed_at"] is None else _whole(line["last_accessed_at"]),
        labels={"concept": [*map(_text, line["concepts"])], "topic": [*map(_text, line["topics"])]},
        versions=tuple(_version_in(value) for value in line["versions"]),
        passages=tuple(_passage_in(value) for value in line["passages"]),
        past=tuple(_past_in(value) for value in line.get("past", ())),
        past_labels=tuple((_whole(until), _text(kind), _text(label)) for until, kind, label in _past_labels(line)),
    )


def _past_labels(line: Line) -> Sequence[Sequence[object]]:
    found: Sequence[Sequence[object]] = line.get("past_labels", ())
    return found


def _past_out(passage: StoredPast) -> dict[str, object]:
    values = {name: getattr(passage, name) for name in ("until", "part", "start", "stop")}
    return values if passage.vector is None else {**values, "vector": base64.b64encode(passage.vector).decode()}


def _past_in(value: Line) -> StoredPast:
    vector = base64.b64decode(value["vector"], validate=True) if "vector" in value else None
    until, part, start, stop = (_whole(value[name]) for name in ("until", "part", "start", "stop"))
    return StoredPast(until, part, start, stop, vector)


def session_line(namespace: str, session: StoredSession) -> str:
    values = {"name": session.name, "turns": session.turns, "last": session.last}
    return to_text("session", {"namespace": namespace, **values})


def read_session(line: Line) -> StoredSession:
    return StoredSession(0, _text(line["name"]), _whole(line["turns"]), _optional(line["last"]))


def alias_line(namespace: str, alias: StoredAlias) -> str:
    return to_text("alias", {"namespace": namespace, "alias": alias.alias, "concept": alias.concept})


def read_alias(line: Line) -> StoredAlias:
    return StoredAlias(0, _text(line["alias"]), _text(line["concept"]))


def topic_line(namespace: str, topic: StoredTopic) -> str:
    values = {"key": topic.key, "title": topic.title, "created_at": topic.created_at}
    return to_text("topic", {"namespace": namespace, **values})


def read_topic(line: Line) -> StoredTopic:
    return StoredTopic(0, _text(line["key"]), _optional(line["title"]), _whole(line["created_at"]))


def edge_line(namespace: str, edge: StoredEdge) -> str:
    values = {name: getattr(edge, name) for name in StoredEdge._fields[2:]}
    return to_text("edge", {"namespace": namespace, **values, "metadata": json.loads(edge.metadata)})


def read_edge(line: Line) -> StoredEdge:
    values = {name: line[name] for name in StoredEdge._fields[2:-1]}
    return StoredEdge(eid=0, ns=0, **values, metadata=_compact(line["metadata"]))


def past_edge_line(namespace: str, past: StoredPastEdge) -> str:
    values = {name: getattr(past.edge, name) for name in StoredEdge._fields[2:]}
    values["metadata"] = json.loads(past.edge.metadata)
    return to_text("past_edge", {"namespace": namespace, "until": past.until, **values})


def read_past_edge(line: Line) -> StoredPastEdge:
    return StoredPastEdge(_whole(line["until"]), read_edge(line))


def conflict_line(namespace: str, conflict: StoredConflict) -> str:
    values = {name: getattr(conflict, name) for name in StoredConflict._fields[2:]}
    values |= {"evidence": json.loads(conflict.evidence), "texts": conflict.texts.hex()}
    return to_text("conflict", {"namespace": namespace, **values})


def read_conflict(line: Line) -> StoredConflict:
    values = {name: line[name] for name in StoredConflict._fields[2:]}
    values |= {"evidence": _compact(line["evidence"]), "texts": bytes.fromhex(line["texts"])}
    told = line["evidence"]
    if not all(isinstance(told.get(name), str) for name in ("slot", "older", "newer")):
        raise ValueError("a conflict whose evidence is not slot, older and newer")
    ConflictKind(line["kind"]), ConflictStatus(line["status"])
    return StoredConflict(cid=0, ns=0, **values)


def _version_out(stored: StoredVersion) -> dict[str, object]:
    version = stored.version
    fields = {name: getattr(version, name) for name in NewVersion._fields}
    fields["thought_type"] = TYPES[version.thought_type].value
    fields["priority"] = PRIORITIES[version.priority].value
    fields["lifecycle_status"] = STATUSES[version.lifecycle_status].value
    fields["metadata"] = json.loads(version.metadata)
    fields["provenance"] = None if version.provenance is None else json.loads(version.provenance)
    fields["content_hash"] = version.content_hash.hex()
    times = {name: getattr(stored, name) for name in ("revision", "seq", "recorded_from", "recorded_to")}
    return {**times, "salt": stored.salt.hex(), **fields}


def _version_in(value: Line) -> StoredVersion:
    fields = {name: value[name] for name in NewVersion._fields}
    fields["content"] = _text(value["content"])
    fields["thought_type"] = TYPE_CODES[ThoughtType(value["thought_type"])]
    fields["priority"] = PRIORITY_CODES[Priority(value["priority"])]
    fields["lifecycle_status"] = STATUS_CODES[LifecycleStatus(value["lifecycle_status"])]
    fields["metadata"] = _compact(value["metadata"])
    fields["provenance"] = None if value["provenance"] is None else _compact(value["provenance"])
    fields["content_hash"] = bytes.fromhex(value["content_hash"])
    recorded_to = None if value["recorded_to"] is None else _whole(value["recorded_to"])
    times = (_whole(value["revision"]), _whole(value["seq"]), _whole(value["recorded_from"]), recorded_to)
    return StoredVersion(*times, bytes.fromhex(value["salt"]), NewVersion(**fields))


def _passage_out(passage: StoredPassage) -> dict[str, object]:
    values: dict[str, object] = {"part": passage.part, "start": passage.start, "stop": passage.stop}
    lost = passage.embedding == STORED and passage.vector is None  # a damaged store still exports
    values["embedding"] = _EMBEDDINGS[PENDING if lost else passage.embedding]
    if passage.vector is not None:
        values["vector"] = base64.b64encode(passage.vector).decode()
    return values


def _passage_in(value: Line) -> StoredPassage:
    vector = base64.b64decode(value["vector"], validate=True) if "vector" in value else None
    code = _EMBEDDING_CODES[value["embedding"]]
    if (code == STORED) != (vector is not None):
        raise ValueError(f"a passage with embedding {value['embedding']!r} and {'a' if vector else 'no'} vector")
    return StoredPassage(_whole(value["part"]), _whole(value["start"]), _whole(value["stop"]), code, vector)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.40} where text is expected")
    return value


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r:.40} where a whole number is expected")
    return value
