"""Group commit: a job that fails leaves the others of its group alone, and everybody hears what became of theirs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from simonides import StoreClosedError
from simonides.backend.rows import JournalEntry
from simonides.backend.sqlite.connect import FileSettings
from simonides.backend.sqlite.database import SqliteDatabase
from simonides.backend.sqlite.transaction import SqliteTransaction


@pytest.fixture
def database(path: Path) -> Any:
    made = SqliteDatabase(path, FileSettings(synchronous="NORMAL"))
    yield made
    made.close()


def entry(kind: str) -> JournalEntry:
    return JournalEntry(0, 1, "test", None, kind, "x", None, bytes(32))


def test_a_job_gives_its_result_and_its_own_error(database: SqliteDatabase) -> None:
    assert database.write(lambda tx: tx.namespace("ana", 0)) == 1

    def fail(tx: SqliteTransaction) -> None:
        tx.namespace("ben", 0)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        database.write(fail)
    with database.snapshot() as snapshot:
        assert snapshot.namespaces() == {1: "ana"}


def test_what_fails_before_any_job_begins_is_heard_by_whoever_waits(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing may wait for ever: here a transaction cannot even be made, as when memory or a module is missing."""

    def refuse(*_: Any) -> None:
        raise MemoryError("no transaction")

    with monkeypatch.context() as patched:
        patched.setattr(SqliteTransaction, "__init__", refuse)
        with pytest.raises(MemoryError, match="no transaction"):
            database.write(lambda tx: tx.namespace("ana", 0))
    assert database.write(lambda tx: tx.namespace("ana", 0)) == 1


def test_a_failing_job_in_a_group_leaves_the_others_and_the_chain_whole(database: SqliteDatabase) -> None:
    """The first job holds the lock until all others wait: they become one group."""
    waiting, go = threading.Event(), threading.Event()
    outcomes: dict[int, Any] = {}

    def hold(tx: SqliteTransaction) -> None:
        tx.namespace("ana", 0)
        waiting.set()
        assert go.wait(30)

    def job(n: int) -> Any:
        def run(tx: SqliteTransaction) -> list[int]:
            seqs = tx.journal([entry(f"job-{n}"), entry(f"job-{n}")])
            if n % 3 == 0:
                raise ValueError(f"job {n} fails")
            return seqs

        return run

    def ask(n: int) -> None:
        try:
            outcomes[n] = database.write(job(n))
        except ValueError as error:
            outcomes[n] = str(error)

    first = threading.Thread(target=lambda: database.write(hold))
    first.start()
    assert waiting.wait(30)
    threads = [threading.Thread(target=ask, args=(n,)) for n in range(9)]
    for thread in threads:
        thread.start()
    while len(database._writer._queue) < 9:
        assert all(thread.is_alive() for thread in threads)
    go.set()
    for thread in (first, *threads):
        thread.join(30)
    assert {n: outcomes[n] for n in (0, 3, 6)} == {n: f"job {n} fails" for n in (0, 3, 6)}
    seqs = sorted(seq for n, value in outcomes.items() if n % 3 for seq in value)
    assert seqs == list(range(1, 13))
    with database.snapshot() as snapshot:
        rows = snapshot.changes(None, 0, 100)
        assert [row.seq for row in rows] == list(range(1, 13))
        assert snapshot.check() == []
    for n in (1, 2, 4, 5, 7, 8):
        assert [row.kind for row in rows if row.seq in outcomes[n]] == [f"job-{n}"] * 2


def test_a_snapshot_sees_one_state_while_others_write(database: SqliteDatabase) -> None:
    database.write(lambda tx: tx.namespace("ana", 0))
    with database.snapshot() as snapshot:
        assert len(snapshot.namespaces()) == 1
        thread = threading.Thread(target=lambda: database.write(lambda tx: tx.namespace("ben", 0)))
        thread.start()
        thread.join(30)
        assert not thread.is_alive()
        assert len(snapshot.namespaces()) == 1
    with database.snapshot() as snapshot:
        assert len(snapshot.namespaces()) == 2


def test_a_job_sees_what_the_job_before_it_in_the_group_wrote(database: SqliteDatabase) -> None:
    database.write(lambda tx: tx.namespace("ana", 0))
    assert database.write(lambda tx: tx.namespace("ana", 0)) == 1


def test_writing_after_closing_is_a_typed_error(path: Path) -> None:
    database = SqliteDatabase(path, FileSettings())
    database.close()
    with pytest.raises(StoreClosedError):
        database.write(lambda tx: tx.namespace("ana", 0))
    with pytest.raises(StoreClosedError), database.snapshot():
        pass


def test_the_memory_of_a_handle_is_its_own() -> None:
    one, two = SqliteDatabase(":memory:", FileSettings()), SqliteDatabase(":memory:", FileSettings())
    one.write(lambda tx: tx.namespace("ana", 0))
    with two.snapshot() as snapshot:
        assert snapshot.namespaces() == {}
    assert one.file_bytes() == 0
    one.close()
    two.close()
