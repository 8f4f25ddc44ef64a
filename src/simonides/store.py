"""The façade: one open store, one short method per verb.

A handle is bound to one namespace. Every verb acts in it unless another one is named; a *sealed* handle refuses.
Handles are safe to share between threads.

A verb imports what does its work when it is called first: opening a store and reading a row need little of the engine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

from simonides.backend.sqlite.connect import FileSettings
from simonides.backend.sqlite.database import SqliteDatabase
from simonides.clock import Clock, system_clock, to_datetime, to_instant
from simonides.config import Config, ConsolidationConfig, SearchConfig, config_from, load_config
from simonides.embedders.choose import EmbedderSpec, resolve
from simonides.engine import Engine
from simonides.errors import (
    ConfigError,
    HistoryPrunedError,
    InvalidQueryError,
    InvalidThoughtError,
    NamespaceError,
    StoreReadOnlyError,
)
from simonides.model.edge import Edge, EdgeType
from simonides.model.namespace import check_namespace
from simonides.model.thought import Draft, Instant, Json, LifecycleStatus, Priority, Thought, ThoughtType, VectorLike
from simonides.upkeep.desk import Desk
from simonides.upkeep.reindex import reindex_if_stale

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.conflict_verbs import Conflicts
    from simonides.job_verbs import Jobs
    from simonides.log_verbs import Log
    from simonides.model.anchor import Anchor
    from simonides.model.answer import HybridSearchResult, ReadQuery
    from simonides.model.consolidation import Composer, Consolidated
    from simonides.model.history import HistoryEntry, RevisionDiff
    from simonides.model.hygiene import HygieneReport
    from simonides.model.log import Replay
    from simonides.model.predicate import All, Compare, Either, Not, Predicate
    from simonides.model.query import Budget, Profile
    from simonides.model.report import Backup, Compacted, Exported, Forgotten, Imported, Reembedded, Reembedding
    from simonides.model.trail import Change, Stats, Verification, WhyNot
    from simonides.topic_verbs import Topics
    from simonides.write.remember import Progress
    from simonides.write.revise import Revision

LIST_MAX = 10_000
EDGES_MAX = 100_000
CHANGES_MAX = 10_000
REEMBED_LOOK_S = 1.0  # between two looks of the thread that changes the model, for an attempt that is due
Filters: TypeAlias = "Mapping[str, object] | All | Compare | Either | Not | None"


class _Unset:
    """The value of an argument that was not given, where None means "clear this field"."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()


def open(  # the public name; `simonides.open` reads well
    path: str | os.PathLike[str],
    *,
    namespace: str = "default",
    config: Config | SearchConfig | Mapping[str, object] | str | os.PathLike[str] | None = None,
    embedder: EmbedderSpec = None,
    read_only: bool = False,
    sealed: bool = False,
    actor: str = "caller",
    clock: Clock = system_clock,
    progress: Callable[[str, int, int], None] | None = None,
) -> Store:
    """Opens a store, made when it does not exist. `:memory:` lives as long as the handle.

    path: a file; spaces, `#?%` and other scripts are fine, `~` is home, it is never read as a URI.
    config: a Config, a SearchConfig, a mapping, or a .toml/.yaml file. embedder: None for the built-in one (or the
    vectors the store already has), False for none, or any that `simonides.embedders.resolve` takes.
    sealed: no verb of this handle reaches another namespace. actor: who the journal names.
    progress(stage, done, total): of a file of an earlier version, while it is brought up to this one: "copy" (pages),
    "migrate" (steps), "rewrite" (rows, total 0), "reindex" (passages). It must not use the store; what it raises stops
    the opening, and the next one goes on.

    Raises StoreDamagedError for a file that is not a store, StoreTooNewError for one of a newer version; either
    way the file is not touched.

    >>> with open(":memory:") as store:
    ...     _ = store.remember("Ana prefers window seats on trains")
    ...     store.recall("which seat does Ana like?").hits[0].thought.content
    'Ana prefers window seats on trains'
    """
    settings = _config(config)
    name = check_namespace(namespace)
    files = FileSettings(settings.store.busy_timeout_s, settings.store.synchronous, settings.store.cache_mb)
    if isinstance(path, str) and path.startswith(("postgresql://", "postgres://")):
        raise ConfigError("the PostgreSQL backend is not part of this version", hint="give the path of a file")
    database = SqliteDatabase(path, files, read_only=read_only, progress=progress)
    engine = Engine(database, settings, resolve(embedder), embedder is None, actor, clock)
    try:
        reindex_if_stale(engine, progress)
    except BaseException:
        database.close()
        raise
    return Store(engine, name, Desk(engine), sealed=sealed, owner=True)


def _config(config: Config | SearchConfig | Mapping[str, object] | str | os.PathLike[str] | None) -> Config:
    if config is None:
        return Config()
    if isinstance(config, Config):
        return config
    if isinstance(config, SearchConfig):
        return Config(search=config)
    return config_from(config) if isinstance(config, Mapping) else load_config(config)


