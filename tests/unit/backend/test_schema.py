"""Does schema.sql say what the migrations do, and can every named statement be planned?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources

import apsw
import pytest

from simonides.backend import sqlfile
from simonides.backend.sqlite.migrate import SCHEMA_VERSION, migrate, scripts

PACKAGE = "simonides.backend.sqlite"
FILES = (
    "snapshot.sql",
    "transaction.sql",
    "lexicon.sql",
    "kept.sql",
    "topics.sql",
    "audit.sql",
    "jobs.sql",
    "conflicts.sql",
    "hygiene.sql",
)
STATEMENTS = [(file, name) for file in FILES for name in sqlfile.load(PACKAGE, file)]
Shape = list[tuple[str, str, str, str]]


def shape(connection: apsw.Connection) -> Shape:
    """Everything in the schema, white space and comments apart."""
    rows = connection.execute("SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name")
    return [(kind, name, table, plain(sql)) for kind, name, table, sql in rows]


def plain(sql: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"--[^\n]*", "", sql)).strip()


@pytest.fixture
def migrated() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    migrate(connection, ":memory:", read_only=False)
    yield connection
    connection.close()


def test_schema_sql_equals_the_migrations(migrated: apsw.Connection) -> None:
    fresh = apsw.Connection(":memory:")
    fresh.execute(resources.files(PACKAGE).joinpath("schema.sql").read_text(encoding="utf-8"))
    assert shape(fresh) == shape(migrated)


def test_migrations_are_numbered_upwards_to_the_version() -> None:
    assert list(scripts()) == sorted(scripts())
    assert (min(scripts()), max(scripts())) == (1, SCHEMA_VERSION)


def test_migrating_twice_changes_nothing(migrated: apsw.Connection) -> None:
    before = shape(migrated)
    assert migrate(migrated, ":memory:", read_only=False) == SCHEMA_VERSION
    assert shape(migrated) == before


def test_every_table_is_strict(migrated: apsw.Connection) -> None:
    loose = [
        name
        for _, name, kind, _, _, strict in migrated.execute("PRAGMA table_list")
        if kind == "table" and not strict and not name.startswith(("sqlite_", "fulltext"))
    ]
    assert loose == []


@pytest.mark.parametrize(("file", "name"), STATEMENTS, ids=lambda value: value)
def test_every_named_statement_can_be_planned(migrated: apsw.Connection, file: str, name: str) -> None:
    sql = sqlfile.load(PACKAGE, file)[name]
    named = set(re.findall(r":(\w+)", sql))
    places = [int(n) for n in re.findall(r"\?(\d+)", sql)]
    values = dict.fromkeys(named) if named else (None,) * max([len(re.findall(r"\?(?!\d)", sql)), *places, 0])
    assert migrated.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall() is not None
    assert migrated.execute(f"EXPLAIN {sql}", values).fetchall()


@pytest.mark.parametrize(
    ("file", "name"),
    [(f, n) for f, n in STATEMENTS if n not in {
        "namespaces", "catalogue_all", "orphan_passages", "missing_passages", "orphan_vectors", "fulltext_count",
        "versions_by_seq", "version_digests", "last_change", "journal", "journal_last", "counts",
    }],
)  # fmt: skip
def test_no_statement_of_the_hot_path_scans_a_whole_table(migrated: apsw.Connection, file: str, name: str) -> None:
    sql = sqlfile.load(PACKAGE, file)[name]
    named = set(re.findall(r":(\w+)", sql))
    places = [int(n) for n in re.findall(r"\?(\d+)", sql)]
    values = dict.fromkeys(named) if named else (None,) * max([len(re.findall(r"\?(?!\d)", sql)), *places, 0])
    plan = [row[3] for row in migrated.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    scans = [step for step in plan if re.match(r"SCAN \w", step)]
    harmless = re.compile(r"json_each|VIRTUAL TABLE|CONSTANT ROW|subquery|\(SUBQUERY|SCAN c\b")
    assert [step for step in scans if not harmless.search(step)] == []


@pytest.mark.parametrize(
    ("file", "name"), [(f, n) for f, n in STATEMENTS if "json_each" in sqlfile.load(PACKAGE, f)[n]]
)
def test_no_list_of_keys_is_read_again_for_every_row(migrated: apsw.Connection, file: str, name: str) -> None:
    """The list is the outer loop or a set to look in; as the inner loop it once made leaves 400 times as slow."""
    sql = sqlfile.load(PACKAGE, file)[name]
    named = set(re.findall(r":(\w+)", sql))
    places = [int(n) for n in re.findall(r"\?(\d+)", sql)]
    values = dict.fromkeys(named) if named else (None,) * max([len(re.findall(r"\?(?!\d)", sql)), *places, 0])
    loops: dict[int, list[str]] = {}
    for _, parent, _, step in migrated.execute(f"EXPLAIN QUERY PLAN {sql}", values):
        if re.match("SEARCH|SCAN", step):
            loops.setdefault(parent, []).append(step)
    inner = [step for steps in loops.values() for step in steps[1:]]
    assert [step for step in inner if re.search("VIRTUAL TABLE", step) and "EXISTS" not in step] == []


@pytest.mark.parametrize("file", FILES)
def test_every_statement_has_a_line_of_intent(file: str) -> None:
    text = resources.files(PACKAGE).joinpath("queries", file).read_text(encoding="utf-8")
    heads = re.findall(r"^-- name: (\w+)\n(.*)\n", text, re.MULTILINE)
    assert [name for name, intent in heads if not intent.startswith("-- ")] == []
    assert [name for name, _ in heads] == list(sqlfile.load(PACKAGE, file))


def test_a_file_that_names_a_statement_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="'a' twice"):
        sqlfile.parse("-- name: a\n-- x\nSELECT 1;\n-- name: a\n-- y\nSELECT 2;\n", "x.sql")


def test_a_file_of_statements_is_read_without_its_comments() -> None:
    found = sqlfile.parse("-- a file\n-- name: one\n-- intent\nSELECT 1\n-- more\nFROM t;\n", "x.sql")
    assert dict(found) == {"one": "SELECT 1\nFROM t"}
