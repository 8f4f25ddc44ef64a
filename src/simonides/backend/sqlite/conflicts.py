"""Where in SQLite do conflicts between memories live?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simonides.backend import sqlfile
from simonides.backend.conflicts_port import ConflictRow, NewConflict
from simonides.backend.sqlite.run import rows

if TYPE_CHECKING:
    import apsw

SQL = sqlfile.load("simonides.backend.sqlite", "conflicts.sql")


class ConflictRows:
    """`ConflictsReader` and, inside a transaction, `ConflictsWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _all(self, name: str, *values: object) -> list[Any]:
        return rows(self._connection, SQL[name], values)

    def fresh(self, ns: int, after_seq: int, limit: int) -> list[tuple[int, int]]:
        """(row id, seq) of thoughts written after a seq, in its order."""
        return [(tid, seq) for tid, seq in self._all("fresh", ns, after_seq, limit)]

    def scanned(self, ns: int) -> int:
        found = self._all("scanned", ns)
        return int(found[0][0]) if found else 0

    def sharing(self, ns: int, field: str, values: Sequence[str]) -> list[tuple[str, int]]:
        """(value, row id) of thoughts whose metadata say one of the values; field: names joined by dots."""
        path = "$" + "".join(f".{json.dumps(name)}" for name in field.split("."))
        return [(str(value), tid) for value, tid in self._all("sharing", ns, path, json.dumps(list(values)))]

    def get(self, ns: int, conflict_id: str) -> ConflictRow | None:
        found = self._all("get", ns, conflict_id)
        return ConflictRow(*found[0]) if found else None

    def page(self, ns: int, status: str, after_cid: int, limit: int) -> list[ConflictRow]:
        return [ConflictRow(*found) for found in self._all("page", ns, status, after_cid, limit)]

    def touching(self, tids: Sequence[int]) -> list[ConflictRow]:
        return [ConflictRow(*found) for found in self._all("touching", json.dumps(list(tids)))]

    def counts(self, ns: int) -> dict[str, int]:
        return dict(self._all("counts", ns))

    def set_scanned(self, ns: int, seq: int) -> None:
        self._all("set_scanned", ns, seq)

    def put(self, conflict: NewConflict) -> None:
        c = conflict
        self._all(
            "put", c.ns, c.conflict_id, c.older_tid, c.newer_tid, c.kind, c.status, c.confidence, c.evidence, c.texts,
            c.proposed_at, c.decided_at, c.decided_by, c.reason,
        )  # fmt: skip

    def decide(self, row: ConflictRow) -> None:
        """Writes what may change of a row."""
        self._all(
            "decide", row.older_tid, row.newer_tid, row.kind, row.status, row.texts, row.decided_at, row.decided_by,
            row.reason, row.cid,
        )  # fmt: skip

    def drop(self, cid: int) -> None:
        self._all("drop", cid)
