"""How is a statement run? The one place where rows come out of apsw, so that their types are settled once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import apsw


def rows(connection: apsw.Connection, sql: str, values: Sequence[object] = ()) -> list[Any]:
    """Every row of a statement, as tuples."""
    return connection.execute(sql, tuple(values)).fetchall()


def row(connection: apsw.Connection, sql: str, values: Sequence[object] = ()) -> Any:
    """The first row as a tuple, or None."""
    return connection.execute(sql, tuple(values)).fetchone()


def named(connection: apsw.Connection, sql: str, values: Mapping[str, str | int]) -> list[Any]:
    """The same for a statement whose values have names."""
    return connection.execute(sql, dict(values)).fetchall()
