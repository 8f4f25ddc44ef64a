"""Would the same question get the same answer today, and if not, what lies between?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simonides.config import answering
from simonides.model.log import Difference, LoggedHit, Replay
from simonides.read.log import fate, find, hit_of, text_of
from simonides.read.plan_json import plan_from
from simonides.read.recall import answered

if TYPE_CHECKING:
    from simonides.backend.audit_port import LogRow
    from simonides.backend.port import Snapshot
    from simonides.engine import Engine
    from simonides.model.answer import HybridSearchResult
    from simonides.model.thought import Json

# Parts of a profile that do not belong to the answer.
ASIDE = ("took_ms", "legs", "vectors_scored", "centroids_scored", "vectors_looked_up")


def replay(engine: Engine, query_id: str, only: str | None) -> Replay:
    """Runs the stored plan of a question with its `now`; leaves no row behind. only: see `find`.

    Raises QueryNotFoundError.
    """
    with engine.database.snapshot() as snapshot:
        row = find(snapshot, query_id, only)
        stored = snapshot.audit.plan(row.plan)
        thoughts = tuple(_thoughts(snapshot, row))
        model = engine.model(snapshot)
    if stored is None:
        return _unable(query_id, thoughts, "plan", "the stored plan is gone")
    kept = json.loads(stored)
    changes = (*thoughts, *_settings(kept["settings"], json.loads(json.dumps(answering(engine.config)))))
    known = None if model is None else f"{model.model_id} {model.fingerprint}"
    if kept["model"] != known:
        changes = (*changes, Difference("config", "model", kept["model"], known))
    query = text_of(row)
    if query is None:
        return _unable(query_id, changes, "query", "texts were not kept (audit.text is off)")
    try:
        plan = plan_from(engine, kept["plan"], row, query)
    except (KeyError, TypeError) as error:
        return _unable(query_id, changes, "plan", f"written by another version: {error}")
    entry = answered(engine, plan)
    new = entry.row("{}", text=True).row
    answer = tuple(_answer(row, new))
    return Replay(query_id, not answer, (*changes, *_trees(row, new), *answer), entry.answer)


def _unable(query_id: str, changes: tuple[Difference, ...], kind: str, reason: str) -> Replay:
    answer: HybridSearchResult | None = None
    return Replay(query_id, False, (*changes, Difference(kind, query_id, reason, None)), answer)


def _thoughts(snapshot: Snapshot, row: LogRow) -> Iterator[Difference]:
    """Thoughts that were shown and are not as they were."""
    for source in json.loads(row.sources):
        hit = hit_of(source)
        since = fate(snapshot, hit)
        if since is not None:
            yield Difference("thought", hit.thought_id, _state(hit), since)


def _state(hit: LoggedHit) -> str:
    return f"revision {hit.revision}"


def _settings(before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterator[Difference]:
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield Difference("config", name, before.get(name), after.get(name))


def _trees(before: LogRow, after: LogRow) -> Iterator[Difference]:
    old: dict[str, Json] = json.loads(before.trees or "{}")
    new: dict[str, Json] = json.loads(after.trees or "{}")
    for namespace in sorted(old.keys() | new.keys()):
        if old.get(namespace) != new.get(namespace):
            yield Difference("tree", namespace, old.get(namespace), new.get(namespace))


def _answer(before: LogRow, after: LogRow) -> Iterator[Difference]:
    """What of the answer differs: hits first, then the rest of it."""
    yield from _ranking(json.loads(before.sources), json.loads(after.sources))
    old, new = json.loads(before.query_profile), json.loads(after.query_profile)
    for name in dict.fromkeys((*old, *new)):
        if name not in ASIDE and old.get(name) != new.get(name):
            yield Difference("answer", name, old.get(name), new.get(name))


def _ranking(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Iterator[Difference]:
    old, new = ({(s["namespace"], s["id"], bool(s.get("reflection"))): s for s in some} for some in (before, after))
    for key in dict.fromkeys((*old, *new)):
        was, now = old.get(key), new.get(key)
        if was == now:
            continue
        if was is None or now is None or was["rank"] != now["rank"]:
            yield Difference("ranking", key[1], _place(was), _place(now))
        else:
            changed = [name for name in dict.fromkeys((*was, *now)) if was.get(name) != now.get(name)]
            name = "score" if "score" in changed else changed[0]
            yield Difference("ranking", key[1], {name: was.get(name)}, {name: now.get(name)})


def _place(source: dict[str, Any] | None) -> Json:
    return None if source is None else f"rank {source['rank']}, score {source['score']:.6f}"
