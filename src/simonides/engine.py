"""What do both stories need? A database, the settings, the analyser, the embedder and the memory of namespaces."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from simonides.clock import SECOND, Clock, stopwatch, system_clock
from simonides.embedders.door import EmbedderDoor
from simonides.embedders.port import Embedder, ModelInfo
from simonides.errors import ModelMismatchError, StoreBusyError

if TYPE_CHECKING:
    from simonides.backend.audit_port import NewLog
    from simonides.backend.history_port import PastPassage
    from simonides.backend.port import Database, Snapshot
    from simonides.backend.rows import Analysed, NamespaceState
    from simonides.config import Config
    from simonides.index.past import LookedBack
    from simonides.index.shelf import Library, Shelf, View
    from simonides.text.analysis import Analyzer

GIVEN = "given"
SNAPSHOT_TRIES = 20
_job: ContextVar[str | None] = ContextVar("simonides_job", default=None)


@contextmanager
def at_work(kind: str) -> Iterator[None]:
    """While the block lasts, what this thread changes is noted as the work of a job."""
    token = _job.set(kind)
    try:
        yield
    finally:
        _job.reset(token)


class Loggable(Protocol):
    """An answered question that can be turned into a row of the retrieval log, later and by another thread."""

    @property
    def asked_at(self) -> int: ...
    @property
    def shown(self) -> Sequence[tuple[str, str]]:
        """Namespace and id of every thought that the answer shows."""
        ...

    def row(self, settings: str, *, text: bool) -> NewLog: ...


class Auditor(Protocol):
    """Who keeps the retrieval log."""

    def record(self, entry: Loggable) -> str | None:
        """Takes an answer; returns why it will not be kept, or None."""
        ...


@dataclass
class Engine:
    """One open store. `embedder_is_default` says that nobody chose the embedder: then the store's model decides."""

    database: Database
    config: Config
    embedder: Embedder | None
    embedder_is_default: bool
    owner: str = "caller"  # who opened the store
    clock: Clock = system_clock
    fts_match_failure_count: int = 0
    auditor: Auditor | None = None
    erasure_hooks: list[Callable[[], None]] = field(default_factory=list)  # write out what waits in memory
    _seen: tuple[int, float] | None = None
    _model: tuple[str, ModelInfo] | None = None  # as stored, and read
    _outside: tuple[ModelInfo | None] | tuple[()] = ()
    _spare: EmbedderDoor | None = None  # of the model that comes, or of the one that went
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def analyzer(self) -> Analyzer:
        from simonides.text.analysis import Analyzer

        return Analyzer(self.config.text.language)

    @cached_property
    def stop_words(self) -> frozenset[str]:
        from simonides.text.stopwords import stop_words

        language = self.config.text.language
        return stop_words(language) if self.config.text.stop_words and language else frozenset()

    @cached_property
    def library(self) -> Library:
        from simonides.index.shelf import Library

        return Library(self.config.store.lexicon_cache_mb)

    @cached_property
    def _door(self) -> EmbedderDoor | None:
        return None if self.embedder is None else EmbedderDoor(self.embedder)

    @property
    def actor(self) -> str:
        """Who changes something now, for the journal: whoever opened the store, or a job that runs for them."""
        job = _job.get()
        return self.owner if job is None else f"{self.owner} job:{job}"

    def model(self, snapshot: Snapshot) -> ModelInfo | None:
        """Whose vectors the store holds; None before the first one."""
        return self._model_of(snapshot.meta("model"))  # read every time: another process may have changed the model

    def model_outside(self, *, afresh: bool = True) -> ModelInfo | None:
        """The same outside of any snapshot. Not afresh: as it was when last read, and it may be another one by now."""
        if afresh or not self._outside:
            with self.database.snapshot() as snapshot:
                self._outside = (self.model(snapshot),)
        return self._outside[0]

    def _model_of(self, text: str | None) -> ModelInfo | None:
        if text is None:
            return None
        known = self._model
        if known is None or known[0] != text:
            known = self._model = (text, read_model(text))
        return known[1]

    def expect(self, embedder: Embedder) -> None:
        """Asks another embedder as soon as the store's vectors are of its model."""
        self._spare = EmbedderDoor(embedder)

    def use(self, embedder: Embedder) -> None:
        """Asks another embedder from now on; the old one only for what still sees its model."""
        with self._lock:
            self._spare = self._door
            self.embedder, self.embedder_is_default = embedder, False
            self.__dict__["_door"] = EmbedderDoor(embedder)

    def door_of(self, model: ModelInfo) -> EmbedderDoor | None:
        """An embedder at hand that makes vectors of a model, whether the store has it yet or not."""
        return next((door for door in (self._spare, self._door) if door is not None and door.info == model), None)

    def door(self, model: ModelInfo | None) -> EmbedderDoor | None:
        """The embedder that fits the store's vectors; None when there is none to ask.

        Raises ModelMismatchError when the configured embedder makes other vectors than those stored.
        """
        door = self._door
        if door is None or model is None:
            return door
        if self.embedder_is_default and model.model_id.partition(":")[0] == GIVEN:
            return None
        spare = self._spare
        if door.info != model and spare is not None and spare.info == model:
            return spare
        if door.info != model:
            raise ModelMismatchError(
                f"stored: {describe(model)}, configured: {describe(door.info)}",
                hint="open the store with its own model; text search goes on without vectors",
            )
        return door

    @contextmanager
    def looking(self, namespaces: tuple[str, ...], *, vectors: bool = True, as_of: int | None = None) -> Iterator[Look]:
        """One snapshot of some namespaces, with their shelves brought up to it. as_of: how they were at an instant."""
        for _ in range(SNAPSHOT_TRIES):
            with self.database.snapshot() as snapshot:
                look = self._look(snapshot, namespaces, vectors)
                if look is not None:
                    yield look if as_of is None else self._back(look, as_of)
                    return
        raise StoreBusyError("the store changed faster than it could be read", hint="try again")

    def _look(self, snapshot: Snapshot, namespaces: tuple[str, ...], vectors: bool) -> Look | None:
        opened = {name: snapshot.opening(name) for name in namespaces}
        states = {name: opening.state for name, opening in opened.items()}
        model = self._model_of(next(iter(opened.values())).model)
        dimension = model.dimension if vectors and model is not None else None
        kind = None if model is None else f"{model.model_id} {model.fingerprint}"
        shelves: dict[str, Shelf] = {}
        views: dict[str, View] = {}
        for name, state in states.items():
            if state.ns == 0:
                continue
            shelf = self.library.shelf(state.ns)
            view = shelf.view(snapshot, state, dimension, kind, opened[name].tree)
            if view is None:
                return None
            shelves[name], views[name] = shelf, view
        return Look(snapshot, states, model, shelves, views)

    def _back(self, look: Look, as_of: int) -> Look:
        """The same namespaces as they were at an instant."""
        from simonides.index.passages import analysed
        from simonides.index.past import PAST_PID, look_back

        past = look.snapshot.past(as_of)
        found: dict[str, LookedBack] = {}
        made: list[PastPassage] = []

        def analyse(content: str, essence: str | None, speaker: str | None) -> Analysed:
            return analysed(self.analyzer, content, essence, speaker)

        for name, view in look.views.items():
            found[name] = look_back(past, look.shelves[name], view, as_of, analyse, first_pid=PAST_PID + len(made))
            made += found[name].made
        past.stock(made)
        shelves = {name: then.shelf for name, then in found.items()}
        views = {name: then.view for name, then in found.items()}
        return Look(past, look.states, look.model, shelves, views, sum(then.without_vector for then in found.values()))

    @property
    def has_looked(self) -> bool:
        """Whether anything was ranked yet."""
        return "library" in self.__dict__

    def before_erasure(self) -> None:
        """Everything that would be written later, such as an audit queue, is written now, so that it is erased too."""
        for hook in self.erasure_hooks:
            hook()

    def read_clock(self) -> int:
        """Now, by the store's clock."""
        now = self.clock()
        self._seen = (now, stopwatch())
        return now

    def about_now(self) -> int:
        """Now, without reading the clock: its last reading and the time that has passed since."""
        if self._seen is None:
            return system_clock()
        instant, at = self._seen
        return instant + int((stopwatch() - at) * SECOND)

    def note_match_failure(self) -> None:
        """An expert query could not be read as one; counted for whoever watches."""
        with self._lock:
            self.fts_match_failure_count += 1


@dataclass(frozen=True, slots=True)
class Look:
    """One snapshot and what is known in memory about the namespaces that exist in it."""

    snapshot: Snapshot
    states: dict[str, NamespaceState]
    model: ModelInfo | None
    shelves: dict[str, Shelf]
    views: dict[str, View]
    vectors_lost: int = 0  # passages of an earlier time whose vectors are not kept


def given_model(dimension: int) -> ModelInfo:
    """The model of vectors that callers bring along themselves."""
    return ModelInfo(f"{GIVEN}:{dimension}", dimension, GIVEN)


def write_model(model: ModelInfo) -> str:
    return json.dumps({"id": model.model_id, "dimension": model.dimension, "fingerprint": model.fingerprint})


def read_model(text: str) -> ModelInfo:
    value = json.loads(text)
    return ModelInfo(value["id"], value["dimension"], value["fingerprint"])


def describe(model: ModelInfo) -> str:
    return f"{model.model_id} ({model.dimension} numbers, {model.fingerprint[:12]})"
