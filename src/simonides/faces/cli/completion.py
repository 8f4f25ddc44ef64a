"""How does a shell learn to complete the words of the command line? By a script: click writes it, this installs it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from simonides.faces.cli.screen import say, visible

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE = "_SIMONIDES_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
_ASKED = "the one in use"


def parameters() -> list[click.Parameter]:
    """--install-completion and --show-completion, each with a shell or without one."""
    return [
        _option("--install-completion", _install, "Set up completion of commands and options in your shell."),
        _option("--show-completion", _show, "Print what --install-completion sets up."),
    ]


def answer(command: click.Command, instruction: str) -> int:
    """Does what the script of a shell asks for; returns an exit code."""
    from click.shell_completion import shell_complete

    return shell_complete(command, {}, "simonides", VARIABLE, instruction)


def _option(name: str, then: Callable[[click.Context, str], None], says: str) -> click.Option:
    def called(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
        if value is not None and not context.resilient_parsing:
            then(context, _shell(value))
            context.exit()

    return click.Option(
        [name], is_flag=False, flag_value=_ASKED, metavar="[SHELL]", is_eager=True, expose_value=False,
        callback=called, help=says,
    )  # fmt: skip


def _shell(value: str) -> str:
    shell = os.path.basename(os.environ.get("SHELL", "")) if value == _ASKED else value
    if shell not in SHELLS:
        raise click.UsageError(f"{shell or 'no shell'} is not known; name one of {', '.join(SHELLS)}")
    return shell


def script(command: click.Command, shell: str) -> str:
    """What a shell has to read."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    return kind(command, {}, "simonides", VARIABLE).source()


def _show(context: click.Context, shell: str) -> None:
    say(script(context.command, shell))


def _install(context: click.Context, shell: str) -> None:
    from pathlib import Path

    text, home = script(context.command, shell), Path.home()
    if shell == "fish":
        _write(home / ".config" / "fish" / "completions" / "simonides.fish", text)
    else:
        file = home / ".local" / "share" / "simonides" / f"completion.{shell}"
        _write(file, text)
        _add_line(home / f".{shell}rc", f'[ -r "{file}" ] && . "{file}"')
    say("it works in every shell that is started from now on")


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n", "utf-8")
    say(visible(f"written: {file}"))


def _add_line(file: Path, line: str) -> None:
    """At the end of a shell's own file, once."""
    old = file.read_text("utf-8") if file.exists() else ""
    if line not in old:
        start = "" if not old or old.endswith("\n") else "\n"
        file.write_text(f"{old}{start}{line}  # completion of simonides\n", "utf-8")
        say(visible(f"added to {file}: {line}"))
