"""How does a file get to the current schema? One numbered script per version, each in its own transaction."""

from __future__ import annotations

import re
import threading
from importlib import resources

import apsw

from simonides.errors import StoreDamagedError, StoreTooNewError

APPLICATION_ID = 0x53494D4F  # "SIMO"
SCHEMA_VERSION = 1


def scripts() -> dict[int, str]:
    """version → SQL of the step that reaches it, from `migrations/NNNN_name.sql`."""
    folder = resources.files("simonides.backend.sqlite").joinpath("migrations")
    found: dict[int, str] = {}
    for entry in folder.iterdir():
        name = re.fullmatch(r"(\d{4})_\w+\.sql", entry.name)
        if name:
            found[int(name[1])] = entry.read_text(encoding="utf-8")
    return dict(sorted(found.items()))


def migrate(connection: apsw.Connection, path: str, *, read_only: bool) -> int:
    """Brings an open file to SCHEMA_VERSION; returns it. A newer or foreign file is refused untouched."""
    version = check_version(connection, path)
    if version == SCHEMA_VERSION:
        return version
    if read_only:
        raise StoreDamagedError(
            f"{path!r} has schema {version}, expected {SCHEMA_VERSION}", hint="open it once for writing to migrate it"
        )
    if version == 0:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _write_ahead(connection)
    for number, script in scripts().items():
        if number <= version:
            continue
        with_lock = False
        try:
            connection.execute("BEGIN IMMEDIATE")
            with_lock = True
            if check_version(connection, path) < number:
                connection.execute(script)
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
            with_lock = False
        finally:
            if with_lock:
                connection.execute("ROLLBACK")
    return SCHEMA_VERSION


def _write_ahead(connection: apsw.Connection) -> None:
    """Switches to WAL. SQLite does not wait for this lock by itself when two processes create the file at once."""
    for attempt in range(200):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if attempt == 199:
                raise
            threading.Event().wait(0.01)


def check_version(connection: apsw.Connection, path: str) -> int:
    """The schema version of an open file. Raises for newer files and for databases of somebody else."""
    application = connection.pragma("application_id")
    version = connection.pragma("user_version")
    if application not in (0, APPLICATION_ID):
        raise StoreDamagedError(f"{path!r} belongs to another application (id {application:#x})")
    if application == 0 and connection.execute("SELECT count(*) FROM sqlite_schema").get:
        raise StoreDamagedError(f"{path!r} is an SQLite database, but not a Simonides store")
    assert isinstance(version, int)
    if version > SCHEMA_VERSION:
        raise StoreTooNewError(
            f"{path!r} has schema {version}, this version of Simonides reads up to {SCHEMA_VERSION}",
            hint="upgrade simonides; the file was not touched",
        )
    return version
