"""The sub-objects of a store, awaited: `log`, `jobs`, `topics` and `conflicts` of an AsyncStore."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from simonides.conflict_verbs import Conflicts
from simonides.job_verbs import Jobs
from simonides.log_verbs import Log
from simonides.topic_verbs import Topics

if TYPE_CHECKING:
    from simonides.model.job import JobFailure

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Run(Protocol):
    """Runs a call on a worker thread."""

    def __call__(self, call: Callable[[], R], /) -> Coroutine[Any, Any, R]: ...


class Part(Generic[T]):
    """A sub-object whose verbs run on worker threads."""

    def __init__(self, part: T, run: Run) -> None:
        self._part = part
        self._run = run


def awaited(method: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[Part[T], P], Coroutine[Any, Any, R]]:
    """The awaited twin of a verb."""

    @functools.wraps(method)
    async def call(self: Part[T], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._run(functools.partial(method, self._part, *args, **kwargs))

    call.__doc__ = f"Awaited `{method.__qualname__}`; see there."
    return call


class AsyncLog(Part[Log]):
    """`Store.log`, awaited."""

    list = awaited(Log.list)
    get = awaited(Log.get)
    count = awaited(Log.count)
    prune = awaited(Log.prune)
    anchor = awaited(Log.anchor)
    seal = awaited(Log.seal)
    seals = awaited(Log.seals)
    prune_journal = awaited(Log.prune_journal)


class AsyncJobs(Part[Jobs]):
    """`Store.jobs`, awaited; `failures` is at hand without."""

    run = awaited(Jobs.run)
    ask = awaited(Jobs.ask)
    list = awaited(Jobs.list)
    counts = awaited(Jobs.counts)
    retry = awaited(Jobs.retry)
    check = awaited(Jobs.check)
    start = awaited(Jobs.start)
    stop = awaited(Jobs.stop)

    @property
    def failures(self) -> tuple[JobFailure, ...]:
        """See `Jobs.failures`."""
        return self._part.failures


class AsyncTopics(Part[Topics]):
    """`Store.topics`, awaited."""

    tree = awaited(Topics.tree)
    rebalance = awaited(Topics.rebalance)
    fold = awaited(Topics.fold)
    check = awaited(Topics.check)
    create = awaited(Topics.create)
    file = awaited(Topics.file)
    unfile = awaited(Topics.unfile)
    filed = awaited(Topics.filed)


class AsyncConflicts(Part[Conflicts]):
    """`Store.conflicts`, awaited."""

    scan = awaited(Conflicts.scan)
    list = awaited(Conflicts.list)
    get = awaited(Conflicts.get)
    counts = awaited(Conflicts.counts)
    confirm = awaited(Conflicts.confirm)
    reject = awaited(Conflicts.reject)
