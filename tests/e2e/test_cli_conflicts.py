"""`simonides conflicts`: a list in a pipe, one by one on a terminal, JSON on request."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from command_line import PACKAGE, Cli, fill, words

import simonides

OFF = ("--embedder", "off")


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    fill(tmp_path, "The boiler code is 4471", thought_id="old", occurred_at="2026-01-01")
    fill(tmp_path, "The boiler code is 4472", thought_id="new", occurred_at="2026-02-01")
    fill(tmp_path, "Vera lives in Ghent", thought_id="ghent", occurred_at="2026-01-01")
    fill(tmp_path, "Vera now lives in Bruges", thought_id="bruges", occurred_at="2026-02-01")
    return tmp_path


def proposed(folder: Path, status: str = "proposed") -> list[str]:
    with simonides.open(folder / "simonides.db", embedder=False) as store:
        return [c.newer.thought_id for c in store.conflicts.list(status)]


def test_a_pipe_gets_a_plain_list(cli: Cli, filled: Path) -> None:
    assert "--scan looks for some" in words(cli("conflicts", *OFF))[2]
    code, out, err = words(cli("conflicts", "--scan", *OFF))
    assert code == 0
    assert "4 memories compared" in err
    assert "2 conflicts proposed" in err
    first = out.split("\n\n")[0].splitlines()
    assert first[0].split()[1:] == ["CONTRADICTS", "0.90", "number"]
    assert first[1].split() == ["older", "2026-01-01", "old"]
    assert first[2].strip() == "The boiler code is 4471  [4471]"
    assert first[4].strip() == "The boiler code is 4472  [4472]"


def test_json_is_an_object_per_line(cli: Cli, filled: Path) -> None:
    out = words(cli("conflicts", "--scan", "--json", *OFF))[1]
    told = [json.loads(line) for line in out.splitlines()]
    assert [(c["kind"], c["newer"]["thought_id"]) for c in told] == [("CONTRADICTS", "new"), ("SUPERSEDES", "bruges")]
    assert told[0]["older"]["differs"] == "4471"


def test_confirm_and_reject(cli: Cli, filled: Path) -> None:
    out = words(cli("conflicts", "--scan", "--json", *OFF))[1]
    one, two = (json.loads(line)["conflict_id"] for line in out.splitlines())
    assert "confirmed: SUPERSEDES" in words(cli("conflicts", "confirm", one, "--kind", "SUPERSEDES", *OFF))[1]
    rejected = cli("conflicts", "reject", two, "--reason", "two Veras", "--json", *OFF)
    assert json.loads(rejected.stdout)["reason"] == "two Veras"
    assert (proposed(filled), proposed(filled, "confirmed"), proposed(filled, "rejected")) == ([], ["new"], ["bruges"])
    assert "rejected by cli (two Veras)" in words(cli("conflicts", "--status", "rejected", *OFF))[1]
    assert cli("conflicts", "confirm", "nobody", *OFF).returncode == cli("get", "nobody", *OFF).returncode


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals there")
def test_a_terminal_is_asked_one_by_one(cli: Cli, filled: Path) -> None:
    import pty

    cli("conflicts", "--scan", *OFF)
    reader, writer = pty.openpty()
    child = os.fork()
    if child == 0:
        os.chdir(filled)
        for number in (0, 1, 2):
            os.dup2(writer, number)
        os.environ |= {"TERM": "dumb", "PYTHONPATH": str(PACKAGE.parent)}
        os.execv(sys.executable, [sys.executable, "-m", "simonides.faces.cli", "conflicts", *OFF])
    os.close(writer)
    os.write(reader, b"what\ns\nn\n")
    shown = b""
    try:
        while part := os.read(reader, 4096):
            shown += part
    except OSError:  # how Linux says that the other end is closed
        pass
    assert os.waitpid(child, 0)[1] == 0
    assert b"2 of 2" in shown
    assert b"2 decided, 0 left" in shown
    assert (proposed(filled, "confirmed"), proposed(filled, "rejected")) == (["new"], ["bruges"])
    with simonides.open(filled / "simonides.db", embedder=False) as store:
        assert [e.edge_type for e in store.edges()] == ["SUPERSEDES"]
