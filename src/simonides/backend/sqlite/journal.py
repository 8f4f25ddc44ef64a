"""Where in SQLite are the seals of the journal, and how does a pruned segment leave it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simonides.backend import sqlfile
from simonides.backend.chain import GENESIS, kept_digest
from simonides.backend.journal_port import KeptRow, Link, StoredSeal
from simonides.backend.sqlite.run import named, row, rows

if TYPE_CHECKING:
    import apsw

SQL = sqlfile.load("simonides.backend.sqlite", "journal.sql")
BATCH = 5_000  # rows of one transaction of a pruning


class JournalRows:
    """`JournalReader` and, inside a transaction, `JournalWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _all(self, name: str, *values: object) -> list[Any]:
        return rows(self._connection, SQL[name], values)

    def seals(self) -> list[StoredSeal]:
        return [StoredSeal(*found) for found in self._all("seals")]

    def pruned(self) -> StoredSeal | None:
        """The seal up to which the journal was pruned."""
        return next((seal for seal in reversed(self.seals()) if seal.pruned), None)

    def end(self) -> Link:
        return self._link("end") or Link(0, 0, GENESIS)

    def end_before(self, at: int) -> Link:
        return self._link("end_before", at) or Link(0, 0, GENESIS)

    def _link(self, name: str, *values: object) -> Link | None:
        found = row(self._connection, SQL[name], values)
        return None if found is None else Link(*found)

    def latest_at(self, seq: int) -> int:
        return int(row(self._connection, SQL["latest_at"], (seq,))[0])

    def hash_at(self, seq: int) -> bytes | None:
        """The hash of a link, also of one that was pruned when it ends a sealed segment."""
        found = row(self._connection, SQL["hash_at"], (seq,))
        if found is not None:
            return bytes(found[0])
        return next((seal.hash for seal in self.seals() if seal.last_seq == seq), None)

    def kept(self) -> list[KeptRow]:
        return [KeptRow(*found) for found in self._all("kept")]

    def said(self, kind: str, subject_id: str) -> bytes | None:
        found = row(self._connection, SQL["said"], (kind, subject_id))
        return None if found is None else bytes(found[0])

    def add_seal(self, first_seq: int, last: Link) -> None:
        self._all("add_seal", first_seq, *last)

    def mark_pruned(self, last: int, horizon: int) -> bytes:
        """From now on the chain begins behind `last`; returns the digest of what is kept of the rows before."""
        named(self._connection, SQL["keep"], {"last": last, "horizon": horizon})
        named(self._connection, SQL["unkeep"], {"horizon": horizon})
        kept = kept_digest(self.kept())
        self._connection.execute(SQL["mark_pruned"], {"last": last, "kept": kept})
        return kept

    def prune_some(self, last: int, horizon: int | None) -> bool:
        """One batch of what a pruned segment leaves behind; False when nothing is left. horizon None: versions stay."""
        if horizon is not None:
            values = {"last": last, "horizon": horizon, "batch": BATCH}
            if named(self._connection, SQL["prune_versions"], values):
                return True
            named(self._connection, SQL["prune_passages"], {"last": last})
            for name in ("prune_labels", "prune_edges"):
                named(self._connection, SQL[name], {"horizon": horizon})
            self._all("prune_thoughts")
            self._all("prune_conflicts")
        return bool(named(self._connection, SQL["prune_journal"], {"last": last, "batch": BATCH}))

    def restore_seals(self, seals: Sequence[StoredSeal]) -> None:
        self._connection.executemany(SQL["restore_seal"], seals)

    def restore_kept(self, rows: Sequence[KeptRow]) -> None:
        self._connection.executemany(SQL["restore_kept"], rows)
