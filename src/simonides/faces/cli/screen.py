"""How does text get onto a terminal or into a pipe, whatever its encoding? Nothing stored can steer the terminal."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from typing import Any, TextIO

_WIDTH_MIN = 40
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def prepare_streams() -> None:
    """Characters that the console cannot show are written as escapes from now on, instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def visible(text: str) -> str:
    """Text with everything that would steer a terminal (escapes, controls, direction marks) written as an escape.

    Line feeds and tabs stay.

    >>> visible("red \\x1b[31m")
    'red \\\\x1b[31m'
    """
    return _STEERING.sub(lambda found: _escape(found[0]), text)


def one_line(text: str, limit: int) -> str:
    """Text on one line, cut to a number of characters."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= limit else f"{line[: max(0, limit - 3)]}..."


def width() -> int:
    """Columns of the terminal; 100 in a pipe."""
    if not sys.stdout.isatty():
        return 100
    return max(_WIDTH_MIN, shutil.get_terminal_size((100, 24)).columns)


def say(text: str = "") -> None:
    """A line on standard output. The text must be `visible` already."""
    sys.stdout.write(f"{text}\n")


def note(text: str) -> None:
    """A line on standard error."""
    sys.stderr.write(f"{text}\n")


def complain(message: str, hint: str | None = None) -> None:
    """An error as a person reads it: what happened, and on the next line what to do."""
    note(f"simonides: {visible(message)}")
    if hint:
        note(f"  hint: {visible(hint)}")


def say_json(value: Any, *, indent: int | None = 2) -> None:
    """A value as JSON. indent=None: on one line."""
    text = json.dumps(value, ensure_ascii=not _is_unicode(sys.stdout), allow_nan=False, indent=indent)
    say(_STEERING.sub(_json_escape, text))


def silence() -> None:
    """Whoever read our output has gone: write to nowhere from now on, also at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(nowhere, stream.fileno())
        except (OSError, ValueError):  # a stream without a file, as in tests
            continue


def _is_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def _json_escape(found: re.Match[str]) -> str:
    """Line feeds of an indented text are left alone; whatever else is found stands inside a JSON string."""
    return f"\\u{ord(found[0]):04x}"
