"""What happens between the words of a command line and its exit code? Parsing, one command, and every way to end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from simonides.errors import SimonidesError
from simonides.faces.cli import memories, whole
from simonides.faces.cli.exits import Exit, exit_for
from simonides.faces.cli.place import AsJson, Database, Embedding, Namespace, placed
from simonides.faces.cli.screen import complain, prepare_streams, say, silence

app = typer.Typer(
    name="simonides",
    help="Memory for agents: one file, every score explained. Exit codes and settings: docs/cli.md.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

_COMMANDS: dict[str, Callable[..., None]] = {
    "remember": memories.remember,
    "recall": memories.recall,
    "get": memories.get,
    "list": memories.list_,
    "stats": whole.stats,
    "verify": whole.verify,
    "import": whole.import_,
    "eval": whole.eval_,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(placed(_command))


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"simonides {version('simonides')}")
        raise typer.Exit


@app.callback()
def _shared(
    context: typer.Context,
    db: Database = None,
    namespace: Namespace = None,
    embedder: Embedding = None,
    as_json: AsJson = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    context.obj = {"db": db, "namespace": namespace, "embedder": embedder, "as_json": as_json}
    if context.invoked_subcommand is None:
        say(context.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Never raises, never prints a traceback."""
    prepare_streams()
    try:
        code = _command_line(arguments)
        sys.stdout.flush()
        return code
    except (BrokenPipeError, SystemExit):  # typer leaves with SystemExit when a pipe breaks under it, and only then
        silence()
        return Exit.BROKEN_PIPE
    except KeyboardInterrupt:
        complain("interrupted; what was committed stays")
        return Exit.INTERRUPTED


def _command_line(arguments: Sequence[str]) -> int:
    try:
        code = typer.main.get_command(app).main(list(arguments), "simonides", standalone_mode=False)
        if code == Exit.INTERRUPTED:
            raise KeyboardInterrupt
        return code if isinstance(code, int) else Exit.OK
    except SimonidesError as error:
        complain(error.message, error.hint)
        return exit_for(error)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return Exit.INPUT
    except Exception as error:  # noqa: BLE001  # the edge of the process: a person gets a sentence, not a traceback
        return _unexpected(error)


def _unexpected(error: Exception) -> int:
    """A mistake on the command line, which typer describes itself, or a mistake of ours."""
    shows = getattr(error, "format_message", None)
    if callable(shows):
        complain(str(shows()), "simonides --help, or simonides COMMAND --help")
        return Exit.USAGE
    if os.environ.get("SIMONIDES_DEBUG"):
        raise error
    complain(f"unexpected {type(error).__name__}: {error}", "please report it; SIMONIDES_DEBUG=1 shows where it was")
    return Exit.FAILURE
