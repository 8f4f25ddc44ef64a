"""How does a function become a command? It gets the shared options, and groups of options as one value each."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer

from simonides.faces.cli.place import DATABASE, settle

Database = Annotated[
    str | None, typer.Option("--db", metavar="PATH", help=f"The store's file. [env: SIMONIDES_DB; default: {DATABASE}]")
]
Namespace = Annotated[
    str | None,
    typer.Option("--namespace", "-n", metavar="NAME", help="Whose memories. [env: SIMONIDES_NAMESPACE]"),
]
Embedding = Annotated[
    str | None,
    typer.Option("--embedder", metavar="NAME", help="builtin, minilm, openai:MODEL ... [env: SIMONIDES_EMBEDDER]"),
]
Settings = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="Settings, .toml or .yaml. [env: SIMONIDES_CONFIG]"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SHARED: dict[str, tuple[object, object]] = {
    "db": (Database, None),
    "namespace": (Namespace, None),
    "embedder": (Embedding, None),
    "config": (Settings, None),
    "as_json": (AsJson, False),
}
"""Name → annotation and default of the options that every command takes."""


def placed(command: Callable[..., None], *, has_commands: bool = False) -> Callable[..., None]:
    """A command that takes the shared options and gets them as its first argument, a `Place`.

    What stands behind the command's name wins over what stands before it. A parameter whose type is a dataclass
    stands for one option per field. has_commands: it runs only when none of the commands below it is called.
    """
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}

    @functools.wraps(command)
    def run(context: typer.Context, **given: Any) -> None:
        above: dict[str, Any] = context.obj or {}
        shared: dict[str, Any] = {name: given.pop(name) or above.get(name) for name in SHARED}
        if has_commands:
            context.obj = shared
            if context.invoked_subcommand is not None:
                return
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(settle(**shared), **given)

    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    common = [_parameter(name, annotation, default) for name, (annotation, default) in SHARED.items()]
    parameters = [context, *(single for p in own for single in _flat(p)), *common]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    del run.__wrapped__
    return run


def _flat(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    kind = parameter.annotation
    if not is_dataclass(kind):
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        return
    assert isinstance(kind, type)
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        assert field.default is not MISSING, f"{field.name} needs a default"
        yield _parameter(field.name, hints[field.name], field.default)


def _parameter(name: str, annotation: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
