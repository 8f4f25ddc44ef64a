"""Do the pages tell the truth? Every Python block runs and prints what stands below it; every command line works.

`SIMONIDES_UPDATE_DOCS=1` writes what was printed into the pages instead of comparing.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import simonides

ROOT = Path(__file__).resolve().parents[2]
STORIES = [
    ROOT / "docs" / name for name in ("tutorial.md", "conflicts.md", "forgetting.md", "reflections.md")
]  # whose blocks of all languages share one folder, and run in their order
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(set((ROOT / "docs").rglob("*.md")) - set(STORIES))]
UPDATE = bool(os.environ.get("SIMONIDES_UPDATE_DOCS"))
TOLERANCE = 0.0015  # a table of numbers may be rounded another way on another machine
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+\.\d+")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DAYS = re.compile(r"\b\d+ days\b")  # between today and a fixed day
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?")
NOT_HERE = re.compile(r"\bDIR\b|^(make|pip|\.venv)\b")  # needs data, or makes an environment


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and where the text stands in the page."""

    language: str
    text: str
    start: int
    stop: int


def blocks(page: str) -> list[Block]:
    return [Block(m[1], m[2], m.start(2), m.end(2)) for m in FENCE.finditer(page)]


def names(pages: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in pages]


def with_language(*languages: str) -> list[Path]:
    found = [path for path in PAGES if any(b.language in languages for b in blocks(path.read_text("utf-8")))]
    assert found
    return found


