"""The statements of erasure, exchange, checks and re-embedding: each has its intent, each can be planned."""

from __future__ import annotations

import re
from importlib import resources

import apsw
import pytest

from simonides.backend import sqlfile
from simonides.backend.sqlite.migrate import migrate

PACKAGE = "simonides.backend.sqlite"
FILES = ("check.sql", "erasure.sql", "exchange.sql", "journal.sql", "past.sql", "renewal.sql", "salvage.sql")


@pytest.mark.parametrize("file", FILES)
def test_every_statement_has_a_line_of_intent(file: str) -> None:
    text = resources.files(PACKAGE).joinpath("queries", file).read_text(encoding="utf-8")
    heads = re.findall(r"^-- name: (\w+)\n(.*)\n", text, re.MULTILINE)
    assert [name for name, intent in heads if not intent.startswith("-- ")] == []


@pytest.mark.parametrize("file", FILES)
def test_every_statement_can_be_planned(file: str) -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection, ":memory:", read_only=False)
    for name, sql in sqlfile.load(PACKAGE, file).items():
        if name in ("switch_07", "switch_08", "switch_09"):
            continue  # they need what the step before them does; the tests of re-embedding run them
        named = set(re.findall(r":(\w+)", re.sub(r"'[^']*'", "", sql)))
        places = [int(n) for n in re.findall(r"\?(\d+)", sql)]
        values = dict.fromkeys(named) if named else (None,) * max([len(re.findall(r"\?(?!\d)", sql)), *places, 0])
        assert connection.execute(f"EXPLAIN {sql}", values).fetchall(), name


@pytest.mark.parametrize(
    "name", ["forget_fulltext", "forget_vectors", "forget_edges", "forget_versions", "forget_labels"]
)
def test_erasing_a_batch_reads_no_whole_table(name: str) -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection, ":memory:", read_only=False)
    sql = sqlfile.load(PACKAGE, "erasure.sql")[name]
    plan = [
        row[3]
        for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", {"ns": 1, "seq": 1, "tids": "[]", "ids": "[]"})
    ]
    assert [step for step in plan if re.match(r"SCAN (?!json_each|fulltext VIRTUAL)", step)] == []
