"""Is the identity of a question FNV-1a, over all of its bytes?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.read.identity import fnv1a, query_hash


def by_hand(data: bytes) -> int:
    """The published rule, byte by byte: xor, then multiply by 2^40 + 0x1b3 modulo 2^64."""
    value = 14695981039346656037
    for byte in data:
        value = ((value ^ byte) * (2**40 + 0x1B3)) % 2**64
    return value


@pytest.mark.parametrize(
    ("text", "hash_"),
    [("", 0xCBF29CE484222325), ("a", 0xAF63DC4C8601EC8C), ("foobar", 0x85944171F73967E8)],
)
def test_published_test_vectors_hold(text: str, hash_: int) -> None:
    assert fnv1a(text.encode()) == hash_
    assert query_hash(text, None) == f"text:{hash_:016x}"


@given(st.integers(0, 3), st.integers(500, 1_200), st.integers(0, 2**32 - 1))
def test_long_data_give_the_same_as_the_rule_byte_by_byte(kind: int, size: int, seed: int) -> None:
    noise = np.random.default_rng(seed).integers(0, 256, size, np.uint8).tobytes()
    data = (noise, b"\x00" * size, b"\xff" * size, noise[:1] * size)[kind]
    assert fnv1a(data) == by_hand(data)


def test_data_of_more_than_one_chunk_give_the_same() -> None:
    data = np.random.default_rng(5).integers(0, 256, (1 << 16) + 7, np.uint8).tobytes()
    assert fnv1a(data) == by_hand(data)


def test_vectors_that_differ_in_the_last_component_only_differ() -> None:
    row = np.linspace(-1.0, 1.0, 384)
    other = row.copy()
    other[-1] = np.nextafter(other[-1], 2.0)
    assert query_hash("", row.tobytes()) == f"vector:{by_hand(row.astype('<f8').tobytes()):016x}"
    assert query_hash("", row.tobytes()) != query_hash("", other.tobytes())


def test_a_text_counts_before_a_vector_and_a_blank_one_does_not() -> None:
    row = np.ones(3).tobytes()
    assert query_hash("a", row) == query_hash("a", None)
    assert query_hash(" ", row).startswith("vector:")


def test_half_a_surrogate_pair_has_a_hash_too() -> None:
    assert query_hash("\ud83d", None) == f"text:{by_hand(bytes([0xED, 0xA0, 0xBD])):016x}"
