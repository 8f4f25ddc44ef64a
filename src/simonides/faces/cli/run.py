"""What happens between the words of a command line and its exit code? Parsing, one command, and every way to end."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from simonides.errors import SimonidesError
from simonides.faces.cli.exits import Exit, exit_for
from simonides.faces.cli.load import Group
from simonides.faces.cli.screen import complain, prepare_streams, say, silence
from simonides.faces.cli.signature import AsJson, Database, Embedding, Namespace, Settings

app = typer.Typer(  # which commands there are: table.py
    name="simonides",
    cls=Group,
    help="Memory for agents: one file, every score explained. Exit codes and settings: docs/cli.md.",
    invoke_without_command=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from simonides import __version__

        say(f"simonides {__version__}")
        raise typer.Exit


@app.callback()
def _shared(
    context: typer.Context,
    db: Database = None,
    namespace: Namespace = None,
    embedder: Embedding = None,
    config: Settings = None,
    as_json: AsJson = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    context.obj = {"db": db, "namespace": namespace, "embedder": embedder, "config": config, "as_json": as_json}
    if context.invoked_subcommand is None:
        say(context.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Never raises, never prints a traceback."""
    prepare_streams()
    try:
        code = _command_line(arguments)
        sys.stdout.flush()
        return code
    except (BrokenPipeError, SystemExit) as end:
        if isinstance(end, SystemExit) and not end.code:  # a script for a shell's completion was printed
            return Exit.OK
        silence()  # typer leaves with SystemExit(1) when a pipe breaks under it
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
