"""How does a name on the command line become a command? Its module is imported when the name is used, not before."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import click

from simonides.faces.cli.parser import Command, Group
from simonides.faces.cli.signature import placed
from simonides.faces.cli.table import COMMANDS, SECTIONS, Entry

EXAMPLE = "Example: "
"""How the last paragraph of a command's docstring begins."""


class Root(Group):
    """The command `simonides`: it knows all commands and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order of the table."""
        return [name for name in COMMANDS if " " not in name]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, made at the first use."""
        if cmd_name not in self.commands and cmd_name in COMMANDS and " " not in cmd_name:
            self.add_command(_command(COMMANDS[cmd_name]))
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands by section, from the table alone."""
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(entry.name, entry.says) for entry in entries if " " not in entry.name])


def function_of(entry: Entry) -> Callable[..., None]:
    """The function of a command; imports its module."""
    module, _, name = entry.at.partition(":")
    found: Callable[..., None] = getattr(import_module(f"simonides.faces.cli.{module}"), name)
    return found


def help_of(entry: Entry) -> str:
    """The help of a command: its docstring, the example on a line of its own."""
    paragraphs = (inspect.getdoc(function_of(entry)) or entry.says).split("\n\n")
    return "\n\n".join(f"\b\n{text}" if text.startswith(EXAMPLE) else text for text in paragraphs)


def _command(entry: Entry) -> click.Command:
    below = [other for name, other in COMMANDS.items() if name.startswith(f"{entry.name} ")]
    if not below:
        return Command(entry.name, **_made(entry))
    group = Group(entry.name, invoke_without_command=True, **_made(entry, has_commands=True))
    for other in below:
        group.add_command(Command(other.name.split(" ", 1)[1], **_made(other)))
    return group


def _made(entry: Entry, *, has_commands: bool = False) -> dict[str, Any]:
    run, parameters = placed(function_of(entry), has_commands=has_commands)
    return {"callback": run, "params": parameters, "help": help_of(entry)}
