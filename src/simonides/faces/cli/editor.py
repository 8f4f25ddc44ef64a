"""How does a person change a text? In the editor of their choice, without losing what they wrote when storing fails."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from simonides.errors import ConfigError, InvalidThoughtError
from simonides.faces.cli.screen import note, visible

FALLBACK = "notepad" if os.name == "nt" else "vi"
"""The editor when neither VISUAL nor EDITOR names one."""


@contextmanager
def edited(text: str) -> Iterator[str]:
    """The text as the person leaves it. The file is kept, and named, when the block fails.

    A line feed that the editor adds at the end is taken away again. Raises ConfigError when there is no such editor,
    InvalidThoughtError when it fails or leaves something that is not UTF-8.
    """
    handle, name = tempfile.mkstemp(prefix="simonides-", suffix=".md")
    file = Path(name)
    with os.fdopen(handle, "wb") as out:
        out.write(text.encode("utf-8", "surrogatepass"))
    try:
        _call(name)
        data = file.read_bytes()
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    try:
        yield _decoded(data, text)
    except BaseException:
        note(visible(f"what you wrote is kept in {name}"))
        raise
    file.unlink()


def _call(name: str) -> None:
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK, posix=os.name != "nt")
    before = signal.signal(signal.SIGINT, _leave_it)  # Ctrl-C is the editor's while it runs
    try:
        code = subprocess.run([*command, name], check=False).returncode
    except OSError as error:
        raise ConfigError(f"the editor {command[0]!r} does not start: {error.strerror}", hint="set EDITOR") from None
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        raise InvalidThoughtError(f"the editor ended with code {code}", hint="nothing was changed")


def _leave_it(*_: object) -> None:
    """Not SIG_IGN, which the editor would inherit."""


def _decoded(data: bytes, before: str) -> str:
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise InvalidThoughtError(f"the text is not UTF-8 at byte {error.start}") from None
    return text[:-1] if text.endswith("\n") and not before.endswith("\n") else text
