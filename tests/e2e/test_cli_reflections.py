"""Consolidation on the command line: what it would write, what it writes, and that it writes it once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Cli, words

import simonides
from simonides.faces.cli.exits import Exit

MODEL = ("--embedder", "hashing:64")


@pytest.fixture
def pots(tmp_path: Path, cli: Cli) -> Cli:
    with simonides.open(tmp_path / "simonides.db", embedder="hashing:64") as store:
        store.remember_many([f"the blue pot of the garden stands in room {n}" for n in range(5)])
        store.remember("nothing \u202elike it at all")
    return cli


def test_a_dry_run_tells_and_writes_nothing_then_it_is_written_once(pots: Cli) -> None:
    code, out, err = words(pots("consolidate", "--dry-run", *MODEL))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("created reflection-")
    assert lines[0].endswith("  5 sources")
    assert "blue pot" in lines[1]
    assert lines[2] == "1 would be created, 0 would be updated, 0 unchanged"
    assert lines[3].startswith("5 of 6 memories are in a reflection (mean cosine 0.")
    done = json.loads(pots("consolidate", "--json", *MODEL).stdout)
    assert (done["created"], done["updated"], done["dry_run"]) == (1, 0, False)
    assert done["reflections"][0]["essence"] in pots("get", done["reflections"][0]["thought_id"]).stdout.decode()
    again = json.loads(pots("consolidate", "--json", *MODEL).stdout)
    assert (again["created"], again["updated"], again["unchanged"], again["reflections"]) == (0, 0, 1, [])
    assert "reflection " in pots("recall", "where is the blue pot?", *MODEL).stdout.decode()


def test_it_can_be_left_to_the_jobs(pots: Cli) -> None:
    assert words(pots("consolidate", "--background", *MODEL)) == (0, "asked for: `jobs run` does it\n", "")
    assert pots("jobs", "run", *MODEL).returncode == 0
    assert json.loads(pots("consolidate", "--json", *MODEL).stdout)["unchanged"] == 1


def test_looking_makes_no_store(cli: Cli, tmp_path: Path) -> None:
    assert cli("consolidate", "--dry-run").returncode == Exit.STORE
    assert list(tmp_path.iterdir()) == []
