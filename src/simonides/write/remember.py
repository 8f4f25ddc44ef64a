"""THE WRITE STORY: accept → embed (no transaction open) → one transaction {thought, version, indexes, journal}."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from simonides.backend.rows import STORED, NewPassage
from simonides.errors import ModelMismatchError, ThoughtNotFoundError
from simonides.index.passages import passages_of
from simonides.index.segments import due, maintain
from simonides.model.edge import EdgeType
from simonides.write.accept import Accepted, accept
from simonides.write.embed import Embedded, Request, ask_for_vectors, embed, settle_model
from simonides.write.fresh import Fresh, Place
from simonides.write.journal import Note, write_note, write_version
from simonides.write.relate import check_succession, edge_between, put_edge
from simonides.write.revise import refresh_reflections
from simonides.write.written import as_written

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.embedders.port import ModelInfo
    from simonides.engine import Engine
    from simonides.model.thought import Draft, Thought

Progress = Callable[[int, int], None]
READ_ALONG = 16  # thoughts of a batch that are read in its own transaction


@dataclass(frozen=True, slots=True)
class Part:
    """What one caller wants to be written in one transaction: accepted drafts with their passages."""

    engine: Engine
    namespace: str
    items: list[Accepted]
    passages: list[list[NewPassage]]
    model: ModelInfo | None
    now: int
    actor: str


@dataclass(slots=True)
class Stored:
    """What became of drafts, in their order. thoughts: by row id, those that are known without another reading."""

    ns: int = 0
    tids: list[int] = field(default_factory=list)
    thoughts: dict[int, Thought] = field(default_factory=dict)


def remember(engine: Engine, namespace: str, drafts: Sequence[Draft], progress: Progress | None = None) -> Stored:
    """Stores drafts in order, in transactions of `config.store.chunk`.

    All drafts are checked before the first is written. When a later chunk fails, the earlier ones stay, and
    `progress` has said how many there are.
    """
    now = engine.clock()
    accepted = [accept(draft, now) for draft in drafts]
    chunk = engine.config.store.chunk
    stored = Stored()
    for start in range(0, len(accepted), chunk):
        part = _store(engine, namespace, accepted[start : start + chunk], now)
        stored.ns = part.ns
        stored.tids += part.tids
        stored.thoughts.update(part.thoughts)
        if progress is not None:
            progress(len(stored.tids), len(accepted))
    return stored


def _store(engine: Engine, namespace: str, items: list[Accepted], now: int) -> Stored:
    """One chunk. Slow things come first, before the write lock is taken: texts are analysed and embedded.

    Embeds once more when the store's model was changed since it was last read.
    """
    requests = [
        Request(
            item.thought_id,
            item.version.content,
            passages_of(item.version.content, item.version.essence, item.speaker, engine.analyzer),
            item.vector,
        )
        for item in items
    ]
    try:
        return _write(engine, namespace, items, embed(engine, requests, afresh=False), now)
    except ModelMismatchError:
        return _write(engine, namespace, items, embed(engine, requests), now)


def _write(engine: Engine, namespace: str, items: list[Accepted], embedded: Embedded, now: int) -> Stored:
    """One thought is written in one go with those of others who wait. What is new is known without reading it again."""
    part = Part(engine, namespace, items, embedded.passages, embedded.model, now, engine.actor)
    if len(items) == 1:
        stored, places = engine.database.write_together(write_parts, part)
    else:
        stored, places = engine.database.write(lambda tx: write_parts(tx, [part])[0])
    if all(place.fresh for place in places):
        for place, item, passages in zip(places, items, embedded.passages, strict=True):
            stored.thoughts[place.tid] = as_written(namespace, item, passages, place.position)
    return stored


Written = tuple[Stored, list[Place]]


def write_parts(tx: Transaction, parts: Sequence[Part]) -> list[Written]:
    """The transaction: what several callers want, as if they had come one after another.

    Few thoughts that are not new are read in it as well: that spares another one.
    """
    engine = parts[0].engine
    for model in dict.fromkeys(part.model for part in parts):
        settle_model(engine, tx, model)
    found: dict[int, Written] = {}
    for namespace in dict.fromkeys(part.namespace for part in parts):
        own = [n for n, part in enumerate(parts) if part.namespace == namespace]
        found.update(zip(own, _write_namespace(tx, namespace, [parts[n] for n in own]), strict=True))
    return [found[n] for n in range(len(parts))]


def _write_namespace(tx: Transaction, namespace: str, parts: Sequence[Part]) -> list[Written]:
    ns = tx.namespace(namespace, parts[0].now)
    known = [item.thought_id for part in parts for item in part.items if item.given_id]
    new = {item.thought_id for part in parts for item in part.items if not item.given_id}
    fresh = Fresh(tx, ns, new | tx.unknown(ns, known) if known else new)
    settled = []
    for part in parts:
        note = Note(part.now, ns, part.actor)
        places = [_write_one(fresh, note, *one) for one in zip(part.items, part.passages, strict=True)]
        settled.append((places, _read(fresh, places)))
    fresh.flush()
    pids = [pid for pid, _, _ in fresh.unindexed]
    fresh.index()
    if due(pids):
        maintain(tx.lexicon, ns)
    ask_for_vectors(tx, namespace, (p for part in parts for passages in part.passages for p in passages), parts[0].now)
    return [(Stored(ns, [place.tid for place in places], read), places) for places, read in settled]


def _read(fresh: Fresh, places: Sequence[Place]) -> dict[int, Thought]:
    """Few thoughts, as they are before the next caller's turn comes; none when all are new, and so known."""
    if len(places) > READ_ALONG or all(place.fresh for place in places):
        return {}
    fresh.flush()
    return {stored.tid: stored.thought for stored in fresh.tx.thoughts(fresh.ns, [place.tid for place in places])}


