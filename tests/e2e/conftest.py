"""What the tests of the faces share."""

from __future__ import annotations

import os
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from command_line import Cli, Done

from simonides.faces.cli import run as cli_run


class Terminal(TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command in a folder of its own, in this process; what only a process can show is tested in one."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("SIMONIDES")]:
        monkeypatch.delenv(name)

    def run(
        *arguments: str, stdin: bytes = b"", encoding: str = "utf-8", terminal: bool = False, **environment: str
    ) -> Done:
        out, err = BytesIO(), BytesIO()
        stream = Terminal if terminal else TextIOWrapper
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", stream(BytesIO(stdin)))
            patch.setattr(sys, "stdout", stream(out, encoding, newline=""))
            patch.setattr(sys, "stderr", stream(err, encoding, newline=""))
            for name, value in environment.items():
                patch.setenv(name, value)
            code = cli_run.run(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
            return Done(int(code), out.getvalue(), err.getvalue())

    return run
