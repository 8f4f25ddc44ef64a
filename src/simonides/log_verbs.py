"""What was asked of a store, what did it show, and can its journal be trusted? `store.log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simonides.clock import to_instant
from simonides.errors import InvalidQueryError, NamespaceError, QueryNotFoundError
from simonides.model.namespace import check_namespace
from simonides.read.log import entry_of, find, page
from simonides.write.seal import anchor, prune, seal, seals

if TYPE_CHECKING:
    from simonides.engine import Engine
    from simonides.model.anchor import Anchor, Pruned, Seal
    from simonides.model.log import LogEntry
    from simonides.model.thought import Instant
    from simonides.upkeep.desk import Desk

LOG_PAGE = 10_000  # rows of one page, at most


class Log:
    """The retrieval log as one handle sees it. What still waits to be written is written before it is read.

    A sealed handle sees questions that asked its own namespace and no other one.
    """

    def __init__(self, engine: Engine, desk: Desk, namespace: str, sealed: bool) -> None:
        self._engine = engine
        self._desk = desk
        self._namespace = namespace
        self._sealed = sealed

    def list(self, limit: int = 50, *, after: str | None = None, namespace: str | None = None) -> tuple[LogEntry, ...]:
        """Questions that asked a namespace, newest first. after: the query_id where the last page ended.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     _ = store.recall("where is the key?")
        ...     [(entry.verb, entry.query, entry.mode) for entry in store.log.list()]
        [('recall', 'where is the key?', 'none')]
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LOG_PAGE:
            raise InvalidQueryError(f"limit is {limit!r}; expected 1..{LOG_PAGE}")
        if after is not None:
            self._entry(after)
        self._desk.flush()
        return tuple(page(self._engine, self._name(namespace), only=self._sealed, after=after, limit=limit))

    def get(self, query_id: str) -> LogEntry | None:
        """One question; None when it is not in the log or not for this handle."""
        try:
            return self._entry(query_id)
        except QueryNotFoundError:
            return None

    def count(self, *, namespace: str | None = None) -> int:
        """How many questions `list` would give in all."""
        name = self._name(namespace)
        self._desk.flush()
        with self._engine.database.snapshot() as snapshot:
            return snapshot.audit.count(name, only=self._sealed)

    def prune(self, *, before: Instant | None = None) -> int:
        """Ends what retention ends, or everything asked before an instant; returns how many rows.

        Retention also works by itself, a little with every commit of the log. Raises NamespaceError when sealed.
        """
        if self._sealed:
            raise NamespaceError("this handle is sealed: the log belongs to the whole store")
        audit = self._desk.audit
        if audit is None:
            return 0
        self._desk.flush()
        if before is None:
            return audit.prune(audit.horizon(self._engine.clock()))
        try:
            return audit.prune(to_instant(before))
        except (ValueError, TypeError, OverflowError, AttributeError) as error:
            raise InvalidQueryError(f"before is {before!r:.80}, not an instant: {error}") from None

    def anchor(self) -> Anchor:
        """Where the journal stands, to keep or sign elsewhere: `store.verify(anchor=…)` finds a tail that was removed.

        Raises InvalidQueryError for an empty journal, NamespaceError when sealed: the journal is the whole store's.
        """
        self._whole()
        return anchor(self._engine)

    def seal(self, *, before: Instant | None = None, reason: str | None = None) -> Seal | None:
        """Checks the journal since the last seal and closes that stretch; it can be pruned then. None for nothing new.

        before: leaves changes from an instant on open. Raises StoreDamagedError when the chain does not hold.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     _ = store.remember("one", thought_id="a")
        ...     _ = store.update_thought("a", content="two")
        ...     store.log.seal(reason="end of the quarter").last_seq, store.log.prune_journal().upto_seq
        ...     store.verify().ok, [entry.revision for entry in store.history("a")]
        (2, 2)
        (True, [2])
        """
        self._whole()
        return seal(self._engine, self._instant(before), reason)

    def seals(self) -> tuple[Seal, ...]:
        """Every sealed stretch of the journal, oldest first."""
        self._whole()
        return tuple(seals(self._engine))

    def prune_journal(
        self, *, before: Instant | None = None, keep_revisions: bool = False, reason: str | None = None
    ) -> Pruned | None:
        """Takes sealed stretches out of the journal, all or those that ended before an instant; None without any.

        What they ended goes too: earlier revisions, labels and edges, so that `as_of` and `changes` answer from then on
        only. keep_revisions: the journal alone. The chain still verifies. In batches; who was killed calls again.
        """
        self._whole()
        return prune(self._engine, self._instant(before), reason, keep_revisions=keep_revisions)

    def _whole(self) -> None:
        if self._sealed:
            raise NamespaceError("this handle is sealed: the journal belongs to the whole store")

    def _instant(self, value: Instant | None) -> int | None:
        try:
            return None if value is None else to_instant(value)
        except (ValueError, TypeError, OverflowError, AttributeError) as error:
            raise InvalidQueryError(f"before is {value!r:.80}, not an instant: {error}") from None

    def _entry(self, query_id: str) -> LogEntry:
        """Like `get`, but raises QueryNotFoundError."""
        self._desk.flush()
        with self._engine.database.snapshot() as snapshot:
            return entry_of(find(snapshot, query_id, self._namespace if self._sealed else None))

    def _name(self, namespace: str | None) -> str:
        name = self._namespace if namespace is None else check_namespace(namespace)
        if self._sealed and name != self._namespace:
            raise NamespaceError("this handle is sealed: it reaches its own namespace only")
        return name
