"""How does a file get to the current schema? One numbered script per version, in steps that may be interrupted.

A script is one step, unless lines `-- step` or `-- step: repeat` part it. Every step has its own transaction and
is noted in it, so a killed migration goes on where it was. A repeating step runs until it changes no row: it names
a bounded batch. A script that says `-- rewrites` changes what is stored: a copy of the file is kept beforehand.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import apsw

from simonides.backend.sqlfile import read
from simonides.backend.sqlite.copying import copy_store
from simonides.errors import StoreDamagedError, StoreReadOnlyError, StoreTooNewError

APPLICATION_ID = 0x53494D4F  # "SIMO"
MARK = "migration"  # the key in `meta`: version and number of finished steps
_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")
_STEP = re.compile(r"^-- step(?:: (repeat))?\n", re.MULTILINE)
Progress = Callable[[str, int, int], None]


def _names() -> dict[int, str]:
    found = (re.fullmatch(r"(\d{4})_\w+\.sql", name) for name in os.listdir(_FOLDER))
    return dict(sorted((int(name[1]), name[0]) for name in found if name))


SCHEMA_VERSION = max(_names())


@dataclass(frozen=True, slots=True)
class Step:
    """One transaction of a migration, or one that is repeated until it changes nothing."""

    sql: str
    repeats: bool


@dataclass(frozen=True, slots=True)
class Migration:
    """The way to one version."""

    version: int
    steps: tuple[Step, ...]
    rewrites: bool


@cache
def scripts() -> dict[int, str]:
    """version → SQL of the migration that reaches it, from `migrations/NNNN_name.sql`."""
    return {number: read(os.path.join(_FOLDER, name)) for number, name in _names().items()}


def read_migration(version: int, script: str) -> Migration:
    """The steps of a script."""
    parts = _STEP.split(script)
    first = [] if re.fullmatch(r"(\s|--[^\n]*\n)*", parts[0]) and len(parts) > 1 else [Step(parts[0], False)]
    more = [Step(sql, kind == "repeat") for kind, sql in zip(parts[1::2], parts[2::2], strict=True)]
    return Migration(version, (*first, *more), re.search(r"^-- rewrites", script, re.MULTILINE) is not None)


def migrate(connection: apsw.Connection, path: str, *, read_only: bool, progress: Progress | None = None) -> int:
    """Brings an open file to SCHEMA_VERSION; returns it. A newer or foreign file is refused untouched.

    progress(stage, done, total) hears of nothing for a new file; of an older one: "copy", pages of the copy that is
    kept before a rewrite, named `PATH.schema-VERSION`; "migrate", steps; "rewrite", rows of a step that goes on, total
    0. What it raises stops the migration between two transactions.
    """
    version = check_version(connection, path)
    if version == SCHEMA_VERSION:
        return version
    if read_only and version == 0:
        raise StoreDamagedError(
            f"{path!r} is empty: no store was ever made in it",
            hint="restore a backup, or begin one by writing",
        )
    if read_only:
        raise StoreReadOnlyError(
            f"{path!r} has schema {version}, expected {SCHEMA_VERSION}", hint="open it once for writing to migrate it"
        )
    if version == 0:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _write_ahead(connection)
    wanted = [read_migration(number, script) for number, script in scripts().items() if number > version]
    say = progress if progress is not None and version else _silent
    if version and any(migration.rewrites for migration in wanted):
        keep_copy(connection, path, version, say)
    total, done = sum(len(migration.steps) for migration in wanted), 0
    for migration in wanted:
        for number, step in enumerate(migration.steps, 1):
            before = connection.total_changes()
            while _run(connection, path, migration, number, step):
                _tell("%r: schema %d, step %d goes on", path, migration.version, number)
                say("rewrite", connection.total_changes() - before, 0)
            done += 1
            say("migrate", done, total)
        if version:
            _tell("%r has schema %d now", path, migration.version)
    return SCHEMA_VERSION


def _silent(stage: str, done: int, total: int) -> None:
    pass


def keep_copy(connection: apsw.Connection, path: str, version: int, say: Progress = _silent) -> None:
    """Copies the file to `PATH.schema-VERSION`, unless an earlier attempt has done so."""
    kept = f"{path}.schema-{version}"
    if path == ":memory:" or os.path.exists(kept):
        return
    copy_store(connection, kept, overwrite=False, progress=lambda done, total: say("copy", done, total))
    _tell("kept %r before rewriting %r", kept, path)


def _run(connection: apsw.Connection, path: str, migration: Migration, number: int, step: Step) -> bool:
    """Runs one step in a transaction, unless it is done already. True when it has to be run once more."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        again = False
        version = check_version(connection, path)
        if version < migration.version and number > _finished(connection, version, migration.version):
            before = connection.total_changes()
            connection.execute(step.sql)
            again = step.repeats and connection.total_changes() > before
            if not again:
                _note(connection, migration, number)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return again


def _finished(connection: apsw.Connection, version: int, wanted: int) -> int:
    if version == 0:
        return 0
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (MARK,)).fetchone()
    at, _, steps = str(found[0]).partition(":") if found else ("0", "", "0")
    return int(steps) if int(at) == wanted else 0


def _note(connection: apsw.Connection, migration: Migration, number: int) -> None:
    if number == len(migration.steps):
        connection.execute("DELETE FROM meta WHERE key = ?", (MARK,))
        connection.execute(f"PRAGMA user_version = {migration.version}")
    else:
        mark = f"{migration.version}:{number}"
        connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (MARK, mark))


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


def _tell(text: str, *values: object) -> None:
    import logging

    logging.getLogger(__name__).info(text, *values)
