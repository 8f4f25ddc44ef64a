"""Who writes, and when is it on disk? One leader at a time runs everybody's jobs and commits them together."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import apsw

from simonides.backend.sqlite.connect import Connections, translate
from simonides.clock import stopwatch

if TYPE_CHECKING:
    from simonides.backend.sqlite.transaction import SqliteTransaction

T = TypeVar("T")
GROUP_S_MAX = 0.05
GROUP_JOBS_MAX = 5_000
FORK_WAIT_S = 5.0  # how long a fork waits for an open transaction
_writers: weakref.WeakSet[Writer] = weakref.WeakSet()


@dataclass(slots=True)
class _Job(Generic[T]):
    run: Callable[[SqliteTransaction], T]
    done: bool = False
    result: T | None = None
    error: BaseException | None = None


class Writer:
    """Group commit. Each job is a savepoint: one that fails leaves the others of its group alone."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.begin_anew()
        _writers.add(self)

    def begin_anew(self) -> None:
        """Nobody waits and nobody leads; in a forked child those who did do not exist."""
        self._queue: deque[_Job[object]] = deque()
        self._leader = threading.Lock()
        self._connections.lock = threading.RLock()

    @property
    def lock(self) -> threading.RLock:
        """Held while a transaction is open."""
        return self._connections.lock

    def write(self, run: Callable[[SqliteTransaction], T]) -> T:
        """Runs a job and returns its result once it is committed. Raises what the job raised, or a StoreError."""
        job: _Job[T] = _Job(run)
        self._queue.append(cast("_Job[object]", job))
        while not job.done:
            with self._leader:
                if not job.done:
                    self._lead()
        if job.error is not None:
            raise job.error
        return cast("T", job.result)

    def _lead(self) -> None:
        with self._connections.lock:
            group: list[_Job[object]] = []
            try:
                connection = self._connections.writer()
                connection.execute("BEGIN IMMEDIATE")
            except BaseException as error:  # noqa: BLE001  # whoever waits must hear of it
                self._fail(self._drain(), error)
                return
            try:
                self._run(connection, group)
                connection.execute("COMMIT")
            except BaseException as error:  # noqa: BLE001  # whoever waits must hear of it, also when no job had begun
                self._fail(group or self._drain(), error)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                for job in group:
                    job.done = True

    def _drain(self) -> list[_Job[object]]:
        return [self._queue.popleft() for _ in range(len(self._queue))]

    def _run(self, connection: apsw.Connection, group: list[_Job[object]]) -> None:
        from simonides.backend.sqlite.transaction import SqliteTransaction

        transaction = SqliteTransaction(connection)
        started = stopwatch()
        while self._queue and len(group) < GROUP_JOBS_MAX and (not group or stopwatch() - started < GROUP_S_MAX):
            job = self._queue.popleft()
            group.append(job)
            connection.execute("SAVEPOINT job")
            mark = transaction.mark()
            try:
                job.result = job.run(transaction)
                transaction.settle()
                connection.execute("RELEASE job")
            except BaseException as error:  # it belongs to the thread that asked
                job.error = error
                if not connection.in_transaction:
                    raise
                connection.execute("ROLLBACK TO job")
                connection.execute("RELEASE job")
                transaction.reset(mark)

    def _fail(self, group: list[_Job[object]], error: BaseException) -> None:
        if isinstance(error, apsw.Error):
            error = translate(error, self._connections.path, self._connections.settings)
        for job in group:
            job.error = job.error or error
            job.done = True


_held: list[threading.RLock] = []


def _before_fork() -> None:
    """No transaction may be open at a fork: the child's SQLite would believe for ever that somebody writes."""
    for writer in list(_writers):
        lock = writer.lock
        if lock.acquire(timeout=FORK_WAIT_S):
            _held.append(lock)


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().release()


def _after_fork_in_child() -> None:
    _held.clear()
    for writer in list(_writers):
        writer.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
