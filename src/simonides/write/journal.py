"""What is noted about a change? Who, when, why, what, and a salted digest; in the change's own transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.backend.chain import digest, new_salt, version_payload
from simonides.backend.rows import JournalEntry, NewVersion, VersionAt

if TYPE_CHECKING:
    from simonides.backend.port import Transaction


@dataclass(frozen=True, slots=True)
class Note:
    """The circumstances of a change: instant, namespace, actor and reason."""

    at: int
    ns: int
    actor: str
    reason: str | None = None


def write_version(
    tx: Transaction, note: Note, kind: str, subject: tuple[int, str], revision: int, version: NewVersion
) -> int:
    """A new current version of a thought (row id, public id), journaled; returns its seq."""
    tid, thought_id = subject
    salt = new_salt()
    payload = digest(version_payload(thought_id, revision, version), salt)
    seq = write_entry(tx, note, kind, thought_id, revision, payload)
    tx.add_version(VersionAt(tid, note.ns, revision, seq, note.at), version, salt)
    return seq


def write_note(tx: Transaction, note: Note, kind: str, subject_id: str, payload: Mapping[str, object]) -> int:
    """A change without a version row (an edge, an embedding, a deletion); returns its seq."""
    return write_entry(tx, note, kind, subject_id, None, digest(payload, new_salt()))


def write_entry(
    tx: Transaction, note: Note, kind: str, subject_id: str, revision: int | None, payload_digest: bytes
) -> int:
    return tx.journal([entry_of(note, kind, subject_id, revision, payload_digest)])[0]


def entry_of(note: Note, kind: str, subject_id: str, revision: int | None, payload_digest: bytes) -> JournalEntry:
    """What is noted of a change in some circumstances."""
    return JournalEntry(note.at, note.ns, note.actor, note.reason, kind, subject_id, revision, payload_digest)
