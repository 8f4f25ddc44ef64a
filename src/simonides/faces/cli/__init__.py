"""The command line. Nothing is imported before it is needed, so that a missing extra can be named in one line."""

from __future__ import annotations

import sys


def main() -> None:
    """The entry point of the `simonides` command: runs it and leaves with its exit code."""
    try:
        import click  # noqa: F401  # a missing extra is told apart from a broken one
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.stderr.write("simonides: the command line needs an optional package: pip install 'simonides[cli]'\n")
        raise SystemExit(7) from None
    from simonides.faces.cli.run import run

    raise SystemExit(run(sys.argv[1:]))
