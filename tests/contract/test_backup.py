"""Field case 36. `backup`: one sound state under one name, while others write, or no file of that name at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest

import simonides
from simonides import StoreError
from simonides.backend.sqlite import copying

NORMAL = {"store": {"synchronous": "NORMAL"}}


def fill(path: Path, count: int = 50, size: int = 10) -> None:
    with simonides.open(path, embedder="hashing:16", config=NORMAL) as store:
        store.remember_many(
            [simonides.Draft(content=f"memory {n} " + "x" * size, thought_id=f"m{n}") for n in range(count)]
        )


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_backup_is_the_store(store: Any, tmp_path: Path) -> None:
    for n in range(5):
        store.remember(f"memory {n}", thought_id=f"m{n}", session="s")
    done = store.backup(tmp_path / "copy.db")
    assert (done.seq, Path(done.path).stat().st_size) == (store.changes()[-1].seq, done.size_bytes)
    with simonides.open(tmp_path / "copy.db", embedder="hashing:64") as copy:
        assert [t.to_dict() for t in copy.list_thoughts()] == [t.to_dict() for t in store.list_thoughts()]
        assert copy.changes() == store.changes()
        assert len(copy.recall("memory 3").hits) == 5
        assert copy.verify().ok


def test_a_backup_leaves_no_other_file(path: Path, tmp_path: Path) -> None:
    fill(path)
    with simonides.open(path, embedder=False) as store:
        store.backup(tmp_path / "copy.db")
    assert names(tmp_path) == ["copy.db", "store.db"]


def test_a_backup_holds_all_that_was_acknowledged_before_while_a_writer_goes_on(path: Path, tmp_path: Path) -> None:
    fill(path, 200, 4_000)
    stop, written = threading.Event(), []
    with simonides.open(path, embedder="hashing:16", config=NORMAL) as store:

        def write() -> None:
            while not stop.is_set():
                written.append(store.remember(f"late {len(written)}").thought_id)

        thread = threading.Thread(target=write)
        thread.start()
        while len(written) < 3:
            pass
        before = list(written)
        steps: list[tuple[int, int]] = []
        store.backup(tmp_path / "copy.db", progress=lambda *step: steps.append(step))
        during = len(written)
        stop.set()
        thread.join()
    assert steps[-1][0] == steps[-1][1] > 0
    assert during > len(before)
    with simonides.open(tmp_path / "copy.db", embedder=False) as copy:
        assert len(copy.get_thoughts(before)) == len(before)
        assert copy.count_thoughts() >= 200 + len(before)
        assert copy.verify().problems == ()


def test_a_writer_does_not_make_the_copy_begin_anew(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is pinned: after a write between two steps the remaining pages go on falling."""
    monkeypatch.setattr(copying, "STEP_PAGES", 20)
    fill(path, 60, 10_000)
    with simonides.open(path, embedder=False, config=NORMAL) as store:
        steps: list[int] = []

        def progress(done: int, total: int) -> None:
            steps.append(done)
            store.in_namespace("other").remember("written in between" * 100)

        store.backup(tmp_path / "copy.db", progress=progress)
    assert steps == sorted(set(steps))
    with simonides.open(tmp_path / "copy.db", embedder=False) as copy:
        assert copy.namespaces() == ["default"]


def test_a_name_that_is_taken_is_kept(path: Path, tmp_path: Path) -> None:
    fill(path)
    target = tmp_path / "copy.db"
    target.write_bytes(b"mine")
    with simonides.open(path, embedder=False) as store:
        with pytest.raises(StoreError, match="exists"):
            store.backup(target)
        assert target.read_bytes() == b"mine"
        with pytest.raises(StoreError, match="itself"):
            store.backup(path, overwrite=True)
        with pytest.raises(StoreError, match="folder"):
            store.backup(tmp_path / "no" / "copy.db")
        with pytest.raises(StoreError, match="folder"):
            store.backup(tmp_path)
        store.backup(target, overwrite=True)
        (tmp_path / "copy.db-wal").write_bytes(b"x")
        with pytest.raises(StoreError, match="write-ahead"):
            store.backup(target, overwrite=True)
    assert names(tmp_path) == ["copy.db", "copy.db-wal", "store.db"]


def test_a_read_only_handle_can_be_backed_up(path: Path, tmp_path: Path) -> None:
    fill(path)
    with simonides.open(path, embedder=False, read_only=True) as store:
        store.backup(tmp_path / "copy.db")
    with simonides.open(tmp_path / "copy.db", embedder=False) as copy:
        assert copy.count_thoughts() == 50


def test_a_copy_that_is_not_sound_gets_no_name(path: Path, tmp_path: Path) -> None:
    fill(path, 300, 2_000)
    size = path.stat().st_size // 4096
    with path.open("r+b") as file:
        for page in (size // 3, size // 2):
            file.seek(page * 4096)
            file.write(b"\xa5" * 4096)
    with simonides.open(path, embedder=False) as store, pytest.raises(simonides.StoreDamagedError):
        store.backup(tmp_path / "copy.db")
    assert names(tmp_path) == ["store.db"]


KILLED = """
import os, sys, simonides
from simonides.backend.sqlite import copying
copying.STEP_PAGES = 50
with simonides.open(sys.argv[1], embedder=False) as store:
    def progress(done, total):
        print(done, total, flush=True)
        sys.stdin.readline()
    store.backup(sys.argv[2], progress=progress)
"""


def test_a_killed_backup_leaves_no_file_under_the_name_and_the_next_one_cleans_up(path: Path, tmp_path: Path) -> None:
    fill(path, 60, 10_000)
    target = tmp_path / "copy.db"
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path), str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stdin is not None
    for _ in range(2):
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
    assert any(name.startswith("copy.db.partial-") for name in names(tmp_path))
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert not target.exists()
    with simonides.open(path, embedder=False) as store:
        store.backup(target)
        assert store.verify().ok
    assert names(tmp_path) == ["copy.db", "store.db"]
    with simonides.open(target, embedder=False) as copy:
        assert copy.count_thoughts() == 60


def test_a_copy_is_a_store_of_its_own_for_any_sqlite(path: Path, tmp_path: Path) -> None:
    fill(path)
    with simonides.open(path, embedder=False) as store:
        store.backup(tmp_path / "copy.db")
    connection = apsw.Connection(str(tmp_path / "copy.db"))
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.close()


def test_a_sealed_handle_copies_nothing_of_others(store: Any, tmp_path: Path) -> None:
    store.remember("hers", namespace="ana")
    store.remember("his", namespace="ben")
    sealed = store.in_namespace("ana", sealed=True)
    for verb in (lambda: sealed.backup(tmp_path / "a.db"), lambda: sealed.reembed("hashing:32"), sealed.reembed_cancel):
        with pytest.raises(simonides.NamespaceError):
            verb()
    assert not (tmp_path / "a.db").exists()
