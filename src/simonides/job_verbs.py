"""What is there to do for a store, and what went wrong? `store.jobs`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from simonides.clock import SECOND
from simonides.errors import ConfigError, InvalidQueryError, JobError, NamespaceError
from simonides.model.namespace import check_namespace
from simonides.upkeep.audit import KIND as AUDIT_WRITE
from simonides.upkeep.jobs import job_of

if TYPE_CHECKING:
    from simonides.engine import Engine
    from simonides.model.job import Job, JobFailure
    from simonides.model.thought import Json
    from simonides.upkeep.desk import Desk

JOBS_PAGE = 10_000  # jobs of one page, at most
STATES = ("ready", "running", "done", "dead")


class Jobs:
    """The durable queue as one handle sees it: all of the store's jobs, or of a sealed handle its own namespace's."""

    def __init__(self, engine: Engine, desk: Desk, namespace: str, sealed: bool) -> None:
        self._engine = engine
        self._desk = desk
        self._namespace = namespace
        self._only = namespace if sealed else None

    def run(self, limit: int | None = None) -> int:
        """Runs jobs that are due, at most so many; returns how many were done. A failed one is put off, see `failures`.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     store.jobs.run()
        0
        """
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise InvalidQueryError(f"limit is {limit!r}; expected a whole number of at least 0")
        self._desk.flush()
        return self._desk.runner.run(limit, self._only)

    def ask(
        self,
        kind: str,
        payload: Mapping[str, Json] | None = None,
        *,
        after_s: float = 0.0,
        namespace: str | None = None,
    ) -> Job:
        """Puts a job of a known kind into the queue of a namespace, due after so many seconds, and returns it.

        An open job of the kind and namespace stays the only one. Kinds that are asked for by hand: conflicts.scan,
        hygiene (payload: erase, limit), expire (payload: action). Raises JobError for an unknown kind.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     _ = store.remember("The guest code is 1234", expires_at="2020-01-01")
        ...     _ = store.jobs.ask("expire", {"action": "erase"})
        ...     store.jobs.run(), store.count_thoughts(include_expired=True)
        (1, 0)
        """
        from simonides.upkeep.kinds import kinds

        known = kinds()
        if kind not in known:
            raise JobError(f"there is no kind {kind!r:.80}", hint=f"one of {', '.join(sorted(known))}")
        if isinstance(after_s, bool) or not isinstance(after_s, (int, float)) or not 0 <= after_s < 1e9:
            raise InvalidQueryError(f"after_s is {after_s!r}; expected seconds of at least 0")
        name = self._namespace if namespace is None else check_namespace(namespace)
        if self._only is not None and name != self._only:
            raise NamespaceError("this handle is sealed: it reaches its own namespace only")
        now = self._engine.clock()
        job = known[kind].job(name, now, payload=json.dumps(dict(payload or {})))
        job = replace(job, run_after=now + round(after_s * SECOND))
        number = self._engine.database.write(lambda tx: tx.jobs.put(job))
        with self._engine.database.snapshot() as snapshot:
            row = snapshot.jobs.get(number)
        assert row is not None
        return job_of(row)

    def list(self, *, state: str | None = None, limit: int = 100, after: int = 0) -> tuple[Job, ...]:
        """Jobs in the order in which they were asked for. after: the job_id where the last page ended.

        state: ready, running, done or dead; of the done ones only the last thousand are kept.
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= JOBS_PAGE:
            raise InvalidQueryError(f"limit is {limit!r}; expected 1..{JOBS_PAGE}")
        if state is not None and state not in STATES:
            raise InvalidQueryError(f"state is {state!r}; expected one of {', '.join(STATES)}")
        with self._engine.database.snapshot() as snapshot:
            return tuple(job_of(row) for row in snapshot.jobs.page(state, self._only, after, limit))

    def counts(self) -> dict[str, dict[str, int]]:
        """kind → state → how many. `audit.write`, whose queue is in memory, counts rows of this process."""
        with self._engine.database.snapshot() as snapshot:
            found = snapshot.jobs.counts(self._only)
        audit = self._desk.audit
        if audit is not None and self._only is None:
            found[AUDIT_WRITE] = {"ready": audit.waiting, "done": audit.written, "dead": audit.lost}
        return found

    @property
    def failures(self) -> tuple[JobFailure, ...]:
        """What this process could not do, typed and counted, the newest last: lost rows of the log, failed jobs."""
        found = self._desk.failures.last()
        return found if self._only is None else tuple(f for f in found if f.namespace == self._only)

    def check(self) -> None:
        """Raises the error of the newest failure, if there is one: for a health check."""
        found = self.failures
        if found:
            raise found[-1].error

    def retry(self, job_id: int) -> Job:
        """Makes a job that was given up, or that waits for its next attempt, due at once with all its attempts.

        Raises JobError for a job that is done, running or unknown.
        """
        now = self._engine.clock()
        with self._engine.database.snapshot() as snapshot:
            known = snapshot.jobs.get(job_id)
        if known is None or (self._only is not None and known.namespace != self._only):
            raise JobError(f"there is no job {job_id!r}", hint="see store.jobs.list()")
        number = self._engine.database.write(lambda tx: tx.jobs.retry(job_id, now))
        if number is None:
            raise JobError(f"job {job_id} is {known.state}; only ready and dead ones can be retried")
        with self._engine.database.snapshot() as snapshot:
            row = snapshot.jobs.get(number)
        assert row is not None
        return job_of(row)

    def start(self, every_s: float = 1.0) -> None:
        """Starts a thread that runs due jobs, looking for them so often. It ends with `stop` or with the store."""
        if self._engine.database.read_only:
            raise ConfigError("the store is open read-only: jobs change it", hint="open it without read_only=True")
        if isinstance(every_s, bool) or not isinstance(every_s, (int, float)) or not 0 < every_s < 1e6:
            raise InvalidQueryError(f"every_s is {every_s!r}; expected seconds above 0")
        if self._only is not None:
            raise NamespaceError("this handle is sealed: the thread works for the whole store", hint="use jobs.run()")
        self._desk.worker.start(None, every_s)

    def stop(self) -> None:
        """Ends the thread after the job at hand."""
        self._desk.worker.stop()
