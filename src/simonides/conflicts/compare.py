"""Where do two sentences differ? Runs of pieces that one has and the other has not, with what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.conflicts.statement import Piece, Statement

CLOSE = 0.1  # relative difference of two numbers of which one is said to be rough


@dataclass(frozen=True, slots=True)
class Run:
    """Pieces [start, stop) of one statement that the other one does not have."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Gap:
    """shared: pieces that both have. swapped: names or values changed places. before: pieces shared before the runs."""

    left: list[Run]
    right: list[Run]
    shared: int
    swapped: bool
    moved: bool


def compare(a: Statement, b: Statement) -> Gap:
    keys, other = a.keys, b.keys
    blocks = SequenceMatcher(None, keys, other, autojunk=False).get_matching_blocks()
    mine = {n for block in blocks for n in range(block.a, block.a + block.size)}
    theirs = {n for block in blocks for n in range(block.b, block.b + block.size)}
    loose_a = [n for n in range(len(keys)) if n not in mine]
    loose_b = [n for n in range(len(other)) if n not in theirs]
    swapped = moved = False
    for n in list(loose_a):
        typed = a.pieces[n].typed
        match = next(
            (m for m in loose_b if other[m] == keys[n] or (typed and _equal(a.pieces[n], b.pieces[m], a, b))), None
        )
        if match is None:
            continue
        if keys[n] == other[match]:
            moved = True
            swapped = (
                swapped or a.pieces[n].name or (a.pieces[n].typed and a.pieces[n].token.kind in ("number", "code"))
            )
        loose_a.remove(n)
        loose_b.remove(match)
        mine.add(n)
    return Gap(_runs(a, loose_a), _runs(b, loose_b), len(mine), swapped, moved)


def _equal(one: Piece, two: Piece, a: Statement, b: Statement) -> bool:
    """A rough number and a close one; ten and ten o'clock; a date with and without its year."""
    x, y = one.token, two.token
    kinds = {x.kind, y.kind}
    if kinds == {"number", "time"}:
        number, time = (x, y) if x.kind == "number" else (y, x)
        return not number.unit and time.key == f"{number.key}:00"
    if kinds == {"date"} and x.key.count(".") == y.key.count("."):
        (d1, m1, y1), (d2, m2, y2) = x.key.split("."), y.key.split(".")
        return (d1, m1) == (d2, m2) and not (y1 and y2)
    if kinds == {"range", "number"} and x.unit == y.unit:
        number, span = (x, y) if x.kind == "number" else (y, x)
        low, _, high = span.key.removesuffix(span.unit).partition("-")
        return number.value is not None and float(low) <= number.value <= float(high)
    if kinds == {"number"} and x.unit == y.unit and (a.approximate or b.approximate):
        assert x.value is not None
        assert y.value is not None
        return abs(x.value - y.value) <= CLOSE * max(abs(x.value), abs(y.value))
    return False


def _runs(statement: Statement, loose: Sequence[int]) -> list[Run]:
    """Loose pieces side by side, a new run wherever a preposition or something shared stands between."""
    runs: list[Run] = []
    for n in loose:
        if runs and runs[-1].stop == n and statement.pieces[n].joined:
            runs[-1] = Run(runs[-1].start, n + 1)
        else:
            runs.append(Run(n, n + 1))
    return runs


def same_place(a: Statement, b: Statement, one: Run, two: Run, gap: Gap) -> bool:
    """The nearest shared piece before, or after, is the same in both."""
    before = _near(a, one.start - 1, -1, gap.left) == _near(b, two.start - 1, -1, gap.right) is not None
    after = _near(a, one.stop, 1, gap.left) == _near(b, two.stop, 1, gap.right) is not None
    return bool(before or after)


def _near(statement: Statement, place: int, step: int, loose: Sequence[Run]) -> str | None:
    while 0 <= place < len(statement.pieces):
        if not any(run.start <= place < run.stop for run in loose):
            return statement.pieces[place].key
        place += step
    return None
