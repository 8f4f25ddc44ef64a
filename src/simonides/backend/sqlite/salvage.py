"""What can still be read of a damaged file? Row by row past what is broken; the file is never written to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import apsw

from simonides.backend.chain import content_hash
from simonides.backend.exchange_port import StoredPassage, StoredVersion, WholeThought
from simonides.backend.rows import PENDING, STORED, NewVersion
from simonides.backend.sqlite.copying import immutable
from simonides.backend.sqlite.seam import check_log
from simonides.errors import StoreDamagedError

_HEAD = """
SELECT t.tid, t.ns, t.thought_id, t.created_at, t.created_cycle, t.session, t.position, t.speaker, t.dedup,
       t.access_count, t.confirmation_count, t.last_accessed_at FROM thoughts t WHERE t.tid = ?
"""
_VERSION = f"""
SELECT tid, revision, seq, recorded_from, recorded_to, salt, {", ".join(NewVersion.__slots__)} FROM versions WHERE vid = ?
"""
_PASSAGES = """
SELECT p.part, p.start, p.stop, p.embedding, v.vector FROM passages p LEFT JOIN vectors v ON v.pid = p.pid
WHERE p.tid = ? ORDER BY p.part
"""


class Salvage:
    """Reads a file, with its log when that is its own. Use as a context manager; closing folds nothing in."""

    def __init__(self, path: str) -> None:
        try:
            check_log(path)
            self._connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        except (StoreDamagedError, apsw.Error):
            self._connection = apsw.Connection(immutable(path), flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self.lost = 0  # revisions that were there once and cannot be read, as far as can be told

    def __enter__(self) -> Salvage:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close(True)

    def namespaces(self) -> dict[int, str]:
        return dict(self._safe("SELECT ns, name FROM namespaces"))

    def model(self) -> str | None:
        found = self._safe("SELECT value FROM meta WHERE key = 'model'")
        return found[0][0] if found else None

    def thoughts(self) -> Iterator[WholeThought]:
        """Every thought with those of its revisions whose text is what its hash says."""
        kept: dict[int, list[int]] = {}
        for vid in self._ids("versions", "vid"):
            found = self._safe("SELECT tid FROM versions WHERE vid = ?", (vid,))
            if found:
                kept.setdefault(found[0][0], []).append(vid)
        sessions = dict(self._safe("SELECT session, name FROM sessions"))
        speakers = dict(self._safe("SELECT speaker, name FROM speakers"))
        for tid, vids in sorted(kept.items()):
            head = self._safe(_HEAD, (tid,))
            versions = [version for vid in vids if (version := self._version(vid)) is not None]
            self.lost += len(vids) - len(versions)
            if not head or not versions:
                self.lost += len(versions)
                continue
            values = list(head[0])
            values[5], values[7] = sessions.get(values[5]), speakers.get(values[7])
            yield WholeThought._make((*values, self._labels(tid), tuple(versions), self._passages(tid, versions[-1])))

    def edges(self) -> list[tuple[Any, ...]]:
        """(ns, edge_id, from_id, to_id, type, weight, created_at, valid_from, valid_until, source, metadata)."""
        found = []
        for eid in self._ids("edges", "eid"):
            found += self._safe(
                "SELECT e.ns, e.edge_id, f.thought_id, g.thought_id, e.edge_type, e.weight, e.created_at, e.valid_from, "
                "e.valid_until, e.source, e.metadata FROM edges e JOIN thoughts f ON f.tid = e.from_tid "
                "JOIN thoughts g ON g.tid = e.to_tid WHERE e.eid = ?",
                (eid,),
            )
        return found

    def _ids(self, table: str, column: str) -> range:
        last = self._safe("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        most = self._safe(f"SELECT max({column}) FROM {table}")
        return range(1, 1 + max([n or 0 for (n,) in [*last, *most]], default=0))

    def _version(self, vid: int) -> StoredVersion | None:
        found = self._safe(_VERSION, (vid,))
        if not found:
            return None
        _, revision, seq, since, until, salt, *fields = found[0]
        version = NewVersion(*fields)
        sound = isinstance(version.content, str) and content_hash(version.content) == version.content_hash
        return StoredVersion(revision, seq, since, until, salt, version) if sound else None

    def _labels(self, tid: int) -> dict[str, list[str]]:
        labels: dict[str, list[str]] = {}
        for kind, label in self._safe("SELECT kind, label FROM labels WHERE tid = ?", (tid,)):
            labels.setdefault(kind, []).append(label)
        return labels

    def _passages(self, tid: int, last: StoredVersion) -> tuple[StoredPassage, ...]:
        """None at all when one does not fit: they are made anew then."""
        found = [StoredPassage(*values) for values in self._safe(_PASSAGES, (tid,))]
        if any(not 0 <= p.start <= p.stop <= len(last.version.content) for p in found):
            return ()
        return tuple(p._replace(embedding=PENDING) if p.embedding == STORED and p.vector is None else p for p in found)

    def _safe(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """The rows up to the first one that cannot be read."""
        found: list[Any] = []
        with suppress(apsw.Error, UnicodeDecodeError):
            found.extend(self._connection.execute(sql, tuple(values)))
        return found
