"""What are the topics of a namespace, and does its tree find well? `store.topics`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simonides.errors import InvalidQueryError, StoreReadOnlyError
from simonides.upkeep.map import topics
from simonides.upkeep.probe import SAMPLE, check
from simonides.upkeep.rebalance import rebalance
from simonides.upkeep.topics import fold
from simonides.write.label import create_topic, file_under

if TYPE_CHECKING:
    from simonides.engine import Engine
    from simonides.model.topic import Topic, TopicCheck

SAMPLE_MAX = 10_000
StageProgress = Callable[[str, int, int], None]


class Topics:
    """The topic tree of the handle's namespace, or of another one that is named."""

    def __init__(self, engine: Engine, name: Callable[[str | None], str]) -> None:
        self._engine = engine
        self._name = name

    def tree(self, *, namespace: str | None = None) -> tuple[Topic, ...]:
        """Every topic, the root first, each before its children, larger ones first; empty while there is no tree.

        A namespace gets a tree when it has some 20,000 vectors, or by `rebalance`.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     store.topics.tree()
        ()
        """
        return topics(self._engine, self._name(namespace))

    def rebalance(self, *, namespace: str | None = None, progress: StageProgress | None = None) -> int:
        """Makes the tree anew, or for the first time, and labels its topics; returns how many vectors are in it.

        progress(stage, done, total) hears of read, divide, settle, group and write. Takes about 20 s for 100,000
        vectors; others read and write meanwhile. Goes on where a killed call stopped.
        Raises StoreBusyError when another call took over, StoreReadOnlyError.
        """
        self._writing("rebalancing topics")
        return rebalance(self._engine, self._name(namespace), progress)

    def fold(self, *, namespace: str | None = None) -> int:
        """Puts new vectors into leaves, which writers do by themselves after some thousands; returns how many."""
        self._writing("folding new vectors into topics")
        return fold(self._engine, self._name(namespace))

    def check(
        self, *, goal: float | None = None, sample: int = SAMPLE, adapt: bool = True, namespace: str | None = None
    ) -> TopicCheck:
        """Compares the beam with an exhaustive search for some stored vectors, and sets its width to reach the goal.

        goal: recall@10, 0..1, `topics.recall_goal` of the settings by default. adapt: False only measures. Reads every
        leaf.
        """
        goal = self._engine.config.topics.recall_goal if goal is None else goal
        if isinstance(goal, bool) or not isinstance(goal, (int, float)) or not 0 <= goal <= 1:
            raise InvalidQueryError(f"goal is {goal!r}; expected 0..1")
        if isinstance(sample, bool) or not isinstance(sample, int) or not 1 <= sample <= SAMPLE_MAX:
            raise InvalidQueryError(f"sample is {sample!r}; expected 1..{SAMPLE_MAX}")
        adapts = adapt and not self._engine.database.read_only
        return check(self._engine, self._name(namespace), float(goal), sample, adapt=adapts)

    def create(
        self, key: str, *, title: str | None = None, reason: str | None = None, namespace: str | None = None
    ) -> None:
        """Makes a topic that people file memories under; `deploy/staging` lies below `deploy`.

        Raises InvalidThoughtError for a key that is no names joined by slashes.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     note = store.remember("We ship on Fridays")
        ...     store.topics.create("deploy", title="How we ship")
        ...     store.topics.file(note.thought_id, "deploy/staging")
        ...     [hit.text for hit in store.retrieve("ship", topics="deploy").hits], store.topics.filed()
        (['We ship on Fridays'], {'deploy': 0, 'deploy/staging': 1})
        """
        create_topic(self._engine, self._name(namespace), key, title, reason)

    def file(self, thought_id: str, key: str, *, reason: str | None = None, namespace: str | None = None) -> None:
        """Files a memory under a topic, made when it is new. Raises ThoughtNotFoundError, InvalidThoughtError."""
        file_under(self._engine, self._name(namespace), thought_id, key, reason)

    def unfile(self, thought_id: str, key: str, *, reason: str | None = None, namespace: str | None = None) -> None:
        """Takes a memory out of a topic; nothing when it was not in it."""
        file_under(self._engine, self._name(namespace), thought_id, key, reason, remove=True)

    def filed(self, *, namespace: str | None = None) -> dict[str, int]:
        """Key of every topic that people made → memories filed under it (not below it), by key."""
        with self._engine.database.snapshot() as snapshot:
            ns = snapshot.state(self._name(namespace)).ns
            counts = snapshot.label_counts(ns, "topic")
            made = snapshot.user_topics(ns)
        return {key: counts.get(key, 0) for key in sorted({*made, *counts})}

    def _writing(self, what: str) -> None:
        if self._engine.database.read_only:
            raise StoreReadOnlyError(f"{what} changes the store, which is open read-only", hint="open it for writing")
