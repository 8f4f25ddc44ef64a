"""What becomes of one line of an export? Read and analysed outside, written inside a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeAlias

from simonides.backend.chain import digest, new_salt, version_payload
from simonides.backend.conflicts_port import NewConflict
from simonides.backend.exchange_port import (
    Space,
    StoredAlias,
    StoredConflict,
    StoredEdge,
    StoredPastEdge,
    StoredSession,
    StoredTopic,
    StoredVersion,
    WholeThought,
)
from simonides.backend.journal_port import KeptRow, StoredSeal
from simonides.backend.rows import PENDING, STORED, JournalRow, NewEdge, NewPassage, NewThought
from simonides.engine import Engine, write_model
from simonides.exchange import lines
from simonides.index.passages import analysed, passages_of
from simonides.index.segments import maintain
from simonides.model.edge import EdgeType
from simonides.model.namespace import check_namespace
from simonides.write.journal import Note, write_entry, write_note
from simonides.write.relate import put_edge

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.exchange.reading import Header


@dataclass
class Tally:
    """What was written; a batch that fails counts nothing."""

    added: int = 0
    known: int = 0
    edges: int = 0
    vectors: int = 0
    pending: int = 0

    def plus(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class Arrival:
    """A thought with its passages analysed."""

    thought: WholeThought
    passages: list[NewPassage]


Value: TypeAlias = (
    "Space | JournalRow | Arrival | StoredSession | StoredAlias | StoredTopic | StoredEdge | StoredPastEdge"
    " | StoredConflict"
    " | StoredSeal | KeptRow"
)


@dataclass(frozen=True, slots=True)
class Step:
    """One line, ready to be written, and the namespace it belongs to."""

    namespace: str
    value: Value


WHOLE = ("namespace", "journal", "seal", "kept")  # what belongs to no namespace
_READERS: dict[str, Callable[[lines.Line], Value]] = {
    "namespace": lines.read_space,
    "journal": lines.read_journal,
    "seal": lines.read_seal,
    "kept": lines.read_kept,
    "session": lines.read_session,
    "alias": lines.read_alias,
    "topic": lines.read_topic,
    "edge": lines.read_edge,
    "past_edge": lines.read_past_edge,
    "conflict": lines.read_conflict,
}


class Put:
    """Writes lines, as they were (restoring) or as news to a store that has memories of its own (merging)."""

    def __init__(self, engine: Engine, header: Header, *, restoring: bool) -> None:
        self._engine = engine
        self.header = header
        self.restoring = restoring

    def prepare(self, kind: str, line: lines.Line) -> Step:
        """Reads a line. Raises KeyError, TypeError, ValueError or a SimonidesError for one that cannot be taken."""
        named = kind not in WHOLE
        namespace = check_namespace(line["namespace"]) if named else ""
        if kind == "thought":
            thought = lines.read_thought(line)
            return Step(namespace, Arrival(thought, self._passages(thought)))
        if kind not in _READERS:
            raise ValueError(f"unknown kind {kind!r:.40}")
        value = _READERS[kind](line)
        if isinstance(value, Space) and not (self.restoring or value.name.startswith("\x7f")):
            check_namespace(value.name)
        return Step(namespace, value)

    def write(self, tx: Transaction, step: Step, tally: Tally) -> str | None:
        """Writes a line; what is wrong with it, or None."""
        value, at = step.value, self._engine.clock()
        if isinstance(value, Space):
            if self.restoring:
                tx.exchange.add_space(value)
            return None
        if isinstance(value, JournalRow):
            tx.exchange.add_journal([value])
            return None
        if isinstance(value, StoredSeal):
            tx.chain.restore_seals([value])
            return None
        if isinstance(value, KeptRow):
            tx.chain.restore_kept([value])
            return None
        ns = tx.namespace(step.namespace, at)
        note = Note(at, ns, self._engine.actor, "imported")
        if isinstance(value, Arrival):
            return self._thought(tx, note, value, tally)
        if isinstance(value, StoredEdge):
            return self._edge(tx, note, value, tally)
        if isinstance(value, StoredPastEdge):
            return self._past_edge(tx, note.ns, value)
        if isinstance(value, StoredConflict):
            return self._conflict(tx, note, value)
        if isinstance(value, StoredSession):
            tx.exchange.set_session(ns, value)
        elif isinstance(value, StoredTopic):
            if value.key not in tx.user_topics(ns):
                tx.put_user_topic(ns, value.key, value.title, value.created_at)
        else:
            known = tx.aliases(ns).get(value.alias)
            if known is not None and known != value.concept:
                return f"alias {value.alias!r} stands for {known!r} here; kept"
            tx.put_alias(ns, value.alias, value.concept)
        return None

    def settle(self, tx: Transaction, namespaces: Iterable[str]) -> None:
        """Upkeep of the postings after a batch."""
        for name in namespaces:
            ns = tx.state(name).ns
            while ns and maintain(tx.lexicon, ns):
                pass

    def _passages(self, thought: WholeThought) -> list[NewPassage]:
        """Passages at the places they had, analysed by this store's rules."""
        current = next((v.version for v in thought.versions if v.recorded_to is None), None)
        if current is None:
            return []
        dimension = None if self.header.model is None else self.header.model.dimension
        for passage in thought.passages:
            if passage.vector is not None and (dimension is None or len(passage.vector) != 4 * dimension):
                raise ValueError(f"a vector of {len(passage.vector)} bytes; the header says {dimension} numbers")
            if not 0 <= passage.start <= passage.stop <= len(current.content):
                raise ValueError(
                    f"a passage from {passage.start} to {passage.stop} of {len(current.content)} characters"
                )
        if not thought.passages:  # salvaged from a damaged file
            return passages_of(current.content, current.essence, thought.speaker, self._engine.analyzer)
        return [
            NewPassage(
                part=p.part,
                start=p.start,
                stop=p.stop,
                text=analysed(
                    self._engine.analyzer,
                    current.content[p.start : p.stop],
                    current.essence if p.part == 0 else None,
                    thought.speaker,
                ),
                embedding=p.embedding,
                vector=p.vector,
            )
            for p in thought.passages
        ]

    def _thought(self, tx: Transaction, note: Note, arrival: Arrival, tally: Tally) -> str | None:
        thought = arrival.thought
        found = None if self.restoring else tx.find(note.ns, thought.thought_id)
        if found is not None:
            if [_fixed(v) for v in tx.exchange.versions(found[0])] == [_fixed(v) for v in thought.versions]:
                tally.known += 1
                return None
            return f"thought {thought.thought_id!r} is here already and differs; kept"
        if not thought.versions:
            return f"thought {thought.thought_id!r} has no revision"
        tid = self._identity(tx, note, thought)
        seqs: list[tuple[int, int]] = []
        for stored in thought.versions:
            version = stored if self.restoring else self._journaled(tx, note, thought.thought_id, stored)
            tx.exchange.add_version(tid, note.ns, version)
            seqs.append((stored.seq, version.seq))
        seq = seqs[-1][1]
        tx.exchange.add_past(tid, note.ns, self._past(tx, thought, seqs))
        passages = self._fitting(tx, arrival.passages)
        tx.add_passages(note.ns, tid, seq, passages)
        tx.set_labels(note.ns, tid, thought.labels)
        tally.added += 1
        tally.vectors += sum(p.vector is not None for p in passages)
        tally.pending += sum(p.embedding == PENDING for p in passages)
        return None

    def _past(self, tx: Transaction, thought: WholeThought, seqs: list[tuple[int, int]]) -> WholeThought:
        """What ended by a change ends by the same change under its number here. seqs: (there, here) of each version."""
        stored, model = self._engine.model(tx), self.header.model
        foreign = stored is not None and stored != model
        past = []
        for passage in thought.past:
            until = next((here for there, here in seqs if there >= passage.until), seqs[-1][1] + 1)
            if self.restoring:
                until = passage.until
            past.append(passage._replace(until=until, vector=None if foreign else passage.vector))
        return thought._replace(past=tuple(past))

    def _past_edge(self, tx: Transaction, ns: int, past: StoredPastEdge) -> str | None:
        edge = past.edge
        ends = [tx.find(ns, end) for end in (edge.from_id, edge.to_id)]
        if ends[0] is None or ends[1] is None:
            return f"edge {edge.edge_id}, of an earlier time, leads to what is not there; skipped"
        tx.exchange.add_past_edge(past.until, _edge(ns, edge, ends[0][0], ends[1][0]))
        return None

    def _identity(self, tx: Transaction, note: Note, thought: WholeThought) -> int:
        session = 0 if thought.session is None else tx.session(note.ns, thought.session)[0]
        speaker = 0 if thought.speaker is None else tx.speaker(note.ns, thought.speaker)
        free = thought.dedup is not None and tx.find_dedup(note.ns, thought.dedup) is None
        identity = NewThought(
            note.ns, thought.thought_id, thought.created_at, thought.created_cycle, session, thought.position, speaker,
            thought.dedup if free else None,
        )  # fmt: skip
        [tid] = tx.add_thoughts([identity])
        tx.exchange.add_counts(tid, thought)
        return tid

    def _journaled(self, tx: Transaction, note: Note, thought_id: str, stored: StoredVersion) -> StoredVersion:
        salt = new_salt()
        payload = digest(version_payload(thought_id, stored.revision, stored.version), salt)
        seq = write_entry(tx, note, "thought.imported", thought_id, stored.revision, payload)
        return stored._replace(seq=seq, salt=salt)

    def _fitting(self, tx: Transaction, passages: list[NewPassage]) -> list[NewPassage]:
        """Vectors are taken when they are of the store's model, or the first ones; otherwise they are pending."""
        if not any(p.embedding == STORED for p in passages):
            return passages
        stored, model = self._engine.model(tx), self.header.model
        assert model is not None  # `_passages` has looked
        if stored is None:
            tx.set_meta("model", write_model(model))
        elif stored != model:
            return [p._replace(embedding=PENDING, vector=None) if p.embedding == STORED else p for p in passages]
        return passages

    def _edge(self, tx: Transaction, note: Note, edge: StoredEdge, tally: Tally) -> str | None:
        ends = tx.tids_of(note.ns, [edge.from_id, edge.to_id])
        for end in (edge.from_id, edge.to_id):
            if end not in ends:
                return f"edge {edge.edge_id} leads to {end!r}, which is not there; skipped"
        new = _edge(note.ns, edge, ends[edge.from_id], ends[edge.to_id])
        if self.restoring:
            tx.put_edge(new)
        elif tx.exchange.has_edge(new):
            return None
        else:
            put_edge(tx, note, new)
        tally.edges += 1
        return None

    def _conflict(self, tx: Transaction, note: Note, conflict: StoredConflict) -> str | None:
        ends = [tx.find(note.ns, name) for name in (conflict.older_id, conflict.newer_id)]
        older, newer = ends
        if older is None or newer is None:
            return f"conflict {conflict.conflict_id}: one of its memories is not there; skipped"
        if any({row.older_tid, row.newer_tid} == {older[0], newer[0]} for row in tx.conflicts.touching([older[0]])):
            return None
        values = {name: getattr(conflict, name) for name in StoredConflict._fields[5:]}
        tx.conflicts.put(NewConflict(note.ns, conflict.conflict_id, older[0], newer[0], **values))
        if not self.restoring:
            write_note(tx, note, f"conflict.{conflict.status}", conflict.conflict_id, {"evidence": conflict.evidence})
        return None


def _edge(ns: int, edge: StoredEdge, from_tid: int, to_tid: int) -> NewEdge:
    return NewEdge(
        ns, edge.edge_id, from_tid, to_tid, EdgeType(edge.edge_type).value, edge.weight,
        edge.created_at, edge.valid_from, edge.valid_until, edge.source, edge.metadata,
    )  # fmt: skip


def _fixed(stored: StoredVersion) -> tuple[object, ...]:
    """What makes two revisions the same, wherever they are stored."""
    return (stored.revision, stored.recorded_from, stored.recorded_to, stored.version._replace(retired=0))
