"""Which question is it? A 64-bit FNV-1a hash of the raw text or, where only a vector was given, of all its bytes.

FNV-1a: h ← (h xor byte) · prime, modulo 2⁶⁴, from the offset basis; constants and test values by Fowler, Noll and Vo
(draft-eastlake-fnv).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

OFFSET = 0xCBF29CE484222325
PRIME = 0x100000001B3
_MASK = (1 << 64) - 1
_SHORT = 512  # bytes up to which a plain loop is faster
_CHUNK = 1 << 16
Words = npt.NDArray[np.uint64]


def query_hash(query: str, given: bytes | None) -> str:
    """`text:` or `vector:` and 16 hexadecimal digits. given: the vector as little-endian float64.

    >>> query_hash("a", None)
    'text:af63dc4c8601ec8c'
    """
    if given is not None and not query.strip():
        return f"vector:{fnv1a(given):016x}"
    return f"text:{fnv1a(query.encode('utf-8', 'surrogatepass')):016x}"


def fnv1a(data: bytes) -> int:
    """The 64-bit FNV-1a hash."""
    value = OFFSET
    if len(data) <= _SHORT:
        for byte in data:
            value = (value ^ byte) * PRIME & _MASK
        return value
    for start in range(0, len(data), _CHUNK):
        value = _many(value, np.frombuffer(data, np.uint8, min(_CHUNK, len(data) - start), start))
    return value


def _many(value: int, data: npt.NDArray[np.uint8]) -> int:
    """The same for many bytes at once, without keeping other threads waiting.

    The xor touches the lowest byte only, so each step adds a small number dᵢ and multiplies: h_n = h₀·pⁿ + Σ dᵢ·pⁿ⁻ⁱ.
    The dᵢ need the lowest bytes on the way. Those follow bit by bit: bit k of the next one is bit k of (low xor byte)
    plus what the product of the bits below k carries into it, so a running xor gives bit k of all of them.
    """
    low = np.zeros(len(data), np.uint8)  # lowest byte of h before each step, as far as its bits are known
    for bit in range(8):
        below = np.uint8((1 << bit) - 1)
        carried = ((low ^ data) & below) * np.uint8(PRIME & 0xFF)
        flips = (carried ^ data) >> np.uint8(bit) & np.uint8(1)
        bits = np.bitwise_xor.accumulate(flips)
        first = value >> bit & 1
        low[0] |= np.uint8(first << bit)
        low[1:] |= (bits[:-1] ^ np.uint8(first)) << np.uint8(bit)
    added = (low ^ data).astype(np.uint64) - low.astype(np.uint64)
    powers = np.cumprod(np.full(len(data), PRIME, np.uint64), dtype=np.uint64)
    total = int((added * powers[::-1]).sum(dtype=np.uint64))
    return (value * int(powers[-1]) + total) & _MASK
