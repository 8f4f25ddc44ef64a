"""What happens between the words of a command line and its exit code? Parsing, one command, and every way to end."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from simonides.errors import SimonidesError
from simonides.faces.cli import completion
from simonides.faces.cli.exits import Ended, Exit, exit_for
from simonides.faces.cli.load import Root
from simonides.faces.cli.screen import complain, prepare_streams, say, silence
from simonides.faces.cli.signature import shared_parameters

NAME = "simonides"
HELP = "Memory for agents: one file, every score explained. Exit codes and settings: docs/cli.md."


def _version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from simonides import __version__

        say(f"simonides {__version__}")
        context.exit()


def _shared(**given: Any) -> None:
    context = click.get_current_context()
    context.obj = given
    if context.invoked_subcommand is None:
        say(context.get_help())


def command_line() -> Root:
    """The parser of the whole command line; which commands there are: table.py."""
    version = click.Option(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print it."
    )
    parameters = [*shared_parameters(), version, *completion.parameters()]
    return Root(NAME, help=HELP, invoke_without_command=True, callback=_shared, params=parameters)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Never raises, never prints a traceback."""
    prepare_streams()
    try:
        code = _command_line(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        silence()
        return Exit.BROKEN_PIPE
    except KeyboardInterrupt:
        complain("interrupted; what was committed stays")
        return Exit.INTERRUPTED


def _command_line(arguments: Sequence[str]) -> int:
    root = command_line()
    asked = os.environ.get(completion.VARIABLE)
    if asked:
        return completion.answer(root, asked)
    try:
        with root.make_context(NAME, list(arguments)) as context:
            root.invoke(context)
        return Exit.OK
    except click.exceptions.Exit as end:
        return end.exit_code
    except Ended as end:
        return end.code
    except SimonidesError as error:
        complain(error.message, error.hint)
        return exit_for(error)
    except click.Abort:
        raise KeyboardInterrupt from None
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return Exit.INPUT
    except Exception as error:  # noqa: BLE001  # the edge of the process: a person gets a sentence, not a traceback
        return _unexpected(error)


def _unexpected(error: Exception) -> int:
    """A mistake on the command line, which click describes itself, or a mistake of ours."""
    shows = getattr(error, "format_message", None)
    if callable(shows):
        complain(str(shows()), "simonides --help, or simonides COMMAND --help")
        return Exit.USAGE
    if os.environ.get("SIMONIDES_DEBUG"):
        raise error
    complain(f"unexpected {type(error).__name__}: {error}", "please report it; SIMONIDES_DEBUG=1 shows where it was")
    return Exit.FAILURE
