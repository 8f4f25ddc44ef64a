"""What do the leaves of a damaged file hold, when the way to them is gone? Page by page, whatever the upper ones say.

A leaf of a table says by itself which rows it has; whose it is is told by the number and kinds of its columns. The
layout is that of https://sqlite.org/fileformat2.html. Nothing here trusts a number that it reads.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LEAF = b"\x0d"  # the first byte of a leaf of a table with row ids
OVERFLOW_MAX = 1 << 20  # pages of one row
Value = None | int | float | bytes | str
_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0}


@dataclass(frozen=True, slots=True)
class Row:
    """A row as its leaf has it. The column that is the row id is None among the values."""

    rowid: int
    values: tuple[Value, ...]


class Pages:
    """The pages of a file, by read(bytes, offset). What is in its log and not folded in is not looked at.

    Free pages are passed by: they hold what was deleted.
    """

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        self._read, self._bytes = read, size
        head = read(min(100, size), 0).ljust(100, b"\0")
        page = struct.unpack(">H", head[16:18])[0]
        self._size = 65_536 if page == 1 else page if page >= 512 and not page & (page - 1) else 4_096
        self._usable = self._size - (head[20] if head[20] <= 32 else 0)
        self._free = self._free_pages(*struct.unpack(">II", head[32:40]))

    def rows(self) -> Iterator[Row]:
        """Every row of every table with row ids that can be read whole."""
        for number in range(1, self._bytes // self._size + 1):
            page, start = self._page(number), 100 if number == 1 else 0
            if number in self._free or page[start : start + 1] != LEAF:
                continue
            cells = struct.unpack(">H", page[start + 3 : start + 5])[0]
            for n in range(min(cells, self._size // 4)):
                found = self._row(page, page[start + 8 + 2 * n : start + 10 + 2 * n])
                if found is not None:
                    yield found

    def _free_pages(self, trunk: int, count: int) -> set[int]:
        """The free list, as far as it can be followed."""
        found: set[int] = set()
        while trunk and trunk not in found and len(found) < count:
            found.add(trunk)
            page = self._page(trunk)
            if len(page) < self._size:
                break
            following, leaves = struct.unpack(">II", page[:8])
            leaves = min(leaves, self._size // 4 - 2)
            found.update(struct.unpack(f">{leaves}I", page[8 : 8 + 4 * leaves]))
            trunk = following
        return found

    def _page(self, number: int) -> bytes:
        return self._read(self._size, (number - 1) * self._size)

    def _row(self, page: bytes, pointer: bytes) -> Row | None:
        try:
            length, at = _varint(page, struct.unpack(">H", pointer)[0])
            rowid, at = _varint(page, at)
            return Row(_signed(rowid), _values(self._payload(page, at, length)))
        except (IndexError, ValueError, struct.error):
            return None

    def _payload(self, page: bytes, at: int, length: int) -> bytes:
        """What a cell holds, with what lies on other pages."""
        most, least = self._usable - 35, (self._usable - 12) * 32 // 255 - 23
        if length <= most:
            return _exactly(page, at, length)
        if length > self._bytes:
            raise ValueError
        here = least + (length - least) % (self._usable - 4)
        here = here if here <= most else least
        parts, left = [_exactly(page, at, here)], length - here
        following = struct.unpack(">I", page[at + here : at + here + 4])[0]
        for _ in range(OVERFLOW_MAX):
            if not left:
                return b"".join(parts)
            more = self._page(following) if following > 0 else b""
            part = _exactly(more, 4, min(left, self._usable - 4))
            parts.append(part)
            left -= len(part)
            following = struct.unpack(">I", more[:4])[0]
        raise ValueError


def _values(payload: bytes) -> tuple[Value, ...]:
    """Raises ValueError for what cannot be a record."""
    head, at = _varint(payload, 0)
    kinds = []
    while at < head:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != head:
        raise ValueError
    values: list[Value] = []
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    if at != len(payload):
        raise ValueError
    return tuple(values)


def _value(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind >= 12:
        size = (kind - 12) // 2
        data = _exactly(payload, at, size)
        return (data if kind % 2 == 0 else data.decode("utf-8")), at + size
    if kind == 7:
        return struct.unpack(">d", _exactly(payload, at, 8))[0], at + 8
    size = _SIZES.get(kind, -1)
    if size < 0:
        raise ValueError
    return (kind - 8 if size == 0 else int.from_bytes(_exactly(payload, at, size), "big", signed=True)), at + size


def _exactly(data: bytes, at: int, size: int) -> bytes:
    found = data[at : at + size]
    if len(found) != size:
        raise ValueError
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for n in range(9):
        byte = data[at + n]
        if n == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + n + 1
    raise AssertionError("nine bytes at most")


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
