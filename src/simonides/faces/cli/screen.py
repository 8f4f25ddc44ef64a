"""How does text get onto a terminal or into a pipe, whatever its encoding? Nothing stored can steer the terminal."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TextIO

_WIDTH_MIN = 40
_STYLES = {"strong": "1", "faint": "2", "bad": "1;31"}
Style = Literal["strong", "faint", "bad"]
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
    import shutil

    return max(_WIDTH_MIN, shutil.get_terminal_size((100, 24)).columns)


def paint(text: str, style: Style, stream: TextIO | None = None) -> str:
    """Text that is `visible` already, coloured when the stream (standard output) is a terminal that wants colours."""
    if not _is_colourful(sys.stdout if stream is None else stream):
        return text
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def say(text: str = "") -> None:
    """A line on standard output. The text must be `visible` already."""
    sys.stdout.write(f"{text}\n")


def say_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows of cells: a table with headings on a terminal; in a pipe a line each, tabs between the cells, no headings.

    The cells may be hostile.
    """
    lines = [[visible(" ".join(cell.split())) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for line in lines:
            say("\t".join(line))
        return
    if not lines:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold" if _is_colourful(sys.stdout) else "")
    for name in columns:
        table.add_column(name, overflow="fold")  # an id that is cut cannot be copied
    for line in lines:
        table.add_row(*map(Text, line))
    Console(file=sys.stdout, width=width(), highlight=False).print(table)


def note(text: str) -> None:
    """A line on standard error."""
    sys.stderr.write(f"{text}\n")


def complain(message: str, hint: str | None = None) -> None:
    """An error as a person reads it: what happened, and on the next line what to do."""
    note(f"{paint('simonides:', 'bad', sys.stderr)} {visible(message)}")
    if hint:
        note(f"  hint: {visible(hint)}")


def is_interactive() -> bool:
    """Whether somebody sits at a terminal who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def is_agreed(question: str) -> bool:
    """Asks a person at the terminal; anything but yes is no."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


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


def _is_colourful(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _is_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def _json_escape(found: re.Match[str]) -> str:
    """Line feeds of an indented text are left alone; whatever else is found stands inside a JSON string."""
    return f"\\u{ord(found[0]):04x}"
