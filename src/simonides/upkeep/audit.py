"""When is an answer written down? Soon, by a thread of its own, many in one commit: the job `audit.write`.

The queue of this one kind of job is in memory, so that a question never waits for a disk. Rows that could not be
written stay and are tried again; what is lost is counted in `store.jobs`. How often thoughts were shown is added up
on the same way: `upkeep/usage.py`.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING

from simonides.clock import DAY, system_clock
from simonides.config import AuditConfig, Config, answering
from simonides.errors import AuditError, SimonidesError
from simonides.upkeep.usage import PAUSE_S as COUNTS_S
from simonides.upkeep.usage import Usage

if TYPE_CHECKING:
    from simonides.backend.audit_port import NewLog
    from simonides.backend.port import Database, Transaction
    from simonides.engine import Loggable
    from simonides.upkeep.failures import Failures

KIND = "audit.write"
BATCH = 500  # rows per commit
PRUNED = 200  # rows that end per commit, at most, beyond as many as were written
PAUSE_S = 5.0  # the longest pause after a failure
_open: weakref.WeakSet[AuditLog] = weakref.WeakSet()


class _Signals:
    """How a thread is told that there is something to do, or that it shall end."""

    def __init__(self) -> None:
        self.bell = threading.Event()
        self.stop = threading.Event()

    def end(self) -> None:
        self.stop.set()
        self.bell.set()


class AuditLog:
    """The queue and its writer. Made for every mode but "off"."""

    def __init__(self, database: Database, config: Config, failures: Failures) -> None:
        self._database = database
        self._config: AuditConfig = config.audit
        self._settings = json.dumps(answering(config), separators=(",", ":"))
        self._failures = failures
        self.written = 0
        self.lost = 0
        self._closed = False
        self.begin_anew()
        _open.add(self)

    def begin_anew(self) -> None:
        """An empty queue and no thread. In a forked child the parent writes what was waiting."""
        self._queue: deque[Loggable] = deque()
        self._backlog: list[NewLog] = []
        self._usage = Usage()
        self._writing = threading.RLock()
        self._starting = threading.Lock()
        self._counting = threading.Lock()
        self._signals = _Signals()
        self._thread: threading.Thread | None = None
        self._tries = 0
        weakref.finalize(self, self._signals.end)

    @property
    def waiting(self) -> int:
        """Rows that are not written yet."""
        return len(self._queue) + len(self._backlog)

    def record(self, entry: Loggable) -> str | None:
        """Takes an answer; returns why it will not be kept, or None."""
        if self._database.read_only:
            return "unavailable: the store is open read-only"
        if self._config.mode == "sync":
            return self._now(entry)
        if self.waiting >= self._config.queue_max:
            self._lose(1)
            error = AuditError(
                f"the audit queue of {self._config.queue_max} rows was full", hint="raise audit.queue_max, or look why"
            )
            self._failures.note(KIND, error, entry.asked_at, lost=1)
            return "not written: the queue is full"
        self._queue.append(entry)
        if not self._signals.bell.is_set():
            self._ring()
        return None

    def flush(self) -> None:
        """Writes what waits, counts too. Raises what the database raised; all of it stays for another try."""
        with self._writing:
            self._write_rows()
            self._write_counts()

    def _write_rows(self) -> None:
        while self._queue or self._backlog:
            self._backlog += self._rows(BATCH - len(self._backlog))
            self._write(self._backlog)
            self._backlog = []

    def _write_counts(self) -> None:
        if len(self._usage):
            self._database.write(self._usage.write)
            self._usage.clear()

    def prune(self, before: int) -> int:
        """Ends what retention, or an earlier instant, ends; in small steps. Returns how many rows."""
        total, step = 0, PRUNED
        while step:
            step = self._database.write(lambda tx: tx.audit.prune(before, self._config.retention_rows, PRUNED))
            total += step
        return total

    def horizon(self, now: int) -> int:
        """The instant before which rows end."""
        return now - int(self._config.retention_days * DAY)

    def close(self) -> None:
        """Ends the thread and writes what waits; what cannot be written is lost, counted and said."""
        if self._closed:
            return
        self._closed = True
        self._signals.end()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        try:
            self.flush()
        except SimonidesError as error:
            import logging

            lost = self.waiting
            self._lose(lost)
            self._failures.note(KIND, AuditError(f"lost when the store was closed: {error}"), system_clock(), lost=lost)
            logging.getLogger("simonides.audit").error("%d rows of the retrieval log are lost: %s", lost, error)

    def _ring(self) -> None:
        self._signals.bell.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    arguments = (weakref.ref(self), self._signals, self._config.window_ms / 1000)
                    self._thread = threading.Thread(target=_serve, args=arguments, name="simonides-audit", daemon=True)
                    self._thread.start()

    def _now(self, entry: Loggable) -> str | None:
        counts = Usage()
        counts.note(entry.shown, entry.asked_at)
        try:  # several threads may share a commit
            self._write([entry.row(self._settings, text=self._config.text)], counts)
        except SimonidesError as error:
            self._lose(1)
            return f"not written: {error.message}"
        return None

    def _rows(self, limit: int) -> list[NewLog]:
        """The next entries as text. One that cannot be put into words is counted and left out."""
        rows: list[NewLog] = []
        while self._queue and len(rows) < limit:
            entry = self._queue.popleft()
            self._usage.note(entry.shown, entry.asked_at)
            try:
                rows.append(entry.row(self._settings, text=self._config.text))
            except Exception as error:  # noqa: BLE001  # the edge of a thread: the others shall be written
                self._lose(1)
                wrapped = AuditError(f"an answer could not be put into words: {type(error).__name__}: {error}")
                self._failures.note(KIND, wrapped, entry.asked_at, lost=1)
        return rows

    def _write(self, rows: list[NewLog], counts: Usage | None = None) -> None:
        if not rows:
            return
        newest = max(new.row.at for new in rows)

        def job(tx: Transaction) -> None:
            tx.audit.add(rows)
            tx.audit.prune(self.horizon(newest), self._config.retention_rows, PRUNED + len(rows))
            if counts is not None:
                counts.write(tx)

        try:
            self._database.write(job)
        except SimonidesError as error:
            with self._counting:
                self._tries += 1
            self._failures.note(KIND, AuditError(f"not written: {error.message}", hint=error.hint), newest)
            raise
        with self._counting:
            self._tries = 0
            self.written += len(rows)

    def _lose(self, count: int) -> None:
        with self._counting:
            self.lost += count

    def _served(self) -> float:
        """One round of the thread; returns how long to pause because of a failure."""
        try:
            with self._writing:
                self._write_rows()
                if self._usage.due:
                    self._write_counts()
        except SimonidesError:
            return min(PAUSE_S, self._config.window_ms / 1000 * 2.0 ** min(self._tries, 20))
        except Exception as error:  # noqa: BLE001  # the edge of a thread: whoever looks at store.jobs must hear of it
            self._failures.note(KIND, AuditError(f"{type(error).__name__}: {error}"), system_clock())
            return PAUSE_S
        return 0.0


def _serve(log: weakref.ref[AuditLog], signals: _Signals, window_s: float) -> None:
    """The thread. It keeps the log alive only while there is something to write."""
    patience: float | None = None
    while not signals.stop.is_set():  # asked after the bell was put down: `end` may have rung it meanwhile
        signals.bell.wait(patience)
        mine = log()
        if mine is None or signals.stop.is_set():
            return
        signals.stop.wait(window_s)
        signals.bell.clear()
        pause = mine._served()
        patience = COUNTS_S if len(mine._usage) else None
        if pause:
            signals.bell.set()
            signals.stop.wait(pause)
        del mine
        if signals.stop.is_set():
            return  # looked at after the bell was cleared, so that no ring for the end is lost


def _flush_at_exit() -> None:
    for log in list(_open):
        log.close()


def _after_fork() -> None:
    for log in list(_open):
        log._failures.begin_anew()
        log.begin_anew()


atexit.register(_flush_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
