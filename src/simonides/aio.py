"""The same verbs, awaited: each runs as one piece on a worker thread, so a verb costs one thread hop.

`AsyncStore` has the verbs of `Store` with the same parameters and results; a test compares them.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from simonides.aio_parts import AsyncConflicts, AsyncJobs, AsyncLog, AsyncTopics
from simonides.errors import StoreClosedError
from simonides.store import Store
from simonides.store import open as open_store

if TYPE_CHECKING:
    from simonides.config import Config

P = ParamSpec("P")
R = TypeVar("R")
WORKERS = 8  # threads per store: writers that wait together are committed together
RANKING = min(WORKERS, max(2, os.cpu_count() or 2))  # answers at a time: more would hold up the event loop


def _computes(store: Store) -> bool:
    """Whether questions are answered without waiting for a server that embeds them."""
    embedder = store._engine.embedder
    return embedder is None or getattr(embedder, "is_local", False)


def _twin(
    method: Callable[Concatenate[Store, P], R], *, ranks: bool = False
) -> Callable[Concatenate[AsyncStore, P], Coroutine[Any, Any, R]]:
    @functools.wraps(method)
    async def call(self: AsyncStore, /, *args: P.args, **kwargs: P.kwargs) -> R:
        store = self._opened()
        busy = ranks and (kwargs.get("query_vector") is not None or _computes(store))
        return await self._workers.run(functools.partial(method, store, *args, **kwargs), busy=busy)

    call.__doc__ = f"Awaited `Store.{method.__name__}`; see there."
    return call


def _opener(opening: Callable[P, Store], doc: str) -> Callable[P, AsyncStore]:
    @functools.wraps(opening)
    def call(*args: P.args, **kwargs: P.kwargs) -> AsyncStore:
        return AsyncStore(functools.partial(opening, *args, **kwargs), _Workers())

    call.__doc__ = doc
    return call


class _Workers:
    """The threads of one store, shared by all its handles."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(WORKERS, thread_name_prefix="simonides")
        self._ranking = ThreadPoolExecutor(RANKING, thread_name_prefix="simonides-ranking")
        self.closed = False

    async def run(self, call: Callable[[], R], *, busy: bool = False) -> R:
        """busy: the call computes all the time, and waits neither for a disk nor for a server."""
        if self.closed:
            raise StoreClosedError("the store was closed", hint="open it again")
        return await asyncio.get_running_loop().run_in_executor(self._ranking if busy else self._threads, call)

    def close(self) -> None:
        self.closed = True
        self._threads.shutdown(wait=False)
        self._ranking.shutdown(wait=False)


class AsyncStore:
    """A store for `async` code. Make it with `open_async`, as a context manager or awaited."""

    def __init__(self, opening: Callable[[], Store], workers: _Workers, *, owner: bool = True) -> None:
        self._opening = opening
        self._workers = workers
        self._owner = owner
        self._store: Store | None = None

    async def _run(self, call: Callable[[], R]) -> R:
        return await self._workers.run(call)

    def _opened(self) -> Store:
        if self._store is None:
            raise StoreClosedError("the store is not open", hint="use `async with` or await open_async(…)")
        return self._store

    async def __aenter__(self) -> AsyncStore:
        if self._store is None:
            self._store = await self._run(self._opening)
        return self

    def __await__(self) -> Generator[Any, None, AsyncStore]:
        return self.__aenter__().__await__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the file and ends the worker threads."""
        if self._store is not None and self._owner and not self._workers.closed:
            await self._run(self._store.close)
            self._workers.close()

    def in_namespace(self, namespace: str, *, sealed: bool = False) -> AsyncStore:
        """A handle on the same store bound to another namespace; see `Store.in_namespace`."""
        other = AsyncStore(self._opening, self._workers, owner=False)
        other._store = self._opened().in_namespace(namespace, sealed=sealed)
        return other

    from_config = staticmethod(_opener(Store.from_config, "Awaited `Store.from_config`; see there."))

    @property
    def namespace(self) -> str:
        """The namespace that verbs act in."""
        return self._opened().namespace

    @property
    def sealed(self) -> bool:
        """Whether this handle reaches its own namespace only."""
        return self._opened().sealed

    @property
    def read_only(self) -> bool:
        """Whether writing is refused."""
        return self._opened().read_only

    @property
    def config(self) -> Config:
        """The settings."""
        return self._opened().config

    @property
    def log(self) -> AsyncLog:
        """The retrieval log; see `Store.log`."""
        return AsyncLog(self._opened().log, self._run)

    @property
    def conflicts(self) -> AsyncConflicts:
        """Memories that disagree; see `Store.conflicts`."""
        return AsyncConflicts(self._opened().conflicts, self._run)

    @property
    def topics(self) -> AsyncTopics:
        """The topic tree; see `Store.topics`."""
        return AsyncTopics(self._opened().topics, self._run)

    @property
    def jobs(self) -> AsyncJobs:
        """The durable queue of upkeep; see `Store.jobs`."""
        return AsyncJobs(self._opened().jobs, self._run)

    @property
    def fts_match_failure_count(self) -> int:
        """See `Store.fts_match_failure_count`."""
        return self._opened().fts_match_failure_count

    namespaces = _twin(Store.namespaces)
    remember = _twin(Store.remember)
    remember_many = _twin(Store.remember_many)
    create_thought = _twin(Store.create_thought)
    update_thought = _twin(Store.update_thought)
    archive_thought = _twin(Store.archive_thought)
    restore_thought = _twin(Store.restore_thought)
    invalidate_thought = _twin(Store.invalidate_thought)
    delete_thought = _twin(Store.delete_thought)
    link = _twin(Store.link)
    unlink = _twin(Store.unlink)
    annotate = _twin(Store.annotate)
    alias_concept = _twin(Store.alias_concept)
    concepts = _twin(Store.concepts)
    embed_pending = _twin(Store.embed_pending)
    recall = _twin(Store.recall, ranks=True)
    retrieve = _twin(Store.retrieve, ranks=True)
    search_hybrid = _twin(Store.search_hybrid, ranks=True)
    search_fts = _twin(Store.search_fts, ranks=True)
    search_similar = _twin(Store.search_similar, ranks=True)
    search_reflections_only = _twin(Store.search_reflections_only, ranks=True)
    why_not = _twin(Store.why_not)
    explain = _twin(Store.explain)
    replay = _twin(Store.replay)
    read_query = _twin(Store.read_query)
    get_thought = _twin(Store.get_thought)
    get_thoughts = _twin(Store.get_thoughts)
    list_thoughts = _twin(Store.list_thoughts)
    count_thoughts = _twin(Store.count_thoughts)
    edges = _twin(Store.edges)
    history = _twin(Store.history)
    diff = _twin(Store.diff)
    changes = _twin(Store.changes)
    stats = _twin(Store.stats)
    verify = _twin(Store.verify)
    forget = _twin(Store.forget)
    purge = _twin(Store.purge)
    consolidate = _twin(Store.consolidate)
    compact = _twin(Store.compact)
    hygiene = _twin(Store.hygiene)
    expire = _twin(Store.expire)
    backup = _twin(Store.backup)
    reembed = _twin(Store.reembed)
    reembed_progress = _twin(Store.reembed_progress)
    reembed_wait = _twin(Store.reembed_wait)
    reembed_cancel = _twin(Store.reembed_cancel)
    export = _twin(Store.export)
    export_table = _twin(Store.export_table)
    import_ = _twin(Store.import_)


open_async = _opener(open_store, "The awaited `open`: `async with open_async(path) as store: …`; the same parameters.")
