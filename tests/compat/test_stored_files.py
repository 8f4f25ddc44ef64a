"""Files that earlier versions wrote open in this one, with everything that was in them; build_store.py made them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

import simonides
from simonides.backend.sqlite.migrate import SCHEMA_VERSION

FILES = sorted((Path(__file__).parent / "files").glob("store-*.db.gz"))
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ODD = "one\u2028two\x00three\ud7ff \U0001f600 \ufeffline\r\nend  "


@pytest.fixture(params=FILES, ids=lambda file: file.name)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, bytes]:
    """A copy of the file, and the anchor that was made with it."""
    file: Path = request.param
    path = tmp_path / "store.db"
    path.write_bytes(gzip.decompress(file.read_bytes()))
    return path, file.with_name(file.name.replace(".db.gz", ".anchor.json")).read_bytes()


@pytest.fixture
def old(stored: tuple[Path, bytes]) -> Iterator[simonides.Store]:
    with simonides.open(stored[0], embedder="hashing:32", clock=lambda: 1_800_000_000_000_000) as store:
        yield store


def test_there_is_a_file_of_this_version() -> None:
    assert f"store-{simonides.__version__}.db.gz" in [file.name for file in FILES]


def test_a_file_is_of_a_schema_that_this_version_reads(stored: tuple[Path, bytes]) -> None:
    """The file of a version that is not released yet may be older than the schema: build_store.py makes it anew."""
    connection = apsw.Connection(str(stored[0]))
    assert 0 < connection.pragma("user_version") <= SCHEMA_VERSION
    connection.close()


def test_an_old_file_is_sound_and_its_journal_is_the_one_that_was_anchored(
    old: simonides.Store, stored: tuple[Path, bytes]
) -> None:
    assert old.verify(anchor=stored[1]).problems == ()
    assert old.stats().schema_version == SCHEMA_VERSION
    assert {change.actor for change in old.changes()} == {"builder"}
    assert [change.reason for change in old.changes()].count("asked for") == 1


def test_every_memory_is_there_as_it_was(old: simonides.Store) -> None:
    assert old.namespaces() == ["default", "other"]
    assert sorted(t.thought_id for t in old.list_thoughts()) == ["boats", "code", "odd", "oslo", "r", "reader"]
    odd = old.get_thought("odd")
    assert odd is not None
    assert (odd.content, odd.metadata) == (ODD, {"k": ODD, "n": [1, 2.5, None, True], "big": 2**62})
    code = old.get_thought("code")
    assert code is not None
    assert (code.content, code.revision, code.priority, code.speaker) == (
        "The code of the door is 9083",
        2,
        "P1",
        "Ana",
    )
    assert (code.concepts, code.topics, code.session, code.position) == (("lock",), ("home/doors",), "talk", 0)
    oslo = old.get_thought("oslo")
    assert oslo is not None
    assert (oslo.pinned, oslo.confidence, oslo.created_cycle, oslo.updated_cycle, oslo.source, oslo.essence) == (
        True, 0.5, 3, 9, "diary", "home",
    )  # fmt: skip
    assert oslo.valid_until == datetime(2026, 1, 1, tzinfo=UTC)
    assert {(e.from_id, e.to_id, e.edge_type.value) for e in old.edges()} == {
        ("r", "code", "CONSOLIDATED_FROM"), ("boats", "code", "FOLLOWS"), ("reader", "code", "SUPERSEDES"),
    }  # fmt: skip


def test_its_questions_are_answered(old: simonides.Store) -> None:
    answer = old.recall("which code has the door?")
    assert answer.hits[0].thought_id in ("code", "reader")
    assert answer.backends_used == {"fts5", "vector"}
    assert next(hit for hit in answer.hits if hit.thought_id == "code").superseded_by == ("reader",)
    assert [name for name, _ in old.search_fts('"code of the door"')] == ["code"]
    assert [name for name, _ in old.search_fts("kingfisher", namespace="other")] == ["long"]
    assert old.recall("Ana lives", valid_at="2022-01-01").hits[0].thought_id == "oslo"
    assert [entry.query for entry in old.log.list()][-1] == "which code has the door?"


def test_its_past_is_there(old: simonides.Store) -> None:
    assert [name for name, _ in old.search_fts("4471", as_of=START)] == ["code"]
    then = old.get_thought("code", as_of=START)
    assert then is not None
    assert (then.content, then.concepts) == ("The code of the door is 4471", ("door",))
    assert [e.weight for e in old.edges("boats", as_of=START) if e.edge_type == "ASSOCIATED"] == [0.25]
    assert [(e.kind, e.reason) for e in old.history("dead")] == [
        ("thought.created", None), ("thought.deleted", "a mistake"),
    ]  # fmt: skip
    assert len(old.log.seals()) == 1


def test_it_can_be_written_pruned_and_exported(old: simonides.Store, tmp_path: Path) -> None:
    old.remember("The pot is blue", thought_id="new", session="talk")
    new = old.get_thought("new")
    assert new is not None
    assert new.position == 2
    old.log.prune_journal()
    done = old.export(tmp_path / "all.jsonl")
    assert done.lines["thought"] == 9
    with simonides.open(":memory:", embedder="hashing:32") as other:
        assert other.import_(tmp_path / "all.jsonl").problems == ()
        assert other.verify().ok
    assert old.verify().ok
