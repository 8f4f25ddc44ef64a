"""Field cases 11 and 13: any text goes in, comes back byte for byte, and spoils nothing for the others."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import apsw
import pytest
from store_driver import ids

import simonides
from simonides import InvalidThoughtError

TEXTS = {
    "no newline": "no newline at end",
    "spaces": "  two spaces  ",
    "crlf": "line\r\nline",
    "decomposed": "e\u0301",
    "bom": "\ufeffBOM",
    "nul": "alpha\x00omega tail",
    "controls": "bell\x07 escape\x1b[31m del\x7f",
    "line separators": "one\u2028two\u2029three\x85four",
    "non-characters": "\ufffe\uffff \U0010ffff",
    "emoji": "👩‍👩‍👧‍👦 family",
    "right to left": "abc \u202egnitirw\u202c שלום",
    "zalgo": "h" + "\u0335\u0327\u0489" * 50,
    "private use": "\ue000\U000f0000",
    "only punctuation": "?!…",
    "one letter": "x",
    "sql": "'; DROP TABLE thoughts; --",
    "json": '{"a": "\\u0000"}',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_content_comes_back_byte_for_byte(store: Any, text: str) -> None:
    """Case 13."""
    made = store.remember(text, thought_id="t", essence=text)
    found = store.get_thought("t")
    assert found.content.encode() == made.content.encode() == text.encode()
    assert found.content_hash == hashlib.sha256(text.encode()).hexdigest()
    assert (found.essence or "").encode() in (text.encode(), b"")
    assert store.recall("").hits[0].thought.content == text
    assert store.verify().ok


@pytest.mark.parametrize("text", ["", " ", "\r\n\t", "\u3000\xa0"])
def test_blank_text_is_a_typed_refusal(store: Any, text: str) -> None:
    """Case 13: the documented rule for whitespace-only text."""
    with pytest.raises(InvalidThoughtError, match="blank"):
        store.remember(text)


def test_a_text_with_a_nul_byte_is_found_on_both_sides_of_it_and_harms_no_other(path: Path) -> None:
    """Case 11."""
    with simonides.open(path, embedder="hashing:64") as store:
        store.remember("alpha\x00omega tail", thought_id="nul")
        for n in range(10):
            store.remember(f"ordinary memory number {n}", thought_id=f"m{n}")
        assert ids(store.search_fts("alpha")) == ["nul"]
        assert ids(store.search_fts("omega")) == ["nul"]
        store.update_thought("nul", content="beta\x00omega\x00\x00tail")
        assert ids(store.search_fts("omega")) == ["nul"]
        assert store.get_thought("nul").content == "beta\x00omega\x00\x00tail"
        sound(path)
        store.delete_thought("nul")
        assert store.search_fts("omega") == []
        assert len(store.search_fts("ordinary", 20)) == 10
        assert store.verify().ok
        sound(path)


def sound(path: Path) -> None:
    other = apsw.Connection(str(path))
    other.set_busy_timeout(20_000)
    assert other.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    other.execute("INSERT INTO fulltext (fulltext) VALUES ('integrity-check')")
    other.close()


def test_nul_bytes_in_metadata_survive(store: Any) -> None:
    """Case 11."""
    value = {"a\x00b": ["c\x00d", {"\x00": "\x00"}]}
    store.remember("x", thought_id="x", metadata=value)
    assert store.get_thought("x").metadata == value


@pytest.mark.parametrize("size", [200_000, pytest.param(5_000_000, marks=pytest.mark.slow)])
def test_a_text_of_megabytes_is_found_by_its_last_word(plain: Any, size: int) -> None:
    paragraph = "All work and no play makes the afternoon rather long for everybody. " * 15 + "\n\n"
    text = paragraph * (size // len(paragraph) + 1) + "quagga"
    made = plain.remember(text, thought_id="big")
    assert made.content == text
    (hit,) = plain.recall("quagga").hits
    assert hit.passage.text.endswith("quagga")
    assert len(hit.passage.text) < 3_000


def test_passages_never_split_inside_a_grapheme(plain: Any) -> None:
    import apsw.unicode

    family = "👩‍👩‍👧‍👦"
    plain.remember(family * 2_000, thought_id="f")
    borders = {0}
    for cluster in apsw.unicode.grapheme_iter(family * 2_000):
        borders.add(max(borders) + len(cluster))
    spans = [(hit.passage.start, hit.passage.stop) for hit in plain.recall("", top_k=5).hits]
    assert spans
    assert all(start in borders and stop in borders for start, stop in spans)
