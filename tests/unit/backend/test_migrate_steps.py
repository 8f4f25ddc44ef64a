"""Migrations in steps: a killed one goes on, a repeating one ends, a rewriting one keeps a copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from simonides.backend.sqlite import migrate as steps
from simonides.backend.sqlite.migrate import Step, read_migration

REWRITING = """-- What a later version does.
-- rewrites: every row
-- step
CREATE TABLE extra (x INTEGER PRIMARY KEY) STRICT;
-- step: repeat
INSERT INTO extra SELECT ifnull(max(x), 0) + 1 FROM extra HAVING ifnull(max(x), 0) < 5;
-- step
CREATE INDEX extra_x ON extra (x);
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[apsw.Connection]:
    """A file at the current schema, before a version that has one more migration."""
    connection = apsw.Connection(str(tmp_path / "a.db"))
    steps.migrate(connection, str(tmp_path / "a.db"), read_only=False)
    version = steps.SCHEMA_VERSION
    scripts = steps.scripts()
    monkeypatch.setattr(steps, "SCHEMA_VERSION", version + 1)
    monkeypatch.setattr(steps, "scripts", lambda: {**scripts, version + 1: REWRITING})
    yield connection
    connection.close()


def test_a_script_without_marks_is_one_step() -> None:
    assert read_migration(7, "CREATE TABLE x (y);\n").steps == (Step("CREATE TABLE x (y);\n", False),)
    assert read_migration(7, "CREATE TABLE x (y);\n").rewrites is False


def test_a_script_is_parted_at_its_marks() -> None:
    found = read_migration(7, REWRITING)
    assert [step.repeats for step in found.steps] == [False, True, False]
    assert found.rewrites is True


def test_every_step_is_done_and_progress_counts_them(store: apsw.Connection, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    path = str(tmp_path / "a.db")
    steps.migrate(store, path, read_only=False, progress=lambda *step: seen.append(step))
    copied = [step for step in seen if step[0] == "copy"]
    assert copied[-1][1] == copied[-1][2] > 0
    rows = [("rewrite", n, 0) for n in range(1, 6)]
    assert seen[len(copied) :] == [("migrate", 1, 3), *rows, ("migrate", 2, 3), ("migrate", 3, 3)]
    assert store.execute("SELECT count(*), max(x) FROM extra").fetchall() == [(5, 5)]
    assert store.pragma("user_version") == steps.SCHEMA_VERSION
    assert store.execute("SELECT count(*) FROM meta WHERE key = 'migration'").get == 0


def test_a_new_file_reports_nothing_and_what_progress_raises_stops_the_way(
    store: apsw.Connection, tmp_path: Path
) -> None:
    seen: list[tuple[str, int, int]] = []
    new = apsw.Connection(str(tmp_path / "new.db"))
    steps.migrate(new, str(tmp_path / "new.db"), read_only=False, progress=lambda *step: seen.append(step))
    assert seen == []
    new.close()

    def stop(stage: str, done: int, total: int) -> None:
        if (stage, done) == ("rewrite", 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        steps.migrate(store, str(tmp_path / "a.db"), read_only=False, progress=stop)
    assert store.execute("SELECT count(*) FROM extra").get == 3
    steps.migrate(store, str(tmp_path / "a.db"), read_only=False)
    assert store.execute("SELECT count(*), max(x) FROM extra").fetchall() == [(5, 5)]


def test_a_copy_of_the_old_file_is_kept(store: apsw.Connection, tmp_path: Path) -> None:
    old = steps.SCHEMA_VERSION - 1
    steps.migrate(store, str(tmp_path / "a.db"), read_only=False)
    kept = apsw.Connection(str(tmp_path / f"a.db.schema-{old}"))
    assert kept.pragma("user_version") == old
    assert kept.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'").get == 0
    kept.close()


@pytest.mark.parametrize("stops", range(1, 8))
def test_a_migration_that_was_stopped_goes_on_where_it_was(store: apsw.Connection, tmp_path: Path, stops: int) -> None:
    """Stopped before the nth transaction; the steps before it are not done again."""
    path = str(tmp_path / "a.db")
    begun = 0

    def stop(_: apsw.Connection, sql: str, __: object) -> bool:
        nonlocal begun
        begun += sql.startswith("BEGIN IMMEDIATE")
        return begun <= stops

    store.exec_trace = stop
    with pytest.raises(apsw.ExecTraceAbort):
        steps.migrate(store, path, read_only=False)
    store.exec_trace = None
    steps.migrate(store, path, read_only=False)
    assert store.execute("SELECT count(*), max(x) FROM extra").fetchall() == [(5, 5)]
    assert store.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'extra_x'").get == 1
    assert store.pragma("user_version") == steps.SCHEMA_VERSION


def test_a_step_that_fails_leaves_nothing_of_it(
    store: apsw.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = steps.SCHEMA_VERSION
    broken = "-- step\nCREATE TABLE extra (x) STRICT;\n"  # a column of a STRICT table needs a type
    monkeypatch.setattr(steps, "scripts", lambda: {version: broken})
    with pytest.raises(apsw.SQLError):
        steps.migrate(store, str(tmp_path / "a.db"), read_only=False)
    assert store.pragma("user_version") == version - 1
