"""Are the examples short, and do they do the same every time?"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import simonides

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("[0-9]*.py"))
LINES_MAX = 40


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 15


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_is_short_and_says_what_it_shows(path: Path) -> None:
    code = path.read_text("utf-8")
    assert len(code.splitlines()) <= LINES_MAX
    tree = ast.parse(code)
    assert ast.get_docstring(tree)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Assert)], (
        "an example prints, it asserts nothing"
    )


def test_every_control_of_search_hybrid_is_in_an_example() -> None:
    """Each argument of the call and each setting, by its name; a weight is shown by the call or by the file."""
    shown = set(re.findall(r"\w+", "\n".join(path.read_text("utf-8") for path in EXAMPLES)))
    arguments = set(inspect.signature(simonides.Store.search_hybrid).parameters) - {
        "self",
        "query_text",
        "query_vector",
    }
    settings = {field.name for field in dataclasses.fields(simonides.SearchConfig)}
    default = {f"default_{name}" for name in arguments if name.endswith("_weight")}
    assert sorted((arguments | settings - default) - shown) == []
    assert sorted(name for name in default if not {name, name.removeprefix("default_")} & shown) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_prints_the_same_in_two_processes(path: Path, tmp_path: Path) -> None:
    running = [start(path, tmp_path, seed) for seed in ("1", "2")]
    printed = [output(process) for process in running]
    assert printed[0].strip()
    assert printed[0] == printed[1]


def start(path: Path, folder: Path, seed: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"}
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(path)],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip


def output(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert not err
    return out
