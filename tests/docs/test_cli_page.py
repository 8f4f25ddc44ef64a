"""Does docs/cli.md describe every command, option and exit code as the code has them?

`SIMONIDES_UPDATE_DOCS=1` writes the part about the commands anew instead of comparing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simonides.faces.cli import run as cli_run
from simonides.faces.cli.exits import BY_ERROR, Exit
from simonides.faces.cli.load import EXAMPLE, function_of, help_of
from simonides.faces.cli.signature import SHARED
from simonides.faces.cli.table import COMMANDS, SECTIONS, Entry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
START, STOP = "<!-- commands: made from the code -->\n", "<!-- end of commands -->\n"
COMPLETION = {"--install-completion", "--show-completion", "--version", "--help"}


def parser(name: str) -> Any:
    """The command of the parser with these words."""
    found: Any = cli_run.command_line()
    for word in name.split():
        found = found.get_command(None, word)
    return found


def reference() -> str:
    """The part of the page that is made from the code."""
    parts = []
    for title, entries in SECTIONS.items():
        parts += [f"### {title}\n", *("\n".join(described(entry)) for entry in entries)]
    return "\n".join(parts)


def described(entry: Entry) -> Iterator[str]:
    command = parser(entry.name)
    own = [p for p in command.params if p.name not in SHARED]
    arguments = " ".join(metavar(p) for p in own if not is_option(p))
    yield f"#### {entry.name}\n"
    yield f"`simonides {entry.name}{' ' if arguments else ''}{arguments}`\n"
    paragraphs = help_of(entry).replace("\b\n", "").split("\n\n")
    for text in paragraphs:
        if text.startswith(EXAMPLE):
            text = f"{EXAMPLE}`{text.removeprefix(EXAMPLE)}`"
        yield f"{text}\n"
    options = [p for p in own if is_option(p)]
    if options:
        yield "| option | what it does |"
        yield "|---|---|"
        yield from (f"| {spelt(p)} | {says(p)} |" for p in options)
        yield ""


def is_option(parameter: Any) -> bool:
    return str(parameter.opts[0]).startswith("-")


def metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def spelt(parameter: Any) -> str:
    """Every spelling of an option, the longest with its value."""
    names = sorted((*parameter.opts, *parameter.secondary_opts), key=lambda name: (len(name) == 2, name == "--json"))
    value = "" if parameter.is_flag else f" {metavar(parameter)}"
    return ", ".join(f"`{name}{value if not number else ''}`" for number, name in enumerate(names))


def says(parameter: Any) -> str:
    shown = f" [default: {parameter.default}]" if parameter.show_default and not parameter.is_flag else ""
    return f"{parameter.help}{shown}".replace("|", "\\|")


def test_the_page_describes_the_commands_as_the_code_has_them() -> None:
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(START)
    made, _, after = rest.partition(STOP)
    assert before
    assert after, "the marks are missing"
    wanted = f"\n{reference()}\n"
    if os.environ.get("SIMONIDES_UPDATE_DOCS"):
        PAGE.write_text(f"{before}{START}{wanted}{STOP}{after}", "utf-8")
        return
    assert made == wanted, "the page is old; see CONTRIBUTING.md, Docs are tests"


def test_the_page_lists_the_options_that_every_command_takes() -> None:
    page = PAGE.read_text("utf-8")
    shared = [p for p in cli_run.command_line().params if is_option(p)]
    assert {name for p in shared for name in p.opts if p.name in SHARED} >= {"--db", "--config", "--json", "-n"}
    assert [p.opts for p in shared if not any(f"`{name}" in page or f"{name}`" in page for name in p.opts)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_the_shared_options_and_has_help_with_an_example(name: str) -> None:
    entry, command = COMMANDS[name], parser(name)
    assert {p.name for p in command.params} >= set(SHARED)
    document = help_of(entry)
    assert " ".join(document.split("\n\n")[0].split()) == entry.says
    assert f"{EXAMPLE}simonides {name}" in document
    own = [p for p in command.params if p.name not in SHARED and p.name not in COMPLETION]
    assert [p.name for p in own if not (p.help if is_option(p) else p.says)] == []
    assert [p.name for p in own if not (p.metavar or (is_option(p) and p.is_flag))] == []


def test_every_function_of_the_table_belongs_to_one_command() -> None:
    functions = [function_of(entry) for entry in COMMANDS.values()]
    assert len({(f.__module__, f.__name__) for f in functions}) == len(functions)


def test_the_page_lists_every_exit_code_with_its_error_codes() -> None:
    page = PAGE.read_text("utf-8")
    for code in Exit:
        [row] = [line for line in page.splitlines() if line.startswith(f"| {code.value} | ")]
        names = {name for name, exit_code in BY_ERROR.items() if exit_code is code}
        assert set(re.findall(r"`(\w+)`", row.rsplit("|", 2)[1])) == names
