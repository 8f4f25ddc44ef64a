"""How is a statement run? The one place where rows come out of apsw, so that their types are settled once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import apsw


ROWS_MAX = 32  # of one INSERT
_VALUES = re.compile(r"VALUES (\([?, ]+\))")


def rows(connection: apsw.Connection, sql: str, values: Sequence[object] = ()) -> list[Any]:
    """Every row of a statement, as tuples."""
    return connection.execute(sql, tuple(values)).fetchall()


def row(connection: apsw.Connection, sql: str, values: Sequence[object] = ()) -> Any:
    """The first row as a tuple, or None."""
    return connection.execute(sql, tuple(values)).fetchone()


def named(connection: apsw.Connection, sql: str, values: Mapping[str, str | int]) -> list[Any]:
    """The same for a statement whose values have names."""
    return connection.execute(sql, dict(values)).fetchall()


def insert(connection: apsw.Connection, sql: str, values: Sequence[Sequence[object]]) -> list[Any]:
    """Inserts rows with few statements: each lets go of the interpreter's lock, for which other threads may wait.

    Gives what RETURNING says, in any order. A statement takes a power of two rows, so that there are few texts.
    """
    found: list[Any] = []
    start = 0
    while start < len(values):
        count = min(ROWS_MAX, 1 << (len(values) - start).bit_length() - 1)
        bound = tuple(chain.from_iterable(values[start : start + count]))
        found += connection.execute(_for_rows(sql, count), bound).fetchall()
        start += count
    return found


@cache
def _for_rows(sql: str, count: int) -> str:
    """`INSERT … VALUES (…)` for so many rows."""
    return _VALUES.sub(lambda found: f"VALUES {', '.join([found[1]] * count)}", sql)
