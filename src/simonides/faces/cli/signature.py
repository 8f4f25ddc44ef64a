"""How does a function become a command? It gets the shared options, and groups of options as one value each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, NamedTuple, get_type_hints

import click

from simonides.faces.cli.parser import is_list, parameter
from simonides.faces.cli.place import DATABASE, settle
from simonides.faces.cli.words import Option

Database = Annotated[
    str | None, Option("--db", metavar="PATH", help=f"The store's file. [env: SIMONIDES_DB; default: {DATABASE}]")
]
Namespace = Annotated[
    str | None,
    Option("--namespace", "-n", metavar="NAME", help="Whose memories. [env: SIMONIDES_NAMESPACE]"),
]
Embedding = Annotated[
    str | None,
    Option("--embedder", metavar="NAME", help="builtin, minilm, openai:MODEL ... [env: SIMONIDES_EMBEDDER]"),
]
Settings = Annotated[
    str | None,
    Option("--config", metavar="FILE", help="Settings, .toml or .yaml. [env: SIMONIDES_CONFIG]"),
]
AsJson = Annotated[bool, Option("--json", help="Print JSON.")]
SHARED: dict[str, tuple[object, object]] = {
    "db": (Database, None),
    "namespace": (Namespace, None),
    "embedder": (Embedding, None),
    "config": (Settings, None),
    "as_json": (AsJson, False),
}
"""Name → annotation and default of the options that every command takes."""


class Placed(NamedTuple):
    """A command as the parser knows it: what it calls with what was given, and its parameters."""

    run: Callable[..., None]
    parameters: list[click.Parameter]


def placed(command: Callable[..., None], *, has_commands: bool = False) -> Placed:
    """A command that takes the shared options and gets them as its first argument, a `Place`.

    What stands behind the command's name wins over what stands before it. A parameter whose type is a dataclass
    stands for one option per field. has_commands: it runs only when none of the commands below it is called.
    """
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}
    described = [single for p in own for single in _flat(p)]
    lists = {name for name, kind, _, _ in described if is_list(kind)}

    def run(**given: Any) -> None:
        context = click.get_current_context()
        above: dict[str, Any] = context.obj or {}
        shared: dict[str, Any] = {name: given.pop(name) or above.get(name) for name in SHARED}
        if has_commands:
            context.obj = shared
            if context.invoked_subcommand is not None:
                return
        given.update((name, list(given[name]) or None) for name in lists)
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(settle(**shared), **given)

    parameters = [parameter(name, kind, default, required=required) for name, kind, default, required in described]
    return Placed(run, parameters + shared_parameters())


def shared_parameters() -> list[click.Parameter]:
    """The options that every command takes."""
    return [parameter(name, annotation, default) for name, (annotation, default) in SHARED.items()]


def _flat(given: inspect.Parameter) -> Iterator[tuple[str, object, object, bool]]:
    """(name, annotation, default, whether it must be given) of a parameter, or of each field of a group."""
    kind = given.annotation
    if not is_dataclass(kind):
        required = given.default is inspect.Parameter.empty
        yield given.name, kind, None if required else given.default, required
        return
    assert isinstance(kind, type)
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        assert field.default is not MISSING, f"{field.name} needs a default"
        yield field.name, hints[field.name], field.default, False
