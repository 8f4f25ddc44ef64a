"""Where in SQLite does the queue of jobs live?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simonides.backend.jobs_port import Claim, JobRow, NewJob
from simonides.backend.sqlfile import load

if TYPE_CHECKING:
    import apsw

_SQL = load("simonides.backend.sqlite", "jobs.sql")
KEPT = 1_000  # finished jobs that can still be looked at
FORGET = 100  # of the others, per finished job


class JobRows:
    """The queue's table on one connection: `JobsReader` and, inside a transaction, `JobsWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _all(self, name: str, **values: object) -> list[Any]:
        return self._connection.execute(_SQL[name], values).fetchall()

    def due(self, kinds: Sequence[str], namespace: str | None, now: int) -> bool:
        return bool(self._all("due", kinds=json.dumps(list(kinds)), namespace=namespace, now=now)[0][0])

    def get(self, job: int) -> JobRow | None:
        found = self._all("get", job=job)
        return JobRow(*found[0]) if found else None

    def newest(self, kind: str, namespace: str) -> JobRow | None:
        """The last job of a kind that is not done."""
        found = self._all("newest", kind=kind, namespace=namespace)
        return JobRow(*found[0]) if found else None

    def page(self, state: str | None, namespace: str | None, after: int, limit: int) -> list[JobRow]:
        """In the order in which they were asked for, beginning after a job."""
        return [
            JobRow(*found) for found in self._all("list", state=state, namespace=namespace, after=after, limit=limit)
        ]

    def counts(self, namespace: str | None) -> dict[str, dict[str, int]]:
        """kind → state → number."""
        found: dict[str, dict[str, int]] = {}
        for kind, state, count in self._all("counts", namespace=namespace):
            found.setdefault(kind, {})[state] = count
        return found

    def put(self, job: NewJob) -> int:
        """The number of the job, or of the open one that has its key."""
        run_after = job.at if job.run_after is None else job.run_after
        values = {"kind": job.kind, "namespace": job.namespace, "payload": job.payload, "key": job.key}
        values |= {"attempts_max": job.attempts_max, "run_after": run_after, "created_at": job.at}  # type: ignore[dict-item]  # numbers
        return int(self._all("put", **values)[0][0])

    def claim(self, claim: Claim) -> JobRow | None:
        """Takes the job that has waited longest; jobs whose worker died too often are given up on the way."""
        self._all("bury", now=claim.now, namespace=claim.namespace)
        found = self._all("claim", **{**claim._asdict(), "kinds": json.dumps(list(claim.kinds))})
        return JobRow(*found[0]) if found else None

    def renew(self, job: int, owner: str, until: int) -> bool:
        return bool(self._all("renew", job=job, owner=owner, until=until))

    def finish(self, job: int, owner: str, now: int) -> bool:
        done = bool(self._all("finish", job=job, owner=owner, now=now))
        self._all("forget", kept=KEPT, limit=FORGET)
        return done

    def fail(self, job: int, owner: str, now: int, *, run_after: int, error: str) -> str | None:
        """The new state, ready or dead; None when the lease was lost."""
        found = self._all("fail", job=job, owner=owner, now=now, run_after=run_after, error=error)
        return str(found[0][0]) if found else None

    def release(self, job: int, owner: str, now: int) -> None:
        self._all("release", job=job, owner=owner, now=now)

    def retry(self, job: int, now: int) -> int | None:
        """The number of the job that will run; the open one where the key has one already. None: nothing to retry."""
        twin = self._all("twin", job=job)
        if twin:
            self._all("drop", job=job)
            return int(twin[0][0])
        found = self._all("retry", job=job, now=now)
        return int(found[0][0]) if found else None
