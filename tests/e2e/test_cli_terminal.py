"""The command line on a terminal: colours, tables, completion, and how little it loads to start."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import PACKAGE, Cli, fill, process, surroundings, words

import simonides
from simonides.faces.cli.exits import Exit
from simonides.faces.cli.run import run
from simonides.faces.cli.table import COMMANDS

OFF = ("--embedder", "off")
COLOUR = re.compile("\x1b\\[[0-9;]*m")


def test_a_terminal_gets_colours_and_a_pipe_none(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "the pot is blue", thought_id="a")
    for command in (["recall", "pot"], ["list"], ["get", "a"], ["stats"]):
        plain = cli(*command, *OFF).stdout.decode()
        coloured = cli(*command, *OFF, terminal=True, TERM="xterm").stdout.decode()
        assert "\x1b" not in plain
        assert COLOUR.search(coloured), command
        for switch in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            assert "\x1b" not in cli(*command, *OFF, terminal=True, **switch).stdout.decode()
    assert COLOUR.search(cli("get", "b", terminal=True, TERM="xterm").stderr.decode())


def test_a_terminal_gets_a_table_with_headings_and_a_pipe_tabs(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a")
    fill(tmp_path, "two", thought_id="b")
    cli("link", "a", "b", *OFF)
    assert cli("edges").stdout == b"a\tASSOCIATED\tb\t1\t\n"
    shown = cli("edges", terminal=True, NO_COLOR="1").stdout.decode()
    lines = [COLOUR.sub("", line).split() for line in shown.splitlines()]
    assert lines == [["from", "type", "to", "weight", "valid"], ["a", "ASSOCIATED", "b", "1"]]


def test_a_table_cuts_nothing_at_eighty_columns(cli: Cli, tmp_path: Path) -> None:
    """What does not fit goes on below."""
    name = "memory-" + "0123456789" * 4
    fill(tmp_path, "one", thought_id=name)
    cli("archive", name, "--reason", "it was said so often that nobody needs to hear it again", *OFF)
    lines = cli("changes", terminal=True, NO_COLOR="1", COLUMNS="80").stdout.decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in "".join(lines)
    start, stop = lines[0].index("subject"), lines[0].index("rev")
    assert "".join(line[start:stop].strip() for line in lines[1:]) == 2 * name
    start = lines[0].index("reason")
    assert " ".join("".join(f"{line[start:].strip()} " for line in lines[1:]).split()).endswith("to hear it again")


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_hostile_cells_cannot_steer_the_terminal(cli: Cli, tmp_path: Path, encoding: str) -> None:
    """Names of concepts, reasons and ids are as hostile as contents; `[bold]` is no markup either."""
    fill(tmp_path, "one \x1b[31m", thought_id="a\u202e", concepts=["[bold]会\u202ex"])
    cli("archive", "a\u202e", "--reason", "\x1b]0;title\x07[/red]", *OFF)
    for command in (["concepts"], ["changes"], ["list"]):
        out = cli(*command, *OFF, terminal=True, encoding=encoding, NO_COLOR="1").stdout.decode(encoding)
        assert not re.search("[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e]", out), command
        assert "\x1b[31m" not in out
        assert "\x1b]" not in out
    assert "[bold]" in cli("concepts", terminal=True, encoding=encoding).stdout.decode(encoding)


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals there")
def test_a_real_terminal_is_seen_as_one(tmp_path: Path) -> None:
    import pty

    fill(tmp_path, "the pot is blue", thought_id="a")
    reader, writer = pty.openpty()
    child = os.fork()
    if child == 0:
        os.chdir(tmp_path)
        for number in (0, 1):
            os.dup2(writer, number)
        os.environ |= {"TERM": "xterm", "PYTHONPATH": str(PACKAGE.parent)}
        os.environ.pop("NO_COLOR", None)
        os.execv(sys.executable, [sys.executable, "-m", "simonides.faces.cli", "list", *OFF])
    os.close(writer)
    shown = b""
    try:
        while part := os.read(reader, 4096):
            shown += part
    except OSError:  # how Linux says that the other end is closed
        pass
    assert os.waitpid(child, 0)[1] == 0
    assert b"the pot is blue" in shown
    assert COLOUR.search(shown.decode())


def test_help_shows_the_commands_by_section_and_an_example_on_one_line(cli: Cli) -> None:
    out = cli("--help").stdout.decode()
    shown = re.findall(r"^  ([a-z-]+)  +[A-Z]", out, re.MULTILINE)
    assert [name for name in shown if not name.startswith("-")] == [name for name in COMMANDS if " " not in name]
    assert "\nQuestions:\n" in out
    assert (
        '\n  Example: simonides why-not "which seat does Ana like?" key -k 1\n'
        in cli("why-not", "--help").stdout.decode()
    )
    assert re.search(r"^  run +Do the jobs", cli("jobs", "--help").stdout.decode(), re.MULTILINE)


def test_a_mistyped_command_is_met_with_the_nearest(cli: Cli) -> None:
    code, out, err = words(cli("recal", "x"))
    assert (code, out) == (Exit.USAGE, "")
    assert "recall" in err
    assert cli("concepts", "alais").returncode == Exit.USAGE
    assert cli("concepts alias").returncode == Exit.USAGE


def test_the_version_is_that_of_the_package(cli: Cli) -> None:
    assert words(cli("--version")) == (0, f"simonides {simonides.__version__}\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_and_installed_for_a_shell(cli: Cli, tmp_path: Path, shell: str) -> None:
    home = {"HOME": str(tmp_path)}
    done = cli("--show-completion", shell, **home)
    assert (done.returncode, b"_SIMONIDES_COMPLETE" in done.stdout) == (0, True)
    assert cli("--show-completion", **home, SHELL=f"/bin/{shell}").stdout == done.stdout
    rc = tmp_path / f".{shell}rc"
    rc.write_text("alias ll='ls -l'", "utf-8")
    for _ in range(2):
        assert cli("--install-completion", shell, **home).returncode == 0
    [file] = [path for path in tmp_path.rglob("*") if path.is_file() and path != rc]
    assert file.read_bytes() == done.stdout
    lines = [line for line in rc.read_text("utf-8").splitlines() if str(file) in line]
    assert len(lines) == (0 if shell == "fish" else 1)  # fish reads its folder by itself
    assert cli("--show-completion", SHELL="/bin/tcsh").returncode == Exit.USAGE


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_a_real_shell_completes_by_the_script(tmp_path: Path) -> None:
    program = tmp_path / "simonides"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m simonides.faces.cli "$@"\n', "utf-8")
    program.chmod(0o755)
    line = (
        'eval "$(./simonides --show-completion bash)"; '
        "COMP_WORDS=(simonides link a b --type SUP); COMP_CWORD=5; "
        '_simonides_completion ./simonides; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", line], cwd=tmp_path, env=surroundings(), capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "SUPERSEDES SUPPORTS\n", done.stderr


def completed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    """What a shell would offer at the end of a line."""
    monkeypatch.setenv("_SIMONIDES_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    assert run([]) == 0
    return [line.partition(",")[2] for line in capsys.readouterr().out.splitlines()]


def test_commands_options_and_values_are_completed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = completed(capsys, monkeypatch, "simonides re")
    assert set(offered) == {"remember", "restore", "recall", "retrieve", "replay", "reembed"}
    assert completed(capsys, monkeypatch, "simonides jobs re") == ["retry"]
    assert "--max-tokens" in completed(capsys, monkeypatch, "simonides recall --max")
    assert completed(capsys, monkeypatch, "simonides link a b --type SUP") == ["SUPERSEDES", "SUPPORTS"]


LIGHT = """
import sys
from simonides.faces.cli.run import run
code = run(sys.argv[1:])
heavy = {"numpy", "apsw", "rich", "Stemmer", "mcp", "yaml", "importlib.metadata", "simonides.store"}
own = {name.rpartition(".")[2] for name in sys.modules if name.startswith("simonides.faces.cli.")}
import json
sys.stderr.write(json.dumps([code, sorted(heavy & set(sys.modules)), sorted(own)]))
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_a_light_command_loads_no_module_of_another(tmp_path: Path, arguments: list[str]) -> None:
    done = process(tmp_path, "-c", LIGHT, *arguments)
    code, heavy, own = json.loads(done.stderr)
    assert (code, heavy) == (0, [])
    assert set(own) == {
        "completion",
        "exits",
        "load",
        "parser",
        "place",
        "progress",
        "run",
        "screen",
        "signature",
        "table",
        "words",
    }


def test_a_command_loads_its_own_module_only(tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a")
    code, heavy, own = json.loads(process(tmp_path, "-c", LIGHT, "get", "a").stderr)
    assert code == 0
    assert not {"rich", "mcp", "yaml"} & set(heavy)
    assert not {"asking", "changing", "whole", "serve", "trail"} & set(own)
