"""Changing memories on the command line: fields, the editor, archive, restore, delete."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import Cli, fill, words

from simonides.faces.cli.changing import CLEARABLE
from simonides.faces.cli.exits import Exit

OFF = ("--embedder", "off")


def stored(cli: Cli, name: str = "a") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(cli("get", name, "--json").stdout)
    return found


def editor(folder: Path, code: str) -> str:
    """A command that runs Python over the file that it is given, whose path is in `path`."""
    script = folder / "editor.py"
    script.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n{code}\n", "utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"


def test_fields_are_changed_and_metadata_set_beside_the_others(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a", metadata={"floor": 1, "door": "red"}, source="radio", essence="number")
    code, out, _ = words(
        cli(
            *(
                "edit",
                "a",
                "--content",
                "two",
                "--type",
                "TASK",
                "--priority",
                "P1",
                "-m",
                "floor=3",
                "-m",
                "lift=true",
            ),
            *(
                "--at",
                "2026-02-03",
                "--clear",
                "metadata.door",
                "--clear",
                "source",
                "--pin",
                "--reason",
                "moved",
                *OFF,
            ),
        )
    )
    assert (code, out) == (0, "a revision 2\n")
    thought = stored(cli)
    assert (thought["content"], thought["thought_type"], thought["priority"]) == ("two", "TASK", "P1")
    assert (thought["metadata"], thought["source"], thought["pinned"]) == ({"floor": 3, "lift": True}, None, True)
    assert (thought["occurred_at"], thought["essence"]) == ("2026-02-03T00:00:00+00:00", "number")
    [*_, change] = [json.loads(line) for line in cli("changes", "--json").stdout.splitlines()]
    assert (change["actor"], change["reason"], change["revision"]) == ("cli", "moved", 2)


def test_the_same_value_again_is_no_change(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a")
    assert words(cli("edit", "a", "--content", "one", *OFF)) == (0, "", "nothing changed\n")
    assert json.loads(cli("edit", "a", "--content", "one", "--json", *OFF).stdout)["revision"] == 1


def test_a_text_comes_from_standard_input_byte_for_byte(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a")
    assert cli("edit", "a", "--content", "-", *OFF, stdin="two \r\n会议\n".encode()).returncode == 0
    assert stored(cli)["content"] == "two \r\n会议\n"


def test_everything_that_can_be_cleared_can_be_cleared(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a", essence="x", metadata={"k": 1}, source="s", confidence=0.5)
    assert cli("edit", "a", "--valid-from", "2026-01-01", "--expires", "2999-01-01", *OFF).returncode == 0
    clearing = [part for name in CLEARABLE for part in ("--clear", name)]
    assert cli("edit", "a", *clearing, *OFF).returncode == 0
    assert {name: stored(cli)[name] for name in CLEARABLE} == {
        name: {} if name == "metadata" else None for name in CLEARABLE
    }


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["nobody", "--content", "x"], Exit.NOT_FOUND),
        (["a", "--content", " "], Exit.USAGE),
        (["a", "--clear", "content"], Exit.USAGE),
        (["a", "--priority", "P9"], Exit.USAGE),
        (["a", "--at", "soon"], Exit.USAGE),
        (["a", "--content", "x", "--revision", "7"], Exit.BUSY),
        (["a"], Exit.USAGE),
    ],
)
def test_a_change_that_cannot_be_made_is_refused(cli: Cli, tmp_path: Path, options: list[str], code: Exit) -> None:
    fill(tmp_path, "one", thought_id="a")
    done = cli("edit", *options, *OFF)
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.startswith(b"simonides: ")
    assert stored(cli)["revision"] == 1


def test_on_a_terminal_the_text_is_changed_in_the_editor(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "the seat is at the window", thought_id="a")
    command = editor(tmp_path, "path.write_bytes(path.read_bytes().replace(b'window', b'aisle') + b'\\n')")
    done = cli("edit", "a", *OFF, terminal=True, EDITOR=command, VISUAL="")
    assert words(done) == (0, "a revision 2\n", "")
    assert stored(cli)["content"] == "the seat is at the aisle"


def test_an_editor_that_changes_nothing_makes_no_revision(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "first line\r\nlast line \n", thought_id="a")
    done = cli("edit", "a", *OFF, terminal=True, VISUAL=editor(tmp_path, "assert path.read_bytes()"), EDITOR="false")
    assert words(done)[:2] == (0, "")
    assert stored(cli)["revision"] == 1


def test_an_editor_that_fails_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a")
    done = cli("edit", "a", *OFF, terminal=True, VISUAL=editor(tmp_path, "path.write_text('no'); sys.exit(3)"))
    assert done.returncode == Exit.USAGE
    assert b"the editor ended with code 3" in done.stderr
    done = cli("edit", "a", *OFF, terminal=True, VISUAL="no-such-editor-anywhere")
    assert done.returncode == Exit.USAGE
    assert b"hint: set EDITOR" in done.stderr
    assert stored(cli)["content"] == "one"


def test_what_was_written_is_kept_when_it_cannot_be_stored(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a")
    (tmp_path / "tmp").mkdir()
    for code, text in ((Exit.BUSY, b"my long text"), (Exit.USAGE, b" "), (Exit.USAGE, b"caf\xe9")):
        command = editor(tmp_path, f"path.write_bytes({text!r})")
        options = ("--revision", "7") if code is Exit.BUSY else ()
        # the revision is an option of the change, not a change: the editor opens all the same
        done = cli("edit", "a", *options, *OFF, terminal=True, VISUAL=command, NO_COLOR="1")
        assert done.returncode == code
        [kept] = [line for line in done.stderr.decode().splitlines() if line.startswith("what you wrote is kept in ")]
        file = Path(kept.removeprefix("what you wrote is kept in "))
        assert file.read_bytes() == text
        file.unlink()
    assert stored(cli)["content"] == "one"


def test_archived_memories_are_listed_but_not_found_until_restored(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "the pot is blue", thought_id="a")
    assert words(cli("archive", "a", "--reason", "broken", *OFF)) == (0, "a archived\n", "")
    assert words(cli("recall", "pot", *OFF))[2] == "nothing found\n"
    assert len(cli("list", "--status", "ARCHIVED").stdout.splitlines()) == 1
    assert len(cli("list", "--status", "ACTIVE").stdout.splitlines()) == 0
    assert json.loads(cli("restore", "a", "--json", *OFF).stdout) == {"thought_id": "a", "done": "restored"}
    assert b"the pot is blue" in cli("recall", "pot", *OFF).stdout


def test_those_that_are_there_are_done_and_the_missing_ones_named(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a")
    fill(tmp_path, "two", thought_id="b")
    code, out, err = words(cli("archive", "a", "x", "b", "a", "y", *OFF))
    assert (code, out) == (Exit.NOT_FOUND, "a archived\nb archived\n")
    assert err == "simonides: no thought 'x', 'y' in namespace 'default'\n"


def test_delete_asks_on_a_terminal_and_wants_yes_elsewhere(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a")
    assert cli("delete", "a", *OFF).returncode == Exit.USAGE
    done = cli("delete", "a", *OFF, terminal=True, stdin=b"\n")
    assert words(done) == (0, "", "delete 1 memories? [y/N] nothing was deleted\n")
    assert stored(cli)["revision"] == 1
    assert words(cli("delete", "a", *OFF, terminal=True, stdin=b"y\n"))[:2] == (0, "a deleted\n")
    assert cli("get", "a").returncode == Exit.NOT_FOUND
    fill(tmp_path, "two", thought_id="b")
    assert words(cli("delete", "b", "--yes", *OFF)) == (0, "b deleted\n", "")


@pytest.mark.parametrize(
    "command",
    [
        *(["edit", "a", "--content", "x"], ["archive", "a"], ["restore", "a"], ["delete", "a", "-y"]),
        *(["link", "a", "b"], ["unlink", "a", "b"], ["annotate", "a", "c"], ["concepts", "alias", "a", "b"]),
        *(["jobs", "run"], ["jobs", "retry", "1"], ["log", "prune"]),
    ],
)
def test_changing_makes_no_store(cli: Cli, tmp_path: Path, command: list[str]) -> None:
    code, out, err = words(cli(*command))
    assert (code, out) == (Exit.STORE, "")
    assert err.startswith("simonides: there is no store at simonides.db")
    assert list(tmp_path.iterdir()) == []
