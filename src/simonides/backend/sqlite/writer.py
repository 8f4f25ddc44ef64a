"""Who writes, and when is it on disk? One leader at a time runs everybody's jobs and commits them together."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import apsw

from simonides.backend.sqlite.connect import Connections, translate
from simonides.clock import stopwatch

if TYPE_CHECKING:
    from simonides.backend.sqlite.transaction import SqliteTransaction

T = TypeVar("T")
P = TypeVar("P")
GROUP_S_MAX = 0.05
GROUP_JOBS_MAX = 5_000
TOGETHER_MAX = 100  # parts that are run in one call
FORK_WAIT_S = 5.0  # how long a fork waits for an open transaction
_writers: weakref.WeakSet[Writer] = weakref.WeakSet()


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    """What one caller wants written, in the caller's context.

    together: what runs `part` in one go with the parts of neighbours that name the same. turn: locked until there is
    something to tell the caller: the job is settled, or it leads.
    """

    run: Callable[[SqliteTransaction], T]
    context: Context = field(default_factory=copy_context)
    together: Callable[[SqliteTransaction, Sequence[Any]], Sequence[T]] | None = None
    part: object = None
    turn: threading.Lock = field(default_factory=threading.Lock)
    leads: bool = False
    result: T | None = None
    error: BaseException | None = None


class Writer:
    """Group commit. What fails leaves the others of its group alone.

    Who finds nobody leading leads: runs what waits, commits, wakes whose jobs those were, and the one who leads next.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.begin_anew()
        _writers.add(self)

    def begin_anew(self) -> None:
        """Nobody waits and nobody leads; in a forked child those who did do not exist."""
        self._queue: deque[_Job[Any]] = deque()  # empty while nobody leads
        self._led = False
        self._mutex = threading.Lock()  # of these two
        self._connections.lock = threading.RLock()

    @property
    def lock(self) -> threading.RLock:
        """Held while a transaction is open."""
        return self._connections.lock

    def write(self, run: Callable[[SqliteTransaction], T]) -> T:
        """Runs a job and returns its result once it is committed. Raises what the job raised, or a StoreError."""
        return self._ask(_Job(run))

    def write_together(self, run: Callable[[SqliteTransaction, Sequence[P]], Sequence[T]], part: P) -> T:
        """The same for a part of a job: parts that wait for the same `run` are given to it in one call.

        When that call raises it is undone, and every part is given to `run` alone.
        """
        return self._ask(_Job(lambda tx: run(tx, [part])[0], together=run, part=part))

    def _ask(self, job: _Job[T]) -> T:
        group: list[_Job[Any]] = []
        job.turn.acquire()
        try:
            with self._mutex:
                self._queue.append(job)
                job.leads, self._led = not self._led, True
            if not job.leads:
                job.turn.acquire()
            if job.leads:
                self._lead(group)
        finally:
            self._leave(job, group)
        if job.error is not None:
            raise job.error
        return cast("T", job.result)

    def _leave(self, job: _Job[Any], group: list[_Job[Any]]) -> None:
        """Says who leads next and wakes whose jobs are settled. Who was interrupted takes back what nobody began."""
        with self._mutex:
            if job in self._queue:
                self._queue.remove(job)
            if job.leads:
                following = self._queue[0] if self._queue else None
                self._led = following is not None
                if following is not None:
                    following.leads = True
                    following.turn.release()
        for settled in group:
            settled.turn.release()

    def _lead(self, group: list[_Job[Any]]) -> None:
        """One transaction. group: gets the jobs that it settled, whatever became of them."""
        with self._connections.lock:
            connection: apsw.Connection | None = None
            try:
                connection = self._connections.writer()
                connection.execute("BEGIN IMMEDIATE")
                self._run(connection, group)
                connection.execute("COMMIT")
            except BaseException as error:  # noqa: BLE001  # whoever waits must hear of it, also when no job had begun
                self._fail(group, error)
            finally:
                if connection is not None and connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _run(self, connection: apsw.Connection, group: list[_Job[Any]]) -> None:
        from simonides.backend.sqlite.transaction import SqliteTransaction

        transaction = SqliteTransaction(connection)
        started = stopwatch()
        while len(group) < GROUP_JOBS_MAX and (not group or stopwatch() - started < GROUP_S_MAX):
            jobs = self._next()
            if not jobs:
                return
            whole = not group
            group += jobs
            again = _attempt(connection, transaction, jobs, whole=whole)
            if not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
                transaction = SqliteTransaction(connection)
            for job in again:
                _attempt(connection, transaction, [job], whole=False)

    def _next(self) -> list[_Job[Any]]:
        """The job that is next, and those behind it that run with it."""
        with self._mutex:
            jobs = [self._queue.popleft()] if self._queue else []
            together = jobs[0].together if jobs else None
            while together and self._queue and self._queue[0].together == together and len(jobs) < TOGETHER_MAX:
                jobs.append(self._queue.popleft())
            return jobs

    def _fail(self, group: list[_Job[Any]], error: BaseException) -> None:
        if isinstance(error, apsw.Error):
            error = translate(error, self._connections.path, self._connections.settings)
        with self._mutex:
            if not group:  # none had begun: none can
                group += self._queue
                self._queue.clear()
        for job in group:
            job.error = job.error or error


def _attempt(
    connection: apsw.Connection, transaction: SqliteTransaction, jobs: list[_Job[Any]], *, whole: bool
) -> list[_Job[Any]]:
    """Runs jobs; those to be run again are given back. whole: they are all that the transaction holds so far.

    What raises is undone: by the whole transaction, or else by a savepoint. One who writes alone needs none.
    """
    mark = transaction.mark()
    if not whole:
        connection.execute("SAVEPOINT job")
    try:
        if len(jobs) == 1:
            jobs[0].result = jobs[0].context.run(jobs[0].run, transaction)
        else:
            assert jobs[0].together is not None
            results = jobs[0].together(transaction, [job.part for job in jobs])
            for job, result in zip(jobs, results, strict=True):
                job.result = result
        transaction.settle()
        if not whole:
            connection.execute("RELEASE job")
    except BaseException as error:  # it belongs to the thread that asked
        alone = len(jobs) == 1 or not isinstance(error, Exception)
        for job in jobs if alone else ():
            job.error = error
        if not connection.in_transaction:
            raise
        if whole:
            connection.execute("ROLLBACK")
        else:
            connection.execute("ROLLBACK TO job")
            connection.execute("RELEASE job")
            transaction.reset(mark)
        return [] if alone else jobs
    return []


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
