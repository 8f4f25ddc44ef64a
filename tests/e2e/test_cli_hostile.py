"""Whatever a store holds and a person types: no command lets it steer the terminal, in tables and errors too."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Cli

import simonides
from simonides.faces.cli.exits import Exit
from simonides.faces.cli.table import COMMANDS

STEERS = {
    "colour": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;title\x07",
    "link": "\x1b]8;;http://example.org\x1b\\here\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;aGFybQ==\x07",
    "c1": "\x9b2J\x9d0;x\x9c\x90q\x9c",
    "bidi": "\u202eeno\u2066two\u2069\u200f\u061c",
    "control": "a\x08\x08b\x0bc\x7f",
    "return": "seen\rover",
}
EVIL = " ".join(STEERS.values())
NAME = STEERS["bidi"] + "[bold]"  # as much as a name may hold: no control characters
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
PROGRESS = re.compile("\r(\x1b\\[1A)?\x1b\\[2K|\x1b\\[\\?25[lh]")  # how a bar is drawn over itself and taken away
OFF = ("--embedder", "off")


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A store in which everything that may hold a text holds one that would steer."""
    path = tmp_path / "simonides.db"
    with simonides.open(path, embedder=False) as store:
        fields = {
            "speaker": NAME,
            "session": NAME,
            "source": NAME,
            "essence": EVIL,
            "concepts": [NAME],
            "topics": [NAME],
        }
        store.remember(f"the pot costs 10 {EVIL}", thought_id=f"a{NAME}", metadata={EVIL: EVIL}, reason=EVIL, **fields)
        store.remember(f"the pot costs 12 {EVIL}", thought_id=f"b{NAME}", **fields)
        store.link(f"a{NAME}", f"b{NAME}", source=NAME, metadata={EVIL: EVIL}, reason=EVIL)
        store.update_thought(f"a{NAME}", content=f"the pot costs 11 {EVIL}", reason=EVIL)
        store.alias_concept(f"x{NAME}", NAME, reason=EVIL)
        store.topics.create(f"t{NAME}", title=NAME)
        for number in range(4):
            store.remember(f"The blue pot stands in room {number} {EVIL}", speaker=NAME)
        store.consolidate()
        store.conflicts.scan()
        store.recall(f"pot {EVIL}")
    return path


A, B = f"a{NAME}", f"b{NAME}"
LINES: list[tuple[str, ...]] = [
    ("recall", "pot", "--explain"),
    ("recall", f"pot {EVIL}", "--text"),
    ("retrieve", "pot", "--explain"),
    ("why-not", f"pot {EVIL}", A),
    ("get", A),
    ("list",),
    ("history", A),
    ("diff", A),
    ("edges",),
    ("edges", A),
    ("concepts",),
    ("topics", "--filed"),
    ("topics",),
    ("conflicts", "--list"),
    ("changes",),
    ("log",),
    ("explain",),
    ("replay",),
    ("stats",),
    ("verify",),
    ("doctor",),
    ("jobs",),
    ("jobs", "list"),
    ("hygiene", "--dry-run"),
    ("consolidate", "--dry-run"),
    ("edit", A, "--priority", "P1"),
    ("annotate", A, NAME),
    ("link", A, B, "--type", "SUPPORTS"),
    ("unlink", B, A, "--type", "FOLLOWS"),
    ("archive", A),
    ("restore", A),
    ("invalidate", B, "--reason", EVIL),
    ("forget", B, "--reason", EVIL),
]
MISTAKES: list[tuple[str, ...]] = [
    (EVIL,),
    ("jobs", EVIL),
    ("recall", "x", f"--{EVIL}"),
    ("recall", "x", "-k", EVIL),
    ("recall", "x", "-f", EVIL),
    ("recall", "x", "-f", f"{EVIL}=1"),
    ("recall", "x", "--superseded", EVIL),
    ("recall", "x", "--as-of", EVIL),
    ("recall", "x", "-n", EVIL),
    ("recall", "x", "--db", EVIL.replace("/", "")),
    ("recall", "x", "--embedder", EVIL),
    ("recall", "x", "--config", EVIL.replace("/", "")),
    ("remember", "x", "--type", EVIL),
    ("remember", "x", "--id", EVIL),
    ("remember", "x", "--meta", EVIL.replace("=", "")),
    ("get", EVIL),
    ("link", EVIL, A),
    ("link", A, B, "--type", EVIL),
    ("history", EVIL),
    ("explain", EVIL),
    ("import", EVIL.replace("/", "")),
    ("import", "simonides.db", "--kind", EVIL),
    ("mcp", "--compat", EVIL),
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(word for word in line if word.isascii())[:40])
@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_stored_steers_the_terminal(cli: Cli, evil: Path, line: tuple[str, ...], terminal: bool) -> None:
    done = cli(*line, *OFF, terminal=terminal, NO_COLOR="1")
    assert done.returncode in (0, Exit.INCOMPLETE), done.stderr
    for written in (done.stdout.decode(), done.stderr.decode()):
        assert not STEERING.search(PROGRESS.sub("", written)), written


@pytest.mark.parametrize("line", MISTAKES, ids=lambda line: " ".join(word for word in line if word.isascii())[:40])
def test_nothing_typed_comes_back_to_steer_it(cli: Cli, evil: Path, line: tuple[str, ...]) -> None:
    done = cli(*line, terminal=True, NO_COLOR="1")
    assert done.returncode != 0
    assert not STEERING.search(PROGRESS.sub("", done.stdout.decode() + done.stderr.decode())), done.stderr


def test_as_json_it_is_escaped_and_comes_back_as_it_was(cli: Cli, evil: Path) -> None:
    written = cli("get", A, "--json", *OFF).stdout.decode()
    assert not STEERING.search(written)
    thought = json.loads(written)
    assert (thought["content"], thought["speaker"]) == (f"the pot costs 11 {EVIL}", NAME)
    assert thought["metadata"] == {EVIL: EVIL}


def test_the_lines_are_of_commands_that_there_are() -> None:
    assert {line[0] for line in LINES} <= set(COMMANDS)
