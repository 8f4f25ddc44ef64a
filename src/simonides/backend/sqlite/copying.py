"""How is a store copied while others write to it? Page by page from one snapshot, checked, then named at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

import apsw

from simonides.backend.rows import Copied
from simonides.errors import StoreDamagedError, StoreError

STEP_PAGES = 2_048  # 8 MB between two calls of `progress`
PARTIAL = ".partial-"
_LAST = "SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1"


def copy_store(
    source: apsw.Connection, target: str, *, overwrite: bool, progress: Callable[[int, int], None] | None = None
) -> Copied:
    """Copies one state of a file. The target's name appears when all is well.

    A read transaction pins the state, so a writer neither waits nor makes the copy begin anew. Raises StoreError
    when the target is there (unless `overwrite`) or cannot be written, StoreDamagedError when the copy is unsound.
    """
    check_target(target, overwrite=overwrite)
    _sweep(target)
    partial = f"{target}{PARTIAL}{os.urandom(4).hex()}"
    try:
        wanted = _copy_state(source, partial, progress)
        _check_copy(partial, wanted)
        size = _sync(partial)
        check_target(target, overwrite=overwrite)
        os.replace(partial, target)
        _sync_folder(os.path.dirname(target))
    except OSError as error:
        raise StoreError(f"{target!r} cannot be written: {error.strerror}") from None
    finally:
        for name in (partial, f"{partial}-journal", f"{partial}-wal", f"{partial}-shm"):
            with suppress(OSError):
                os.unlink(name)
    return Copied(size, 0 if wanted is None else wanted[0])


def check_target(target: str, *, overwrite: bool) -> None:
    """Raises StoreError when a file must not get this name: it is there, or it is a store that somebody has open."""
    folder = os.path.dirname(target) or "."
    if not os.path.isdir(folder):
        raise StoreError(f"the folder {folder!r} does not exist", hint="create it first")
    if os.path.isdir(target):
        raise StoreError(f"{target!r} is a folder", hint="give the name of a file inside it")
    if os.path.exists(target) and not overwrite:
        raise StoreError(f"{target!r} exists", hint="choose another name, or overwrite it on purpose")
    if os.path.exists(f"{target}-wal"):
        raise StoreError(f"{target!r} is open, or was not closed: a write-ahead log is beside it")


def _copy_state(
    source: apsw.Connection, partial: str, progress: Callable[[int, int], None] | None
) -> tuple[int, bytes] | None:
    """Copies what the source is now; returns its last change."""
    if not source.filename:  # in memory there is one connection, which nobody else uses meanwhile
        _copy_pages(source, partial, progress)
        last: tuple[int, bytes] | None = source.execute(_LAST).fetchone()
        return last
    source.execute("BEGIN")
    try:
        last = source.execute(_LAST).fetchone()
        _copy_pages(source, partial, progress)
    finally:
        source.execute("ROLLBACK")
    return last


def _copy_pages(source: apsw.Connection, partial: str, progress: Callable[[int, int], None] | None) -> None:
    target = apsw.Connection(partial)
    try:
        target.execute("PRAGMA journal_mode = OFF")  # a half copy has no name, so it needs no undo
        target.execute("PRAGMA synchronous = OFF")  # `_sync` follows
        with target.backup("main", source, "main") as pages:
            while not pages.done:
                pages.step(STEP_PAGES)
                if progress is not None:
                    progress(pages.page_count - pages.remaining, pages.page_count)
    finally:
        target.close(True)


def _check_copy(partial: str, wanted: tuple[int, bytes] | None) -> None:
    copy = apsw.Connection(immutable(partial), flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        found = [text for (text,) in copy.execute("PRAGMA quick_check(3)") if text != "ok"]
        if found:
            raise StoreDamagedError(f"the copy is not sound: {found[0]}", hint="run doctor on the store")
        if copy.execute(_LAST).fetchone() != wanted:
            raise StoreDamagedError("the copy ends at another change than the store")
    except apsw.Error as error:
        raise StoreDamagedError(f"the copy cannot be read: {error}", hint="run doctor on the store") from None
    finally:
        copy.close(True)


def _sync(path: str) -> int:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def _sync_folder(folder: str) -> None:
    with suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(target: str) -> None:
    """Removes what killed copies left behind; one that is being written is locked and stays."""
    from pathlib import Path

    place = Path(target)
    for left in place.parent.glob(f"{_literal(place.name)}{PARTIAL}*"):
        if not _is_locked(str(left)):
            for name in (str(left), f"{left}-journal", f"{left}-wal", f"{left}-shm"):
                with suppress(OSError):
                    os.unlink(name)


def _is_locked(path: str) -> bool:
    try:
        connection = apsw.Connection(path)
        try:
            connection.execute("BEGIN EXCLUSIVE")
        finally:
            connection.close(True)
    except (apsw.BusyError, apsw.LockedError):
        return True
    except apsw.Error:
        return False  # half a file: nobody holds it
    return False


def _literal(name: str) -> str:
    return "".join(f"[{c}]" if c in "[]*?" else c for c in name)


def immutable(path: str) -> str:
    """The URI that opens a file as it is: no log beside it is read or made."""
    safe = "".join(c if (c.isalnum() and c.isascii()) or c in "/._-~" else _percent(c) for c in path)
    return f"file:{safe}?immutable=1"


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in os.fsencode(character))
