"""Where in SQLite does the retrieval log live?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simonides.backend.audit_port import Access, LogRow, NewLog, ShownText
from simonides.backend.sqlfile import load
from simonides.backend.sqlite.run import row

if TYPE_CHECKING:
    import apsw

_SQL = load("simonides.backend.sqlite", "audit.sql")


class AuditRows:
    """The log's tables on one connection: `AuditReader` and, inside a transaction, `AuditWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _named(self, name: str, **values: object) -> list[Any]:
        return self._connection.execute(_SQL[name], values).fetchall()

    def get(self, query_id: str) -> LogRow | None:
        found = row(self._connection, _SQL["log_get"], (query_id,))
        return None if found is None else LogRow(*found)

    def place(self, query_id: str) -> int | None:
        """Where a question stands in the order of arrival; later ones have greater numbers."""
        found = row(self._connection, _SQL["log_place"], (query_id,))
        return None if found is None else int(found[0])

    def page(self, namespace: str, *, only: bool, before: int, limit: int) -> list[LogRow]:
        """Newest first, of those that stand before a place."""
        name = "log_of" if only else "log_with"
        return [LogRow(*found) for found in self._named(name, namespace=namespace, before=before, limit=limit)]

    def count(self, namespace: str, *, only: bool) -> int:
        return int(self._named("count_of" if only else "count_with", namespace=namespace)[0][0])

    def plan(self, hash_: str) -> str | None:
        found = row(self._connection, _SQL["plan_text"], (hash_,))
        return None if found is None else str(found[0])

    def shown(self, namespace: str, thought_id: str, revision: int) -> ShownText | None:
        """A thought at a revision; None when that was erased."""
        found = self._named("shown_text", namespace=namespace, thought_id=thought_id, revision=revision)
        return ShownText(*found[0]) if found else None

    def add(self, rows: Sequence[NewLog]) -> None:
        plans = {new.row.plan: new.plan for new in rows}
        self._connection.executemany(_SQL["plan_add"], plans.items())
        names = LogRow.__slots__
        self._connection.executemany(_SQL["log_add"], (tuple(getattr(new.row, n) for n in names) for new in rows))

    def note_accesses(self, accesses: Sequence[Access]) -> None:
        """Adds to the counters of thoughts; those that are gone are left out."""
        self._connection.executemany(_SQL["note_access"], (access._asdict() for access in accesses))

    def prune(self, before: int, rows_max: int, limit: int) -> int:
        """Ends at most `limit` rows from before an instant, and as many beyond the newest `rows_max`."""
        gone = self._named("prune_old", before=before, limit=limit)
        gone += self._named("prune_many", rows=rows_max, limit=limit)
        return self._without_plans(gone)

    def _without_plans(self, gone: list[tuple[str]]) -> int:
        for hash_ in {plan for (plan,) in gone}:
            self._named("prune_plan", hash=hash_)
        return len(gone)
