"""The journal's chain and the digests: what they cover, and that every tampering is noticed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import simonides
from simonides.backend.chain import GENESIS, digest, link
from simonides.backend.rows import JournalEntry


def test_a_digest_is_salt_and_canonical_json() -> None:
    """Worked out by hand: keys sorted, no spaces, bytes as hexadecimal, ASCII only."""
    wanted = hashlib.sha256(b"salt" + b'{"a":"ff00","b":[1,null],"c":"\\u00fc"}').digest()
    assert digest({"c": "ü", "b": [1, None], "a": b"\xff\x00"}, b"salt") == wanted


def test_a_link_covers_the_row_and_the_one_before() -> None:
    entry = JournalEntry(7, 1, "me", None, "thought.created", "x", 1, b"\x01")
    row = (
        b'{"actor":"me","at":7,"digest":"01","kind":"thought.created","ns":1,"reason":null,"revision":1,"seq":3,'
        b'"subject_id":"x"}'
    )
    assert link(GENESIS, 3, entry) == hashlib.sha256(bytes(32) + row).digest()
    assert link(b"\x01" * 32, 3, entry) != link(GENESIS, 3, entry)


@pytest.fixture
def whole(path: Path) -> Path:
    with simonides.open(path, embedder="hashing:16") as store:
        for n in range(5):
            store.remember(f"memory {n}", thought_id=f"m{n}")
        store.update_thought("m1", content="memory one")
        store.link("m1", "m2")
        store.delete_thought("m3")
        assert store.verify().ok
    return path


def tampered(path: Path, *statements: str) -> set[str]:
    """The kinds of problems that `verify` finds after somebody wrote to the file by hand."""
    other = apsw.Connection(str(path))
    for statement in statements:
        other.execute(statement)
    other.close()
    with simonides.open(path, embedder=False, read_only=True) as store:
        result = store.verify()
        assert result.ok is (not result.problems)
        return {problem.check for problem in result.problems}


CASES: dict[str, tuple[tuple[str, ...], str]] = {
    "a changed reason": (("UPDATE journal SET reason = 'x' WHERE seq = 2",), "journal"),
    "a changed time": (("UPDATE journal SET at = at + 1 WHERE seq = 2",), "journal"),
    "a changed actor": (("UPDATE journal SET actor = 'x' WHERE seq = 8",), "journal"),
    "a changed digest": (("UPDATE journal SET digest = zeroblob(32) WHERE seq = 2",), "journal"),
    "a changed hash": (("UPDATE journal SET hash = zeroblob(32) WHERE seq = 2",), "journal"),
    "a removed row": (("DELETE FROM journal WHERE seq = 3",), "journal"),
    "a removed first row": (("DELETE FROM journal WHERE seq = 1",), "journal"),
    "two rows swapped": (
        ("UPDATE journal SET seq = 99 WHERE seq = 2", "UPDATE journal SET seq = 2 WHERE seq = 3",
         "UPDATE journal SET seq = 3 WHERE seq = 99"),
        "journal",
    ),
    "changed content": (("UPDATE versions SET content = 'forged' WHERE revision = 2",), "content"),
    "changed old content": (
        ("UPDATE versions SET content = 'forged' WHERE recorded_to IS NOT NULL AND revision = 1",), "content",
    ),
    "changed metadata": (("""UPDATE versions SET metadata = '{"a":1}' WHERE tid = 1""",), "digest"),
    "a changed priority": (("UPDATE versions SET priority = 0 WHERE tid = 1",), "digest"),
    "a changed salt": (("UPDATE versions SET salt = zeroblob(16) WHERE tid = 1",), "digest"),
    "a lost passage": (("DELETE FROM passages WHERE tid = 1",), "rows"),
    "a lost vector's passage": (("DELETE FROM passages WHERE tid = 1",), "fulltext"),
    "a lost version": (("DELETE FROM versions WHERE tid = 1",), "rows"),
    "a lost full-text row": (("DELETE FROM fulltext WHERE rowid = 1",), "fulltext"),
}  # fmt: skip


@pytest.mark.parametrize(("statements", "check"), CASES.values(), ids=CASES.keys())
def test_tampering_is_noticed(whole: Path, statements: tuple[str, ...], check: str) -> None:
    assert check in tampered(whole, *statements)


ENDS: dict[str, Callable[[], tuple[str, ...]]] = {
    "the last row": lambda: ("DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)",),
    "the last two rows": lambda: ("DELETE FROM journal WHERE seq >= (SELECT max(seq) FROM journal) - 1",),
}


@pytest.mark.parametrize("statements", ENDS.values(), ids=ENDS.keys())
def test_a_journal_cut_short_is_noticed(whole: Path, statements: Callable[[], tuple[str, ...]]) -> None:
    """The namespaces remember the seq of their last change."""
    assert "journal" in tampered(whole, *statements())


def test_content_and_its_hash_changed_together_still_differ_from_the_journal(whole: Path) -> None:
    forged = hashlib.sha256(b"forged").hexdigest()
    sql = f"UPDATE versions SET content = 'forged', content_hash = x'{forged}' WHERE tid = 1"
    assert tampered(whole, sql) == {"digest"}


def test_a_thought_slipped_in_without_a_journal_row_is_noticed(whole: Path) -> None:
    names = """tid, ns, revision, seq, recorded_from, recorded_to, thought_type, content_type, content, priority,
               lifecycle_status, updated_at, updated_cycle, content_hash, salt"""
    slip = names.replace("revision", "9").replace("recorded_to", "1")
    assert "digest" in tampered(whole, f"INSERT INTO versions ({names}) SELECT {slip} FROM versions WHERE tid = 1")


def test_an_untouched_store_has_no_problem(whole: Path) -> None:
    assert tampered(whole) == set()
