"""Where do ids come from? UUIDv7 text (RFC 9562): sorted by time, no coordination."""

from __future__ import annotations

import os
import threading

_lock = threading.Lock()
_last = 0


def new_id(instant: int) -> str:
    """A UUIDv7 for an instant in microseconds. Ids of one process never go backwards.

    >>> new_id(0)[14]
    '7'
    """
    global _last
    # 48 bits of milliseconds, then 12 bits that count the microseconds within and any calls in the same one.
    stamp = (instant // 1000 << 12) | (instant % 1000 * 4)
    with _lock:
        _last = stamp = max(stamp, _last + 1)
    value = (
        (stamp >> 12 & 0xFFFF_FFFF_FFFF) << 80
        | 7 << 76
        | (stamp & 0xFFF) << 64
        | 2 << 62
        | int.from_bytes(os.urandom(8)) >> 2
    )
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
