"""Is the write-ahead log beside a file its own? SQLite plays back any log it finds, and so destroys a store.

A log whose salts stand in the shared memory beside it was in use here: that is all there is to see while others
have the store open, and after most crashes. Any other log is checked before anything may be written: the file
without its log and with it must be one store (an id in `meta`), and one journal that goes on.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import NamedTuple

import apsw

from simonides.backend.chain import link
from simonides.backend.rows import JournalEntry
from simonides.backend.sqlite.copying import immutable
from simonides.backend.sqlite.migrate import APPLICATION_ID
from simonides.backend.sqlite.run import row, rows
from simonides.errors import StoreDamagedError

LOG_HEADER = 32  # bytes of a log without a frame
_STORE = "SELECT value FROM meta WHERE key = 'store'"
_LAST = (
    "SELECT seq, at, ns, actor, reason, kind, subject_id, revision, digest, hash FROM journal ORDER BY seq DESC LIMIT 2"
)
_FROM = (
    "SELECT seq, at, ns, actor, reason, kind, subject_id, revision, digest, hash FROM journal WHERE seq >= ? LIMIT 2"
)
_PRUNED = "SELECT max(last_seq) FROM journal_seals WHERE pruned = 1"
_AFTER = "SELECT count(*), max(seq) FROM journal WHERE seq > ?"


_descriptors: dict[tuple[int, int], int] = {}
_lock = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


class _Main(NamedTuple):
    """What the file says without its log. seq 0: nothing that could be compared."""

    store: str | None
    seq: int
    hash: bytes


def check_log(path: str) -> None:
    """Raises StoreDamagedError when the log beside a file belongs to another one, or to another time of it.

    Neither the file nor the log is changed.
    """
    log = f"{path}-wal"
    try:
        if os.path.getsize(log) <= LOG_HEADER or _in_use(log, f"{path}-shm"):
            return
    except OSError:
        return  # no log, or it was folded in just now
    main = _without_log(path)
    if main is None:
        return
    had_memory = os.path.exists(f"{path}-shm")
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        try:
            wrong = _compare(connection, main)
        finally:
            connection.close(True)
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.BusyError):
        return  # whoever opens it next says why
    except apsw.Error as error:
        wrong = str(error)
    if wrong is not None:
        if not had_memory:
            with suppress(OSError):
                os.unlink(f"{path}-shm")
        raise StoreDamagedError(
            f"the write-ahead log beside {path!r} does not belong to it: {wrong}",
            hint="nothing was changed; look with `simonides doctor`, or move the -wal away and open again",
        )


def _in_use(log: str, memory: str) -> bool:
    """True when the shared memory holds the salts of this very log."""
    if not hasattr(os, "pread"):
        return False
    with open(log, "rb") as file:
        salts = file.read(LOG_HEADER)[16:24]
    try:
        with _lock:
            return os.pread(_held(memory), 8, 32) == salts
    except OSError:
        return False


def _held(memory: str) -> int:
    """A descriptor of a shared memory that stays open: closing it would drop the locks that this process has there."""
    for place, descriptor in list(_descriptors.items()):
        if os.fstat(descriptor).st_nlink == 0:  # the file is gone, and so are its locks
            os.close(_descriptors.pop(place))
    found = os.stat(memory)
    key = (found.st_dev, found.st_ino)
    if key not in _descriptors:
        _descriptors[key] = os.open(memory, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    return _descriptors[key]


def _without_log(path: str) -> _Main | None:
    """None when the file alone says nothing: it is new, or a checkpoint into it was cut off."""
    try:
        connection = apsw.Connection(immutable(path), flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    except apsw.Error:
        return None
    try:
        if connection.pragma("application_id") != APPLICATION_ID:
            return None
        found = connection.execute(_STORE).get
        last = rows(connection, _LAST)
        if len(last) == 2 and not _follows(last[1], last[0]):
            last = []
        return _Main(found, last[0][0] if last else 0, last[0][-1] if last else b"")
    except (apsw.Error, UnicodeDecodeError):
        return None
    finally:
        connection.close(True)


def _compare(connection: apsw.Connection, main: _Main) -> str | None:
    """What is wrong with the file as its log would make it; None when it goes on where the file ends."""
    if connection.pragma("application_id") != APPLICATION_ID:
        return "with it the file belongs to another application"
    store = connection.execute(_STORE).get
    if main.store is not None and store != main.store:
        return "it is the log of another store"
    if main.seq == 0:
        return None
    found = rows(connection, _FROM, (main.seq,))
    count, last = row(connection, _AFTER, (main.seq,))
    if (not found or found[0][0] != main.seq) and _pruned(connection) >= main.seq:
        return None  # the log holds a pruning of what the file ends with
    if not found or found[0][0] != main.seq or found[0][-1] != main.hash:
        return f"change {main.seq} of the file is not in it"
    if count and (last - main.seq != count or not _follows(found[0], found[1])):
        return f"its changes do not follow change {main.seq} of the file"
    if not count:  # nothing that the journal tells: look at everything
        said = connection.execute("PRAGMA quick_check(1)").get
        return None if said == "ok" else str(said)
    return None


def _pruned(connection: apsw.Connection) -> int:
    """The seq up to which the journal was pruned; 0 for a schema without seals."""
    with suppress(apsw.SQLError):
        return int(connection.execute(_PRUNED).get or 0)
    return 0


def _follows(before: tuple[object, ...], after: tuple[object, ...]) -> bool:
    """Whether a row of the journal is chained to another."""
    seq, *values, stored = after
    previous = before[-1]
    if not isinstance(previous, bytes) or not isinstance(seq, int):
        return False
    return link(previous, seq, JournalEntry(*values)) == stored  # type: ignore[arg-type]  # a wrong type hashes wrong
