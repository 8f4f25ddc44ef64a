"""Where in SQLite is what was true earlier? Ended versions, and what belonged to a thought until a change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simonides.backend import sqlfile
from simonides.backend.history_port import ClosedVersion, Event, PassageNow, PassageUntil, StoredRevision
from simonides.backend.rows import CatalogueRow, Ints
from simonides.backend.sqlite.run import named, rows

if TYPE_CHECKING:
    import apsw

SQL = sqlfile.load("simonides.backend.sqlite", "past.sql")


class HistoryRows:
    """`HistoryReader` and, inside a transaction, `HistoryWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _all(self, name: str, *values: object) -> list[Any]:
        return rows(self._connection, SQL[name], values)

    def _named(self, name: str, **values: str | int) -> list[Any]:
        return named(self._connection, SQL[name], values)

    def closed(self, ns: int, at: int, limit: int) -> list[ClosedVersion]:
        """Ended versions that were current at an instant, one per thought, by thought."""
        found = self._named("closed", ns=ns, at=at, limit=limit)
        return [
            ClosedVersion(v[0], v[1], CatalogueRow._make((0, *v[2:5], 0, 0, 0.0, *v[5:19])), *v[19:]) for v in found
        ]

    def later(self, ns: int, at: int) -> Ints:
        """Thoughts whose current version began after an instant."""
        import numpy as np

        return np.array([tid for (tid,) in self._all("later", ns, at)], np.int64)

    def passages_until(self, tids: Sequence[int]) -> list[PassageUntil]:
        return [PassageUntil(*found) for found in self._all("passages_until", json.dumps(list(tids)))]

    def passages_now(self, tids: Sequence[int]) -> list[PassageNow]:
        return [PassageNow(*found) for found in self._all("passages_now", json.dumps(list(tids)))]

    def revisions(self, ns: int, tid: int) -> list[StoredRevision]:
        """Every revision of a thought with the labels that it began with."""
        from simonides.backend.sqlite.past import PastView  # which reads through this module

        found = []
        for vid, seq, revision, begun, ended, _, *said in self._all("revisions", tid):
            thought = PastView(self._connection, begun).version_of(ns, tid, vid)
            actor, reason, kind = said
            found.append(StoredRevision(seq, revision, begun, ended, actor, reason, kind, thought))
        return found

    def events(self, ns: int, thought_id: str) -> list[Event]:
        return [Event(*found) for found in self._all("events", ns, thought_id)]

    def keep_passages(self, tid: int, seq: int) -> None:
        self._named("keep_passages", tid=tid, seq=seq)

    def keep_labels(self, ns: int, tid: int, at: int) -> None:
        self._named("keep_labels", ns=ns, tid=tid, at=at)

    def keep_edge(self, from_tid: int, to_tid: int, edge_type: str, at: int) -> None:
        self._named("keep_edge", start=from_tid, end=to_tid, type=edge_type, at=at)

    def keep_edges(self, tid: int, at: int) -> None:
        self._named("keep_edges", tid=tid, at=at)

    def drop_vectors(self) -> None:
        """Those of a model that goes."""
        self._all("drop_past_vectors")
