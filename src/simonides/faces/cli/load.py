"""How does a name on the command line become a command? Its module is imported when the name is used, not before."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer
import typer.core

from simonides.faces.cli.signature import placed
from simonides.faces.cli.table import COMMANDS, SECTIONS, Entry

EXAMPLE = "Example: "
"""How the last paragraph of a command's docstring begins."""


class Commands(MutableMapping[str, Any]):
    """Name → command of the parser, made at the first use."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name not in COMMANDS or " " in name:
                raise KeyError(name)
            self._made[name] = _command(COMMANDS[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*(name for name in COMMANDS if " " not in name), *self._made]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]


class Group(typer.core.TyperGroup):
    """The command `simonides`: it knows all commands and loads the one that is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, in the order of the table."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
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


def _command(entry: Entry) -> Any:
    below = [other for name, other in COMMANDS.items() if name.startswith(f"{entry.name} ")]
    app = typer.Typer(name=entry.name, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    run = placed(function_of(entry), has_commands=bool(below))
    if not below:
        app.command(entry.name, help=help_of(entry))(run)
        return typer.main.get_command(app)
    app.callback(invoke_without_command=True, help=help_of(entry))(run)
    for other in below:
        app.command(other.name.split(" ", 1)[1], help=help_of(other))(placed(function_of(other)))
    return typer.main.get_command(app)
