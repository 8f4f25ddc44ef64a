"""How are new thoughts written? Table by table, many at a time, in the order in which they came."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from simonides.backend.chain import digest, new_salt, version_payload
from simonides.backend.rows import JournalEntry, NewEdge, NewPassage, NewThought, VersionAt
from simonides.model.edge import EdgeType
from simonides.write.journal import Note, entry_of
from simonides.write.relate import edge_between, edge_payload

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.write.accept import Accepted


@dataclass(slots=True)
class Place:
    """Where a thought is. tid: 0 while it waits. fresh: nothing of it was there before. position: in its session."""

    tid: int
    fresh: bool = False
    position: int | None = None


class _New(NamedTuple):
    place: Place
    note: Note
    item: Accepted
    passages: list[NewPassage]
    session: int
    before: Place | None
    speaker: int
    dedup: bytes | None


class _Session(NamedTuple):
    session: int
    turns: int
    last: Place | None


@dataclass(slots=True)
class Fresh:
    """New thoughts of a namespace that wait for `flush`, which comes before anything that looks at them.

    unknown: ids to be written that no row has yet. unindexed: (id, seq, passage) that stand in no index yet.
    """

    tx: Transaction
    ns: int
    unknown: set[str]
    unindexed: list[tuple[int, int, NewPassage]] = field(default_factory=list)
    _waiting: list[_New] = field(default_factory=list)
    _dedups: set[bytes] = field(default_factory=set)
    _sessions: dict[str, _Session] = field(default_factory=dict)
    _speakers: dict[str, int] = field(default_factory=dict)

    def same(self, dedup: bytes) -> tuple[int, str] | None:
        """The thought that holds a text already."""
        if dedup in self._dedups:
            self.flush()
        return self.tx.find_dedup(self.ns, dedup)

    def add(self, note: Note, item: Accepted, passages: list[NewPassage], dedup: bytes | None) -> Place:
        """dedup: the key that it gets; no other thought has it."""
        place = Place(0, fresh=True)
        session, before = 0, None
        if item.session is not None:
            known = self._sessions.get(item.session) or self._session(item.session)
            session, place.position, before = known
            self._sessions[item.session] = _Session(session, known.turns + 1, place)
        speaker = 0 if item.speaker is None else self._speakers.get(item.speaker) or self._speaker(item.speaker)
        if dedup is not None:
            self._dedups.add(dedup)
        self.unknown.discard(item.thought_id)
        self._waiting.append(_New(place, note, item, passages, session, before, speaker, dedup))
        return place

    def flush(self) -> None:
        """Writes what waits."""
        waiting = self._waiting
        if not waiting:
            return
        self._waiting = []
        self._dedups.clear()
        self._sessions.clear()
        for new, tid in zip(waiting, self.tx.add_thoughts([_identity(new) for new in waiting]), strict=True):
            new.place.tid = tid
        seqs = self._versions(waiting)
        rows = [(new.place.tid, passage) for new in waiting for passage in new.passages]
        pids = iter(self.tx.add_passage_rows(self.ns, rows))
        for new, seq in zip(waiting, seqs, strict=True):
            self.unindexed += [(next(pids), seq, passage) for passage in new.passages]
            if new.item.concepts or new.item.topics:
                labels = {"concept": new.item.concepts, "topic": new.item.topics}
                self.tx.set_labels(self.ns, new.place.tid, labels)
            if new.session:
                self.tx.advance(new.session, new.place.tid)

    def index(self) -> None:
        """Writes what waits, and puts it into the indexes."""
        self.flush()
        self.tx.index_passages(self.ns, self.unindexed)
        self.unindexed = []

    def _versions(self, waiting: list[_New]) -> list[int]:
        """First versions, edges to the turns before, and both in the journal; the seqs of the versions."""
        entries: list[JournalEntry] = []
        edges: list[NewEdge] = []
        places, salts = [], [new_salt() for _ in waiting]
        for new, salt in zip(waiting, salts, strict=True):
            name = new.item.thought_id
            places.append(len(entries))
            covered = digest(version_payload(name, 1, new.item.version), salt)
            entries.append(entry_of(new.note, "thought.created", name, 1, covered))
            if new.before is not None:
                edges.append(edge_between(new.note, new.place.tid, new.before.tid, EdgeType.FOLLOWS))
                covered = digest(edge_payload(edges[-1]), new_salt())
                entries.append(entry_of(new.note, "edge.written", edges[-1].edge_id, None, covered))
        written = self.tx.journal(entries)
        seqs = [written[place] for place in places]
        self.tx.add_versions(
            [
                (VersionAt(new.place.tid, self.ns, 1, seq, new.note.at), new.item.version, salt)
                for new, seq, salt in zip(waiting, seqs, salts, strict=True)
            ]
        )
        for edge in edges:
            self.tx.put_edge(edge)
        return seqs

    def _session(self, name: str) -> _Session:
        session, turns, last = self.tx.session(self.ns, name)
        return _Session(session, turns, None if last is None else Place(last))

    def _speaker(self, name: str) -> int:
        found = self._speakers[name] = self.tx.speaker(self.ns, name)
        return found


def _identity(new: _New) -> NewThought:
    item = new.item
    created = (item.created_at, item.created_cycle)
    return NewThought(new.note.ns, item.thought_id, *created, new.session, new.place.position, new.speaker, new.dedup)
