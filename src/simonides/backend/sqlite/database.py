"""The SQLite side of the port, put together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import apsw

from simonides.backend.sqlite.connect import CHANGED_IN_PLACE, Connections, FileSettings, resolve, translate
from simonides.backend.sqlite.copying import copy_store
from simonides.backend.sqlite.snapshot import SqliteSnapshot
from simonides.backend.sqlite.writer import Writer
from simonides.errors import StoreError

if TYPE_CHECKING:
    from simonides.backend.rows import Copied
    from simonides.backend.sqlite.transaction import SqliteTransaction

T = TypeVar("T")
P = TypeVar("P")


class SqliteDatabase:
    """One SQLite file, or `:memory:`."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        settings: FileSettings,
        *,
        read_only: bool = False,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        """progress: hears of a migration; see `migrate`."""
        self.path = resolve(path)
        self._connections = Connections(self.path, settings, read_only=read_only, progress=progress)
        self._writer = Writer(self._connections)

    @property
    def read_only(self) -> bool:
        return self._connections.read_only

    @contextmanager
    def snapshot(self) -> Iterator[SqliteSnapshot]:
        """One state of the file for as long as the block lasts."""
        with self._connections.reading() as connection:
            yield SqliteSnapshot(connection)

    def write(self, job: Callable[[SqliteTransaction], T]) -> T:
        """Runs a job in a transaction of its own or of a group; see `Writer.write`."""
        try:
            return self._writer.write(job)
        except (apsw.Error, *CHANGED_IN_PLACE) as error:
            raise translate(error, self.path, self._connections.settings) from error

    def write_together(self, run: Callable[[SqliteTransaction, Sequence[P]], Sequence[T]], part: P) -> T:
        """Runs a part of a job, in one call with the parts of others that wait; see `Writer.write_together`."""
        try:
            return self._writer.write_together(run, part)
        except (apsw.Error, *CHANGED_IN_PLACE) as error:
            raise translate(error, self.path, self._connections.settings) from error

    def file_bytes(self) -> int:
        """Size of the file and its write-ahead log; 0 for `:memory:`."""
        return sum(os.path.getsize(p) for p in (self.path, f"{self.path}-wal") if os.path.isfile(p))

    def vacuum(self) -> bool:
        """Rewrites the file without free space and empties the log; False when a reader kept the log alive."""
        return self._connections.vacuum()

    def copy(self, target: str, *, overwrite: bool, progress: Callable[[int, int], None] | None) -> Copied:
        """A checked copy of one state under another name, while others write."""
        path = resolve(target)
        if os.path.exists(path) and os.path.exists(self.path) and os.path.samefile(path, self.path):
            raise StoreError(f"{target!r} is the store itself", hint="choose another name")
        with self._connections.aside(writing=not self.read_only) as connection:
            return copy_store(connection, path, overwrite=overwrite, progress=progress)

    def close(self) -> None:
        self._connections.close()
