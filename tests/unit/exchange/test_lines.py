"""Every line of an export says the same after it was read, and says what is wrong when it cannot be."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.backend.chain import content_hash
from simonides.backend.exchange_port import StoredEdge, StoredPassage, StoredVersion, WholeThought
from simonides.backend.rows import NO_VECTOR, PENDING, STORED, JournalRow, NewVersion
from simonides.exchange import lines

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
VERSION = NewVersion(
    thought_type=1, content_type="text", content="x", essence=None, priority=2, lifecycle_status=3, retired=0,
    updated_at=-5, updated_cycle=7, occurred_at=None, expires_at=9, valid_from=None, valid_until=None, source=None,
    source_type=None, confidence=0.25, visibility=None, pinned=1, metadata="{}", provenance=None,
    content_hash=content_hash("x"),
)  # fmt: skip


def thought(content: str, metadata: dict[str, object]) -> WholeThought:
    text = json.dumps(metadata, ensure_ascii=False, separators=(",", ":"))
    version = VERSION._replace(content=content, metadata=text, content_hash=content_hash(content))
    passages = (
        StoredPassage(0, 0, 1, STORED, bytes(8)),
        StoredPassage(1, 1, 1, PENDING, None),
        StoredPassage(2, 1, 1, NO_VECTOR, None),
    )
    stored = (StoredVersion(1, 3, 10, 20, b"salt", version), StoredVersion(2, 4, 20, None, b"s", version))
    labels = {"concept": ["a"], "topic": []}
    return WholeThought(
        tid=0, ns=0, thought_id="t", created_at=1, created_cycle=2, session="s", position=0, speaker=None, dedup=b"1",
        access_count=0, confirmation_count=0, last_accessed_at=None, labels=labels, versions=stored, passages=passages,
    )  # fmt: skip


@given(TEXT, st.dictionaries(TEXT, TEXT | st.integers(-(2**63), 2**63 - 1) | st.none() | st.booleans(), max_size=3))
def test_a_thought_is_the_same_after_the_journey(content: str, metadata: dict[str, object]) -> None:
    line = lines.thought_line("ns", thought(content, metadata))
    assert line.isascii()
    assert "\n" not in line
    assert lines.read_thought(json.loads(line)) == thought(content, metadata)


def test_a_journal_row_keeps_its_hash() -> None:
    row = JournalRow(5, 6, 1, "", "me", None, "thought.created", "t", 1, b"\x00" * 32, b"\xff" * 32)
    assert lines.read_journal(json.loads(lines.journal_line(row))) == row


def test_an_edge_is_the_same_after_the_journey() -> None:
    edge = StoredEdge(0, 0, "e", "a", "b", "SUPPORTS", 0.5, 1, None, 2, "s", '{"k":"\u2028"}')
    assert lines.read_edge(json.loads(lines.edge_line("ns", edge))) == edge


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("thought_id", 7),
        ("created_at", "soon"),
        ("position", True),
        ("versions", [{"revision": 1}]),
        ("passages", [{"part": 0, "start": 0, "stop": 1, "embedding": "present"}]),
        ("passages", [{"part": 0, "start": 0, "stop": 1, "embedding": "none", "vector": "AAAA"}]),
        ("passages", [{"part": 0, "start": 0, "stop": 1, "embedding": "lost"}]),
        ("concepts", [1]),
        ("dedup", "zz"),
    ],
)
def test_what_is_wrong_raises(field: str, value: object) -> None:
    line = json.loads(lines.thought_line("ns", thought("x", {}))) | {field: value}
    with pytest.raises((KeyError, TypeError, ValueError)):
        lines.read_thought(line)
