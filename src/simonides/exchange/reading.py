"""What is in a file that says it is an export? Its header, and its lines with their numbers."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from simonides.embedders.port import ModelInfo
from simonides.errors import InvalidThoughtError, StoreError
from simonides.exchange.lines import FORMAT, FORMAT_VERSION

LINE_BYTES_MAX = 1 << 30  # a line is a thought with all its revisions


@dataclass(frozen=True, slots=True)
class Header:
    """The first line. mark: tells this file from others. whole: every namespace and the journal are in it."""

    mark: str
    whole: bool
    namespaces: tuple[str, ...]
    model: ModelInfo | None
    history_from: int | None = None  # instant, before which earlier versions were pruned


@dataclass(frozen=True, slots=True)
class Record:
    """A line that was read. values: its JSON object; None with the reason when it is none."""

    number: int
    values: dict[str, Any] | None  # any: whoever made the file decides
    reason: str = ""

    @property
    def kind(self) -> str:
        return "" if self.values is None else str(self.values.get("record", ""))


def open_export(path: str | os.PathLike[str]) -> BinaryIO:
    """Raises StoreError when the file cannot be read."""
    name = os.path.abspath(os.path.expanduser(os.fspath(path)))
    try:
        return open(name, "rb")
    except OSError as error:
        raise StoreError(f"{name!r} cannot be read: {error.strerror}") from None


def read_header(file: BinaryIO) -> Header:
    """Raises InvalidThoughtError for a file that is not an export, or of a later format."""
    line = file.readline(1 << 20)
    try:
        value = json.loads(line)
        kind, version = value["format"], value["version"]
        model = value["model"]
        if kind != FORMAT or isinstance(version, bool) or not isinstance(version, int):
            raise ValueError
        info = (
            None if model is None else ModelInfo(str(model["id"]), int(model["dimension"]), str(model["fingerprint"]))
        )
        header = Header(
            hashlib.sha256(line).hexdigest(),
            value["whole"] is True,
            tuple(value["namespaces"]),
            info,
            None if value.get("history_from") is None else int(value["history_from"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InvalidThoughtError(
            "line 1 is not the header of an export", hint="other files are taken in by the command `import`"
        ) from None
    if version > FORMAT_VERSION:
        raise InvalidThoughtError(
            f"the export has format {version}, this version of Simonides reads up to {FORMAT_VERSION}",
            hint="upgrade simonides",
        )
    return header


def read_lines(file: BinaryIO) -> Iterator[Record]:
    """The lines after the header."""
    number = 1
    while line := file.readline(LINE_BYTES_MAX):
        number += 1
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield Record(number, None, f"not JSON: {error}")
            continue
        if isinstance(value, dict):
            yield Record(number, value)
        else:
            yield Record(number, None, f"{type(value).__name__} where an object is expected")
