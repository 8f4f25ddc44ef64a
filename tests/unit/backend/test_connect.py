"""Which paths open, and which files are refused without being touched?"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

import apsw
import pytest

import simonides
from simonides import StoreDamagedError, StoreError, StoreReadOnlyError, StoreTooNewError
from simonides.backend.sqlite.connect import resolve
from simonides.backend.sqlite.migrate import SCHEMA_VERSION

NAMES = ["with space.db", "#hash?query%41.db", "file:x.db", "ünï 会议.db", "'quote\".db", "-dash", "x.db?mode=memory",
         "a;b&c=d.db", ".hidden", "no extension", "tab\there.db", "%2e%2e.db", "new\nline.db"]  # fmt: skip


def opened(path: Any, **options: Any) -> simonides.Store:
    return simonides.open(path, embedder=False, **options)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_any_file_name_is_taken_literally(tmp_path: Path, name: str) -> None:
    with opened(tmp_path / name) as store:
        store.remember("x", thought_id="x")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [name]
    with opened(str(tmp_path / name)) as store:
        assert store.get_thought("x") is not None


def test_a_folder_may_have_an_odd_name_too_and_bytes_are_no_path(tmp_path: Path) -> None:
    folder = tmp_path / "a b#?%ü"
    folder.mkdir()
    with opened(folder / "s.db") as store:
        store.remember("x")
    assert (folder / "s.db").stat().st_size > 0
    with pytest.raises(StoreError):
        opened(os.fsencode(folder / "s.db"))


def test_a_tilde_is_home_and_a_relative_path_belongs_to_the_folder_of_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert resolve("~/s.db") == str(tmp_path / "s.db")
    monkeypatch.chdir(tmp_path)
    assert resolve("s.db") == str(tmp_path / "s.db")
    with opened("s.db") as store:
        monkeypatch.chdir("/")
        store.remember("x")
        assert store.count_thoughts() == 1
    assert (tmp_path / "s.db").exists()


@pytest.mark.parametrize("path", ["", "a\x00b"])
def test_what_is_no_path_is_a_typed_error(path: str) -> None:
    with pytest.raises(StoreError):
        opened(path)


def test_a_folder_and_a_missing_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        opened(tmp_path)
    with pytest.raises(StoreError, match="does not exist"):
        opened(tmp_path / "nowhere" / "s.db")
    assert list(tmp_path.iterdir()) == []


def foreign(path: Path, *, application: int = 0, version: int = 0, table: bool = True) -> bytes:
    other = apsw.Connection(str(path))
    if table:
        other.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY)")
    other.execute(f"PRAGMA application_id = {application}")
    other.execute(f"PRAGMA user_version = {version}")
    other.close()
    return path.read_bytes()


def refused(path: Path, kind: type[Exception], code: str, **options: Any) -> None:
    """Opening raises, and neither the file nor its folder has changed."""
    before = {entry.name: entry.read_bytes() for entry in path.parent.iterdir()}
    stamp = path.stat().st_mtime_ns
    with pytest.raises(kind) as caught:
        opened(path, **options)
    assert getattr(caught.value, "code", "") == code
    assert {entry.name: entry.read_bytes() for entry in path.parent.iterdir()} == before
    assert path.stat().st_mtime_ns == stamp


@pytest.mark.parametrize("size", [1, 15, 16, 99, 8_192])
def test_a_file_that_is_no_database_is_refused_untouched(path: Path, size: int) -> None:
    """Case 34 (a)."""
    path.write_bytes(b"x" + secrets.token_bytes(size)[1:])
    refused(path, StoreDamagedError, "store_damaged")
    refused(path, StoreDamagedError, "store_damaged", read_only=True)


def test_a_cut_off_database_header_is_refused_untouched(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + b"\x10\x00" * 20)
    refused(path, StoreDamagedError, "store_damaged")


def test_a_database_of_somebody_else_is_refused_untouched(path: Path) -> None:
    foreign(path)
    refused(path, StoreDamagedError, "store_damaged")
    path.unlink()
    foreign(path, application=0x1234)
    refused(path, StoreDamagedError, "store_damaged")


def test_a_store_of_a_newer_version_is_refused_untouched(path: Path) -> None:
    foreign(path, application=0x53494D4F, version=SCHEMA_VERSION + 1)
    refused(path, StoreTooNewError, "store_too_new")
    refused(path, StoreTooNewError, "store_too_new", read_only=True)


def test_an_empty_file_becomes_a_new_store(path: Path) -> None:
    """Case 34 (b)."""
    path.touch()
    with opened(path) as store:
        store.remember("x")
        assert store.verify().ok


def test_an_empty_file_with_a_log_beside_it_is_refused_untouched(path: Path) -> None:
    """Case 34 (b): an existing store never silently becomes an empty one."""
    path.touch()
    Path(f"{path}-wal").write_bytes(secrets.token_bytes(4_096))
    refused(path, StoreDamagedError, "store_damaged")


def filled(path: Path, count: int = 200) -> None:
    with opened(path) as store:
        store.remember_many([f"memory number {n} about the sea and the shore" for n in range(count)])


def test_overwritten_pages_are_a_typed_error_or_a_report_never_an_empty_answer(path: Path) -> None:
    """Case 34 (c)."""
    filled(path)
    whole = path.read_bytes()
    assert len(whole) > 40 * 4_096
    start = len(whole) // 2 // 4_096 * 4_096
    path.write_bytes(whole[:start] + b"\xa5" * (3 * 4_096) + whole[start + 3 * 4_096 :])
    try:
        store = opened(path)
    except StoreDamagedError:
        return
    with store:
        try:
            result = store.verify()
        except StoreDamagedError:
            return
        assert not result.ok
        assert result.problems


def test_a_read_only_handle_reads_and_refuses_to_write(path: Path) -> None:
    with opened(path) as store:
        store.remember("the blue pot", thought_id="pot")
    before = path.read_bytes()
    with opened(path, read_only=True) as store:
        assert store.read_only
        assert [hit.thought_id for hit in store.recall("pot").hits] == ["pot"]
        assert store.verify().ok
        for write in (
            lambda: store.remember("x"),
            lambda: store.update_thought("pot", content="y"),
            lambda: store.delete_thought("pot"),
            lambda: store.link("pot", "pot"),
            lambda: store.remember_many(["x"]),
        ):
            with pytest.raises(StoreReadOnlyError) as caught:
                write()
            assert caught.value.code == "store_read_only"
    assert path.read_bytes() == before


def test_a_read_only_handle_does_not_create_a_file(path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        opened(path, read_only=True)
    assert not path.exists()


def test_a_read_only_handle_sees_what_a_writer_adds(path: Path) -> None:
    with opened(path) as writer:
        writer.remember("one")
        with opened(path, read_only=True) as reader:
            assert reader.count_thoughts() == 1
            writer.remember("two", thought_id="two")
            assert [hit.thought_id for hit in reader.recall("two").hits] == ["two"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_in_a_read_only_folder_is_read(tmp_path: Path) -> None:
    """Case 36."""
    folder = tmp_path / "locked"
    folder.mkdir()
    with opened(folder / "s.db") as store:
        store.remember("the pot", thought_id="pot")
    (folder / "s.db").chmod(0o444)
    folder.chmod(0o555)
    try:
        with opened(folder / "s.db", read_only=True) as store:
            assert [hit.thought_id for hit in store.recall("pot").hits] == ["pot"]
        with pytest.raises(StoreError):
            opened(folder / "s.db")
    finally:
        folder.chmod(0o755)


def test_a_folder_that_cannot_be_written_is_read_without_a_log(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 36, for whoever may write everywhere: the system's answer is made up, the rest is real."""
    with opened(path) as store:
        store.remember("the pot", thought_id="pot")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with opened(path, read_only=True) as store:
        assert [hit.thought_id for hit in store.recall("pot").hits] == ["pot"]
        assert store.stats().thoughts == 1
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_closing_folds_the_log_into_the_file(path: Path) -> None:
    with opened(path) as store:
        store.remember("x")
        store.recall("x")
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_two_handles_on_one_file_in_one_process_work_together(path: Path) -> None:
    with opened(path) as one, opened(path) as two:
        for n in range(10):
            (one, two)[n % 2].remember(f"note {n}", thought_id=f"n{n}")
        assert one.count_thoughts() == two.count_thoughts() == 10
        assert one.recall("note 9").hits[0].thought_id == two.recall("note 9").hits[0].thought_id == "n9"
        assert one.verify().ok
