"""Every claim of the source page has a test that exists, and every test of this folder stands for a claim."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = tomllib.loads((Path(__file__).parent / "engrava_page.toml").read_text("utf-8"))["claim"]
WORDS_MAX = 12


def ids(claim: dict[str, Any]) -> str:
    return f"{claim['section']}: {claim['says']}"


@cache
def functions(path: str) -> frozenset[str]:
    """Names of the tests of a module."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test"))


@pytest.mark.parametrize("claim", CLAIMS, ids=ids)
def test_a_claim_is_short_and_its_tests_exist(claim: dict[str, Any]) -> None:
    assert set(claim) <= {"section", "says", "tests", "differs"}
    assert 0 < len(claim["says"].split()) <= WORDS_MAX
    assert claim["tests"]
    for test in claim["tests"]:
        path, _, name = test.partition("::")
        assert (ROOT / path).is_file(), path
        assert name in functions(path), test


def test_no_claim_stands_twice() -> None:
    assert [name for name, count in Counter(map(ids, CLAIMS)).items() if count > 1] == []


def test_every_test_of_this_folder_stands_for_a_claim() -> None:
    named = {test for claim in CLAIMS for test in claim["tests"]}
    here = {
        f"{path.relative_to(ROOT).as_posix()}::{name}"
        for path in sorted(Path(__file__).parent.resolve().glob("test_*.py"))
        if path.name not in (Path(__file__).name, "test_stored_files.py")  # that one is about files, not the page
        for name in functions(path.relative_to(ROOT).as_posix())
    }
    assert sorted(here - named) == []


def test_every_deliberate_difference_is_explained() -> None:
    page = " ".join((ROOT / "docs/coming-from.md").read_text("utf-8").split())
    assert [claim["differs"] for claim in CLAIMS if "differs" in claim and claim["differs"] not in page] == []
