"""Are postings packed, found and merged without loss?"""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from simonides.backend.lexicon_port import SegmentSize
from simonides.backend.rows import Block, SegmentHead, TailRow
from simonides.index.postings import Encoded, choose_merge, encode, find, merge

NONE = np.empty(0, np.int64)


def row(pid: int, **counts: int) -> TailRow:
    return TailRow(pid, " ".join(counts), bytes(counts.values()))


def lookup(encoded: Encoded, term: str) -> dict[int, int]:
    """pid → frequency byte, found the way a reader does: the last block that does not begin above the term."""
    candidates = [block for block in encoded.blocks if block.first_term <= term]
    held = find(candidates[-1], term) if candidates else None
    if held is None:
        return {}
    assert held.docs.dtype == np.uint16
    assert held.frequencies.dtype == np.uint8
    return dict(zip(encoded.pids[held.docs].tolist(), held.frequencies.tolist(), strict=True))


def parts(*encoded: Encoded) -> list[tuple[SegmentHead, list[Block]]]:
    return [(SegmentHead(number, one.pids), one.blocks) for number, one in enumerate(encoded)]


def test_every_posting_is_found_again() -> None:
    encoded = encode([row(3, kite=1, red=2), row(5, red=0x21), row(9), row(10, blue=15, kite=0xFF)])
    assert encoded.pids.tolist() == [3, 5, 9, 10]
    assert lookup(encoded, "kite") == {3: 1, 10: 255}
    assert lookup(encoded, "red") == {3: 2, 5: 0x21}
    assert lookup(encoded, "blue") == {10: 15}
    for absent in ("a", "kit", "kites", "zebra", ""):
        assert lookup(encoded, absent) == {}


def test_rows_without_a_term_make_a_segment_without_blocks() -> None:
    assert encode([row(1), row(2)]).blocks == []
    assert encode([]).pids.tolist() == []


def test_blocks_are_small_and_ascend() -> None:
    rows = [
        TailRow(pid, " ".join(f"t{pid * 7 % 401 + n * 13}" for n in range(40)), bytes([1] * 40))
        for pid in range(1, 800)
    ]
    blocks = encode(rows).blocks
    names = [block.terms.split("\n") for block in blocks]
    assert [(block.first_term, block.last_term) for block in blocks] == [(held[0], held[-1]) for held in names]
    assert list(chain(*names)) == sorted({term for one in rows for term in one.terms.split()})
    assert max(map(len, names)) <= 128
    assert all(len(block.frequencies) <= 2_000 or len(held) == 1 for block, held in zip(blocks, names, strict=True))


def test_a_common_term_is_dense_and_alone() -> None:
    rows = [
        row(pid, **{"the": pid % 15 + 1, f"t{pid % 300}": 1, "zoo": 1} if pid % 2 else {f"t{pid % 300}": 1})
        for pid in range(1, 4_001)
    ]
    encoded = encode(rows)
    dense = [block for block in encoded.blocks if block.dense]
    assert [block.terms for block in dense] == ["the", "zoo"]
    assert dense[0].docs == b""
    assert len(dense[0].frequencies) == 4_000
    assert lookup(encoded, "the") == {pid: pid % 15 + 1 for pid in range(1, 4_001, 2)}
    assert lookup(encoded, "thea") == {}
    again = merge(parts(encoded), NONE)
    assert again.pids.tolist() == encoded.pids.tolist()
    assert again.blocks == encoded.blocks


def test_the_last_position_of_a_full_segment_is_kept() -> None:
    rows = [
        TailRow(pid, "all" if pid < 65_536 else "all last", b"\x01" if pid < 65_536 else b"\x02\x03")
        for pid in range(1, 65_537)
    ]
    encoded = encode(rows)
    assert lookup(encoded, "last") == {65_536: 3}
    assert len(lookup(encoded, "all")) == 65_536
    with pytest.raises(AssertionError, match="65537"):
        encode([*rows, row(70_000, one=1)])


def test_long_and_foreign_terms_keep_their_order() -> None:
    terms = ["a" * 20_000, "a" * 20_001, "Ω", "日本", "\U0001f9ed", "￿x", "zz"]
    encoded = encode([TailRow(1, " ".join(terms), bytes(range(1, 8)))])
    assert [lookup(encoded, term) for term in terms] == [{1: n} for n in range(1, 8)]
    kept = "\n".join(block.terms for block in encoded.blocks).split("\n")
    assert [term.encode() for term in kept] == sorted(term.encode() for term in terms)  # as SQLite compares


def test_merging_leaves_out_the_dead_and_the_terms_only_they_had() -> None:
    first = encode([row(1, secret=1, red=1), row(4, red=2)])
    second = encode([row(2, red=3, kite=1), row(9, kite=2)])
    merged = merge(parts(second, first), np.array([1, 7, 9]))
    assert merged.pids.tolist() == [2, 4]
    assert lookup(merged, "red") == {2: 3, 4: 2}
    assert lookup(merged, "kite") == {2: 1}
    assert all("secret" not in block.terms for block in merged.blocks)
    assert merged.blocks == encode([row(2, red=3, kite=1), row(4, red=2)]).blocks


def test_merging_only_dead_passages_leaves_nothing() -> None:
    merged = merge(parts(encode([row(1, red=1)]), encode([row(2)])), np.array([1, 2]))
    assert len(merged.pids) == 0
    assert merged.blocks == []


@pytest.mark.parametrize(
    ("sizes", "chosen"),
    [
        ([], ()),
        ([100] * 3, ()),
        ([100] * 5, (1, 2, 3, 4)),  # one class, oldest first
        ([100, 90, 400, 10, 120], (1, 2, 4, 5)),  # 400 is of the next class
        ([400, 400, 400, 400, 100], (1, 2, 3, 4)),
        ([500, 500, 500, 100, 100, 100], ()),
        ([600, 600, 600, 600], (1, 2)),  # never above 1,600 together
        ([990, 990, 400, 400, 400], (2, 3)),  # two that do not fit hold up nobody
        ([1_100] * 9, ()),  # full ones rest
    ],
)
def test_segments_of_one_size_class_are_merged(sizes: list[int], chosen: tuple[int, ...]) -> None:
    held = [SegmentSize(number, size) for number, size in enumerate(sizes, 1)]
    assert choose_merge(held, 4, 100, 1_600) == chosen
