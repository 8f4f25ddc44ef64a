"""The behaviour table tests/tables/query_readings.toml and the examples of docs/query-language.md hold."""

import re
import tomllib
from pathlib import Path

import apsw
import pytest

from simonides.text.analysis import Analysis, Analyzer
from simonides.text.query import read_query
from simonides.text.reading import Reading
from simonides.text.stopwords import stop_words

ROOT = Path(__file__).parents[3]
TABLE = tomllib.loads((ROOT / "tests/tables/query_readings.toml").read_text(encoding="utf-8"))
ANALYZER = Analyzer()
STOP = stop_words()


def reading_of(query: str) -> Reading:
    return read_query(query, ANALYZER, stop_words=STOP)


@pytest.mark.parametrize("row", TABLE["reading"], ids=lambda row: row["query"] or "nothing")
def test_a_query_is_read_as_the_table_says(row):
    reading = reading_of(row["query"])
    assert [term.text + "~" * term.stop for term in reading.terms] == row["terms"]
    assert reading.kind == row["kind"]
    assert [term.text for term in reading.excluded] == row.get("excluded", [])
    assert reading.retry_if_empty is row.get("retry", False)
    assert reading.malformed is row.get("malformed", False)


@pytest.mark.parametrize("row", TABLE["search"], ids=lambda row: row["name"])
def test_a_query_finds_what_the_table_says(row):
    stored = [ANALYZER.analyse(memory) for memory in row["memories"]]
    for query, expected in row["find"].items():
        assert found_by(reading_of(query), stored) == expected, query


def found_by(reading: Reading, stored: list[Analysis]) -> list[int]:
    if reading.kind != "expert":
        wanted = {base for term in reading.terms if not term.stop for base in term.bases}
        return [row for row, analysis in enumerate(stored) if wanted & analysis.counts.keys()]
    hits = matched(reading, stored)
    return hits if hits or reading.fallback is None else found_by(reading.fallback, stored)


def matched(reading: Reading, stored: list[Analysis]) -> list[int]:
    if reading.match is None:
        return []
    table = apsw.Connection(":memory:")
    table.execute(
        "CREATE VIRTUAL TABLE t USING fts5(content, essence, content_more, essence_more,"
        """ tokenize="ascii tokenchars '_'")"""
    )
    for row, analysis in enumerate(stored):
        fields = (row, " ".join(analysis.words), " ".join(analysis.more))
        table.execute(
            "INSERT INTO t(rowid, content, essence, content_more, essence_more) VALUES(?, ?, '', ?, '')", fields
        )
    return [row for (row,) in table.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", (reading.match,))]


def test_the_page_on_the_query_language_tells_the_truth():
    page = (ROOT / "docs/query-language.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.+?)` \| (bare|expert|empty) \|", page, re.MULTILINE)
    assert len(rows) > 15
    for query, kind in rows:
        assert reading_of(query.replace(r"\|", "|")).kind == kind, query
