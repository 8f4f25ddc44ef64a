"""How does the parser see a command? Types and descriptions of parameters in, options and arguments of click out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click

from simonides.faces.cli.words import Argument, Option

_PLAIN: dict[object, Any] = {str: click.STRING, int: click.INT, float: click.FLOAT}
CLOSE = 0.6
"""How like a command a mistyped word must be to be taken for it, from 0 to 1."""


class Positional(click.Argument):
    """An argument with a help of its own."""

    def __init__(self, *names: Any, says: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.says = says


class Command(click.Command):
    """A command whose help also describes its arguments."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the arguments, then the options."""
        described = [(p.metavar or "", p.says) for p in self.params if isinstance(p, Positional)]
        if described:
            with formatter.section("Arguments"):
                formatter.write_dl(described)
        super().format_options(ctx, formatter)


class Group(click.Group):
    """A command with commands below it, in their order. A mistyped one is met with the nearest."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, as they were added."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names. Raises click.UsageError."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), 3, CLOSE)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def parameter(name: str, kind: object, default: object, *, required: bool = False) -> click.Parameter:
    """One parameter. kind: `Annotated[type, Option(…)]` or `Annotated[type, Argument(…)]`."""
    annotated, *about = get_args(kind)
    [said] = [word for word in about if isinstance(word, (Option, Argument))]
    inner, many = _single(annotated)
    absent: dict[str, Any] = {} if required else {"default": default}
    if isinstance(said, Argument):
        words = {"type": _type(inner, None), "metavar": said.metavar, "nargs": -1 if many else 1}
        return Positional([name], says=said.help, required=required, **words, **absent)
    if inner is bool:
        flag = default if "/" in said.names[0] else bool(default)
        return click.Option([name, *said.names], is_flag=True, default=flag, show_default=bool(flag), help=said.help)
    return click.Option(
        [name, *said.names],
        type=_type(inner, said),
        metavar=said.metavar,
        multiple=many,
        required=required,
        show_default=default is not None,
        help=said.help,
        shell_complete=None if said.values is None else _completer(said),
        **absent,
    )


def is_list(kind: object) -> bool:
    """Whether a parameter may hold several values."""
    return _single(get_args(kind)[0])[1]


def _single(annotated: object) -> tuple[object, bool]:
    """The type of one value, and whether there may be several."""
    if get_origin(annotated) in (UnionType, Union):
        [annotated] = [kind for kind in get_args(annotated) if kind is not type(None)]
    if get_origin(annotated) is list:
        return get_args(annotated)[0], True
    return annotated, False


def _type(kind: object, said: Option | None) -> Any:
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if isinstance(kind, type) and issubclass(kind, os.PathLike):
        return click.Path(path_type=kind)
    if said is not None and kind is int and (said.min, said.max) != (None, None):
        return click.IntRange(said.min, said.max)
    return _PLAIN[kind]


def _completer(said: Option) -> Any:
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> Sequence[str]:
        assert said.values is not None
        return [value for value in said.values() if value.startswith(incomplete)]

    return complete
