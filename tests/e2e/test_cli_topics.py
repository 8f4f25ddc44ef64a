"""The topic tree on the command line: print it, check it, make it anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Cli, words

import simonides
from simonides.faces.cli.exits import Exit

MODEL = ("--embedder", "hashing:32")
THINGS = ("train", "seat", "window", "pot", "key", "garden")


@pytest.fixture
def things(tmp_path: Path, cli: Cli) -> Cli:
    """240 memories about six things, two of them filed under topics."""
    with simonides.open(tmp_path / "simonides.db", embedder="hashing:32") as store:
        store.remember_many([f"the {thing} with the number {n}" for thing in THINGS for n in range(40)])
        for name in ("deploy/staging", "deploy/\u202estaging"):
            store.remember(f"filed under {name}", topics=[name])
    return cli


def test_the_tree_is_made_printed_and_checked(things: Cli) -> None:
    code, out, err = words(things("topics", *MODEL))
    assert code == 0
    assert [line.split()[1:] for line in out.splitlines()[:1]] == [["242"]]
    assert all(thing in out for thing in THINGS)
    assert err == "drawn for this look; `topics rebalance` keeps it, and its keys can be used\n"
    assert words(things("topics", "rebalance", *MODEL)) == (0, "242 vectors are in the tree\n", "")
    lines = things("topics", *MODEL).stdout.decode().splitlines()
    assert lines[0].split() == ["__root__", "242"]
    assert all(line.startswith("  ") for line in lines[1:])
    topics = [json.loads(line) for line in things("topics", "--depth", "1", "--json", *MODEL).stdout.splitlines()]
    assert [topic["depth"] for topic in topics] == [0] + [1] * (len(topics) - 1)
    assert sum(topic["count"] for topic in topics[1:]) == topics[0]["count"] == 242
    assert all(topic["label"] for topic in topics[1:])
    check = json.loads(things("topics", "check", "--sample", "20", "--json", *MODEL).stdout)
    assert (check["ok"], check["vectors"], check["problems"]) == (True, 242, [])
    assert "recall:" in things("topics", "check", "--no-adapt", *MODEL).stdout.decode()
    assert things("topics", "check", "--goal", "2", *MODEL).returncode == Exit.USAGE


def test_keys_that_memories_were_filed_under_are_counted(things: Cli) -> None:
    code, out, err = words(things("topics", "--filed", *MODEL))
    assert (code, err) == (0, "")
    assert sorted(out.splitlines()) == ["deploy/\\u202estaging\t1", "deploy/staging\t1"]
    assert json.loads(things("topics", "--filed", "--json", *MODEL).stdout)["deploy/staging"] == 1


@pytest.mark.parametrize("command", [["topics"], ["topics", "check"], ["topics", "rebalance"]])
def test_looking_at_topics_makes_no_store(cli: Cli, tmp_path: Path, command: list[str]) -> None:
    assert cli(*command).returncode == Exit.STORE
    assert list(tmp_path.iterdir()) == []
