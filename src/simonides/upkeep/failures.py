"""What could this process not do? The last failures, typed and counted, for `store.jobs`."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from simonides.clock import to_datetime

if TYPE_CHECKING:
    from simonides.errors import SimonidesError
    from simonides.model.job import JobFailure

KEPT = 100  # failures that can be looked at


class Failures:
    """Safe to share between threads."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Nothing has failed; in a forked child nobody holds the lock either."""
        self._lock = threading.Lock()
        self._last: deque[JobFailure] = deque(maxlen=KEPT)

    def note(
        self, kind: str, error: SimonidesError, at: int, *, lost: int = 0, job: int | None = None, where: str = ""
    ) -> None:
        """Notes a failure. One that repeats the last of its kind is counted there."""
        from simonides.model.job import JobFailure

        with self._lock:
            for place, old in enumerate(self._last):
                if (old.kind, old.job_id, type(old.error), str(old.error)) == (kind, job, type(error), str(error)):
                    again = replace(old, error=error, at=to_datetime(at), count=old.count + 1, lost=old.lost + lost)
                    del self._last[place]
                    self._last.append(again)
                    return
            self._last.append(JobFailure(kind, error, to_datetime(at), 1, lost, job, where or None))

    def last(self) -> tuple[JobFailure, ...]:
        """The last ones, newest last."""
        with self._lock:
            return tuple(self._last)
