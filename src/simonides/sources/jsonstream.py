"""Which records does a JSON file hold? It is cut into records as bytes, so that a broken one costs only itself.

Nothing here holds more than one record. Strings and brackets are followed, the rest is left to `json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from simonides.model.thought import Json
from simonides.sources.limits import JSON_DEPTH_MAX, RECORD_BYTES_MAX

_CHUNK_BYTES = 1 << 20
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
_QUOTE = 0x22
_SPACE = re.compile(rb"[ \t\r\n]*+")
_SPACE_AND_COMMA = re.compile(rb"[ \t\r\n,]*+")
_SCALAR = re.compile(rb"[^,\]\[{}]*+")
_STRUCTURE = re.compile(rb'["\[\]{}]')
_STRING_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class RecordError(ValueError):
    """A record that cannot be read; the text says why, for a person."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One record as bytes, or why it could not be cut out. `number` counts from 1: the line, or the element."""

    number: int
    data: bytes
    flaw: str | None = None


def lines(file: BinaryIO) -> Iterator[Piece]:
    """The lines that are not blank. Only a line feed ends a line; a byte-order mark is dropped.

    A line over RECORD_BYTES_MAX and a file in UTF-16 give a piece with a flaw.
    """
    number = 0
    while line := file.readline(RECORD_BYTES_MAX + 1):
        number += 1
        if number == 1:
            if line.startswith(_WIDE_BOMS):
                yield Piece(1, b"", "the file is in UTF-16; save it as UTF-8")
                return
            line = line.removeprefix(_BOM)
        if len(line) > RECORD_BYTES_MAX and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(RECORD_BYTES_MAX)
            yield Piece(number, b"", f"the line is longer than {RECORD_BYTES_MAX:,} bytes")
        elif line.strip():
            yield Piece(number, line)


def elements(file: BinaryIO) -> Iterator[Piece]:
    """The elements of the array a file holds, or the one object it holds.

    An element that is too large, and whatever stands where no element can stand, gives a piece with a flaw.
    """
    scanner = _Scanner(file)
    first = scanner.skip(_SPACE)
    if first == b"{":
        yield scanner.element(1)
        number = 2
    elif first == b"[":
        scanner.take()
        number = yield from _array(scanner)
    else:
        yield Piece(1, b"", "the file holds no JSON array or object" if first else "the file is empty")
        return
    if number and scanner.skip(_SPACE):
        yield Piece(number, b"", "there is more after the end of the JSON value; it was not read")


def _array(scanner: _Scanner) -> Generator[Piece, None, int]:
    """The elements behind an opening bracket. Returns the number after the last, 0 when the array did not close."""
    number = 0
    while True:
        found = scanner.skip(_SPACE_AND_COMMA)
        number += 1
        if found == b"]":
            scanner.take()
            return number
        if found in (b"}", b":", b""):
            what = f"unexpected {found.decode()!r}; the rest was not read" if found else "the file ends too early"
            yield Piece(number, b"", what)
            return 0
        yield scanner.element(number)
        if scanner.ended:
            return 0


class _Scanner:
    """A window on the file: what was read and not yet handed out. `ended`: a value was cut off by the end."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._data = file.read(_CHUNK_BYTES).removeprefix(_BOM)
        self._at = 0
        self.ended = False

    def skip(self, unwanted: re.Pattern[bytes]) -> bytes:
        """Go on to the next byte that is not unwanted and return it; b"" at the end of the file."""
        while True:
            found = unwanted.match(self._data, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._data):
                return self._data[self._at : self._at + 1]
            if not self._more():
                return b""

    def take(self) -> None:
        """Pass over one byte."""
        self._at += 1

    def element(self, number: int) -> Piece:
        """Cut out the value that begins here."""
        if self._data[self._at] in b'{["':
            return self._closed(number)
        self.skip(_SCALAR)
        return Piece(number, b"", "the record is not a JSON object")

    def _closed(self, number: int) -> Piece:
        """A value that brackets or quotes enclose."""
        parts: list[bytes] = []
        size, depth, in_string = 0, 0, False
        while True:
            end, depth, in_string = self._walk(depth, in_string)
            size += end - self._at
            if size <= RECORD_BYTES_MAX:
                parts.append(self._data[self._at : end])
            else:
                parts.clear()
            self._at = end
            if depth == 0 and not in_string:
                break
            rest = self._data[end:]  # at most a backslash whose partner is still to come
            if not self._more():
                self.ended = True
                return Piece(number, b"", "the file ends inside this record")
            self._data = rest + self._data
        if size > RECORD_BYTES_MAX:
            return Piece(number, b"", f"the record is larger than {RECORD_BYTES_MAX:,} bytes")
        return Piece(number, b"".join(parts))

    def _walk(self, depth: int, in_string: bool) -> tuple[int, int, bool]:
        """Follow brackets and strings from here: where it stopped, how deep, inside a string or not."""
        data, at = self._data, self._at
        while True:
            if in_string:
                rest = _STRING_REST.match(data, at)
                at = rest.end() if rest else at
                if at == len(data) or data[at] != _QUOTE:
                    return at, depth, True
                at, in_string = at + 1, False
            else:
                found = _STRUCTURE.search(data, at)
                if found is None:
                    return len(data), depth, False
                at, sign = found.end(), found.group()
                if sign == b'"':
                    in_string = True
                    continue
                depth += 1 if sign in b"[{" else -1
            if depth <= 0:
                return at, 0, False

    def _more(self) -> bool:
        self._data, self._at = self._file.read(_CHUNK_BYTES), 0
        return bool(self._data)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A JSON value; `repaired` says that halves of surrogate pairs were replaced by U+FFFD."""

    value: Json
    repaired: bool


def decode(data: bytes) -> Decoded:
    """The JSON value of a record.

    Raises RecordError for bytes that are not UTF-8 or not JSON, for nesting over JSON_DEPTH_MAX and for numbers
    that are not finite.
    """
    if depth_of(data) > JSON_DEPTH_MAX:
        raise RecordError(f"nested deeper than {JSON_DEPTH_MAX} levels")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}") from None
    try:
        value: Json = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except RecordError:
        raise
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error.msg} at column {error.pos + 1}") from None
    except (ValueError, RecursionError) as error:  # an integer of more than 4,300 digits
        raise RecordError(f"not JSON: {error}") from None
    if _SURROGATE_ESCAPE.search(data):
        whole = _mend(value)
        return Decoded(whole, whole != value)
    return Decoded(value, False)


def depth_of(data: bytes) -> int:
    """Levels of nesting, by counting brackets outside strings; cheap when there are few brackets."""
    if data.count(b"[") + data.count(b"{") <= JSON_DEPTH_MAX:
        return 0
    depth = deepest = at = 0
    while found := _STRUCTURE.search(data, at):
        at, sign = found.end(), found.group()
        if sign == b'"':
            rest = _STRING_REST.match(data, at)
            at = (rest.end() if rest else at) + 1
        elif sign in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


def _mend(value: Json) -> Json:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mend(item) for item in value]
    if isinstance(value, dict):
        return {_SURROGATE.sub("\ufffd", key): _mend(item) for key, item in value.items()}
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise RecordError(f"not JSON: {name} is not a number")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise RecordError(f"the number {text[:40]} is too large")
    return value
