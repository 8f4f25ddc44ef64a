"""Which records does a JSON file hold? One at a time, so that size does not matter and a broken one costs only itself.

A sound record is cut out and read in one step by `json`. Only where that fails are brackets and strings followed to
find the next record.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from simonides.sources.limits import JSON_DEPTH_MAX, RECORD_SIZE_MAX

if TYPE_CHECKING:
    from simonides.model.thought import Json

_CHUNK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
_UTF_16 = "the file is in UTF-16; save it as UTF-8"
_SPACE = re.compile(r"[ \t\r\n]*")
_SPACE_AND_COMMA = re.compile(r"[ \t\r\n,]*")
_SCALAR = re.compile(r"[^,\]\[{}]*")
_STRAY = re.compile(r"[}: \t\r\n]*")
_STRUCTURE = re.compile(r'["\[\]{}]')
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STRING_REST = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_NOT_A_BRACKET = re.compile(r"[^\[\]{}]+")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ERROR_AT_THE_END = 16  # characters: a number, a word or an escape that the end of the window cut in two


class RecordError(ValueError):
    """A record that cannot be read; the text says why, for a person."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One record, or why it could not be read. `number` counts from 1: the line, or the element.

    `repaired`: halves of surrogate pairs in it were replaced by U+FFFD.
    """

    number: int
    value: Json = None
    repaired: bool = False
    flaw: str | None = None


def lines(file: BinaryIO) -> Iterator[Piece]:
    """The records on the lines that are not blank. Only a line feed ends a line; a byte-order mark is dropped."""
    number = 0
    while line := file.readline(RECORD_SIZE_MAX + 1):
        number += 1
        if number == 1:
            if line.startswith(_WIDE_BOMS):
                yield Piece(1, flaw=_UTF_16)
                return
            line = line.removeprefix(_BOM)
        if len(line) > RECORD_SIZE_MAX and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(RECORD_SIZE_MAX)
            yield Piece(number, flaw=f"the line is longer than {RECORD_SIZE_MAX:,} bytes")
        elif line.strip():
            yield _piece(number, line.decode("utf-8", "surrogateescape"))


def elements(file: BinaryIO) -> Iterator[Piece]:
    """The elements of the array a file holds, or the one object it holds."""
    window = _Window(file)
    first = window.skip(_SPACE)
    if first == "{":
        yield window.element(1)
        number = 2
    elif first == "[":
        window.take()
        number = yield from _array(window)
    else:
        nothing = "the file holds no JSON array or object" if first else "the file is empty"
        yield Piece(1, flaw=_UTF_16 if window.wide else nothing)
        return
    if number and window.skip(_SPACE):
        yield Piece(number, flaw="there is more after the end of the JSON value; it was not read")


def _array(window: _Window) -> Generator[Piece, None, int]:
    """The elements behind an opening bracket. Returns the number after the last, 0 when the array did not close."""
    number = 0
    while True:
        found = window.skip(_SPACE_AND_COMMA)
        number += 1
        if found == "]":
            window.take()
            return number
        if not found:
            yield Piece(number, flaw="the file ends too early")
            return 0
        if found in "}:":
            window.skip(_STRAY)
            yield Piece(number, flaw=f"unexpected {found!r} before the record")
            continue
        yield window.element(number)
        if window.ended:
            return 0


class _Window:
    """What was read of a file and not yet handed out. `ended`: a record was cut off by the end of the file.

    Bytes that are not UTF-8 are carried along as surrogates, so that they cost only their record.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        start = file.read(_CHUNK)
        self.wide = start.startswith(_WIDE_BOMS)
        self._text = self._decoder.decode(start.removeprefix(_BOM))
        self._at = 0
        self.ended = False

    def skip(self, unwanted: re.Pattern[str]) -> str:
        """Go on to the next character that is not unwanted and return it; "" at the end of the file."""
        while True:
            found = unwanted.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(keep=False):
                return ""

    def take(self) -> None:
        """Pass over one character."""
        self._at += 1

    def element(self, number: int) -> Piece:
        """The record that begins here."""
        if self._text[self._at] not in '{["':
            self.skip(_SCALAR)
            return Piece(number, flaw="the record is not a JSON object")
        found = self._sound()
        if found is None:
            return self._broken(number)
        start, self._at = self._at, found[1]
        return _piece(number, self._text[start : self._at], found)

    def _sound(self) -> tuple[Json, int] | None:
        """The record and where it ends if it is sound JSON; the window grows while it seems to be cut in two."""
        while len(self._text) - self._at <= 2 * RECORD_SIZE_MAX:
            try:
                return _JSON.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.pos >= len(self._text) - _ERROR_AT_THE_END or error.msg.startswith("Unterminated string")
            except (ValueError, RecursionError):
                return None
            if not cut or not self._more(keep=True):
                return None
        return None

    def _broken(self, number: int) -> Piece:
        """Follow brackets and strings to the end of a record that is not sound, and say what is wrong with it."""
        parts: list[str] = []
        size, depth, in_string = 0, 0, False
        while True:
            end, depth, in_string = self._walk(depth, in_string)
            size += end - self._at
            if size <= RECORD_SIZE_MAX:
                parts.append(self._text[self._at : end])
            else:
                parts.clear()
            self._at = end
            if depth == 0 and not in_string:
                break
            if not self._more(keep=True):  # at most a backslash is kept, whose partner is still to come
                self.ended = True
                return Piece(number, flaw="the file ends inside this record")
        if size > RECORD_SIZE_MAX:
            return Piece(number, flaw=_too_large())
        return _piece(number, "".join(parts))

    def _walk(self, depth: int, in_string: bool) -> tuple[int, int, bool]:
        """Where the window or the record ends, how deep that is, and whether it is inside a string."""
        text, at = self._text, self._at
        while True:
            if in_string:
                rest = _STRING_REST.match(text, at)
                at = rest.end() if rest else at
                if at == len(text) or text[at] != '"':
                    return at, depth, True
                at, in_string = at + 1, False
            else:
                found = _STRUCTURE.search(text, at)
                if found is None:
                    return len(text), depth, False
                at, sign = found.end(), found.group()
                if sign == '"':
                    in_string = True
                    continue
                depth += 1 if sign in "[{" else -1
            if depth <= 0:
                return at, 0, False

    def _more(self, *, keep: bool) -> bool:
        """Read on: as much again as is kept, so that a long record is looked at a few times only."""
        kept = self._text[self._at :] if keep else ""
        data = self._file.read(max(_CHUNK, len(kept)))
        fresh = self._decoder.decode(data, final=not data)
        self._text, self._at = kept + fresh, 0
        return bool(data or fresh)


