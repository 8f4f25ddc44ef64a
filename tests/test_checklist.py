"""Is there a test for every line of the checklist of the topic-tree pipeline? The table is tests/checklist.toml."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = tomllib.loads((ROOT / "tests" / "checklist.toml").read_text("utf-8"))
LINES = [(f"{section}: {line}", name) for section, lines in SECTIONS.items() for line, name in lines.items()]


@pytest.mark.parametrize(("line", "name"), LINES, ids=[line for line, _ in LINES])
def test_a_line_of_the_checklist_has_its_test(line: str, name: str) -> None:
    file, _, function = name.partition("::")
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_no_section_is_empty() -> None:
    assert len(SECTIONS) >= 10
    assert all(SECTIONS.values())
