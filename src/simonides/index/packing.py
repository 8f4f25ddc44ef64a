"""How do columns of numbers lie in the file? One behind the other, checked as a whole, used in place when read."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

Columns = dict[str, npt.NDArray[Any]]
Kinds = Mapping[str, type[np.generic]]
_HEAD = 16  # layout, CRC-32 of what follows, nothing
_ALIGNED = 8


def pack(columns: Mapping[str, npt.NDArray[Any]], kinds: Kinds) -> bytes:
    """Layout, CRC-32, then per column how many numbers it has, how many follow (1 when all are equal), and these.

    Little-endian, each column beginning at a multiple of 8.
    """
    pieces = []
    for name, kind in kinds.items():
        column = np.ascontiguousarray(columns[name], np.dtype(kind).newbyteorder("<"))
        same = len(column) > 1 and bool((column == column[0]).all())
        numbers = column[:1] if same else column
        sizes = np.array([len(column), len(numbers)], "<i8")
        pieces += [sizes.tobytes(), numbers.tobytes(), b"\0" * (-numbers.nbytes % _ALIGNED)]
    body = b"".join(pieces)
    return _layout(kinds) + zlib.crc32(body).to_bytes(4, "little") + b"\0" * 4 + body


def unpack(packed: bytes | bytearray, kinds: Kinds) -> Columns | None:
    """The columns, most of them over the bytes given; None when those are not what this version packed."""
    view = memoryview(packed)
    if view[:8] != _layout(kinds) or zlib.crc32(view[_HEAD:]) != int.from_bytes(view[8:12], "little"):
        return None
    columns: Columns = {}
    at = _HEAD
    for name, kind in kinds.items():
        size, count = np.frombuffer(view, "<i8", 2, at).tolist()
        numbers = np.frombuffer(view, np.dtype(kind).newbyteorder("<"), count, at + 16).astype(kind, copy=False)
        columns[name] = np.full(size, numbers[0], kind) if count < size else numbers
        at += 16 + numbers.nbytes + -numbers.nbytes % _ALIGNED
    return columns


def _layout(kinds: Kinds) -> bytes:
    named = " ".join(f"{name}:{np.dtype(kind).str}" for name, kind in kinds.items())
    return blake2b(named.encode(), digest_size=8).digest()
