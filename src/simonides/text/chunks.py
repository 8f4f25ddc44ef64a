"""Where does a text break into words, identifiers and runs of scripts without spaces?

A *chunk* is one of
- a word: letters and digits with their marks (`hôtel`, `q3`, `C++`, `C#`);
- a compound: words joined without a space by `_ - . / \\ : @` (`ORD-4471`, `12:30`, `a.b@c.org`, `C:\\team\\q3.md`),
  a number with grouped thousands (`1,234.56`), or a name with a leading dot (`.NET`);
- a run of a script that is written without spaces between words (Han, kana, Thai, Lao, Khmer, Burmese, …).
Everything else (blanks, other punctuation, symbols, control characters, lone surrogates) separates.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

PARTS_MAX: Final = 16
"""A word with more humps than this is no name but an encoded blob: it stays whole."""

_UNSPACED_BLOCKS: Final = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF), (0x1B00, 0x1B7F),
    (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x302F), (0x3038, 0x303C), (0x3041, 0x30FF), (0x3105, 0x312F),
    (0x31A0, 0x31BF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA48F), (0xA980, 0xA9FF),
    (0xAA00, 0xAADF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1B000, 0x1B16F), (0x20000, 0x3134F),
)  # fmt: skip
"""Blocks of scripts without spaces: Thai, Lao, Burmese, Khmer, Tai scripts, Balinese, Javanese, Han, kana, Yi."""

_BLOCKS_WITH_MARKS: Final = ((0x300, 0x3400), (0xA000, 0xAC00), (0xFB00, 0xFE30), (0x10000, 0x1F000))
_WHOLLY_LETTERS: Final = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0x20000, 0x3134F))

_GROUPED = r"[0-9]{1,3}(?:,[0-9]{3})+(?!,?[0-9])"
_SHARP = r"[A-Za-z]{1,2}#(?![A-Za-z0-9])"
_JOIN = r"(?!--|\.\.)[_.\-:@/\\]{1,4}"
_SEGMENT_BORDER = re.compile(r"[:@/\\]+")
_INNER_JOIN = re.compile(r"(?<=.)[_.\-]+(?=.)", re.DOTALL)
_GROUPED_NUMBER = re.compile(rf"{_GROUPED}(?:\.[0-9]+)?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))|(?<=[0-9])(?=[A-Z][A-Za-z])")
_LETTERS_OR_DIGITS = re.compile(r"[A-Za-z]+|[^A-Za-z]+")


def _chunk_pattern(word: str, run: str) -> re.Pattern[str]:
    atom = rf"(?:{_GROUPED}|{_SHARP}|{word}(?:\+\+(?![A-Za-z]))?)"
    return re.compile(rf"{run}(?:(?<![\w.\\/:@\-])\.(?=[A-Za-z]))?{atom}(?:{_JOIN}{atom})*")


_ASCII_CHUNK: Final = _chunk_pattern("[A-Za-z0-9]+", "")
_ASCII_ATOM: Final = re.compile(rf"{_SHARP}|[A-Za-z0-9]+(?:\+\+)?")


def chunks(text: str) -> list[str]:
    """Chunks of a text that `folding.clean` has seen, in reading order. Linear in the length of the text.

    >>> chunks("Refund ORD-4471 (C++, .NET): 1,234.56 会议Web")
    ['Refund', 'ORD-4471', 'C++', '.NET', '1,234.56', '会议', 'Web']
    """
    return (_ASCII_CHUNK if text.isascii() else _unicode_patterns()[0]).findall(text)


def is_unspaced(chunk: str) -> bool:
    """Is this chunk a run of a script without spaces?"""
    return not chunk.isascii() and _unicode_patterns()[2].match(chunk) is not None


def atoms(chunk: str) -> list[str]:
    """The words of a compound, as written; the chunk itself if it is a single word."""
    return (_ASCII_ATOM if chunk.isascii() else _unicode_patterns()[1]).findall(chunk)


def parts(chunk: str) -> list[str]:
    """The leaves of a word or compound as written: its atoms, cut at case humps and between name and number.

    A border between letters and digits counts only where every run of letters has at least three (`python3`, not `q3`).

    >>> parts("flush_retry"), parts("parseHTTPHeader"), parts("PDFs"), parts("q3.md"), parts("covid19")
    (['flush', 'retry'], ['parse', 'HTTP', 'Header'], ['PDFs'], ['q3', 'md'], ['covid', '19'])
    """
    leaves: list[str] = []
    for atom in atoms(chunk):
        leaves += _humps(atom)
    return leaves


def segments(chunk: str) -> list[str]:
    """Pieces between `: @ / \\` that are themselves compounds: `q3.md` of `plans/q3.md`.

    >>> segments("C:\\\\team\\\\q3.md"), segments("q3.md"), segments("me@x.org")
    (['q3.md'], [], ['x.org'])
    """
    pieces = _SEGMENT_BORDER.split(chunk)
    return [] if len(pieces) == 1 else [piece for piece in pieces if _INNER_JOIN.search(piece)]


def is_grouped_number(chunk: str) -> bool:
    """Is this a number with grouped thousands, such as 1,234 or 1,234.56?"""
    return "," in chunk and _GROUPED_NUMBER.fullmatch(chunk) is not None


def _humps(atom: str) -> list[str]:
    if atom[1:].islower() and atom.isalpha():
        return [atom]
    shape = atom if atom.isascii() else "".join(_shape(sign) for sign in atom)
    pieces = _HUMP.split(shape)
    if len(pieces) > PARTS_MAX:
        return [atom]
    runs: list[str] = []
    for piece in pieces:
        inner = _LETTERS_OR_DIGITS.findall(piece)
        whole = len(inner) == 1 or any((run.isalpha() and len(run) < 3) or run in ("++", "#") for run in inner)
        runs += [piece] if whole else inner
    if len(runs) > PARTS_MAX:
        return [atom]
    leaves, start = [], 0
    for run in runs:
        leaves.append(atom[start : start + len(run)])
        start += len(run)
    return leaves


def _shape(sign: str) -> str:
    """One ASCII character that stands for the kind of a sign, so that one set of border rules serves all scripts."""
    if sign.isascii():
        return sign
    if sign.isdecimal():
        return "0"
    return "A" if sign.isupper() else "a"


@cache
def _unicode_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns (chunk, atom, start of an unspaced run) for text beyond ASCII; built at first use, about 50 ms."""
    unspaced = _character_class(_unspaced_ranges())
    marks = _character_class(_mark_ranges())
    letter = rf"[^\W_{unspaced}]"
    word = rf"{letter}(?:{letter}++|[{marks}]++)*+"
    atom = re.compile(rf"{_SHARP}|{word}(?:\+\+)?")
    return _chunk_pattern(word, rf"[{unspaced}][{unspaced}{marks}]*|"), atom, re.compile(f"[{unspaced}]")


def _unspaced_ranges() -> list[tuple[int, int]]:
    ranges = list(_WHOLLY_LETTERS)
    for first, last in _UNSPACED_BLOCKS:
        if (first, last) not in _WHOLLY_LETTERS:
            ranges += [(code, code) for code in range(first, last + 1) if _is_letter_or_mark(chr(code))]
    return ranges


def _mark_ranges() -> list[tuple[int, int]]:
    places = (code for block in _BLOCKS_WITH_MARKS for code in range(*block))
    return [(code, code) for code in places if unicodedata.category(chr(code))[0] == "M"]


def _is_letter_or_mark(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign)[0] == "M"


def _character_class(ranges: list[tuple[int, int]]) -> str:
    merged: list[list[int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(last, merged[-1][1])
        else:
            merged.append([first, last])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in merged)
