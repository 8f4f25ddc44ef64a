"""Group commit: a job that fails leaves the others of its group alone, and everybody hears what became of theirs."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
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


@contextmanager
def somebody_writes(database: SqliteDatabase) -> Iterator[Callable[[Callable[[], None]], None]]:
    """A job holds the lock until the block ends: those that were begun with what is given here are one group."""
    waiting, go = threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def hold(tx: SqliteTransaction) -> None:
        tx.namespace("ana", 0)
        waiting.set()
        assert go.wait(30)

    def begin(call: Callable[[], None]) -> None:
        before = len(database._writer._queue)
        threads.append(threading.Thread(target=call))
        threads[-1].start()
        while len(database._writer._queue) == before:
            assert threads[-1].is_alive()

    threads.append(threading.Thread(target=lambda: database.write(hold)))
    threads[0].start()
    assert waiting.wait(30)
    try:
        yield begin
    finally:
        go.set()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()


def test_a_failing_job_in_a_group_leaves_the_others_and_the_chain_whole(database: SqliteDatabase) -> None:
    outcomes: dict[int, Any] = {}

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

    with somebody_writes(database) as begin:
        for n in range(9):
            begin(lambda n=n: ask(n))  # type: ignore[misc]  # mypy cannot type a lambda's default
    assert {n: outcomes[n] for n in (0, 3, 6)} == {n: f"job {n} fails" for n in (0, 3, 6)}
    seqs = sorted(seq for n, value in outcomes.items() if n % 3 for seq in value)
    assert seqs == list(range(1, 13))
    with database.snapshot() as snapshot:
        rows = snapshot.changes(None, 0, 100)
        assert [row.seq for row in rows] == list(range(1, 13))
        assert snapshot.check() == []
    for n in (1, 2, 4, 5, 7, 8):
        assert [row.kind for row in rows if row.seq in outcomes[n]] == [f"job-{n}"] * 2


class Together:
    """What runs parts in one go: puts each into the journal, refuses those that are negative."""

    def __init__(self, database: SqliteDatabase) -> None:
        self.database = database
        self.calls: list[list[int]] = []
        self.heard: dict[int, Any] = {}

    def run(self, tx: SqliteTransaction, parts: Sequence[int]) -> list[int]:
        self.calls.append(list(parts))
        seqs = [tx.journal([entry(f"part {part}")])[0] for part in parts]
        if min(parts) < 0:
            raise ValueError(f"{min(parts)} is refused")
        return seqs

    def ask(self, part: int) -> None:
        try:
            self.heard[part] = self.database.write_together(self.run, part)
        except ValueError as error:
            self.heard[part] = str(error)


def test_parts_that_wait_together_are_run_in_one_call_and_each_hears_of_its_own(database: SqliteDatabase) -> None:
    together = Together(database)
    with somebody_writes(database) as begin:
        for part in (5, 3, 8):
            begin(lambda part=part: together.ask(part))  # type: ignore[misc]  # mypy cannot type a lambda's default
    assert together.calls == [[5, 3, 8]]
    assert together.heard == {5: 1, 3: 2, 8: 3}


def test_a_job_between_parts_keeps_its_place(database: SqliteDatabase) -> None:
    together = Together(database)
    with somebody_writes(database) as begin:
        for part in (1, 2):
            begin(lambda part=part: together.ask(part))  # type: ignore[misc]  # mypy cannot type a lambda's default
        begin(lambda: together.heard.update({0: database.write(lambda tx: tx.journal([entry("job")]))}))
        for part in (3, 4):
            begin(lambda part=part: together.ask(part))  # type: ignore[misc]  # mypy cannot type a lambda's default
    assert together.calls == [[1, 2], [3, 4]]
    assert together.heard == {1: 1, 2: 2, 0: [3], 3: 4, 4: 5}


@pytest.mark.parametrize("before", [0, 1])
def test_a_part_that_fails_is_undone_and_the_others_are_written_alone(database: SqliteDatabase, before: int) -> None:
    """before: of jobs in the same transaction, so that it is not the whole of it that is undone."""
    together = Together(database)
    with somebody_writes(database) as begin:
        for _ in range(before):
            begin(lambda: together.heard.update({0: database.write(lambda tx: tx.journal([entry("job")]))}))
        for part in (1, -2, 3):
            begin(lambda part=part: together.ask(part))  # type: ignore[misc]  # mypy cannot type a lambda's default
    assert together.calls == [[1, -2, 3], [1], [-2], [3]]
    assert {part: together.heard[part] for part in (1, -2, 3)} == {1: before + 1, -2: "-2 is refused", 3: before + 2}
    with database.snapshot() as snapshot:
        kinds = [row.kind for row in snapshot.changes(None, 0, 100)]
        assert kinds == ["job"] * before + ["part 1", "part 3"]
        assert snapshot.check() == []


def test_a_job_runs_in_the_context_of_its_caller(database: SqliteDatabase) -> None:
    who: ContextVar[str] = ContextVar("who")
    heard: dict[str, str] = {}

    def ask(name: str) -> None:
        who.set(name)
        heard[name] = database.write(lambda _: who.get())

    with somebody_writes(database) as begin:
        for name in ("ana", "ben", "eve"):
            begin(lambda name=name: ask(name))  # type: ignore[misc]  # mypy cannot type a lambda's default
    assert heard == {"ana": "ana", "ben": "ben", "eve": "eve"}


def test_who_is_interrupted_while_waiting_takes_the_job_back_and_others_go_on(database: SqliteDatabase) -> None:
    together = Together(database)
    main = threading.main_thread().ident
    assert main is not None

    def interrupt() -> None:
        while len(database._writer._queue) < 2:
            assert time.monotonic() < until
        while len(database._writer._queue) > 1:  # again for one that came between a look for signals and the wait
            assert time.monotonic() < until
            signal.pthread_kill(main, signal.SIGINT)
            heard = time.monotonic() + 1
            while len(database._writer._queue) > 1 and time.monotonic() < heard:
                pass

    until = time.monotonic() + 30
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background work ignores it
    try:
        with somebody_writes(database) as begin:
            begin(lambda: together.ask(1))
            other = threading.Thread(target=interrupt)
            other.start()
            with pytest.raises(KeyboardInterrupt):
                together.ask(2)
            other.join(30)
    finally:
        signal.signal(signal.SIGINT, before)
    together.ask(3)
    assert together.calls == [[1], [3]]


def test_when_a_transaction_cannot_begin_all_who_wait_hear_of_it(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise ValueError("no transaction")

    together = Together(database)
    threads = [threading.Thread(target=together.ask, args=(part,)) for part in (1, 2, 3)]
    with monkeypatch.context() as patched:
        patched.setattr(SqliteTransaction, "__init__", refuse)
        with database._writer.lock:
            for thread in threads:
                thread.start()
            while len(database._writer._queue) < 3:
                assert all(thread.is_alive() for thread in threads)
        for thread in threads:
            thread.join(30)
    assert together.heard == dict.fromkeys((1, 2, 3), "no transaction")
    together.ask(4)
    assert together.heard[4] == 1


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
