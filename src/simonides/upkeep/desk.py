"""What runs beside the verbs of one open store? The writer of the retrieval log, the jobs, and what went wrong."""

from __future__ import annotations

import atexit
import os
import weakref
from functools import cached_property
from typing import TYPE_CHECKING

from simonides.upkeep.audit import AuditLog
from simonides.upkeep.failures import Failures
from simonides.upkeep.jobs import Runner, Worker

if TYPE_CHECKING:
    from simonides.embedders.port import ModelInfo
    from simonides.engine import Engine


class Desk:
    """Shared by all handles of an open store. audit is None when nothing is kept."""

    def __init__(self, engine: Engine) -> None:
        self.failures = Failures()
        self.audit: AuditLog | None = None
        if engine.config.audit.mode != "off":
            self.audit = AuditLog(engine.database, engine.config, self.failures)
            engine.erasure_hooks.append(self.audit.flush)
        engine.auditor = self.audit
        self.runner = Runner(engine, self.failures)
        self.worker = Worker(self.runner)
        self._engine = engine
        self._process = os.getpid()
        _open.add(self)
        self.changing: ModelInfo | None = None  # the model that was last asked for here

    @cached_property
    def changer(self) -> Worker:
        """Runs while the model changes."""
        from simonides.backend.jobs_port import REEMBED

        return Worker(Runner(self._engine, self.failures, only=REEMBED))

    def flush(self) -> None:
        """Writes what waits for the retrieval log. Raises what the database raises."""
        if self.audit is not None:
            self.audit.flush()

    def keep(self) -> None:
        """Leaves in the file what spares the next process time, once."""
        if self in _open and self._process == os.getpid():
            _open.discard(self)
            if self._engine.has_looked:
                from simonides.upkeep.kept import keep

                keep(self._engine)

    def close(self) -> None:
        """Ends the threads and writes what waits."""
        if "changer" in self.__dict__:
            self.changer.stop()
        self.worker.stop()
        try:
            self.keep()
        finally:
            if self.audit is not None:
                self.audit.close()


_open: weakref.WeakSet[Desk] = weakref.WeakSet()


def _keep_at_exit() -> None:
    for desk in list(_open):
        desk.keep()


atexit.register(_keep_at_exit)
