"""Is ARCHITECTURE.md true? Its stories are the code's, its folders exist, its import direction holds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "simonides"
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
FOLDERS = sorted(
    path.relative_to(SOURCE).as_posix()
    for path in SOURCE.rglob("*")
    if path.is_dir() and "__pycache__" not in path.parts and any(path.iterdir())
)


def story(name: str) -> str:
    """The stages of a story file: what stands after the colon in the first line of its docstring."""
    head = (ast.get_docstring(ast.parse((SOURCE / name).read_text("utf-8"))) or "").splitlines()[0]
    assert "STORY: " in head
    return head.partition("STORY: ")[2].removesuffix(".")


@pytest.mark.parametrize("name", ["write/remember.py", "read/recall.py"])
def test_the_stages_of_a_story_are_those_of_the_code(name: str) -> None:
    fenced = re.findall(r"^```text\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    assert story(name) in fenced


@pytest.mark.parametrize("name", ["write/remember.py", "read/recall.py"])
def test_every_stage_of_a_story_has_a_row(name: str) -> None:
    rows = set(re.findall(r"^\| (\w+) \| `", PAGE, re.MULTILINE))
    stages = [re.sub(r"\(.*?\)|one snapshot|[{}]", "", part).strip() for part in story(name).split("→")]
    wanted = {"transaction" if stage.startswith("one transaction") else stage for stage in stages}
    assert wanted <= rows


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_has_a_row_with_a_question(folder: str) -> None:
    row = re.search(rf"^\| `{re.escape(folder)}/` \| (.+) \|$", PAGE, re.MULTILINE)
    assert row, f"name {folder}/ in ARCHITECTURE.md"
    assert "?" in row[1]


def test_no_folder_is_named_that_does_not_exist() -> None:
    named = re.findall(r"^\| `([\w/]+)/` \|", PAGE, re.MULTILINE)
    assert sorted(named) == FOLDERS


def test_every_file_that_is_named_exists() -> None:
    named = set(re.findall(r"`([\w/]+\.(?:py|sql))`", PAGE))
    assert named
    places = (SOURCE, SOURCE / "backend" / "sqlite")
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []


def layers() -> dict[str, int]:
    """Part of the package → its line in the diagram of imports."""
    diagram = re.search(r"## Which way imports go.*?^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert diagram
    return {part: n for n, line in enumerate(diagram[1].split("\n")) for part in line.split()}


def part_of(module: str) -> str:
    """Which part of the diagram a module belongs to; "" for the package itself."""
    words = module.split(".")[1:]
    return "backend.sqlite" if words[:2] == ["backend", "sqlite"] else (words[0] if words else "")


def imports() -> Iterator[tuple[str, str, str]]:
    """(file, importing part, imported part)."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE)
        here = part_of(".".join(("simonides", *name.with_suffix("").parts)))
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "simonides":
                modules = [f"simonides.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules = [node.module]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            else:
                continue
            for module in modules:
                if module.startswith("simonides."):
                    yield name.as_posix(), here, part_of(module)


def test_imports_go_down_the_diagram() -> None:
    order = layers()
    known = [(f, a, b) for f, a, b in imports() if f != "__init__.py" and b in order]
    assert len(known) > 100
    assert [(f, b) for f, a, b in known if a != b and order[a] > order[b]] == []


def test_reading_and_writing_do_not_know_each_other() -> None:
    assert [(f, b) for f, a, b in imports() if {a, b} == {"read", "write"}] == []


def test_every_part_of_the_package_is_in_the_diagram() -> None:
    parts = {part_of(f"simonides.{p.stem}") for p in SOURCE.glob("*.py") if p.stem != "__init__"}
    parts |= {p.name for p in SOURCE.iterdir() if p.is_dir() and (p / "__init__.py").exists()}
    assert parts | {"backend.sqlite"} == set(layers())