class Store:
    """One open store, bound to a namespace. Make it with `simonides.open`."""

    def __init__(
        self, engine: Engine, namespace: str, desk: Desk, *, sealed: bool = False, owner: bool = False
    ) -> None:
        self._engine = engine
        self._desk = desk
        self._namespace = namespace
        self._sealed = sealed
        self._owner = owner

    @classmethod
    def from_config(
        cls,
        path: str | os.PathLike[str],
        database: str | os.PathLike[str] | None = None,
        *,
        namespace: str | None = None,
        embedder: EmbedderSpec = None,
        read_only: bool = False,
        sealed: bool = False,
        actor: str = "caller",
        clock: Clock = system_clock,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Store:
        """Opens the store that a configuration file describes; `database` and `namespace` override what stands there.

        The other arguments are those of `simonides.open`. Raises ConfigError when neither names a file.
        """
        settings = load_config(path)
        named = settings.database.path
        if database is None and named is None:
            raise ConfigError(f"{os.fspath(path)!r} names no database", hint="set database.path or pass database=")
        if database is None and named != ":memory:":
            database = os.path.join(os.path.dirname(os.path.abspath(path)), os.path.expanduser(str(named)))
        return open(
            ":memory:" if database is None else database,
            namespace=settings.database.namespace if namespace is None else namespace,
            config=settings,
            embedder=embedder,
            read_only=read_only,
            sealed=sealed,
            actor=actor,
            clock=clock,
            progress=progress,
        )

    # ------------------------------------------------------------------ the handle

    @property
    def namespace(self) -> str:
        """The namespace that verbs act in."""
        return self._namespace

    @property
    def sealed(self) -> bool:
        """Whether this handle reaches its own namespace only."""
        return self._sealed

    @property
    def read_only(self) -> bool:
        return self._engine.database.read_only

    @property
    def config(self) -> Config:
        return self._engine.config

    @property
    def log(self) -> Log:
        """The retrieval log: what was asked, and what was shown."""
        from simonides.log_verbs import Log

        return Log(self._engine, self._desk, self._namespace, self._sealed)

    @property
    def jobs(self) -> Jobs:
        """The durable queue of upkeep, and what went wrong."""
        from simonides.job_verbs import Jobs

        return Jobs(self._engine, self._desk, self._namespace, self._sealed)

    @property
    def conflicts(self) -> Conflicts:
        """Memories that disagree: proposed by a scan, confirmed or rejected by you."""
        from simonides.conflict_verbs import Conflicts

        return Conflicts(self._engine, self._name)

    @property
    def topics(self) -> Topics:
        """The topic tree, and the topics that people file memories under."""
        from simonides.topic_verbs import Topics

        return Topics(self._engine, self._name)

    @property
    def fts_match_failure_count(self) -> int:
        """Queries that looked like expert ones and could not be read as such, since the store was opened."""
        return self._engine.fts_match_failure_count

    def in_namespace(self, namespace: str, *, sealed: bool = False) -> Store:
        """A handle on the same store bound to another namespace. A sealed handle only gives its own."""
        name = self._name(namespace)
        return Store(self._engine, name, self._desk, sealed=sealed or self._sealed)

    def namespaces(self) -> list[str]:
        """Names of all namespaces that were ever written to; of a sealed handle its own."""
        with self._engine.database.snapshot() as snapshot:
            names = sorted(snapshot.namespaces().values())
        return [name for name in names if name == self._namespace] if self._sealed else names

    def close(self) -> None:
        """Closes the file. Handles made by `in_namespace` share it and do not close it."""
        if self._owner:
            self._desk.close()
            self._engine.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store namespace={self._namespace!r}{' sealed' if self._sealed else ''}>"

    # ------------------------------------------------------------------ writing

    def remember(
        self,
        content: str,
        *,
        namespace: str | None = None,
        thought_id: str | None = None,
        essence: str | None = None,
        content_type: str = "text",
        thought_type: ThoughtType | str = ThoughtType.NOTE,
        priority: Priority | str = Priority.P3,
        metadata: Mapping[str, Json] | None = None,
        concepts: Iterable[str] = (),
        topics: Iterable[str] = (),
        speaker: str | None = None,
        session: str | None = None,
        occurred_at: Instant | None = None,
        expires_at: Instant | None = None,
        ttl: float | timedelta | None = None,
        source: str | None = None,
        confidence: float | None = None,
        pinned: bool = False,
        vector: VectorLike | None = None,
        supersedes: str | None = None,
        deduplicate: bool = False,
        reason: str | None = None,
    ) -> Thought:
        """Stores one memory; it can be found at once, here and in every process that has the file open.

        session: turns of one conversation, linked in order of arrival. speaker: who said it; ranking knows.
        thought_id: a caller's own id; the same id again updates. deduplicate: an equal text is stored once.
        vector: (dimension,) of the store's model, for the whole content. When the embedder fails or is late the
        text is stored all the same and its vector is `pending` (see `embed_pending`).

        Raises InvalidThoughtError, InvalidVectorError, ModelMismatchError, StoreBusyError.

        >>> with open(":memory:") as store:
        ...     store.remember("Buy oat milk", priority="P1").priority.value
        'P1'
        """
        draft = Draft(
            content=content,
            thought_id=thought_id,
            essence=essence,
            content_type=content_type,
            thought_type=thought_type,
            priority=priority,
            metadata=metadata,
            concepts=_labels(concepts),
            topics=_labels(topics),
            speaker=speaker,
            session=session,
            occurred_at=occurred_at,
            expires_at=expires_at,
            ttl=ttl,
            source=source,
            confidence=confidence,
            pinned=pinned,
            vector=vector,
            supersedes=supersedes,
            deduplicate=deduplicate,
            reason=reason,
        )
        return self._remember([draft], namespace, None)[0]

    def remember_many(
        self, drafts: Iterable[Draft | str], *, namespace: str | None = None, progress: Progress | None = None
    ) -> list[Thought]:
        """Stores many in order, embedding in batches before each transaction of `config.store.chunk`.

        progress(stored, total) is called after each transaction; when one fails, the earlier ones stay.

        >>> with open(":memory:") as store:
        ...     len(store.remember_many(["one fish", "two fish"]))
        2
        """
        given = list(drafts)
        strange = next((n for n, draft in enumerate(given) if not isinstance(draft, (Draft, str))), None)
        if strange is not None:
            kind = type(given[strange]).__name__
            raise InvalidThoughtError(
                f"number {strange} is {kind}; expected a Draft or a text", hint="Draft(content=…)"
            )
        return self._remember([d if isinstance(d, Draft) else Draft(content=d) for d in given], namespace, progress)

    def create_thought(
        self,
        *,
        content: str,
        essence: str | None = None,
        thought_id: str | None = None,
        thought_type: ThoughtType | str = ThoughtType.NOTE,
        content_type: str = "text",
        priority: Priority | str = Priority.P3,
        lifecycle_status: LifecycleStatus | str = LifecycleStatus.ACTIVE,
        created_cycle: int = 0,
        updated_cycle: int | None = None,
        source: str | None = None,
        source_type: str | None = None,
        confidence: float | None = None,
        visibility: str | None = None,
        pinned: bool = False,
        metadata: Mapping[str, Json] | None = None,
        provenance: Mapping[str, Json] | None = None,
        concepts: Iterable[str] = (),
        topics: Iterable[str] = (),
        speaker: str | None = None,
        session: str | None = None,
        created_at: Instant | None = None,
        updated_at: Instant | None = None,
        occurred_at: Instant | None = None,
        expires_at: Instant | None = None,
        valid_from: Instant | None = None,
        valid_until: Instant | None = None,
        vector: VectorLike | None = None,
        reason: str | None = None,
        namespace: str | None = None,
    ) -> Thought:
        """Stores one thought with every field open to the caller; otherwise as `remember`."""
        draft = Draft(
            content=content, essence=essence, thought_id=thought_id, thought_type=thought_type,
            content_type=content_type, priority=priority, lifecycle_status=lifecycle_status,
            created_cycle=created_cycle, updated_cycle=updated_cycle, source=source, source_type=source_type,
            confidence=confidence, visibility=visibility, pinned=pinned, metadata=metadata, provenance=provenance,
            concepts=_labels(concepts), topics=_labels(topics), speaker=speaker, session=session,
            created_at=created_at, updated_at=updated_at, occurred_at=occurred_at, expires_at=expires_at,
            valid_from=valid_from, valid_until=valid_until, vector=vector, reason=reason,
        )  # fmt: skip
        return self._remember([draft], namespace, None)[0]

    def update_thought(
        self,
        thought_id: str,
        *,
        content: str | _Unset = UNSET,
        essence: str | _Unset | None = UNSET,
        metadata: Mapping[str, Json] | _Unset | None = UNSET,
        priority: Priority | str | _Unset = UNSET,
        lifecycle_status: LifecycleStatus | str | _Unset = UNSET,
        thought_type: ThoughtType | str | _Unset = UNSET,
        content_type: str | _Unset = UNSET,
        updated_cycle: int | _Unset = UNSET,
        updated_at: Instant | _Unset = UNSET,
        occurred_at: Instant | _Unset | None = UNSET,
        expires_at: Instant | _Unset | None = UNSET,
        valid_from: Instant | _Unset | None = UNSET,
        valid_until: Instant | _Unset | None = UNSET,
        source: str | _Unset | None = UNSET,
        source_type: str | _Unset | None = UNSET,
        confidence: float | _Unset | None = UNSET,
        visibility: str | _Unset | None = UNSET,
        pinned: bool | _Unset = UNSET,
        vector: VectorLike | _Unset = UNSET,
        expected_revision: int | None = None,
        reason: str | None = None,
        namespace: str | None = None,
    ) -> Thought:
        """Changes the fields that are given, as a new revision; None clears a field. Nothing changed: no revision.

        metadata replaces the whole mapping. expected_revision: refuse when somebody else was faster.
        Raises ThoughtNotFoundError, RevisionConflictError, InvalidThoughtError.

        >>> with open(":memory:") as store:
        ...     first = store.remember("The code is 4471")
        ...     store.update_thought(first.thought_id, content="The code is 4472").revision
        2
        """
        from simonides.write.revise import Revision

        given = {
            "content": content, "essence": essence, "metadata": metadata, "priority": priority,
            "lifecycle_status": lifecycle_status, "thought_type": thought_type, "content_type": content_type,
            "updated_cycle": updated_cycle, "updated_at": updated_at, "occurred_at": occurred_at,
            "expires_at": expires_at, "valid_from": valid_from, "valid_until": valid_until, "source": source,
            "source_type": source_type, "confidence": confidence, "visibility": visibility, "pinned": pinned,
            "vector": vector,
        }  # fmt: skip
        values = {name: value for name, value in given.items() if value is not UNSET}
        return self._revise(Revision(thought_id, values, expected_revision, reason), namespace)

    def archive_thought(self, thought_id: str, *, reason: str | None = None, namespace: str | None = None) -> Thought:
        """Takes a thought out of default retrieval; it stays in listings and can be restored."""
        from simonides.write.revise import Revision

        values = {"lifecycle_status": LifecycleStatus.ARCHIVED}
        return self._revise(Revision(thought_id, values, None, reason, "thought.archived"), namespace)

    def restore_thought(self, thought_id: str, *, reason: str | None = None, namespace: str | None = None) -> Thought:
        """Brings an archived thought back to ACTIVE."""
        from simonides.write.revise import Revision

        values = {"lifecycle_status": LifecycleStatus.ACTIVE}
        return self._revise(Revision(thought_id, values, None, reason, "thought.restored"), namespace)

    def invalidate_thought(
        self,
        thought_id: str,
        *,
        valid_until: Instant | None = None,
        reason: str | None = None,
        namespace: str | None = None,
    ) -> Thought:
        """Says until when a statement held, now when left out: searches for today no longer find it, `valid_at=` does.

        The text stays, in listings too. Raises InvalidThoughtError for an end before `valid_from`.

        >>> with open(":memory:") as store:
        ...     _ = store.create_thought(content="Ana lives in Oslo", thought_id="home", valid_from="2024-01-01")
        ...     _ = store.invalidate_thought("home", valid_until="2026-01-01", reason="she moved")
        ...     len(store.recall("where does Ana live?").hits), len(store.recall("Ana", valid_at="2025-06-01").hits)
        (0, 1)
        """
        from simonides.write.revise import Revision

        until = to_datetime(self._engine.clock()) if valid_until is None else valid_until
        return self._revise(
            Revision(thought_id, {"valid_until": until}, None, reason, "thought.invalidated"), namespace
        )

    def delete_thought(self, thought_id: str, *, reason: str | None = None, namespace: str | None = None) -> None:
        """Ends a thought and its edges: nothing finds it any more. Earlier revisions stay in the history."""
        from simonides.write.revise import delete

        delete(self._engine, self._name(namespace), thought_id, reason)

    def link(
        self,
        from_id: str,
        to_id: str,
        edge_type: EdgeType | str = EdgeType.ASSOCIATED,
        *,
        weight: float = 1.0,
        valid_from: Instant | None = None,
        valid_until: Instant | None = None,
        source: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        reason: str | None = None,
        namespace: str | None = None,
    ) -> Edge:
        """Connects two thoughts of one namespace; the same ends and type again change the edge.

        weight: 0 to 1. SUPERSEDES, CONTRADICTS and SUPPORTS point from the new thought to the old one.
        Raises ThoughtNotFoundError when an end is not in the namespace.
        """
        from simonides.write.relate import Link, link

        name = self._name(namespace)
        wanted = Link(
            from_id, to_id, edge_type, weight, _when(valid_from, "valid_from"), _when(valid_until, "valid_until"),
            source, metadata,
        )  # fmt: skip
        return link(self._engine, name, wanted, reason)

    def unlink(
        self,
        from_id: str,
        to_id: str,
        edge_type: EdgeType | str = EdgeType.ASSOCIATED,
        *,
        reason: str | None = None,
        namespace: str | None = None,
    ) -> bool:
        """Removes an edge; False when there was none."""
        from simonides.write.relate import unlink

        return unlink(self._engine, self._name(namespace), from_id, to_id, edge_type, reason)

    def annotate(
        self,
        thought_id: str,
        concepts: Iterable[str],
        *,
        replace: bool = False,
        reason: str | None = None,
        namespace: str | None = None,
    ) -> Thought:
        """Names concepts of a thought, beside those it has or in their place; an alias stands for its concept.

        >>> with open(":memory:") as store:
        ...     note = store.remember("We ship on Fridays")
        ...     store.annotate(note.thought_id, ["release"]).concepts
        ('release',)
        """
        from simonides.write.label import annotate

        name = self._name(namespace)
        annotate(self._engine, name, thought_id, _labels(concepts), replace, reason)
        return self.get_thoughts([thought_id], namespace=name)[0]

    def alias_concept(
        self, alias: str, concept: str, *, reason: str | None = None, namespace: str | None = None
    ) -> None:
        """Gives a concept another name, for annotating and for concept filters."""
        from simonides.write.label import alias as alias_concept

        alias_concept(self._engine, self._name(namespace), alias, concept, reason)

    def concepts(self, *, namespace: str | None = None) -> dict[str, int]:
        """Concept → number of thoughts that carry it, by name."""
        with self._engine.database.snapshot() as snapshot:
            return snapshot.label_counts(snapshot.state(self._name(namespace)).ns, "concept")

    def embed_pending(self, *, namespace: str | None = None, progress: Progress | None = None) -> int:
        """Makes the vectors that are pending, in batches; returns how many passages got one or will never have one.

        Raises EmbeddingError when the embedder still fails; what was done stays.
        """
        from simonides.upkeep.pending import embed_pending
        from simonides.upkeep.rebalance import keep_up

        name = self._name(namespace)
        done = embed_pending(self._engine, name, progress)
        keep_up(self._engine, name)
        return done

    # ------------------------------------------------------------------ reading

    def recall(
        self,
        query: str,
        *,
        top_k: int = 10,
        query_vector: VectorLike | None = None,
        namespace: str | Sequence[str] | None = None,
        filters: Filters = None,
        include_archived: bool = False,
        budget: Budget | None = None,
        min_score: float | None = None,
        superseded: str = "annotate",
        beam_width: int | None = None,
        max_depth: int | None = None,
        now: Instant | None = None,
        valid_at: Instant | None = None,
        as_of: Instant | None = None,
    ) -> HybridSearchResult:
        """The everyday search: what should be known about this, best first, with every score explained.

        filters: see `simonides.model.predicate`. budget: limits in hits, characters, tokens, milliseconds.
        min_score: leave out hits below it. now: decides what has expired; the clock is read once without it.
        valid_at: when a statement has to hold; None means now, "any" whenever. as_of: what the store knew at an
        instant, with the texts, states and labels of then; costs what has changed since (docs/history.md).
        beam_width, max_depth: of the walk through the topic tree of a large namespace; settings by default.

        >>> with open(":memory:") as store:
        ...     _ = store.remember("The spare key is under the blue pot")
        ...     answer = store.recall("where is the key?")
        ...     answer.hits[0].thought.content, sorted(answer.backends_used)
        ('The spare key is under the blue pot', ['fts5', 'vector'])
        """
        from simonides.read.plans.recall import Everyday, plan_recall
        from simonides.read.plans.settle import Where
        from simonides.read.recall import recall

        where = Where(
            self._names(namespace), filters, include_archived, now=now, valid_at=valid_at, as_of=as_of,
            beam_width=beam_width, max_depth=max_depth,
        )  # fmt: skip
        options = Everyday(query_vector, budget, min_score, superseded)
        return recall(self._engine, plan_recall(self._engine, query, where, top_k, options))

    def retrieve(
        self,
        query: str,
        *,
        profile: Profile | str = "hybrid",
        query_vector: VectorLike | None = None,
        namespace: str | Sequence[str] | None = None,
        topics: str | Sequence[str] | None = None,
        content_type: str | Sequence[str] | None = None,
        filters: Filters = None,
        include_archived: bool = False,
        budget: Budget | None = None,
        recency_boost: float | None = None,
        min_score: float | None = None,
        superseded: str = "annotate",
        beam_width: int | None = None,
        max_depth: int | None = None,
        now: Instant | None = None,
        valid_at: Instant | None = None,
        as_of: Instant | None = None,
    ) -> HybridSearchResult:
        """Reciprocal rank fusion of the text and the vector leg, with scopes, budgets and graph context.

        profile: "keyword", "semantic", "hybrid" or a Profile with weights. content_type: one or several. topics: one
        or several keys; a key stands for its subtree. superseded: "annotate", "demote" (half the score) or "exclude".
        Without a budget, ten hits. recency_boost: score × (1 + boost / (1 + age in days)). beam_width: topics kept per
        round of the walk through a topic tree; max_depth: its last round, from 0.
        """
        from simonides.read.plans.recall import Everyday, plan_retrieve
        from simonides.read.plans.settle import Where
        from simonides.read.recall import recall

        scoped = _with_labels(filters, content_type, topics)
        where = Where(
            self._names(namespace), scoped, include_archived, now=now, valid_at=valid_at, as_of=as_of,
            beam_width=beam_width, max_depth=max_depth,
        )  # fmt: skip
        options = Everyday(query_vector, budget, min_score, superseded)
        return recall(self._engine, plan_retrieve(self._engine, query, where, profile, recency_boost, options))

    def search_hybrid(
        self,
        query_text: str,
        query_vector: VectorLike | None = None,
        *,
        top_k: int = 10,
        fts_weight: float | None = None,
        vector_weight: float | None = None,
        recency_weight: float | None = None,
        priority_weight: float | None = None,
        graph_weight: float | None = None,
        fts_top_k: int | None = None,
        vector_top_k: int | None = None,
        current_cycle: int | None = None,
        recency_half_life: float | None = None,
        recency_now: Instant | None = None,
        recency_now_half_life: float | None = None,
        recency_field: str | None = None,
        graph_edge_decay: float | None = None,
        include_reflections: bool | None = None,
        reflection_boost: float | None = None,
        collapse_key: str | Sequence[str] | None = None,
        collapse_max_per_unit: int = 1,
        include_archived: bool = False,
        filters: Filters = None,
        min_score: float | None = None,
        namespace: str | Sequence[str] | None = None,
        beam_width: int | None = None,
        max_depth: int | None = None,
        now: Instant | None = None,
        valid_at: Instant | None = None,
        as_of: Instant | None = None,
    ) -> HybridSearchResult:
        """Five weighted signals: full text, vector, recency (cycles or time), priority, graph.

        Weights are relative; a signal that cannot run gives its share to the others. None: the configured value.
        Raises RecencyModeConflictError for both references, InvalidRecencyArgumentError for a bad one.

        >>> with open(":memory:") as store:
        ...     _ = store.remember("incident: the queue overflowed")
        ...     [name for name, _ in store.search_hybrid("queue incident").hits[0].contributions.items()]
        ['fts', 'vector', 'priority']
        """
        from simonides.read.plans.hybrid import HybridOptions, plan_hybrid
        from simonides.read.plans.recency import Axis
        from simonides.read.plans.settle import Where
        from simonides.read.recall import recall

        reflections = self.config.search.include_reflections if include_reflections is None else include_reflections
        where = Where(
            self._names(namespace), filters, include_archived, reflections, now, valid_at=valid_at, as_of=as_of,
            beam_width=beam_width, max_depth=max_depth,
        )  # fmt: skip
        options = HybridOptions(
            fts_weight, vector_weight, recency_weight, priority_weight, graph_weight, fts_top_k, vector_top_k,
            Axis(current_cycle, recency_half_life, recency_now, recency_now_half_life, recency_field),
            graph_edge_decay, reflection_boost, collapse_key, collapse_max_per_unit, min_score,
        )  # fmt: skip
        return recall(self._engine, plan_hybrid(self._engine, query_text, query_vector, where, top_k, options))

    def search_fts(
        self,
        query: str,
        top_k: int = 10,
        *,
        include_archived: bool = False,
        filters: Filters = None,
        namespace: str | Sequence[str] | None = None,
        valid_at: Instant | None = None,
        as_of: Instant | None = None,
    ) -> list[tuple[str, float]]:
        """(thought_id, BM25) pairs, best first. How the text is read: `read_query`.

        >>> with open(":memory:") as store:
        ...     _ = store.remember("my sister's dog barks", thought_id="dog")
        ...     [name for name, _ in store.search_fts("what was my sister doing")]
        ['dog']
        """
        from simonides.read.plans.settle import Where
        from simonides.read.plans.single import plan_text
        from simonides.read.recall import recall

        where = Where(self._names(namespace), filters, include_archived, valid_at=valid_at, as_of=as_of)
        return recall(self._engine, plan_text(self._engine, query, where, top_k)).results

    def search_similar(
        self,
        query_vector: VectorLike,
        top_k: int = 10,
        threshold: float = 0.0,
        *,
        include_archived: bool = False,
        filters: Filters = None,
        beam_width: int | None = None,
        max_depth: int | None = None,
        namespace: str | Sequence[str] | None = None,
        valid_at: Instant | None = None,
        as_of: Instant | None = None,
    ) -> list[tuple[str, float]]:
        """(thought_id, cosine) pairs of at least `threshold`, best first. query_vector: (dimension,) numbers.

        A large namespace is walked by its topic tree: `beam_width`, `max_depth`, settings by default.

        Raises InvalidVectorError, and ModelMismatchError for another dimension than the store's.
        """
        from simonides.read.plans.settle import Where
        from simonides.read.plans.single import plan_similar
        from simonides.read.recall import recall

        where = Where(
            self._names(namespace), filters, include_archived, valid_at=valid_at, as_of=as_of,
            beam_width=beam_width, max_depth=max_depth,
        )  # fmt: skip
        plan = plan_similar(self._engine, query_vector, where, top_k, threshold)
        return recall(self._engine, plan).results

    def search_reflections_only(
        self,
        query_text: str,
        query_vector: VectorLike | None = None,
        *,
        top_k: int = 10,
        current_cycle: int | None = None,
        namespace: str | Sequence[str] | None = None,
        valid_at: Instant | None = None,
        as_of: Instant | None = None,
    ) -> HybridSearchResult:
        """Reflections alone, all of them compared exactly with the question's vector.

        With a cycle (given, or from the configured provider) the score is (1 − w) · cosine + w · recency, w the
        configured recency weight. Without a vector of the question the newest reflections come unranked, and `degraded`
        says so.
        """
        from simonides.read.plans.settle import Where
        from simonides.read.plans.single import plan_reflections
        from simonides.read.recall import recall

        where = Where(self._names(namespace), valid_at=valid_at, as_of=as_of)
        plan = plan_reflections(self._engine, query_text, query_vector, where, top_k, current_cycle)
        return recall(self._engine, plan)

    def why_not(self, /, query: str, thought_id: str, *, verb: str = "recall", **arguments: Any) -> WhyNot:
        """Why a thought is not among the hits of a search, or where it is: the stage it fell out at, with numbers.

        verb: any ranked one; `search_similar` looks at `query_vector=`, at no query. arguments: those of that verb.
        Raises ThoughtNotFoundError for an id that is not in the namespaces asked.

        >>> with open(":memory:") as store:
        ...     old = store.remember("The meeting is on Monday")
        ...     _ = store.archive_thought(old.thought_id)
        ...     store.why_not("when is the meeting?", old.thought_id).stage
        'archived'
        """
        from simonides.read.why_not import why_not

        return why_not(self._verb(verb), self._names(arguments.get("namespace")), query, thought_id, arguments)

    def explain(self, query_id: str) -> str:
        """A logged answer as text: what was asked, how it was read, and every hit with what made it one.

        Hits stand there as they were shown, with the words of the revision of that time. Raises QueryNotFoundError.

        >>> with open(":memory:", embedder=False) as store:
        ...     _ = store.remember("The spare key is under the blue pot")
        ...     answer = store.recall("where is the key?")
        ...     store.explain(answer.query_id).splitlines()[0]
        "query    'where is the key?' read as bare"
        """
        from simonides.read.log import explained

        self._desk.flush()
        return explained(self._engine, query_id, self._namespace if self._sealed else None)

    def replay(self, query_id: str) -> Replay:
        """Asks a logged question again, by its stored plan and its `now`, and says what is not as it was.

        Leaves no row behind. On an unchanged store the answer is identical to the last digit; otherwise thoughts,
        topic trees and settings that changed are named beside what that did to the answer. Raises QueryNotFoundError.

        >>> with open(":memory:", embedder=False) as store:
        ...     key = store.remember("The spare key is under the blue pot")
        ...     answer = store.recall("where is the key?")
        ...     before = store.replay(answer.query_id).identical
        ...     store.delete_thought(key.thought_id)
        ...     before, store.replay(answer.query_id).identical
        (True, False)
        """
        from simonides.read.replay import replay

        self._desk.flush()
        return replay(self._engine, query_id, self._namespace if self._sealed else None)

    def _verb(self, name: str) -> Callable[..., object]:
        verbs: dict[str, Callable[..., object]] = {
            "recall": self.recall,
            "retrieve": self.retrieve,
            "search_hybrid": self.search_hybrid,
            "search_fts": self.search_fts,
            "search_reflections_only": self.search_reflections_only,
            "search_similar": lambda query, **arguments: self.search_similar(**arguments),
        }
        if name not in verbs:
            raise InvalidQueryError(f"verb is {name!r}; expected one of {', '.join(verbs)}")
        return verbs[name]

    def read_query(self, text: str) -> ReadQuery:
        """How a query text is read: bare, expert or empty, with its terms; nothing is searched."""
        from simonides.read.present import describe
        from simonides.text.query import read_query

        reading = read_query(text, self._engine.analyzer, stop_words=self._engine.stop_words)
        return describe(reading, (), None)

    def get_thought(
        self, thought_id: str, *, as_of: Instant | None = None, namespace: str | None = None
    ) -> Thought | None:
        """One thought, or None when there is none of that id in the namespace. as_of: as it was at an instant."""
        return next(iter(self.get_thoughts([thought_id], as_of=as_of, namespace=namespace)), None)

    def get_thoughts(
        self, thought_ids: Iterable[str], *, as_of: Instant | None = None, namespace: str | None = None
    ) -> list[Thought]:
        """Thoughts in the order of the ids; unknown ids are left out. as_of: as they were at an instant."""
        names = list(thought_ids)
        with self._seen(as_of) as snapshot:
            ns = snapshot.state(self._name(namespace)).ns
            tids = snapshot.tids_of(ns, names)
            found = {s.thought.thought_id: s.thought for s in snapshot.thoughts(ns, list(tids.values()))}
        return [found[name] for name in names if name in found]

    def list_thoughts(
        self,
        *,
        filters: Filters = None,
        limit: int = 100,
        after: str | None = None,
        newest_first: bool = False,
        include_expired: bool = False,
        lifecycle_status: LifecycleStatus | str | None = None,
        namespace: str | None = None,
        valid_at: Instant | None = None,
        as_of: Instant | None = None,
    ) -> list[Thought]:
        """Thoughts from the oldest on, or from the newest, archived ones included, expired ones only on request.

        after: the thought_id where the last page ended. The order is total, so pages neither overlap nor skip.
        valid_at: only statements that hold then; None: all. as_of: as the store was at an instant.
        """
        from simonides.index.members import with_members

        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LIST_MAX:
            raise InvalidQueryError(f"limit is {limit!r}; expected 1..{LIST_MAX}")
        predicate = self._listing(filters, include_expired, lifecycle_status, (valid_at, as_of))
        name = self._name(namespace)
        with self._seen(as_of) as snapshot:
            ns = snapshot.state(name).ns
            key = None if after is None else snapshot.page_key(ns, after)
            if after is not None and key is None:
                raise InvalidQueryError(f"after names {after!r}, which never was in namespace {name!r}")
            tids = snapshot.page(
                ns, predicate and with_members(snapshot, ns, predicate), key, limit, newest=newest_first
            )
            return [s.thought for s in snapshot.thoughts(ns, tids)]

    def count_thoughts(
        self,
        *,
        filters: Filters = None,
        include_expired: bool = False,
        lifecycle_status: LifecycleStatus | str | None = None,
        namespace: str | None = None,
        valid_at: Instant | None = None,
        as_of: Instant | None = None,
    ) -> int:
        """How many thoughts `list_thoughts` would give in all."""
        from simonides.index.members import with_members

        predicate = self._listing(filters, include_expired, lifecycle_status, (valid_at, as_of))
        with self._seen(as_of) as snapshot:
            ns = snapshot.state(self._name(namespace)).ns
            return snapshot.count(ns, predicate and with_members(snapshot, ns, predicate))

    def edges(
        self,
        thought_id: str | None = None,
        *,
        edge_type: EdgeType | str | None = None,
        limit: int = 1_000,
        valid_at: Instant | None = None,
        as_of: Instant | None = None,
        namespace: str | None = None,
    ) -> list[Edge]:
        """Edges that touch a thought, or all of the namespace, strongest first; edge_type: those of one type only.

        valid_at: only those in force then; None: all. as_of: as they were at an instant.

        >>> with open(":memory:", embedder=False) as store:
        ...     for name in ("old", "new", "aside"):
        ...         _ = store.remember(f"the {name} plan", thought_id=name)
        ...     _ = store.link("new", "old", "SUPERSEDES"), store.link("new", "aside")
        ...     [(edge.from_id, edge.to_id) for edge in store.edges("old", edge_type="SUPERSEDES")]
        [('new', 'old')]
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= EDGES_MAX:
            raise InvalidQueryError(f"limit is {limit!r}; expected 1..{EDGES_MAX}")
        kind = None if edge_type is None else _edge_type(edge_type)
        when = _asked_at(valid_at, "valid_at")
        with self._seen(as_of) as snapshot:
            ns = snapshot.state(self._name(namespace)).ns
            tid = None if thought_id is None else snapshot.tids_of(ns, [thought_id]).get(thought_id)
            if thought_id is not None and tid is None:
                return []
            found = snapshot.edges(ns, tid, limit if when is None else EDGES_MAX, kind)
        if when is None:
            return found
        from simonides.read.scoping import edge_holds

        return [edge for edge in found if edge_holds(edge, when)][:limit]

    def history(self, thought_id: str, *, namespace: str | None = None) -> list[HistoryEntry]:
        """Everything that happened to a thought, oldest first: each revision, and what changed beside the text.

        Says when, who, why and the journal's seq. Deleted thoughts have a history; of erased ones only the erasure is
        left. Raises ThoughtNotFoundError for an id that never was in the namespace.

        >>> with open(":memory:", actor="docs") as store:
        ...     _ = store.remember("The code is 4471", thought_id="code")
        ...     _ = store.update_thought("code", content="The code is 4472", reason="new lock")
        ...     [(e.revision, e.thought.content, e.reason) for e in store.history("code")]
        [(1, 'The code is 4471', None), (2, 'The code is 4472', 'new lock')]
        """
        from simonides.read.history import history

        return history(self._engine, self._name(namespace), thought_id)

    def diff(
        self, thought_id: str, before: int | None = None, after: int | None = None, *, namespace: str | None = None
    ) -> RevisionDiff:
        """What two revisions of a thought differ in, field by field; `str()` of it reads like a patch.

        after: the newest revision when left out; before: the one before it. Raises ThoughtNotFoundError,
        InvalidQueryError for a revision that is not there.

        >>> with open(":memory:") as store:
        ...     _ = store.remember("The code is 4471", thought_id="code")
        ...     _ = store.update_thought("code", priority="P1")
        ...     print(store.diff("code"))
        code: revision 1 → 2
        priority: P3 → P1
        """
        from simonides.read.history import diff

        return diff(self._engine, self._name(namespace), thought_id, before, after)

    def changes(self, since: int | None = None, *, limit: int = 1_000, namespace: str | None = None) -> list[Change]:
        """The journal after a seq, oldest first: a feed that a follower reads with the last seq it saw.

        since None: from the oldest that is there. Raises HistoryPrunedError when changes after `since` were pruned.
        """
        from simonides.model.trail import Change

        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= CHANGES_MAX:
            raise InvalidQueryError(f"limit is {limit!r}; expected 1..{CHANGES_MAX}")
        if since is not None and (isinstance(since, bool) or not isinstance(since, int) or since < 0):
            raise InvalidQueryError(f"since is {since!r:.80}; expected a seq, 0 or more")
        with self._engine.database.snapshot() as snapshot:
            seal = snapshot.chain.pruned()
            if seal is not None and since is not None and since < seal.last_seq:
                raise HistoryPrunedError(
                    f"since is {since}; changes up to {seal.last_seq} were pruned",
                    hint="begin with an export, then go on from its last seq",
                )
            after = max(since or 0, 0 if seal is None else seal.last_seq)  # a pruning may not have come to its end
            rows = snapshot.changes(snapshot.state(self._name(namespace)).ns, after, limit)
        return [
            Change(
                r.seq, to_datetime(r.at), r.actor, r.reason, r.kind, r.namespace, r.subject_id, r.revision,
                r.digest.hex(), r.hash.hex(),
            )
            for r in rows
        ]  # fmt: skip

    def stats(self, *, namespace: str | None = None) -> Stats:
        """Counts of a namespace and facts about the file."""
        from simonides.upkeep.survey import stats

        return stats(self._engine, self._name(namespace))

    def verify(self, *, anchor: Anchor | str | bytes | Mapping[str, object] | None = None) -> Verification:
        """Checks the file, the indexes against the rows, the journal's chain and every digest.

        anchor: of `store.log.anchor()`, or its bytes; finds a journal that ends before it or says something else there.
        """
        from simonides.model.anchor import Anchor
        from simonides.upkeep.survey import verify

        return verify(self._engine, None if anchor is None else Anchor.read(anchor))

    # ------------------------------------------------------------------ the whole store

    def forget(
        self,
        filters: Filters = None,
        *,
        thought_ids: Iterable[str] | None = None,
        reason: str,
        namespace: str | None = None,
        progress: Progress | None = None,
    ) -> Forgotten:
        """Erases thoughts for good: every revision, passage, vector, label and edge, and reflections made from them.

        Give filters or thought_ids. Deleted thoughts are erased too; a filter looks at their last revision. The
        journal keeps ids, the actor and the reason, no text. Works in batches; who was killed calls again.
        The bytes leave the file with `compact`. Raises InvalidQueryError for a selection that names nothing.

        >>> with open(":memory:") as store:
        ...     _ = store.remember("Ana's door code is 4471", speaker="Ana")
        ...     store.forget({"speaker": "Ana"}, reason="Ana asked for it").count
        1
        """
        from simonides.index.members import with_members
        from simonides.model.predicate import read_filters
        from simonides.write.forget import forget

        if (filters is None) == (thought_ids is None):
            raise InvalidQueryError("nothing to forget is named", hint="give either filters or thought_ids")
        if thought_ids is not None:
            chosen = _labels(thought_ids)
            return forget(self._engine, self._name(namespace), chosen, reason, progress)
        predicate = read_filters(filters)
        if predicate is None:
            raise InvalidQueryError("the filter has no condition", hint="purge erases a namespace")
        with self._engine.database.snapshot() as snapshot:
            predicate = with_members(snapshot, snapshot.state(self._name(namespace)).ns, predicate)
        return forget(self._engine, self._name(namespace), predicate, reason, progress)

    def purge(
        self, *, namespace: str, confirm: str, reason: str | None = None, progress: Progress | None = None
    ) -> Forgotten:
        """Erases one namespace whole, its name included. confirm: the name once more, letter by letter.

        Works in batches; who was killed calls again. Raises NamespaceError for an unknown name, or when `confirm`
        is another one.
        """
        from simonides.write.forget import purge

        name = self._name(namespace)
        if not isinstance(confirm, str) or confirm != namespace:
            raise NamespaceError(f"confirm is {confirm!r:.80}, not {namespace!r}", hint="nothing was deleted")
        return purge(self._engine, name, reason, progress)

    def consolidate(
        self,
        *,
        namespace: str | None = None,
        current_cycle: int | None = None,
        composer: Composer | None = None,
        dry_run: bool = False,
        background: bool = False,
        config: ConsolidationConfig | None = None,
        progress: Progress | None = None,
    ) -> Consolidated:
        """Writes reflections on thoughts that belong together, and again those whose sources changed.

        Nothing is removed or hidden. Nothing new: nothing written; who was killed calls again. composer(theme) writes
        the essence instead, outside of any transaction; its errors are in `problems`. current_cycle: of the caller's
        clock, for what is written. dry_run: only says what would be. background: leaves it to the jobs (without a
        composer). config: other settings than the store's. progress(reflections done, in all).
        Raises InvalidQueryError, InvalidThoughtError, StoreReadOnlyError.

        >>> with open(":memory:") as store:
        ...     _ = store.remember_many([f"The blue pot stands in room {n}" for n in range(4)])
        ...     store.consolidate().created
        1
        """
        from simonides.model.consolidation import Consolidated
        from simonides.reflect.consolidate import Options, consolidate
        from simonides.upkeep.kinds import CONSOLIDATE
        from simonides.upkeep.rebalance import keep_up
        from simonides.write.accept import check_cycle

        cycle = None if current_cycle is None else check_cycle(current_cycle, "current_cycle")
        options = Options(config or self.config.consolidation, cycle, composer, dry_run)
        if self.read_only and not dry_run:
            raise StoreReadOnlyError("the store is open read-only", hint="dry_run=True only looks")
        name = self._name(namespace)
        if not background:
            self._desk.flush()
            found = consolidate(self._engine, name, options, progress)
            if found.changed and not dry_run:
                keep_up(self._engine, name)
            return found
        if composer is not None or config is not None or dry_run:
            raise InvalidQueryError("background goes with no other setting", hint="leave it out")
        payload = json.dumps({"cycle": options.cycle})
        job = CONSOLIDATE.job(name, self._engine.clock(), payload=payload)
        self._engine.database.write(lambda tx: tx.jobs.put(job))
        return Consolidated(name, queued=True)

    def compact(self) -> Compacted:
        """Rewrites indexes and file so that no byte of what was forgotten or replaced in the index is left.

        Writers wait meanwhile. Needs free disk of twice the file's size. Copies made earlier are not touched.
        """
        from simonides.upkeep.compact import compact

        return compact(self._engine)

    def hygiene(
        self,
        *,
        dry_run: bool = False,
        erase: bool = False,
        limit: int | None = None,
        current_cycle: int | None = None,
        now: Instant | None = None,
        namespace: str | None = None,
    ) -> HygieneReport:
        """Archives memories that are cold, weak and unprotected, the coldest first; see `HygieneConfig`.

        dry_run: only says which, and why. erase: also erases what hygiene archived, and nobody touched since, once
        `restore_days` and `restore_cycles` have passed. limit: memories of this run. now: with dry_run, as if it were
        then. Archived memories come back by `restore_thought`, erased ones do not. Nothing runs unless it is called.
        Raises InvalidQueryError, StoreReadOnlyError.

        >>> with open(":memory:") as store:
        ...     _ = store.remember("The projector was in room 3")
        ...     store.hygiene(dry_run=True, now="2099-01-01").items[0].reasons[1:]
        ('never shown', 'never confirmed', 'P3')
        """
        from simonides.upkeep.hygiene import hygiene, settle

        moment = None if now is None else _when(now, "now")
        tidy = settle(self._engine, limit=limit, now=moment, dry_run=dry_run, erase=erase, cycle=current_cycle)
        return hygiene(self._engine, self._name(namespace), tidy)

    def expire(
        self,
        *,
        action: str | None = None,
        dry_run: bool = False,
        limit: int | None = None,
        now: Instant | None = None,
        namespace: str | None = None,
    ) -> HygieneReport:
        """Archives or erases memories whose `expires_at` has passed; searches leave them out long before.

        action: archive or erase, else `expired_action` of the settings. Pinned ones stay. dry_run, limit, now: as for
        `hygiene`. Raises InvalidQueryError, StoreReadOnlyError.

        >>> with open(":memory:") as store:
        ...     _ = store.remember("The guest code is 1234", expires_at="2020-01-01")
        ...     store.expire(action="erase").erased, store.count_thoughts(include_expired=True)
        (1, 0)
        """
        from simonides.upkeep.hygiene import expire, settle

        moment = None if now is None else _when(now, "now")
        tidy = settle(self._engine, limit=limit, now=moment, dry_run=dry_run)
        return expire(self._engine, self._name(namespace), tidy, action)

    def backup(
        self, target: str | os.PathLike[str], *, overwrite: bool = False, progress: Progress | None = None
    ) -> Backup:
        """Copies the store as it is now, while others write; the copy is checked before it gets its name.

        progress(pages done, pages in all). Raises StoreError when the target is there or cannot be written.
        """
        from simonides.upkeep.backup import backup

        self._whole("a copy of the store")
        return backup(self._engine, target, overwrite=overwrite, progress=progress)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        namespaces: Sequence[str] | None = None,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> Exported:
        """Writes everything as lines of JSON: thoughts with all revisions and vectors, edges, labels, the journal.

        namespaces: some of them, without the journal; a sealed handle writes its own. The order of the lines does
        not change, so two exports of equal stores differ in their first line only. Raises StoreError.
        """
        from simonides.exchange.export import export

        names = None if namespaces is None and not self._sealed else self._names(namespaces)
        return export(self._engine, path, names, overwrite=overwrite, progress=progress)

    def reembed(
        self, embedder: EmbedderSpec, *, background: bool = False, progress: Progress | None = None
    ) -> Reembedded:
        """Makes the vectors and topic trees of another model for all namespaces, then switches at once, everywhere.

        The old ones answer until then, writers go on, `reembed_cancel` gives up. Who was killed calls again.
        background: returns at once (`queued`); a thread goes on with it, see `reembed_progress` and `reembed_wait`.
        Other processes need the new embedder to go on with vectors. Raises ConfigError, EmbeddingError.

        >>> with open(":memory:", embedder="hashing:64") as store:
        ...     _ = store.remember("a red kite")
        ...     queued = store.reembed("hashing:32", background=True).queued
        ...     queued, store.reembed_wait().state, store.stats().dimension
        (True, 'switched', 32)
        """
        from simonides.upkeep.rebalance import keep_up
        from simonides.upkeep.reembed import reembed
        from simonides.upkeep.renewal import start

        self._whole("another model")
        made = resolve(embedder)
        if made is None:
            raise ConfigError("there is no embedder to embed with", hint="name one")
        if background:
            if progress is not None:
                raise InvalidQueryError("background goes without progress", hint="reembed_wait(progress=…) has it")
            done = start(self._engine, made)
            self._desk.changing = made.info
            if done.queued:
                self._desk.changer.start(None, REEMBED_LOOK_S)
            return done
        done = reembed(self._engine, made, progress)
        for name in self.namespaces():
            keep_up(self._engine, name)
        return done

    def reembed_progress(self) -> Reembedding | None:
        """How far a change of the model is, whichever process does it, with its rate; None when none is under way."""
        from simonides.upkeep.renewal import look

        self._whole("another model")
        return look(self._engine)

    def reembed_wait(self, timeout_s: float | None = None, *, progress: Progress | None = None) -> Reembedding | None:
        """Waits until a change of the model has switched, was cancelled or has failed, or for so many seconds.

        progress(passages done, in all) is called when they change. None when no change is under way, and this handle
        asked for none. A change that `waits` for a process with the embedder goes on waiting: give a timeout.
        """
        from simonides.upkeep.renewal import wait

        self._whole("another model")
        if timeout_s is not None and (
            isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)) or not timeout_s >= 0
        ):
            raise InvalidQueryError(f"timeout_s is {timeout_s!r}; expected seconds of at least 0, or None")
        return wait(self._engine, self._desk.changing, timeout_s, progress)

    def reembed_cancel(self) -> bool:
        """Gives up a change of the model that has not switched yet; False when there is none."""
        from simonides.upkeep.reembed import cancel as reembed_cancel

        self._whole("another model")
        return reembed_cancel(self._engine)

    def export_table(
        self,
        path: str | os.PathLike[str],
        *,
        table: str = "thoughts",
        namespaces: Sequence[str] | None = None,
        overwrite: bool = False,
    ) -> int:
        """Writes current thoughts, edges or the retrieval log for analysts; returns the number of rows.

        table: thoughts, edges or retrieval_log. The ending of the path says how: .parquet, or .arrow for Arrow IPC.
        Raises MissingExtraError without pyarrow (the extra `parquet`), StoreError.
        """
        from simonides.exchange.tables import export_table

        names = tuple(self.namespaces()) if namespaces is None else self._names(namespaces)
        return export_table(self._engine, path, table, names, overwrite=overwrite)

    def import_(self, path: str | os.PathLike[str], *, progress: Progress | None = None) -> Imported:
        """Takes in what `export` wrote: an empty store becomes the other one, journal and all; another one merges it.

        Doing it again adds nothing; who was killed calls again. What cannot be taken is in `problems` by line.
        Raises StoreError, InvalidThoughtError for a file that is no export.
        """
        from simonides.exchange.take_in import import_export
        from simonides.upkeep.rebalance import keep_up

        done = import_export(self._engine, path, only=self._namespace if self._sealed else None, progress=progress)
        for name in self.namespaces():
            keep_up(self._engine, name)
        return done

    # ------------------------------------------------------------------ helpers

    def _remember(self, drafts: list[Draft], namespace: str | None, progress: Progress | None) -> list[Thought]:
        from simonides.upkeep.rebalance import keep_up
        from simonides.write.remember import remember

        name = self._name(namespace)
        if not drafts:
            return []
        stored = remember(self._engine, name, drafts, progress)
        if self._engine.library.shelf(stored.ns).wrote(len(stored.tids)):
            keep_up(self._engine, name)
        found, tids = stored.thoughts, stored.tids
        return [found[tid] for tid in tids] if found.keys() >= set(tids) else self._by_row(name, tids)

    def _by_row(self, namespace: str, tids: Sequence[int]) -> list[Thought]:
        found: dict[int, Thought] = {}
        with self._engine.database.snapshot() as snapshot:
            ns = snapshot.state(namespace).ns
            for start in range(0, len(tids), LIST_MAX):
                found.update((s.tid, s.thought) for s in snapshot.thoughts(ns, tids[start : start + LIST_MAX]))
        return [found[tid] for tid in tids if tid in found]

    def _revise(self, revision: Revision, namespace: str | None) -> Thought:
        from simonides.write.revise import revise

        name = self._name(namespace)
        tid = revise(self._engine, name, revision)
        if revision.makes_passages:
            from simonides.upkeep.rebalance import keep_up

            keep_up(self._engine, name)
        return self._by_row(name, [tid])[0]

    def _whole(self, what: str) -> None:
        if self._sealed:
            raise NamespaceError(f"this handle is sealed, and {what} concerns every namespace")

    def _name(self, namespace: str | None) -> str:
        name = self._namespace if namespace is None else check_namespace(namespace)
        if self._sealed and name != self._namespace:
            raise NamespaceError("this handle is sealed: it reaches its own namespace only")
        return name

    def _names(self, namespace: str | Sequence[str] | None) -> tuple[str, ...]:
        if namespace is None or isinstance(namespace, str):
            return (self._name(namespace),)
        if not isinstance(namespace, Sequence):
            raise NamespaceError(f"namespace is {type(namespace).__name__}; expected a name or a list of names")
        return tuple(self._name(name) for name in namespace)

    @contextmanager
    def _seen(self, as_of: Instant | None) -> Iterator[Snapshot]:
        """A snapshot of today, or of an instant."""
        at = _asked_at(as_of, "as_of")
        with self._engine.database.snapshot() as snapshot:
            yield snapshot if at is None else snapshot.past(at)

    def _listing(
        self,
        filters: Filters,
        include_expired: bool,
        status: LifecycleStatus | str | None,
        times: tuple[Instant | None, Instant | None],
    ) -> Predicate | None:
        from simonides.model.predicate import All, Compare, Either, read_filters

        parts: list[Predicate] = []
        given = read_filters(filters)
        if given is not None:
            parts.append(given)
        if status is not None:
            read = read_filters({"lifecycle_status": status})
            assert read is not None
            parts.append(read)
        valid_at, as_of = (_asked_at(time, name) for time, name in zip(times, ("valid_at", "as_of"), strict=True))
        if valid_at is not None:
            begun = (Compare("valid_from", "$exists", False), Compare("valid_from", "$lte", valid_at))
            ends = (Compare("valid_until", "$exists", False), Compare("valid_until", "$gt", valid_at))
            parts += [Either(begun), Either(ends)]
        if not include_expired:
            now = self._engine.clock() if as_of is None else as_of
            parts.append(Either((Compare("expires_at", "$exists", False), Compare("expires_at", "$gt", now))))
        return All(tuple(parts)) if parts else None


def _edge_type(value: EdgeType | str) -> str:
    try:
        return EdgeType(value).value
    except ValueError:
        raise InvalidQueryError(f"edge_type is {value!r}; expected one of {', '.join(EdgeType)}") from None


def _labels(names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InvalidThoughtError(f"{names!r} is a text where a list of names is expected", hint=f"write [{names!r}]")
    return tuple(names)


def _when(value: Instant | None, field: str) -> int | None:
    try:
        return None if value is None else to_instant(value)
    except (ValueError, TypeError, OverflowError, AttributeError) as error:
        raise InvalidThoughtError(f"{field} is {value!r:.80}, not an instant: {error}") from None


def _asked_at(value: Instant | None, name: str) -> int | None:
    """An instant that a reading verb was given; None for none, and for any time."""

    if value is None:
        return None
    if name == "valid_at" and isinstance(value, str):
        from simonides.read.plans.settle import ANY_TIME

        if value.strip().lower() == ANY_TIME:
            return None
    try:
        return to_instant(value)
    except (ValueError, TypeError, OverflowError, AttributeError) as error:
        raise InvalidQueryError(f"{name} is {value!r:.80}, not an instant: {error}") from None


def _with_labels(
    filters: Filters, content_type: str | Sequence[str] | None, topics: str | Sequence[str] | None
) -> Filters:
    from simonides.model.predicate import All, read_filters

    wanted: dict[str, object] = {}
    if content_type is not None:
        wanted["content_type"] = content_type if isinstance(content_type, str) else list(content_type)
    if topics is not None:
        wanted["topics"] = {"$under": [topics] if isinstance(topics, str) else list(topics)}
    more, given = read_filters(wanted), read_filters(filters)
    if more is None:
        return given
    return more if given is None else All((given, more))
