"""What was asked and shown? Rows of the retrieval log as people see them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simonides.clock import to_datetime
from simonides.errors import InvalidQueryError, QueryNotFoundError
from simonides.model.answer import Part
from simonides.model.explanation import part_head, part_line, shortened
from simonides.model.log import LogEntry, LoggedHit
from simonides.model.reflection import outline

if TYPE_CHECKING:
    from simonides.backend.audit_port import LogRow
    from simonides.backend.port import Snapshot
    from simonides.engine import Engine

NEWEST = 1 << 62  # stands after every row


def find(snapshot: Snapshot, query_id: str, only: str | None) -> LogRow:
    """The row of a question. only: the one namespace that may have been asked.

    Raises QueryNotFoundError when there is none, or it is not for this handle.
    """
    row = snapshot.audit.get(query_id)
    if row is None or (only is not None and row.namespace != only):
        raise QueryNotFoundError(f"no question {query_id!r} in the retrieval log", hint="see store.log.list()")
    return row


def page(engine: Engine, namespace: str, *, only: bool, after: str | None, limit: int) -> list[LogEntry]:
    """Newest first, from the one after a question on. Raises InvalidQueryError for an unknown `after`."""
    with engine.database.snapshot() as snapshot:
        place = NEWEST if after is None else snapshot.audit.place(after)
        if place is None:
            raise InvalidQueryError(f"after names {after!r}, which is not in the retrieval log")
        return [entry_of(row) for row in snapshot.audit.page(namespace, only=only, before=place, limit=limit)]


def entry_of(row: LogRow) -> LogEntry:
    """A stored row as a value."""
    return LogEntry(
        query_id=row.query_id,
        at=to_datetime(row.at),
        namespaces=tuple(json.loads(row.namespaces)),
        verb=row.verb,
        recipe=row.recipe,
        mode=row.mode,
        query_hash=row.query_hash,
        query=text_of(row),
        profile=json.loads(row.query_profile),
        sources=tuple(hit_of(source) for source in json.loads(row.sources)),
        now=to_datetime(row.now),
        seqs=json.loads(row.seqs),
        trees={} if row.trees is None else json.loads(row.trees),
        plan=row.plan,
    )


def text_of(row: LogRow) -> str | None:
    """The question as it was typed; None when texts were not kept."""
    return row.query.decode("utf-8", "surrogatepass") if isinstance(row.query, bytes) else row.query


def hit_of(source: dict[str, Any]) -> LoggedHit:
    start, stop = source["passage"]
    return LoggedHit(
        thought_id=source["id"],
        namespace=source["namespace"],
        revision=source["revision"],
        digest=source["digest"],
        rank=source["rank"],
        score=source["score"],
        parts=tuple(Part(*part) for part in source["parts"]),
        start=start,
        stop=stop,
        cut=source.get("cut"),
        copies=source.get("copies", 0),
        superseded_by=tuple(source.get("superseded_by", ())),
        conflicts=tuple(source.get("conflicts", ())),
        supported_by=tuple(source.get("supported_by", ())),
        reflection=source.get("reflection", False),
    )


def explained(engine: Engine, query_id: str, only: str | None) -> str:
    """A logged answer as text: each hit as it was shown, with the words of the revision that was shown."""
    with engine.database.snapshot() as snapshot:
        entry = entry_of(find(snapshot, query_id, only))
        return "\n".join(_lines(snapshot, entry)) + "\n"


def _lines(snapshot: Snapshot, entry: LogEntry) -> Iterator[str]:
    profile: Any = entry.profile
    reading = profile["reading"]
    asked = "(not kept)" if entry.query is None else repr(entry.query)
    if not profile["given"]["text"] and profile["given"]["vector"]:
        asked = "(a vector)"
    yield f"query    {asked} read as {reading['kind']}"
    yield f"asked    {entry.at.isoformat()} by {entry.verb} in {', '.join(entry.namespaces)}"
    yield f"id       {entry.query_id}   {entry.query_hash}"
    if reading.get("terms"):
        yield f"terms    {', '.join(reading['terms'])}"
    weights = "  ".join(f"{name} {weight:.3g}" for name, weight in profile["weights"].items())
    yield f"recipe   {entry.recipe}   weights {weights or 'none'}   mode {entry.mode}   pool {profile['pool']}"
    for name, leg in profile["legs"].items():
        top = "" if leg["top"] is None else f", the best with {leg['top']:.4f}"
        yield f"leg      {name}: {leg['count']} candidates{top}"
    if profile["filters"] is not None:
        yield f"filters  {json.dumps(profile['filters'])}"
    for what, reason in profile["degraded"]:
        yield f"degraded {what}: {reason}"
    if not entry.sources:
        yield "no hits"
    for hit in entry.sources:
        yield ""
        yield from _hit(snapshot, hit)
    for thought_id, reason, size in profile["left_out"][:20]:
        yield f"left out {thought_id}: {reason} ({size})"


def _hit(snapshot: Snapshot, hit: LoggedHit) -> Iterator[str]:
    shown = snapshot.audit.shown(hit.namespace, hit.thought_id, hit.revision)
    text = "(erased since)"
    if shown is not None:
        who = f"{shown.speaker}: " if shown.speaker else ""
        text = who + shortened(shown.content[hit.start : hit.stop] or outline(shown.content))
    yield f"{hit.rank:>2}. {hit.score:.4f}  {text}" + ("   (beside the evidence)" if hit.reflection else "")
    since = fate(snapshot, hit)
    copies = f"   {hit.copies} more with the same text" if hit.copies else ""
    yield f"    id {hit.thought_id}   revision {hit.revision}{'' if since is None else f' (now {since})'}{copies}"
    yield part_head()
    for part in hit.parts:
        yield part_line(part)
    for name in ("superseded_by", "conflicts", "supported_by"):
        ids = getattr(hit, name)
        if ids:
            yield f"    {name.replace('_', ' ')}: {', '.join(ids)}"


def fate(snapshot: Snapshot, hit: LoggedHit) -> str | None:
    """What became of a thought since it was shown; None when it is as it was."""
    ns = snapshot.state(hit.namespace).ns
    tid = snapshot.tids_of(ns, [hit.thought_id]).get(hit.thought_id)
    now = None if tid is None else snapshot.version(tid)
    if now is None:
        return "deleted"
    return None if now[0] == hit.revision else f"revision {now[0]}"