def _piece(number: int, text: str, found: tuple[Json, int] | None = None) -> Piece:
    """A record as a value, or with the reason why it is none. found: what `json` has made of it already."""
    try:
        _check(text)
        value = found[0] if found else _parse(text)
        if _is_deep(text):
            raise RecordError(_too_deep())
    except RecordError as error:
        return Piece(number, flaw=str(error))
    if _SURROGATE_ESCAPE.search(text):
        whole = _mend(value)
        return Piece(number, whole, repaired=whole != value)
    return Piece(number, value)


def _check(text: str) -> None:
    """Raises RecordError for a record that is too large, and for one whose bytes were not UTF-8."""
    if len(text) > RECORD_SIZE_MAX:
        raise RecordError(_too_large())
    try:
        text.encode()
    except UnicodeEncodeError as error:
        at = len(text[: error.start].encode())
        raise RecordError(f"not UTF-8: byte 0x{ord(text[error.start]) - 0xDC00:02x} at offset {at}") from None


def _parse(text: str) -> Json:
    """The JSON value of a text. Raises RecordError that says what is wrong with it."""
    try:
        value: Json = _JSON.decode(text)
    except RecordError:
        raise
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error.msg} at column {error.pos + 1}") from None
    except RecursionError:
        raise RecordError(_too_deep()) from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise RecordError(f"not JSON: {error}") from None
    return value


def _is_deep(text: str) -> bool:
    """Whether sound JSON has more levels than JSON_DEPTH_MAX: taking away what is closed removes a level each time."""
    if text.count("[") + text.count("{") <= JSON_DEPTH_MAX:
        return False
    brackets = _NOT_A_BRACKET.sub("", _STRING.sub("", text)).replace("{", "[").replace("}", "]")
    for _ in range(JSON_DEPTH_MAX):
        brackets = brackets.replace("[]", "")
    return bool(brackets)


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


def _too_large() -> str:
    return f"the record is larger than {RECORD_SIZE_MAX:,} characters"


def _too_deep() -> str:
    return f"nested deeper than {JSON_DEPTH_MAX} levels"


_JSON = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