def _write_one(fresh: Fresh, note: Note, item: Accepted, passages: list[NewPassage]) -> Place:
    tx = fresh.tx
    if item.reason is not None:
        note = replace(note, reason=item.reason)
    same = None if item.dedup is None else fresh.same(item.dedup)
    if same is not None and (not item.given_id or same[1] == item.thought_id):
        if not item.given_id:  # a given id that is there already is the same import again, not another witness
            tx.confirm(same[0], note.at)
        return Place(same[0])
    if item.thought_id not in fresh.unknown:
        fresh.index()  # its own passages may be among them
        found = tx.find(note.ns, item.thought_id)
        assert found is not None
        return Place(_write_again(tx, note, item, passages, found))
    place = fresh.add(note, item, passages, item.dedup if same is None else None)
    if item.supersedes is not None:
        fresh.flush()
        _supersede(tx, note, place.tid, item.supersedes)
    return place


def write_one(tx: Transaction, note: Note, item: Accepted, passages: list[NewPassage]) -> int:
    """One thought with its indexes; returns its row id, also when it was there already."""
    fresh = Fresh(tx, note.ns, tx.unknown(note.ns, [item.thought_id]))
    place = _write_one(fresh, note, item, passages)
    fresh.index()
    return place.tid


def _free(tx: Transaction, note: Note, item: Accepted) -> bytes | None:
    """The deduplication key, unless another thought holds it already."""
    if item.dedup is None or tx.find_dedup(note.ns, item.dedup) is not None:
        return None
    return item.dedup


def _write_again(
    tx: Transaction, note: Note, item: Accepted, passages: list[NewPassage], found: tuple[int, int, bool]
) -> int:
    """The id exists: nothing when nothing differs, a new revision when something does or it had been deleted."""
    tid, revision, alive = found
    current = tx.version(tid) if alive else None
    version, moved = item.version, _moved(tx, note, item, tid, alive)
    text_changed = current is None or (current[1].content, current[1].essence) != (version.content, version.essence)
    vector_changed = not text_changed and item.vector is not None and passages[0].vector != tx.vector_of(tid)
    if current is not None:
        same = version._replace(updated_at=current[1].updated_at, retired=current[1].retired)
        if same == current[1]:
            if not moved and not vector_changed:
                _relabel(tx, note, tid, item)
                return tid
            version = same
    kind = "thought.updated" if alive else "thought.created"
    seq = write_version(tx, note, kind, (tid, item.thought_id), revision + 1, version)
    if text_changed or vector_changed or moved:
        if not text_changed:
            passages = _keep_vector(tx, tid, passages)
        tx.remove_passages(note.ns, tid, seq)
        tx.add_passages(note.ns, tid, seq, passages)
    if item.dedup is not None or text_changed:
        tx.set_dedup(tid, _free(tx, note, item))
    if item.concepts or item.topics:
        tx.history.keep_labels(note.ns, tid, note.at)
    _finish(tx, note, tid, item)
    refresh_reflections(tx, note, tid, stale=text_changed)
    return tid


def _moved(tx: Transaction, note: Note, item: Accepted, tid: int, alive: bool) -> bool:
    """Settles who said it: of a living thought the speaker is replaced, its place in a session stays.

    A thought that comes back after its deletion begins anew, speaker and session too.
    """
    speaker = 0 if item.speaker is None else tx.speaker(note.ns, item.speaker)
    if alive:
        old = tx.thoughts(note.ns, [tid])[0].thought
        if item.speaker == old.speaker:
            return False
        session = 0 if old.session is None else tx.session(note.ns, old.session)[0]
        tx.set_place(tid, session, old.position, speaker)
        return True
    session, position, before = (0, None, None) if item.session is None else tx.session(note.ns, item.session)
    tx.set_place(tid, session, position, speaker)
    if session:
        tx.advance(session, tid)
    if before is not None:
        put_edge(tx, note, edge_between(note, tid, before, EdgeType.FOLLOWS))
    return True


def _keep_vector(tx: Transaction, tid: int, passages: list[NewPassage]) -> list[NewPassage]:
    """The same text needs no new vector: without one, its first passage keeps what was given before."""
    old = tx.vector_of(tid)
    if passages[0].vector is not None or old is None:
        return passages
    return [passages[0]._replace(embedding=STORED, vector=old), *passages[1:]]


def _relabel(tx: Transaction, note: Note, tid: int, item: Accepted) -> None:
    """Given concepts or topics replace the old ones, noted in the journal; nothing when they are the same."""
    old = tx.thoughts(note.ns, [tid])[0].thought
    if (item.concepts or item.topics) and (item.concepts, item.topics) != (old.concepts, old.topics):
        tx.history.keep_labels(note.ns, tid, note.at)
        tx.set_labels(note.ns, tid, {"concept": item.concepts, "topic": item.topics})
        labels = {"concepts": list(item.concepts), "topics": list(item.topics)}
        write_note(tx, note, "thought.labelled", item.thought_id, labels)


def _finish(tx: Transaction, note: Note, tid: int, item: Accepted) -> None:
    if item.concepts or item.topics:
        tx.set_labels(note.ns, tid, {"concept": item.concepts, "topic": item.topics})
    if item.supersedes is not None:
        _supersede(tx, note, tid, item.supersedes)


def _supersede(tx: Transaction, note: Note, tid: int, name: str) -> None:
    old = tx.tids_of(note.ns, [name]).get(name)
    if old is None:
        raise ThoughtNotFoundError(f"supersedes names {name!r}, which is not in this namespace")
    check_succession(tx, tid, old)
    put_edge(tx, note, edge_between(note, tid, old, EdgeType.SUPERSEDES))
