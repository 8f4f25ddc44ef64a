"""What is learnt on the way from a question to its answer? Kept for the answer, and for whoever asks why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.clock import stopwatch
from simonides.model.answer import Degradation, HybridSearchResult
from simonides.read.plan import Plan

if TYPE_CHECKING:
    from simonides.read.candidates import Space
    from simonides.read.fuse import Ranking

Ints = npt.NDArray[np.int64]


@dataclass(slots=True)
class Trail:
    """Notes of one question. timings: seconds per stage.

    spaces, ranking (of the whole pool), order (best first) and window (what the cut left, indices of `shown`) are
    there once their stage is done. collapsed: index of a row → index of the one that stands for it. alike: (space, row
    id) of a thought → of the better one that it is like.
    """

    degraded: list[Degradation] = field(default_factory=list)
    backends: set[str] = field(default_factory=set)
    timings: dict[str, float] = field(default_factory=dict)
    evicted: frozenset[tuple[int, int]] = frozenset()
    alike: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    pool: int = 0
    confidence: float | None = None
    spaces: tuple[Space, ...] = ()
    ranking: Ranking | None = None
    order: Ints | None = None
    kept: Ints | None = None
    beside: Ranking | None = None
    begun: float = field(default_factory=stopwatch)
    started: float = field(default_factory=stopwatch)
    out_of_time: bool = False

    def late(self, max_ms: float | None, what: str) -> bool:
        """Whether the time budget is used up; then `what` is left out, and the answer says so."""
        if max_ms is None or (stopwatch() - self.begun) * 1e3 < max_ms:
            return False
        if not self.out_of_time:
            self.degraded.append(Degradation(what, f"left out: the budget of {max_ms:g} ms was used up"))
        self.out_of_time = True
        return True

    def lap(self, stage: str) -> None:
        """Notes the seconds since the last lap."""
        now = stopwatch()
        self.timings[stage] = now - self.started
        self.started = now


Observer = Callable[[Plan, Trail, HybridSearchResult], None]
_observer: ContextVar[Observer | None] = ContextVar("simonides_observer", default=None)


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """While the block lasts, searches of this thread show the observer their trail, inside their snapshot."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def observer() -> Observer | None:
    """Who watches the searches of this thread."""
    return _observer.get()
