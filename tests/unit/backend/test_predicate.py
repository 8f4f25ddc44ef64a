"""How does a filter become SQL? Bound values only, and never NULL."""

from __future__ import annotations

import apsw
import pytest

from simonides.backend.sqlite.migrate import migrate
from simonides.backend.sqlite.predicate import compile_predicate
from simonides.model.predicate import FIELDS, OPERATORS, All, Compare, Either, Not, read_filters

EVIL = "'; DROP TABLE thoughts; --"


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    migrate(made, ":memory:", read_only=False)
    return made


def test_values_are_bound_and_never_part_of_the_sql() -> None:
    for filters in ({"speaker": EVIL}, {"metadata.a": EVIL}, {f"metadata.{EVIL}": 1}, {"concepts": [EVIL]},
                    {"metadata.a": {"$contains": EVIL}}, {"metadata.a": {"$gt": EVIL}}):  # fmt: skip
        predicate = read_filters(filters)
        assert predicate is not None
        sql, bindings = compile_predicate(predicate)
        assert "DROP" not in sql
        assert any("DROP" in str(value) for value in bindings)
        assert sql.count("?") == len(bindings)


def test_empty_all_is_true_and_empty_either_is_false() -> None:
    assert compile_predicate(All(())) == ("1", [])
    assert compile_predicate(Either(())) == ("0", [])
    assert compile_predicate(Not(All(()))) == ("(NOT 1)", [])


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("field", sorted(FIELDS | {"metadata"}))
def test_every_field_and_operator_compiles_to_sql_that_is_true_or_false(
    connection: apsw.Connection, field: str, operator: str
) -> None:
    """On a row of NULLs and empty metadata: 0 or 1, and NOT gives the opposite."""
    value: object = {"thought_type": "NOTE", "priority": "P1", "lifecycle_status": "ACTIVE"}.get(field, "x")
    if field.endswith(("_at", "_cycle")) or field.startswith("valid"):
        value = 5
    operand = {"$in": (value,), "$nin": (value,), "$exists": True}.get(operator, value)
    if operator == "$under" and field != "topics":
        return
    if operator == "$contains" and field not in ("concepts", "topics", "metadata"):
        return
    if field in ("concepts", "topics") and operator in ("$gt", "$gte", "$lt", "$lte"):
        return
    compare = Compare(field, operator, operand, ("a",) if field == "metadata" else ())  # type: ignore[arg-type]  # what a caller should not give
    columns = "NULL AS tid, NULL AS thought_id, NULL AS speaker, NULL AS session, NULL AS created_at, NULL AS position"
    more = "NULL AS created_cycle, NULL AS access_count, NULL AS confirmation_count, NULL AS last_accessed_at"
    names = [name for _, name, *_ in connection.execute("PRAGMA table_info(versions)") if name != "metadata"]
    version = ", ".join(f"NULL AS {name}" for name in names)
    results = []
    for predicate in (compare, Not(compare)):
        sql, bindings = compile_predicate(predicate)
        row = connection.execute(
            f"SELECT {sql} FROM (SELECT {columns}, {more}) t, (SELECT {version}, '{{}}' AS metadata) v", bindings
        ).get
        results.append(row)
    assert sorted(results) == [0, 1]
