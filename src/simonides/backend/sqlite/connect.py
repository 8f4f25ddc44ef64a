"""How is the file opened? Checks first, pragmas next, one connection per thread, one writer."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from json import JSONDecodeError

import apsw

from simonides.backend.sqlite.migrate import APPLICATION_ID, SCHEMA_VERSION, Progress, migrate
from simonides.backend.sqlite.seam import check_log
from simonides.errors import (
    StoreBusyError,
    StoreClosedError,
    StoreDamagedError,
    StoreError,
    StoreReadOnlyError,
    StoreTooNewError,
)

MAGIC = b"SQLite format 3\x00"
MEMORY = ":memory:"
CHANGED_IN_PLACE = (UnicodeDecodeError, JSONDecodeError)  # what was written as text, or as JSON, is none by now


@dataclass(frozen=True, slots=True)
class FileSettings:
    """How to open: `busy_timeout_s` waits for the lock, `synchronous` is FULL (survives power loss) or NORMAL."""

    busy_timeout_s: float = 30.0
    synchronous: str = "FULL"
    cache_mb: int = 64
    mmap_mb: int = 512


def resolve(path: str | os.PathLike[str]) -> str:
    """The absolute path that a person means: `~` is home, links are followed, the rest is literal, never a URI."""
    text = os.fspath(path)
    if not isinstance(text, str) or not text:
        raise StoreError(f"{path!r} is not a path", hint='give a file name, or ":memory:"')
    if text == MEMORY:
        return text
    if "\x00" in text:
        raise StoreError("a path cannot contain a NUL character")
    return os.path.realpath(os.path.expanduser(text))  # SQLite puts the log beside the file, not beside a link


def check_file(path: str) -> None:
    """Refuses what is not ours before anything touches it: directories, foreign files, newer schemas."""
    if not os.path.exists(path):
        folder = os.path.dirname(path)
        if not os.path.isdir(folder):
            raise StoreError(f"the folder {folder!r} does not exist", hint="create it first")
        return
    if os.path.isdir(path):
        raise StoreError(f"{path!r} is a folder", hint="give the name of a file inside it")
    try:
        header = _first_bytes(path)
    except OSError as error:
        raise StoreError(f"{path!r} cannot be read: {error.strerror}") from None
    if not header:
        if os.path.exists(path + "-wal"):
            raise StoreDamagedError(f"{path!r} is empty but has a write-ahead log beside it", hint="restore a backup")
        return
    if not header.startswith(MAGIC):
        raise StoreDamagedError(f"{path!r} is not a Simonides store: its first bytes are not those of SQLite")
    if len(header) == 100:
        _check_header(path, int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big"))
    _check_size(path, header)


def _first_bytes(path: str) -> bytes:
    """The header, read as SQLite reads: closing a file by oneself drops the locks this process has on it."""
    size = os.path.getsize(path)
    if size == 0 or not os.access(path, os.R_OK):
        with open(path, "rb"):  # says why it cannot be read
            pass
        return b""
    file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        return file.xRead(min(100, size), 0)
    finally:
        file.xClose()


def _check_size(path: str, header: bytes) -> None:
    """A file that is shorter than it says was cut off, unless what is missing is still in its log."""
    page = int.from_bytes(header[16:18], "big")
    page = 65_536 if page == 1 else page
    said = int.from_bytes(header[28:32], "big") * page if header[24:28] == header[92:96] else 0
    if os.path.getsize(path) < said and not os.path.exists(f"{path}-wal") and os.path.getsize(path) < said:
        raise StoreDamagedError(
            f"{path!r} has {os.path.getsize(path)} bytes of {said}: it was cut off", hint="restore a backup"
        )


def _check_header(path: str, application: int, version: int) -> None:
    if application not in (0, APPLICATION_ID):
        raise StoreDamagedError(f"{path!r} belongs to another application (id {application:#x})")
    if application == APPLICATION_ID and version > SCHEMA_VERSION:
        raise StoreTooNewError(
            f"{path!r} has schema {version}, this version of Simonides reads up to {SCHEMA_VERSION}",
            hint="upgrade simonides; the file was not touched",
        )


def translate(error: Exception, path: str, settings: FileSettings) -> StoreError:
    """The typed error for what SQLite reports; a text that is none was changed in place."""
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreBusyError(
            f"another process kept the write lock of {path!r} for {settings.busy_timeout_s:g} s", hint="try again"
        )
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError, *CHANGED_IN_PLACE)):
        return StoreDamagedError(f"{path!r} is damaged: {error}", hint="restore a backup; nothing was changed")
    if isinstance(error, (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)):
        return StoreReadOnlyError(f"{path!r} cannot be opened for writing: {error}", hint="open it with read_only=True")
    if isinstance(error, apsw.FullError):
        return StoreError(f"no space left for {path!r}; the last change was not made")
    return StoreError(f"{path!r}: {error}")


class Connections:
    """One connection per thread for reading, one more for writing; `:memory:` shares a single locked one."""

    def __init__(
        self, path: str, settings: FileSettings, *, read_only: bool = False, progress: Progress | None = None
    ) -> None:
        self.path = path
        self.settings = settings
        self.read_only = read_only
        self.memory = path == MEMORY
        self.lock = threading.RLock()
        self._local = threading.local()
        self._open: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._process = os.getpid()
        self._closed = False
        self._writer: apsw.Connection | None = None
        if not self.memory:
            check_file(path)
            if read_only and not os.path.exists(path):
                raise StoreError(f"{path!r} does not exist", hint="a read-only handle cannot create it")
            check_log(path)
        try:
            first = self._first(progress, read_only=read_only)
        except apsw.Error as error:
            raise translate(error, path, settings) from error
        if self.memory:
            self._writer = self._local.reader = first
        elif read_only:
            self._local.reader = first
        else:
            self._writer = first

    def _first(self, progress: Progress | None, *, read_only: bool) -> apsw.Connection:
        """The first connection; what it refuses it leaves as it is, the log too."""
        connection = self._connect(writing=not read_only)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            migrate(connection, self.path, read_only=read_only, progress=progress)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        except BaseException:
            connection.close(True)
            raise
        return connection

    def _connect(self, *, writing: bool) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE if writing else apsw.SQLITE_OPEN_READONLY
        name = self.path
        if self.read_only and not self.memory and _needs_immutable(self.path):
            name, flags = f"file:{_uri_path(self.path)}?immutable=1", flags | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(name, flags=flags)
        # Without this a build with STAT4 plans a statement anew whenever other values are bound to it.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.set_busy_timeout(int(self.settings.busy_timeout_s * 1000))
        connection.execute(f"PRAGMA cache_size = -{self.settings.cache_mb * 1024}")
        connection.execute(f"PRAGMA mmap_size = {self.settings.mmap_mb << 20}")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA synchronous = {self.settings.synchronous}")
        self._open.add(connection)
        return connection

    def _check_process(self) -> None:
        if self._closed:
            raise StoreClosedError("the store was closed", hint="open it again")
        if os.getpid() != self._process:
            # After a fork the parent's connections must not be used or closed here: POSIX locks belong to it.
            self._process = os.getpid()
            self._abandoned = (list(self._open), self._local, self._writer)
            if not self.memory:
                self._open, self._local, self._writer = weakref.WeakSet(), threading.local(), None
            self.lock = threading.RLock()

    def reader(self) -> apsw.Connection:
        """This thread's connection for reading."""
        self._check_process()
        if self.memory:
            assert self._writer is not None
            return self._writer
        connection: apsw.Connection | None = getattr(self._local, "reader", None)
        if connection is None:
            connection = self._local.reader = self._connect(writing=not self.read_only)
            connection.execute("PRAGMA query_only = 1")
        return connection

    def writer(self) -> apsw.Connection:
        """The one connection for writing; the caller holds `lock`."""
        self._check_process()
        if self.read_only:
            raise StoreReadOnlyError(f"{self.path!r} was opened read-only", hint="open it without read_only=True")
        if self._writer is None:
            self._writer = self._connect(writing=True)
        return self._writer

    def vacuum(self) -> bool:
        """Rewrites the file without free pages, through a connection of its own, and empties the log.

        False when a reader kept the log alive. Raises StoreReadOnlyError, StoreBusyError.
        """
        with self.lock:
            writer = self.writer()  # says so when there may be none
            if self.memory:
                writer.execute("VACUUM")
                return True
        with self.aside(writing=True) as connection:
            connection.execute("PRAGMA temp_store = FILE")  # the copy may be larger than memory
            connection.execute("VACUUM")
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
            return not busy

    @contextmanager
    def aside(self, *, writing: bool) -> Iterator[apsw.Connection]:
        """A connection for one long piece of work; of `:memory:` the only one there is, locked."""
        self._check_process()
        if self.memory:
            with self.lock:
                yield self.reader()
            return
        connection = self._connect(writing=writing)
        try:
            yield connection
        except apsw.Error as error:
            raise translate(error, self.path, self.settings) from error
        finally:
            connection.close(True)

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A read transaction: everything inside sees one state of the file."""
        connection = self.reader()
        if not self.memory:
            yield from self._transaction(connection)
            return
        with self.lock:
            yield from self._transaction(connection)

    def _transaction(self, connection: apsw.Connection) -> Iterator[apsw.Connection]:
        try:
            connection.execute("BEGIN")
        except apsw.Error as error:
            raise translate(error, self.path, self.settings) from error
        try:
            yield connection
        except (apsw.Error, *CHANGED_IN_PLACE) as error:
            raise translate(error, self.path, self.settings) from error
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def close(self) -> None:
        """Closes every connection; the last one folds the write-ahead log into the file."""
        if self._closed:
            return
        self._closed = True
        if os.getpid() != self._process:
            return
        connections = [c for c in self._open if c is not self._writer]
        if self._writer is not None:
            connections.append(self._writer)
        for connection in connections:
            connection.close(True)


def _needs_immutable(path: str) -> bool:
    """True when neither the folder nor the file may be written: WAL cannot work there."""
    folder = os.path.dirname(path)
    return not os.access(folder, os.W_OK) and not os.path.exists(path + "-wal")


def _uri_path(path: str) -> str:
    return "".join(c if c.isalnum() or c in "/._-~" else "".join(f"%{b:02X}" for b in c.encode()) for c in path)
