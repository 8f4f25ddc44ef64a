"""How do analysts get columns? The stable views as a Parquet or Arrow file, a page of rows at a time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from simonides.errors import InvalidQueryError, MissingExtraError, StoreError
from simonides.exchange.export import free_target
from simonides.exchange.partial import partial_name

if TYPE_CHECKING:
    from simonides.backend.exchange_port import TablePage
    from simonides.engine import Engine

TABLES = ("thoughts", "edges", "retrieval_log")
PAGE = 5_000
WHOLE = frozenset({"revision", "position", "pinned", "created_cycle", "updated_cycle", "access_count",
                   "confirmation_count", "hits"})  # fmt: skip
REAL = frozenset({"confidence", "weight"})
NAMES = {
    "thoughts": "namespace thought_id revision thought_type lifecycle_status priority content_type content essence "
    "speaker session position source source_type confidence visibility pinned metadata provenance concepts topics "
    "created_cycle updated_cycle created_at updated_at occurred_at expires_at valid_from valid_until access_count "
    "confirmation_count",
    "edges": "namespace edge_id from_id to_id edge_type weight created_at valid_from valid_until source metadata",
    "retrieval_log": "query_id asked_at namespace namespaces verb recipe mode query_hash query hits query_profile "
    "sources plan",
}
"""The columns of each file, in order, so that an empty one has them too."""


def export_table(
    engine: Engine, path: str | os.PathLike[str], table: str, namespaces: Sequence[str], *, overwrite: bool = False
) -> int:
    """Writes a view; returns the number of rows. Raises MissingExtraError, InvalidQueryError, StoreError."""
    if table not in TABLES:
        raise InvalidQueryError(f"table is {table!r}; expected one of {', '.join(TABLES)}")
    target = free_target(path, overwrite=overwrite)
    ending = os.path.splitext(target)[1]
    if ending not in (".parquet", ".arrow"):
        raise InvalidQueryError(f"the file ends in {ending!r}; expected .parquet or .arrow")
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise MissingExtraError("writing Parquet or Arrow", "parquet") from None
    engine.before_erasure()  # whatever waits for the log is in it
    schema = _schema(pyarrow, table)
    partial = partial_name(target)
    count = 0
    try:
        with _writer(pyarrow, partial, schema, ending) as writer, engine.database.snapshot() as snapshot:
            for page in snapshot.exchange.table(table, namespaces, PAGE):
                writer.write_table(_columns(pyarrow, page, schema))
                count += len(page.rows)
        os.replace(partial, target)
    except OSError as error:
        raise StoreError(f"{target!r} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            os.unlink(partial)
    return count


def _schema(pyarrow: Any, table: str) -> Any:
    kinds = {name: _kind(pyarrow, name) for name in NAMES[table].split()}
    return pyarrow.schema(list(kinds.items()))


def _kind(pyarrow: Any, name: str) -> Any:
    if name.endswith("_at") or name.startswith("valid_"):
        return pyarrow.timestamp("us", "UTC")
    if name in WHOLE:
        return pyarrow.int64()
    return pyarrow.float64() if name in REAL else pyarrow.string()


def _columns(pyarrow: Any, page: TablePage, schema: Any) -> Any:
    columns = dict(zip(page.columns, zip(*page.rows, strict=True), strict=True))
    arrays = []
    for field in schema:
        values = list(columns[field.name])
        if pyarrow.types.is_timestamp(field.type):
            arrays.append(pyarrow.array(values, pyarrow.string()).cast(field.type))
        else:
            arrays.append(pyarrow.array(values, field.type))
    return pyarrow.Table.from_arrays(arrays, schema=schema)


def _writer(pyarrow: Any, path: str, schema: Any, ending: str) -> Any:
    if ending == ".arrow":
        return pyarrow.ipc.new_file(path, schema)
    from pyarrow import parquet

    return parquet.ParquetWriter(path, schema)
