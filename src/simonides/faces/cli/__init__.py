"""The command line. Nothing is imported before it is needed, so that a missing extra can be named in one line."""

from __future__ import annotations

import sys


def main() -> None:
    """The entry point of the `simonides` command: runs it and leaves with its exit code."""
    try:
        import rich  # noqa: F401  # the extra brings both; a missing one is told apart from a broken one
        import typer  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in ("rich", "typer"):
            raise
        sys.stderr.write("simonides: the command line needs an optional package: pip install 'simonides[cli]'\n")
        raise SystemExit(7) from None
    from simonides.faces.cli.run import run

    raise SystemExit(run(sys.argv[1:]))
