"""Connections and labels on the command line: link, unlink, edges, annotate, concepts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Cli, words

import simonides
from simonides.faces.cli.exits import Exit


@pytest.fixture
def three(tmp_path: Path, cli: Cli) -> Cli:
    with simonides.open(tmp_path / "simonides.db", embedder=False) as store:
        for name in ("a", "b", "c"):
            store.remember(f"memory {name}", thought_id=name)
    return cli


def test_a_connection_is_made_listed_and_removed(three: Cli) -> None:
    assert words(three("link", "a", "b", "--type", "SUPPORTS", "--weight", "0.5")) == (0, "a SUPPORTS b 0.5 \n", "")
    three("link", "b", "c", "--valid-from", "2026-01-01", "-m", "by=hand", "--source", "me")
    code, out, err = words(three("edges"))
    assert (code, err) == (0, "")
    assert out == "b\tASSOCIATED\tc\t1\t2026-01-01 to\na\tSUPPORTS\tb\t0.5\t\n"
    [edge] = [json.loads(line) for line in three("edges", "c", "--json").stdout.splitlines()]
    assert (edge["metadata"], edge["source"], edge["weight"]) == ({"by": "hand"}, "me", 1.0)
    assert three("edges", "--type", "BRIDGE").stdout == b""
    assert words(three("edges", "--limit", "1"))[2] == "1 of more; --limit 0 lists all\n"
    assert len(three("edges", "--limit", "0").stdout.splitlines()) == 2
    assert words(three("unlink", "a", "b", "--type", "SUPPORTS")) == (0, "a SUPPORTS b removed\n", "")
    assert three("edges", "a").stdout == b""


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["link", "a", "nobody"], Exit.NOT_FOUND),
        (["unlink", "a", "b"], Exit.NOT_FOUND),
        (["edges", "nobody"], Exit.NOT_FOUND),
        (["annotate", "nobody", "x"], Exit.NOT_FOUND),
        (["link", "a", "b", "--type", "HATES"], Exit.USAGE),
        (["link", "a", "b", "--weight", "2"], Exit.USAGE),
        (["link", "a", "b", "--valid-from", "soon"], Exit.USAGE),
        (["link", "a"], Exit.USAGE),
        (["annotate", "a"], Exit.USAGE),
    ],
)
def test_a_connection_or_label_that_cannot_be_is_refused(three: Cli, command: list[str], code: Exit) -> None:
    done = three(*command)
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.startswith(b"simonides: ")


def test_concepts_are_named_counted_and_have_aliases(three: Cli) -> None:
    assert words(three("concepts")) == (0, "", "no memory has a concept\n")
    assert words(three("annotate", "a", "travel", "comfort"))[:2] == (0, "a comfort, travel\n")
    assert words(three("concepts", "alias", "voyage", "travel")) == (0, "voyage is travel\n", "")
    assert json.loads(three("annotate", "b", "voyage", "--json").stdout)["concepts"] == ["travel"]
    assert words(three("concepts"))[1] == "comfort\t1\ntravel\t2\n"
    assert json.loads(three("concepts", "--json").stdout) == {"comfort": 1, "travel": 2}
    assert words(three("annotate", "a", "rest", "--replace"))[1] == "a rest\n"


def test_shared_options_may_stand_in_three_places_of_a_command_of_two_words(three: Cli, tmp_path: Path) -> None:
    (tmp_path / "simonides.db").rename(tmp_path / "other.db")
    for words_ in (
        ["--db", "other.db", "concepts", "alias", "x", "y"],
        ["concepts", "--db", "other.db", "alias", "x", "y"],
        ["--db", "wrong.db", "concepts", "alias", "x", "y", "--db", "other.db"],
    ):
        assert three(*words_).returncode == 0
    assert three("concepts", "--db", "other.db", "alias", "x", "y", "--db", "wrong.db").returncode == Exit.STORE
