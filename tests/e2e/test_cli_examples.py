"""Do the examples of the help work? Every one is run, in the order of the help, on a small store."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from command_line import Cli

import simonides
from simonides.faces.cli.load import EXAMPLE, help_of
from simonides.faces.cli.table import COMMANDS

ELSEWHERE = {
    "mcp": "serves until its input ends",
    "eval": "needs the sets",
    "jobs retry": "needs a job that failed",
    "conflicts confirm": "needs the id of a conflict; tests/e2e/test_cli_conflicts.py does it",
    "conflicts reject": "needs the id of a conflict; tests/e2e/test_cli_conflicts.py does it",
    "reembed": "needs an embedder to embed with; tests/contract/test_reembed.py runs it",
}
TOLD = {"replay": {0, 8}, "topics check": {0, 8}}


def example(name: str) -> list[str]:
    [line] = [text for text in help_of(COMMANDS[name]).splitlines() if text.startswith(EXAMPLE)]
    program, *words = shlex.split(line.removeprefix(EXAMPLE))
    assert program == "simonides"
    return words


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ELSEWHERE])
def test_the_example_of_a_command_works(name: str, cli: Cli, tmp_path: Path) -> None:
    with simonides.open(tmp_path / "simonides.db", embedder=False) as store:
        store.remember("Ana prefers window seats on trains", thought_id="seat", source="a call")
        store.remember("Ana takes the late train to Porto", thought_id="porto")
        store.remember("The spare key is under the blue pot", thought_id="key")
        store.link("porto", "seat", "SUPPORTS")
        store.recall("trains")
        if name == "restore":
            store.archive_thought("seat")
        if name == "purge":
            store.remember("Ana has a garden", namespace="ana")
        if name == "import-store":
            store.export(tmp_path / "all.jsonl")
        if name == "doctor":
            store.backup(tmp_path / "agent.db")
    (tmp_path / "chat.jsonl").write_text(json.dumps({"content": "hello"}))
    done = cli(*example(name), "--embedder", "off")
    assert done.returncode in TOLD.get(name, {0}), done.stderr.decode()
