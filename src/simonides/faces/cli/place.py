"""Which store and which namespace is a command about? Options that every command takes, before or after its name."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simonides.errors import StoreError

if TYPE_CHECKING:
    from simonides.store import Store

DATABASE = "simonides.db"
"""The file in the current folder that is used when neither --db nor SIMONIDES_DB names one."""

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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, slots=True)
class Place:
    """The options that every command shares, with environment and defaults filled in."""

    database: str
    namespace: str
    embedder: str | None
    as_json: bool

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """The open store. Raises StoreError when there is no file: reading never makes one."""
        path = Path(self.database).expanduser()
        if self.database != ":memory:" and not path.exists():
            raise StoreError(f"there is no store at {self.database}", hint="name one with --db, or remember something")
        with self._open(read_only=path.exists() and not os.access(path, os.W_OK)) as store:
            yield store

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """The open store, made when there is none."""
        with self._open(read_only=False) as store:
            yield store

    def _open(self, *, read_only: bool) -> Store:
        import simonides

        return simonides.open(self.database, namespace=self.namespace, embedder=self.embedder, read_only=read_only)


def settle(db: str | None, namespace: str | None, embedder: str | None, as_json: bool) -> Place:
    """Options over environment over defaults."""
    return Place(
        database=db or os.environ.get("SIMONIDES_DB") or DATABASE,
        namespace=namespace or os.environ.get("SIMONIDES_NAMESPACE") or "default",
        embedder=embedder or os.environ.get("SIMONIDES_EMBEDDER") or None,
        as_json=as_json,
    )


def placed(command: Callable[..., None]) -> Callable[..., None]:
    """A command that also takes --db, --namespace, --embedder and --json and gets them as its first argument.

    What stands behind the command's name wins over what stands before it.
    """

    @functools.wraps(command)
    def run(context: typer.Context, *, db: Any, namespace: Any, embedder: Any, as_json: bool, **rest: Any) -> None:
        above: dict[str, Any] = context.obj or {}
        place = settle(
            db or above.get("db"),
            namespace or above.get("namespace"),
            embedder or above.get("embedder"),
            as_json or bool(above.get("as_json")),
        )
        command(place, **rest)

    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    shared = [
        _parameter("db", Database, None),
        _parameter("namespace", Namespace, None),
        _parameter("embedder", Embedding, None),
        _parameter("as_json", AsJson, False),
    ]
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = [context, *(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own), *shared]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    del run.__wrapped__
    return run


def _parameter(name: str, annotation: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
