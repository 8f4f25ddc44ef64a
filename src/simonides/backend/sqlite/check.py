"""Is the file sound? SQLite's own checks, the indexes against the rows, the chain and the digests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simonides.backend import sqlfile
from simonides.backend.chain import (
    GENESIS,
    content_hash,
    digest,
    kept_digest,
    link,
    seal_name,
    seal_payload,
    version_payload,
)
from simonides.backend.rows import JournalEntry, NewVersion
from simonides.backend.sqlite.journal import JournalRows
from simonides.backend.sqlite.run import row, rows
from simonides.model.trail import Problem

if TYPE_CHECKING:
    import apsw

SQL = sqlfile.load("simonides.backend.sqlite", "snapshot.sql")
CHECK = sqlfile.load("simonides.backend.sqlite", "check.sql")
BATCH = 2_000


def find_problems(connection: apsw.Connection) -> list[Problem]:
    """Everything that is wrong, cheapest checks first; an empty list when nothing is."""
    problems = [Problem("file", "quick_check", text) for text in _quick_check(connection) if text != "ok"]
    problems += _fulltext(connection)
    orphans = (
        ("orphan_passages", "passage without a current thought"),
        ("missing_passages", "current thought without a passage"),
        ("orphan_vectors", "vector without a passage"),
    )
    for name, message in orphans:
        problems += [Problem("rows", str(subject), message) for (subject,) in rows(connection, SQL[name])]
    problems += _chain(connection)
    problems += _seals(connection)
    problems += _digests(connection)
    if row(connection, CHECK["unfinished_restore"]) is not None:
        return problems  # the journal is there before the versions it tells of; the doctor says that it goes on
    for _, subject, revision in rows(connection, CHECK["missing_versions"]):
        problems.append(Problem("versions", subject, f"revision {revision} is missing and was not erased"))
    return problems


def _quick_check(connection: apsw.Connection) -> Iterator[str]:
    rows(connection, CHECK["fulltext_awake"])  # FTS5 checks what it remembers; a question makes it look at the file
    for (text,) in rows(connection, "PRAGMA quick_check(20)"):
        yield str(text)


def _fulltext(connection: apsw.Connection) -> list[Problem]:
    indexed, expected = row(connection, SQL["fulltext_count"])
    if indexed != expected:
        return [Problem("fulltext", "fulltext", f"{indexed} rows indexed, {expected} passages stored")]
    return []


def _chain(connection: apsw.Connection) -> list[Problem]:
    seal = JournalRows(connection).pruned()
    before, seq = (GENESIS, 0) if seal is None else (seal.hash, seal.last_seq)
    while True:
        batch = rows(connection, SQL["journal"], (seq, BATCH))
        if not batch:
            return _end_of_chain(connection, seq)
        for number, at, ns, _, actor, reason, kind, subject, revision, payload, stored in batch:
            if number != seq + 1:
                return [Problem("journal", str(number), f"follows {seq}: rows are missing")]
            entry = JournalEntry(at, ns, actor, reason, kind, subject, revision, payload)
            before, seq = link(before, number, entry), number
            if before != stored:
                return [Problem("journal", str(number), "the hash does not follow from the row and the one before")]


def _seals(connection: apsw.Connection) -> list[Problem]:
    """Seals against the rows that told of them, and what was kept of pruned rows against its digest."""
    found, journal = [], JournalRows(connection)
    for seal in journal.seals():
        here = row(connection, "SELECT hash FROM journal WHERE seq = ?", (seal.last_seq,))
        if here is not None and here[0] != seal.hash:
            found.append(Problem("seal", str(seal.last_seq), "the seal has another hash than the journal"))
    last = journal.pruned()
    if last is not None:
        told = journal.said("journal.pruned", seal_name(last.last_seq))
        if told != digest(seal_payload(last.last_seq, last.hash, last.kept), b""):
            found.append(Problem("seal", str(last.last_seq), "the seal is not what the journal says of it"))
        if last.kept != kept_digest(journal.kept()):
            found.append(Problem("seal", str(last.last_seq), "what was kept of pruned rows was changed"))
    return found


def _end_of_chain(connection: apsw.Connection, seq: int) -> list[Problem]:
    """A chain that was cut off at its end still verifies link by link; the namespaces know how far it went."""
    (last,) = row(connection, SQL["last_change"])
    if last > seq:
        return [Problem("journal", str(seq), f"ends here, but a namespace was changed by {last}: rows are missing")]
    return []


def _digests(connection: apsw.Connection) -> list[Problem]:
    problems: list[Problem] = []
    last = 0
    while True:
        batch = rows(connection, SQL["versions_by_seq"], (last, BATCH))
        if not batch:
            return problems
        last = batch[-1][0]
        seqs = [values[1] for values in batch]
        stored = dict(rows(connection, SQL["version_digests"], (min(seqs), max(seqs))))
        for _, seq, _, _, thought_id, revision, *fields, salt in batch:
            version = NewVersion(*fields)
            if content_hash(version.content) != version.content_hash:
                problems.append(Problem("content", thought_id, f"revision {revision}: the content hash differs"))
            if digest(version_payload(thought_id, revision, version), salt) != stored.get(seq):
                problems.append(Problem("digest", thought_id, f"revision {revision} differs from its journal entry"))
