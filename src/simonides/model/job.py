"""What is there to do, and what went wrong?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.errors import SimonidesError
    from simonides.model.thought import Json


@dataclass(frozen=True, slots=True)
class Job:
    """A unit of upkeep in the durable queue.

    state: ready, running, done or dead (given up after `attempts_max`). namespace None: the whole store.
    key: there is one open job per kind, namespace and key. lease: a running job belongs to `lease_owner` until
    `lease_until`; then anyone may take it over.
    """

    job_id: int
    kind: str
    namespace: str | None
    payload: Mapping[str, Json]
    key: str | None
    state: str
    attempts: int
    attempts_max: int
    run_after: datetime
    lease_owner: str | None
    lease_until: datetime | None
    last_error: str | None
    created_at: datetime
    finished_at: datetime | None

    def to_dict(self) -> dict[str, Json]:
        """JSON values."""
        out: dict[str, Json] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            out[name] = value.isoformat() if isinstance(value, datetime) else value
        out["payload"] = dict(self.payload)
        return out


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Something that this process could not do. error: typed. count: how often in a row. lost: rows given up.

    at: the last time. job_id: None for what never was in the queue of the file. namespace None: the whole store.
    """

    kind: str
    error: SimonidesError
    at: datetime
    count: int = 1
    lost: int = 0
    job_id: int | None = None
    namespace: str | None = None

    def __str__(self) -> str:
        times = f" ({self.count} times)" if self.count > 1 else ""
        lost = f", {self.lost} lost" if self.lost else ""
        return f"{self.kind}: {self.error}{times}{lost}"
