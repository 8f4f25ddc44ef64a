"""What does the queue of jobs need from a database?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

EMBED_PENDING = "embed.pending"  # the kinds that are asked for outside of `upkeep.kinds`
REEMBED = "vectors.reembed"  # goes on with a change of the model
SPLIT_TOPICS = "topics.split"  # splits leaves above the soft cap, and names topics that have no label
ATTEMPTS = 8  # before a job is given up, unless its kind says otherwise


@dataclass(frozen=True, slots=True)
class NewJob:
    """Something to do. namespace: "" for the whole store. key: while a job of this key is open there is no other."""

    kind: str
    namespace: str
    at: int
    key: str | None = None
    payload: str = "{}"
    run_after: int | None = None  # None: at once
    attempts_max: int = ATTEMPTS


class JobRow(NamedTuple):
    """A job as stored."""

    job: int
    kind: str
    namespace: str
    payload: str
    key: str | None
    state: str
    attempts: int
    attempts_max: int
    run_after: int
    lease_owner: str | None
    lease_until: int | None
    last_error: str | None
    created_at: int
    finished_at: int | None


class Claim(NamedTuple):
    """Who wants a job: kinds that it can do, one namespace or all (None), and until when it would hold it."""

    owner: str
    kinds: Sequence[str]
    namespace: str | None
    now: int
    until: int


class JobsReader(Protocol):
    """Reads of one snapshot. namespace None: every namespace."""

    def due(self, kinds: Sequence[str], namespace: str | None, now: int) -> bool: ...
    def get(self, job: int) -> JobRow | None: ...
    def newest(self, kind: str, namespace: str) -> JobRow | None: ...
    def page(self, state: str | None, namespace: str | None, after: int, limit: int) -> list[JobRow]: ...
    def counts(self, namespace: str | None) -> dict[str, dict[str, int]]: ...


class JobsWriter(JobsReader, Protocol):
    """Writes inside the caller's transaction. What takes an owner does nothing once the lease is somebody else's."""

    def put(self, job: NewJob) -> int: ...
    def claim(self, claim: Claim) -> JobRow | None: ...
    def renew(self, job: int, owner: str, until: int) -> bool: ...
    def finish(self, job: int, owner: str, now: int) -> bool: ...
    def fail(self, job: int, owner: str, now: int, *, run_after: int, error: str) -> str | None: ...
    def release(self, job: int, owner: str, now: int) -> None: ...
    def retry(self, job: int, now: int) -> int | None: ...
