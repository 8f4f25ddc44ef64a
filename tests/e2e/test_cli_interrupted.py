"""Ctrl-C in the middle of every long command: a real signal to a real process, and what it leaves behind.

The command waits for the signal at a point where it tells of its progress, so that the moment is the same every time.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Cli, surroundings, words

import simonides
from simonides import Draft
from simonides.faces.cli.exits import Exit

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a process cannot be sent Ctrl-C there")

WAITING = """
import signal, sys
from contextlib import contextmanager
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have told its background jobs to ignore it
from simonides.faces.cli import progress
from simonides.faces.cli.run import run

nth, told = int(sys.argv[1]), []

@contextmanager
def staged(label):
    def tell(stage, done, total):
        told.append(done)
        if len(told) == nth:
            print("here", flush=True)
            signal.pause()
    yield tell

progress.staged = staged
sys.exit(run(sys.argv[2:]))
"""
COMMANDS: dict[str, tuple[int, list[str]]] = {  # name: at which word of progress, and the command
    "import": (2, ["import", "talk.jsonl", "--embedder", "off"]),
    "consolidate": (1, ["consolidate"]),
    "reembed": (2, ["reembed", "--embedder", "hashing:32"]),
    "backup": (1, ["backup", "copy.db"]),
    "export": (1, ["export", "out.jsonl"]),
    "import-store": (1, ["import-store", "given.jsonl"]),
    "forget": (1, ["forget", "-f", "speaker=Ana", "--reason", "asked for"]),
    "conflicts": (1, ["conflicts", "--scan", "--list"]),
    "topics rebalance": (2, ["topics", "rebalance"]),
}


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Six themes of a hundred notes each; what the commands read lies beside the store."""
    things = ("pot", "lamp", "boat", "tram", "pump", "bell")
    drafts = [
        Draft(content=f"The {thing} of house {n} was painted in spring", speaker="Ana" if n % 2 else "Ben")
        for thing in things
        for n in range(100)
    ]
    with simonides.open(tmp_path / "simonides.db", embedder="hashing:64", config={"store": {"chunk": 100}}) as store:
        store.remember_many(drafts)
        store.export(tmp_path / "given.jsonl")
    lines = [json.dumps({"content": f"row {n}", "thought_id": f"r{n}"}) for n in range(6_000)]
    (tmp_path / "talk.jsonl").write_text("\n".join(lines), "utf-8")
    return tmp_path


def interrupt(folder: Path, nth: int, command: list[str]) -> tuple[int, str, str]:
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, str(nth), *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=surroundings() | {"SIMONIDES_EMBEDDER": "hashing:64"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n", process.communicate()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_leaves_a_sound_store_and_the_command_can_be_given_again(cli: Cli, filled: Path, name: str) -> None:
    nth, command = COMMANDS[name]
    before = {path.name for path in filled.iterdir()}
    code, out, err = interrupt(filled, nth, command)
    assert (code, out) == (Exit.INTERRUPTED, "")
    assert err == "simonides: interrupted; what was committed stays\n"
    left = {path.name for path in filled.iterdir()} - before
    assert left == set(), "neither a log of SQLite nor half a file stays"
    options = [] if "--embedder" in command else ["--embedder", "hashing:64"]
    assert words(cli("verify", "--embedder", "hashing:64"))[0] == 0
    assert cli(*command, *options).returncode == 0
    assert words(cli("verify", "--embedder", "off"))[0] == 0
