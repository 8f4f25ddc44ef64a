"""Settings on the command line: a file, its database, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Cli, fill, words

from simonides.faces.cli.exits import Exit

OFF = ("--embedder", "off")


def test_a_settings_file_is_obeyed(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one pot", "two pots", "three pots")
    (tmp_path / "s.toml").write_text("[retrieve]\nmax_units = 1\n")
    for options, count in ((["--config", "s.toml"], 1), ([], 3)):
        for line in ([*options, "retrieve", "pots"], ["retrieve", "pots", *options]):
            assert len(json.loads(cli(*line, "--json", *OFF).stdout)["hits"]) == count
    answer = json.loads(cli("retrieve", "pots", "--json", *OFF, SIMONIDES_CONFIG="s.toml").stdout)
    assert len(answer["hits"]) == 1


def test_a_yaml_file_is_obeyed_too(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("yaml", reason="an optional package reads YAML")
    fill(tmp_path, "one pot", "two pots", "three pots")
    (tmp_path / "s.yaml").write_text("retrieve:\n  max_units: 2\n")
    assert len(json.loads(cli("retrieve", "pots", "--json", "--config", "s.yaml", *OFF).stdout)["hits"]) == 2
    (tmp_path / "s.yaml").write_text("a: [\n")
    code, out, err = words(cli("retrieve", "pots", "--config", "s.yaml", *OFF))
    assert (code, out) == (Exit.USAGE, "")
    assert err.startswith("simonides: 's.yaml' is not YAML: ")


def test_the_file_may_name_database_and_namespace_and_options_win(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "s.toml").write_text('[database]\npath = "own.db"\nnamespace = "ana"\n')
    assert cli("remember", "one", "--config", "deep/s.toml", *OFF).returncode == 0
    assert (tmp_path / "deep" / "own.db").exists()
    assert json.loads(cli("stats", "--config", "deep/s.toml", "--json", *OFF).stdout)["namespace"] == "ana"
    other = json.loads(cli("stats", "-n", "ben", "--config", "deep/s.toml", "--json", *OFF).stdout)
    assert (other["namespace"], other["thoughts"]) == ("ben", 0)
    assert cli("stats", "--config", "deep/s.toml", "--db", "wrong.db").returncode == Exit.STORE
    assert cli("stats", "--config", "deep/s.toml", SIMONIDES_DB="wrong.db").returncode == Exit.STORE


@pytest.mark.parametrize(
    ("name", "text", "says", "hint"),
    [
        ("s.toml", "[serch]\n", "unknown setting 'serch'", "did you mean 'search'?"),
        ("s.toml", "[retrieve]\nmax_unit = 3\n", "unknown setting 'retrieve.max_unit'", "did you mean 'max_units'?"),
        ("s.toml", '[retrieve]\nmax_units = "many"\n', "retrieve.max_units is 'many'; expected int", None),
        ("s.toml", "[retrieve]\nmax_units = 0\n", "max_units is 0; expected a whole number of at least 1", None),
        ("s.toml", "retrieve\n", "'s.toml' is not TOML: ", None),
        ("s.ini", "", "'s.ini': unknown kind of configuration", "use .toml, .yaml or .yml"),
        (None, "", "'s.toml' cannot be read: No such file or directory", None),
    ],
)
def test_a_mistake_in_the_file_is_a_sentence(
    cli: Cli, tmp_path: Path, name: str | None, text: str, says: str, hint: str | None
) -> None:
    if name:
        (tmp_path / name).write_text(text)
    code, out, err = words(cli("remember", "one", "--config", name or "s.toml"))
    assert (code, out) == (Exit.USAGE, "")
    assert err.startswith(f"simonides: {says}")
    assert hint is None or err.splitlines()[-1] == f"  hint: {hint}"
    assert not (tmp_path / "simonides.db").exists()
