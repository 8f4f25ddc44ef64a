"""How does a catalogue outlive its process? Its columns are kept in the file, as of a seq, and caught up from there.

Reading a hundred thousand rows takes a second, reading their columns some milliseconds. The columns are derived: when
they are damaged, or of another version's making, the rows are read instead.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from simonides.index.catalogue import COLUMNS, restored

if TYPE_CHECKING:
    from simonides.index.catalogue import Catalogue

PART_ROWS = 131_072  # rows packed together: a blob of at most 15 MB
_LAYOUT = blake2b(
    " ".join(f"{name}:{np.dtype(kind).str}" for name, kind in COLUMNS.items()).encode(), digest_size=8
).digest()
_HEAD = len(_LAYOUT) + 4  # then a CRC-32 of the rest
_SAME, _EACH = b"\0", b"\1"  # a column with one value for all rows; one with a value for each
Columns = dict[str, npt.NDArray[Any]]


def pack(catalogue: Catalogue) -> list[bytes]:
    """The living passages, in parts. A part: layout, CRC-32, then per column a mark and its numbers, little-endian."""
    rows = np.arange(catalogue.size) if catalogue.live is None else np.flatnonzero(catalogue.live)
    return [_pack(catalogue, rows[start : start + PART_ROWS]) for start in range(0, len(rows), PART_ROWS)]


def unpack(parts: Sequence[bytes], seq: int) -> Catalogue | None:
    """The catalogue of a seq; None when its bytes are not what this version wrote."""
    sizes = [_size(part) for part in parts]
    if not all(sizes):
        return None
    columns: Columns = {name: np.empty(sum(sizes), kind) for name, kind in COLUMNS.items()}
    at = 0
    for part, size in zip(parts, sizes, strict=True):
        _unpack(part, [column[at : at + size] for column in columns.values()])
        at += size
    return restored(columns, seq)


def _pack(catalogue: Catalogue, rows: npt.NDArray[np.int64]) -> bytes:
    pieces = [len(rows).to_bytes(4, "little")]
    for name, kind in COLUMNS.items():
        column = getattr(catalogue, name)[rows].astype(np.dtype(kind).newbyteorder("<"))
        same = bool((column == column[0]).all())
        pieces += [_SAME, column[:1].tobytes()] if same else [_EACH, column.tobytes()]
    body = b"".join(pieces)
    return _LAYOUT + zlib.crc32(body).to_bytes(4, "little") + body


def _size(part: bytes) -> int:
    """Its rows; 0 when its bytes are not what was written."""
    body = memoryview(part)[_HEAD:]
    if part[: len(_LAYOUT)] != _LAYOUT or zlib.crc32(body).to_bytes(4, "little") != part[len(_LAYOUT) : _HEAD]:
        return 0
    return int.from_bytes(body[:4], "little")


def _unpack(part: bytes, columns: Sequence[npt.NDArray[Any]]) -> None:
    """Fills columns, in their order, of as many rows as the part has."""
    at = _HEAD + 4
    for column in columns:
        stored = column.dtype.newbyteorder("<")
        same = part[at : at + 1] == _SAME
        values = np.frombuffer(part, stored, 1 if same else len(column), at + 1)
        at += 1 + values.nbytes
        column[:] = values
