"""What can still be read of a damaged file? Row by row past what is broken; the file is never written to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import apsw

from simonides.backend import sqlfile
from simonides.backend.chain import content_hash
from simonides.backend.exchange_port import StoredPassage, StoredVersion, WholeThought
from simonides.backend.rows import PENDING, STORED, NewVersion
from simonides.backend.sqlite.copying import immutable
from simonides.backend.sqlite.leaves import Leaves, read_leaves
from simonides.backend.sqlite.seam import check_log
from simonides.errors import StoreDamagedError

SQL = sqlfile.load("simonides.backend.sqlite", "salvage.sql")
WALKED = ("walk_versions", "walk_thoughts", "walk_edges", "namespaces", "sessions", "speakers")


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
        self._leaves = Leaves() if self._walks() else read_leaves(path)

    def __enter__(self) -> Salvage:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close(True)

    def namespaces(self) -> dict[int, str]:
        return self._leaves.namespaces | dict(self._safe("namespaces"))

    def model(self) -> str | None:
        found = self._safe("model")
        return found[0][0] if found else None

    def thoughts(self) -> Iterator[WholeThought]:
        """Every thought with those of its revisions whose text is what its hash says."""
        kept: dict[int, list[int]] = {}
        for vid in sorted({*self._ids("versions"), *self._leaves.versions}):
            found = self._safe("owner", vid) or self._leaves.version(vid)
            if found and isinstance(found[0][0], int):
                kept.setdefault(found[0][0], []).append(vid)
        sessions = self._leaves.sessions | dict(self._safe("sessions"))
        speakers = self._leaves.speakers | dict(self._safe("speakers"))
        for tid, vids in sorted(kept.items()):
            head = self._safe("head", tid) or self._leaves.head(tid)
            versions = [version for vid in vids if (version := self._version(vid)) is not None]
            self.lost += len(vids) - len(versions)
            if not head or not versions:
                self.lost += len(versions)
                continue
            values = list(head[0])
            values[5], values[7] = sessions.get(values[5]), speakers.get(values[7])
            passages = self._passages(tid, versions[-1])
            yield WholeThought._make((*values, self._labels(tid), tuple(versions), passages, (), ()))

    def edges(self) -> list[tuple[Any, ...]]:
        """(ns, edge_id, from_id, to_id, type, weight, created_at, valid_from, valid_until, source, metadata)."""
        found: list[tuple[Any, ...]] = []
        for eid in self._ids("edges"):
            found += self._safe("edge", eid)
        known = {(ns, edge_id) for ns, edge_id, *_ in found}
        return found + [edge for edge in self._leaves.edges() if edge[:2] not in known]

    def _walks(self) -> bool:
        """Whether the way to every row is there."""
        try:
            for name in WALKED:
                self._connection.execute(SQL[name]).fetchall()
        except apsw.Error:
            return False
        return True

    def _ids(self, table: str) -> range:
        last = [*self._safe("sequence", table), *self._safe(f"last_{table}")]
        return range(1, 1 + max((n for (n,) in last if isinstance(n, int)), default=0))

    def _version(self, vid: int) -> StoredVersion | None:
        found = self._safe("version", vid) or self._leaves.version(vid)
        if not found:
            return None
        _, revision, seq, since, until, salt, *fields = found[0]
        version = NewVersion(*fields)
        sound = isinstance(version.content, str) and content_hash(version.content) == version.content_hash
        return StoredVersion(revision, seq, since, until, salt, version) if sound else None

    def _labels(self, tid: int) -> dict[str, list[str]]:
        labels: dict[str, list[str]] = {}
        for kind, label in self._safe("labels", tid):
            labels.setdefault(kind, []).append(label)
        return labels

    def _passages(self, tid: int, last: StoredVersion) -> tuple[StoredPassage, ...]:
        """None at all when one does not fit: they are made anew then."""
        found = [StoredPassage(*values) for values in self._safe("passages", tid)]
        if any(not 0 <= p.start <= p.stop <= len(last.version.content) for p in found):
            return ()
        return tuple(p._replace(embedding=PENDING) if p.embedding == STORED and p.vector is None else p for p in found)

    def _safe(self, name: str, *values: object) -> list[Any]:
        """The rows up to the first one that cannot be read."""
        found: list[Any] = []
        with suppress(apsw.Error, UnicodeDecodeError):
            found.extend(self._connection.execute(SQL[name], values))
        return found