PYTHON_PAGES = with_language("python")
CONSOLE_PAGES = with_language("console")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the files that pages speak of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))))
    for name in ("SIMONIDES_DB", "SIMONIDES_NAMESPACE", "SIMONIDES_EMBEDDER", "SIMONIDES_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    turn = {"uuid": "m1", "sender": "human", "text": "Is pump 4 dry?", "created_at": "2026-02-03T10:00:00Z"}
    chat = {"uuid": "c1", "name": "Pumps", "created_at": turn["created_at"], "chat_messages": [turn]}
    Path("conversations.json").write_text(json.dumps([chat]), "utf-8")
    Path("chat.jsonl").write_text('{"content": "Pump 4 leaks again", "speaker": "Ola"}\n', "utf-8")
    shutil.copy(ROOT / "examples" / "conversation" / "petrel.jsonl", "petrel.jsonl")
    Path("settings.toml").write_text("[recall]\nsecond_look = false\n", "utf-8")
    shutil.copy(ROOT / "examples" / "conversation" / "petrel.jsonl", "petrel.jsonl")
    Path("notes").mkdir()
    Path("notes/pumps.md").write_text("# Pumps\n\nPump 4 has a new gasket.\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize("name", names(PYTHON_PAGES))
def test_python_blocks_run_and_print_what_the_page_says(name: str, place: Path) -> None:
    path = ROOT / name
    page = path.read_text("utf-8")
    found = blocks(page)
    world: dict[str, Any] = {"__name__": "page", "simonides": simonides}
    wrong: list[tuple[Block, str]] = []
    for block, after in zip(found, [*found[1:], None], strict=True):
        if block.language != "python":
            continue
        line = page.count("\n", 0, block.start)
        printed = run(block.text, world, f"{name}, block at line {line}", line)
        if after is None or after.language != "text" or page[block.stop : after.start].strip("`\n") != "text":
            continue
        if not alike(after.text, printed):
            wrong.append((after, printed))
    close(world)
    if UPDATE:
        for block, printed in reversed(wrong):
            page = page[: block.start] + printed.rstrip() + "\n" + page[block.stop :]
        path.write_text(page, "utf-8")
        return
    for block, printed in wrong:
        assert printed == block.text, f"{name}: the page shows something else; see CONTRIBUTING.md"


def run(code: str, world: dict[str, Any], where: str, line: int) -> str:
    """What a block prints. One that needs an extra ends where the extra is missing."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(simonides.MissingExtraError):
        exec(compile("\n" * line + code, where, "exec"), world)
    return out.getvalue()


def close(world: dict[str, Any]) -> None:
    for value in world.values():
        if isinstance(value, simonides.Store):
            value.close()


def alike(shown: str, printed: str) -> bool:
    """Equal but for ids and moments of the run, blanks, and the last digit of a decimal."""
    ours, theirs = ([" ".join(plain(line).split()) for line in text.split("\n")] for text in (shown, printed))
    ours, theirs = ([x for x in lines if x] for lines in (ours, theirs))
    if [NUMBER.sub("#", x) for x in ours] != [NUMBER.sub("#", x) for x in theirs]:
        return False
    pairs = zip(NUMBER.findall(" ".join(ours)), NUMBER.findall(" ".join(theirs)), strict=True)
    return all(abs(float(a) - float(b)) <= TOLERANCE for a, b in pairs)


def plain(line: str) -> str:
    return DAYS.sub("<days>", MOMENT.sub("<moment>", UUID.sub("<id>", line)))


@pytest.mark.parametrize("name", names(CONSOLE_PAGES))
def test_command_lines_of_a_page_work(name: str, place: Path) -> None:
    for command in commands(ROOT / name):
        program, *words = shlex.split(command, comments=True)
        assert program == "simonides", command
        words = [os.path.expanduser(word) for word in words]
        if name != "README.md":
            called(words)
            continue
        done = subprocess.run(
            [sys.executable, "-m", "simonides.faces.cli", *words], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"


def commands(path: Path) -> Iterator[str]:
    """The lines after `$ ` of a page that a test can run."""
    for block in blocks(path.read_text("utf-8")):
        if block.language == "console":
            lines = [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
            yield from (line for line in lines if not NOT_HERE.search(line) and "=1 " not in line)


@pytest.mark.parametrize("name", names(STORIES))
def test_a_story_runs_from_its_first_block_to_its_last(name: str, place: Path) -> None:
    path = ROOT / name
    page = path.read_text("utf-8")
    found = blocks(page)
    world: dict[str, Any] = {"__name__": "page", "simonides": simonides}
    told: list[tuple[Block, str]] = []
    for block, after in zip(found, [*found[1:], None], strict=True):
        line = page.count("\n", 0, block.start)
        if block.language == "console":
            told.append((block, typed(block)))
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "python":
            printed = run(block.text, world, f"{name}, block at line {line}", line)
            if after is not None and after.language == "text":
                told.append((after, printed))
    if UPDATE:
        for block, printed in reversed(told):
            if not alike(block.text, printed):
                page = page[: block.start] + printed.rstrip() + "\n" + page[block.stop :]
        path.write_text(page, "utf-8")
        return
    for block, printed in told:
        assert alike(block.text, printed), f"{name} shows\n{block.text}\nbut this was printed\n{printed}"


def typed(block: Block) -> str:
    """A console block as it looks once its commands were run; those for other programs stand as they are."""
    shown: list[str] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            shown.append(line)
            program, *words = shlex.split(line[2:], comments=True)
            if program == "simonides":
                shown += called(words).splitlines()
    return "\n".join(shown) + "\n"


def called(words: list[str]) -> str:
    """What a command prints. It runs in this process; those of the README run in processes of their own."""
    from simonides.faces.cli.run import run as command_line

    out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")
    with contextlib.redirect_stdout(out):
        assert command_line(words) == 0, words
        out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode()


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("1. 0.500  x", "1. 0.501 x", True),
        ("1. 0.500  x", "1. 0.510  x", False),
        ("two words", "two  words\n", True),
        ("two words", "two swords", False),
        ("0.1", "0.1 0.2", False),
    ],
)
def test_output_is_compared_by_words_and_to_the_third_decimal(shown: str, printed: str, same: bool) -> None:
    assert alike(shown, printed) is same
