"""Field cases 18 and 20: code names and file paths are found whole and by their parts."""

from __future__ import annotations

from typing import Any

import pytest
from store_driver import Opener, ids

PATHS = "notes live in C:\\team\\plans\\q3.md and /srv/team/plans/q3.md"


@pytest.fixture
def code(opener: Opener) -> Any:
    store = opener(embedder=False)
    store.remember("flush_retry_budget was raised to 7", thought_id="code")
    store.remember("the budget for retry snacks", thought_id="snacks")
    return store


def test_an_exact_code_name_is_first_and_above_the_loose_words(code: Any) -> None:
    """Case 18. `retry budget` is the one query where both notes hold every word."""
    for query in ("flush_retry_budget", "flush_retry"):
        assert ids(code.search_fts(query))[0] == "code", query
        assert ids(code.recall(query))[0] == "code", query
    assert "code" in ids(code.search_fts("retry"))
    assert "code" in ids(code.search_fts("retry budget"))
    scores = dict(code.search_fts("flush_retry_budget"))
    assert scores["code"] > scores.get("snacks", 0.0)


def test_a_part_of_a_code_name_is_first_for_retry_budget(code: Any) -> None:
    """Case 18, the second query."""
    assert ids(code.search_fts("retry budget"))[0] == "code"


@pytest.mark.parametrize("query", ["C:\\team\\plans\\q3.md", "/srv/team/plans/q3.md", "plans/q3.md", "q3.md"])
def test_a_file_path_is_found_whole_and_by_its_end(opener: Opener, query: str) -> None:
    """Case 20."""
    store = opener(embedder=False)
    store.remember(PATHS, thought_id="paths")
    store.remember("nothing to do with files", thought_id="other")
    assert ids(store.search_fts(query)) == ["paths"]
    assert ids(store.recall(query)) == ["paths"]


@pytest.mark.parametrize("query", ["~/plans", "GB/s", "\\", "/", "C:", "../.."])
def test_a_slash_is_no_syntax_error(plain: Any, query: str) -> None:
    """Case 20."""
    plain.remember(PATHS, thought_id="paths")
    assert set(ids(plain.search_fts(query))) <= {"paths"}
    assert plain.recall(query).reading.kind in ("bare", "empty")


@pytest.mark.parametrize(
    ("stored", "query"),
    [
        ("parseInvoiceHeader fails on tabs", "invoice header"),
        ("order ORD-4471 is late", "4471"),
        ("see RFC7231 for details", "rfc7231"),
        ("mail me@example.org soon", "me@example.org"),
        ("version 3.12.1 is out", "3.12.1"),
    ],
)
def test_identifiers_are_found_by_their_parts_and_whole(plain: Any, stored: str, query: str) -> None:
    plain.remember(stored, thought_id="x")
    plain.remember("unrelated words", thought_id="y")
    assert ids(plain.search_fts(query)) == ["x"]


def test_c_and_its_descendants_differ(plain: Any) -> None:
    for name in ("C", "C++", "C#"):
        plain.remember(f"written in {name} last year", thought_id=name)
    for name in ("C++", "C#", "C"):
        assert ids(plain.search_fts(name))[0] == name
