"""Can two texts disagree at all? A few words of each, kept, say no for nearly every pair before it is compared.

`possible` is a necessary condition: what it refuses, `detect` would refuse as well (a test compares them).
"""

from __future__ import annotations

from dataclasses import dataclass

from simonides.conflicts import lexicon as words
from simonides.conflicts.detect import EXTRA, RUN_MAX
from simonides.conflicts.statement import Statement, leaning, read, sentences

_TELLING = words.FUNCTIONAL | words.ATTRIBUTES
_CLASSED = frozenset().union(*words.CLASSES)


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence: keys of its words, whether it has numbers and the like, what `detect` asks of it first.

    telling: its words that make another value a contradiction. classed: it has one of words that exclude each other.
    """

    keys: frozenset[str]
    typed: bool
    denies: bool
    changes: bool
    telling: frozenset[str]
    favourite: bool
    classed: bool


@dataclass(frozen=True, slots=True)
class Sketch:
    """A text. german: how its small words lean. lines: what was kept of it, read as German or not."""

    german: int
    lines: dict[bool, tuple[Line, ...]]


class Sketches:
    """Sketches of many texts, made when they are asked for; all are dropped when there are `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[tuple[int, int], Sketch] = {}

    def of(self, name: int, text: str) -> Sketch:
        """The sketch of the text that something has now. name: of what has it."""
        key = (name, hash(text))
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= self._most:
                self._kept.clear()
            found = self._kept[key] = sketch(text)
        return found


def sketch(text: str) -> Sketch:
    """What is kept of a text; its lines come when they are looked at."""
    return Sketch(leaning.__wrapped__(text), {})


def possible(older: str, newer: str, one: Sketch, two: Sketch) -> bool:
    """Whether two texts could disagree about one slot. For texts of one subject it says nothing."""
    german = one.german + two.german > 0
    left = _lines(older, one, german)
    return any(_possible(a, b) for b in _lines(newer, two, german) for a in left)


def _lines(text: str, kept: Sketch, german: bool) -> tuple[Line, ...]:
    found = kept.lines.get(german)
    if found is None:
        statements = [read.__wrapped__(sentence, german) for sentence in sentences.__wrapped__(text)]
        found = kept.lines[german] = tuple(_line(s) for s in statements if s.changes or not (s.asks or s.supposed))
    return found


def _possible(a: Line, b: Line) -> bool:
    more = len(b.keys - a.keys)
    if b.changes:  # its first clause may say it, and what it replaces may be told at length
        return True
    if more > RUN_MAX or (more == len(b.keys) and not (a.typed and b.typed)):
        return False
    less = len(a.keys - b.keys)
    if a.denies != b.denies:
        return not (more and less) and max(more, less) <= EXTRA
    if a.typed and b.typed and not more and not less:
        return True
    if less > RUN_MAX:
        return False
    if not a.telling.isdisjoint(b.telling) or (a.favourite and b.favourite):
        return True
    return a.classed and b.classed and more <= 1 and less <= 1


def _line(statement: Statement) -> Line:
    return Line(
        keys=frozenset(piece.key for piece in statement.pieces if not piece.typed),
        typed=statement.typed > 0,
        denies=statement.denies,
        changes=statement.changes,
        telling=statement.surface & _TELLING,
        favourite=any(word.startswith("lieblings") for word in statement.surface),
        classed=any(piece.token.key in _CLASSED for piece in statement.pieces),
    )
