"""Rows from the pages themselves: the same as SQLite reads, and told apart by their columns."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import apsw
import pytest

import simonides
from simonides.backend.sqlite import leaves
from simonides.backend.sqlite.migrate import migrate
from simonides.backend.sqlite.pages import Pages


def pages_of(path: Path) -> Pages:
    data = path.read_bytes()
    return Pages(lambda size, offset: data[offset : offset + size], len(data))


@pytest.mark.parametrize("page_size", [512, 1024, 4096, 65536])
def test_every_row_is_read_as_sqlite_reads_it(tmp_path: Path, page_size: int) -> None:
    path = tmp_path / "a.db"
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA page_size = {page_size}; CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, d, e, f)")
    whole = [0, 1, -1, 127, 128, -32_768, 1 << 23, -(1 << 31), 1 << 47, -(1 << 63), (1 << 63) - 1]
    rows = [(n - 5, value, value / 3, "é" * n, b"x" * n, None, "long" * 40 * n) for n, value in enumerate(whole)]
    rows.append((1 << 62, 1.0, -0.5, "y" * 100_000, b"", None, ""))
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    connection.execute("INSERT INTO t SELECT id + 1000, a, b, c, d, e, f FROM t; DELETE FROM t WHERE id > 900")
    stored = connection.execute("SELECT * FROM t").fetchall()
    connection.close()
    found = [(row.rowid, *row.values[1:]) for row in pages_of(path).rows() if len(row.values) == 7]
    assert Counter(row[:6] for row in found) >= Counter(row[:6] for row in stored)
    assert {row for row in found if row[0] <= 900} == set(stored)


@pytest.mark.parametrize("data", [b"", b"x", b"\x0d" * 50, b"\x0d" * 4_096, b"\xff" * 9_000, b"\0" * 5_000])
def test_in_bytes_that_are_no_pages_nothing_is_recognised(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(data)
    assert leaves.read_leaves(str(tmp_path / "a.db")) == leaves.Leaves()


def test_the_tables_have_as_many_columns_as_rows_are_told_apart_by(path: Path) -> None:
    """Who adds a column says how rows with and without it are told apart."""
    connection = apsw.Connection(":memory:")
    migrate(connection, ":memory:", read_only=False)
    wanted = {
        "versions": leaves.VERSION, "thoughts": leaves.THOUGHT, "edges": leaves.THOUGHT, "journal": leaves.JOURNAL,
        "namespaces": leaves.SPACE, "sessions": leaves.SPACE, "speakers": leaves.SPEAKER,
    }  # fmt: skip
    counts = {name: len(connection.execute(f"PRAGMA table_info({name})").fetchall()) for name in wanted}
    assert counts == wanted


def test_the_rows_of_a_store_are_recognised(path: Path) -> None:
    with simonides.open(path, embedder=False) as store:
        store.remember("one", thought_id="a", speaker="Ana", session="s", confidence=1.0)
        store.remember("two", thought_id="b", speaker="Ben", session="s", expires_at="2099-01-01")
        store.update_thought("a", content="changed")
        store.remember("elsewhere", thought_id="c", namespace="other")
    found = leaves.read_leaves(str(path))
    connection = apsw.Connection(str(path))
    for name, rows in (
        ("namespaces", found.namespaces), ("sessions", found.sessions), ("speakers", found.speakers)
    ):  # fmt: skip
        column = name[:-1] if name != "namespaces" else "ns"
        assert rows == dict(connection.execute(f"SELECT {column}, name FROM {name}").fetchall())
    stored = dict(connection.execute("SELECT vid, content FROM versions").fetchall())
    assert {vid: values[8] for vid, values in found.versions.items()} == stored
    assert [edge[4:6] for edge in found.edges()] == connection.execute("SELECT edge_type, weight FROM edges").fetchall()
    connection.close()
