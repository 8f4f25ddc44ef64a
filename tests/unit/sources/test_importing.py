"""An import is idempotent, survives broken records, and writes what a person would have remembered turn by turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import simonides
from simonides import EdgeType, LifecycleStatus, StoreReadOnlyError
from simonides.errors import ConfigError
from simonides.sources import import_into


@pytest.fixture
def store() -> Iterator[simonides.Store]:
    with simonides.open(":memory:", embedder="hashing:16") as opened:
        yield opened


def save(folder: Path, *rows: dict[str, Any] | str) -> Path:
    path = folder / "talk.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def turn(number: int, text: str, **more: Any) -> dict[str, Any]:
    return {"thought_id": f"t{number}", "content": text, "speaker": "Ana", "session": "s"} | more


def counts(report: Any) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.skipped, report.left_out


def test_turns_keep_speaker_session_time_and_follow_each_other(store: simonides.Store, tmp_path: Path) -> None:
    path = save(tmp_path, turn(1, "one", occurred_at="2026-02-01T10:00:00Z"), turn(2, "two"), turn(3, "three"))
    assert counts(import_into(store, path, batch=2)) == (3, 0, 0, 0)
    first, second, third = store.list_thoughts()
    assert (first.speaker, first.session, first.position) == ("Ana", "s", 0)
    assert first.occurred_at is not None
    assert first.occurred_at.isoformat() == "2026-02-01T10:00:00+00:00"
    follows = {(e.from_id, e.to_id) for e in store.edges() if e.edge_type is EdgeType.FOLLOWS}
    assert follows == {("t2", "t1"), ("t3", "t2")}
    assert (second.position, third.position) == (1, 2)


def test_importing_twice_adds_nothing(store: simonides.Store, tmp_path: Path) -> None:
    path = save(tmp_path, turn(1, "one"), {"content": "no id"}, {"content": "no id"}, turn(2, "two", topics=["x"]))
    assert counts(import_into(store, path)) == (4, 0, 0, 0)
    before = (store.list_thoughts(), store.changes())
    assert counts(import_into(store, path)) == (0, 0, 4, 0)
    assert (store.list_thoughts(), store.changes()) == before


def test_lines_added_later_are_all_that_is_added(store: simonides.Store, tmp_path: Path) -> None:
    import_into(store, save(tmp_path, turn(1, "one")))
    assert counts(import_into(store, save(tmp_path, turn(1, "one"), turn(2, "two")))) == (1, 0, 1, 0)
    assert [(e.from_id, e.to_id) for e in store.edges("t2")] == [("t2", "t1")]


def test_a_changed_text_becomes_a_new_revision_and_the_metadata_of_the_store_stays(
    store: simonides.Store, tmp_path: Path
) -> None:
    import_into(store, save(tmp_path, turn(1, "old", metadata={"a": 1})))
    store.update_thought("t1", metadata={"a": 1, "mine": True})
    assert counts(import_into(store, save(tmp_path, turn(1, "new", metadata={"a": 2})))) == (0, 1, 0, 0)
    thought = store.get_thought("t1")
    assert thought is not None
    assert (thought.content, thought.metadata, thought.revision) == ("new", {"a": 2, "mine": True}, 3)
    assert counts(import_into(store, save(tmp_path, turn(1, "new", metadata={"a": 2})))) == (0, 0, 1, 0)


def test_an_archived_memory_stays_archived_and_a_deleted_one_comes_back(store: simonides.Store, tmp_path: Path) -> None:
    path = save(tmp_path, turn(1, "one"), turn(2, "two"))
    import_into(store, path)
    store.archive_thought("t1")
    store.delete_thought("t2")
    assert counts(import_into(store, path)) == (1, 0, 1, 0)
    thought = store.get_thought("t1")
    assert thought is not None
    assert thought.lifecycle_status is LifecycleStatus.ARCHIVED


def test_an_id_that_comes_twice_is_taken_once(store: simonides.Store, tmp_path: Path) -> None:
    path = save(tmp_path, turn(1, "one"), turn(1, "one"), turn(1, "another"), turn(2, "two"))
    for expected in ((2, 0, 1, 1), (0, 0, 3, 1)):
        report = import_into(store, path, batch=1)
        assert counts(report) == expected
        assert [str(p) for p in report.problems] == ["talk.jsonl: line 3: the id 't1' came before with another text"]


def test_what_the_store_refuses_is_reported_with_its_place_and_the_rest_goes_in(
    store: simonides.Store, tmp_path: Path
) -> None:
    rows: list[dict[str, Any] | str] = [{"content": f"row {n}"} for n in range(20)]
    rows[3] = {"content": "x", "speaker": "a" * 301}
    rows[4] = "{"
    rows[11] = {"content": "x", "vector": [1.0, 2.0]}
    rows[12] = {"content": "x", "confidence": 2}
    rows[13] = {"content": "x", "supersedes": "nobody"}
    report = import_into(store, save(tmp_path, *rows), batch=7)
    assert counts(report) == (15, 0, 0, 5)
    assert not report.ok
    # A line that cannot be read is noted before what the store refuses of the same batch.
    assert [p.place.position for p in report.problems] == ["line 5", "line 4", "line 12", "line 13", "line 14"]
    assert store.count_thoughts() == 15


def test_a_repaired_record_goes_in_and_is_a_problem_all_the_same(store: simonides.Store, tmp_path: Path) -> None:
    report = import_into(store, save(tmp_path, '{"content": "half \\ud83d"}'))
    assert (counts(report), report.problem_count, report.ok) == ((1, 0, 0, 0), 1, True)
    assert [t.content for t in store.list_thoughts()] == ["half \ufffd"]


def test_a_report_keeps_a_limited_number_of_problems(
    store: simonides.Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simonides.sources.importing.PROBLEMS_KEPT_MAX", 2)
    report = import_into(store, save(tmp_path, "{", "{", "{"), kind="jsonl")
    assert (report.problem_count, len(report.problems), report.left_out) == (3, 2, 3)


def test_an_import_ends_at_the_limit_of_records(
    store: simonides.Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simonides.sources.importing.RECORDS_MAX", 2)
    report = import_into(store, save(tmp_path, turn(1, "a"), turn(2, "b"), turn(3, "c")))
    assert counts(report) == (2, 0, 0, 1)
    assert str(report.problems[0]) == "talk.jsonl: line 3: this is record 3; the rest was not read"


def test_an_edited_page_updates_its_section_only(store: simonides.Store, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A\none\n\n# B\ntwo\n")
    assert counts(import_into(store, tmp_path)) == (2, 0, 0, 0)
    page.write_text("# A\none, changed\n\n# B\ntwo\n")
    assert counts(import_into(store, page)) == (0, 1, 1, 0)
    assert sorted(t.content for t in store.list_thoughts()) == ["# A\none, changed", "# B\ntwo"]


def test_an_import_stays_in_the_namespace_of_its_handle(store: simonides.Store, tmp_path: Path) -> None:
    path = save(tmp_path, turn(1, "one"))
    assert counts(import_into(store.in_namespace("ana"), path)) == (1, 0, 0, 0)
    assert counts(import_into(store.in_namespace("ben"), path)) == (1, 0, 0, 0)
    assert store.count_thoughts() == 0


def test_progress_tells_how_many_records_were_read(store: simonides.Store, tmp_path: Path) -> None:
    told: list[int] = []
    import_into(store, save(tmp_path, *(turn(n, "x") for n in range(5))), batch=2, progress=told.append)
    assert told == [2, 4, 5]


def test_a_store_that_cannot_be_written_and_a_bad_batch_raise(tmp_path: Path) -> None:
    path = save(tmp_path, turn(1, "one"))
    with simonides.open(tmp_path / "s.db", embedder=False):
        pass
    with simonides.open(tmp_path / "s.db", embedder=False, read_only=True) as store:
        with pytest.raises(StoreReadOnlyError):
            import_into(store, path)
        with pytest.raises(ConfigError, match="batch is 0"):
            import_into(store, path, batch=0)


def test_the_report_is_json(store: simonides.Store, tmp_path: Path) -> None:
    report = import_into(store, save(tmp_path, turn(1, "one"), "{"), kind="jsonl")
    assert json.loads(json.dumps(report.to_dict())) == {
        "added": 1,
        "updated": 0,
        "skipped": 0,
        "left_out": 1,
        "problem_count": 1,
        "problems": [
            {
                "file": "talk.jsonl",
                "position": "line 2",
                "message": "not JSON: Expecting property name enclosed in double quotes at column 2",
                "kept": False,
            }
        ],
    }
