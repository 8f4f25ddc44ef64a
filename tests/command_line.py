"""The command line for tests: in this process where that is enough, in one of its own where it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import simonides

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "simonides"


@dataclass(frozen=True)
class Done:
    """How a call ended: exit code and what it wrote, as bytes."""

    returncode: int
    stdout: bytes
    stderr: bytes


class Cli(Protocol):
    def __call__(
        self,
        *arguments: str,
        stdin: bytes = b"",
        encoding: str = "utf-8",
        terminal: bool = False,
        **environment: str,
    ) -> Done: ...


def process(folder: Path, *arguments: str, **environment: str) -> Done:
    """Runs Python with some arguments in a process of its own."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        cwd=folder,
        env=surroundings() | environment,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def surroundings() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SIMONIDES", "PYTHONIO"))}
    return kept | {"PYTHONUTF8": "0", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(PACKAGE.parent)}


def words(result: Done) -> tuple[int, str, str]:
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def fill(folder: Path, *contents: str, **fields: Any) -> None:
    with simonides.open(folder / "simonides.db", embedder=False) as store:
        for content in contents:
            store.remember(content, **fields)
