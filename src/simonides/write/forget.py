"""How is something forgotten for good? In batches, each whole or not at all; the journal keeps its chain, no text.

Whoever is killed in between calls again: what is gone is gone, what is left still matches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from simonides.backend.chain import digest, new_salt
from simonides.backend.jobs_port import SPLIT_TOPICS, NewJob
from simonides.backend.port import Transaction
from simonides.backend.rows import JournalEntry
from simonides.errors import InvalidQueryError, NamespaceError
from simonides.model.predicate import All, Compare, Either, Not, Predicate
from simonides.model.report import Forgotten

if TYPE_CHECKING:
    from simonides.engine import Engine

BATCH = 500  # thoughts of one transaction
DEPTH_MAX = 8  # reflections on reflections that are followed
_WORD = re.compile(r"\w+")
Progress = Callable[[int, int], None]
Batch = Callable[[Transaction, int], Sequence[int]]


def forget(
    engine: Engine, namespace: str, chosen: Predicate | Sequence[str], reason: str, progress: Progress | None = None
) -> Forgotten:
    """Erases thoughts, deleted ones too, with every version, passage, vector, label and edge, and what quotes them.

    chosen: a filter on the last version, or ids. Raises InvalidQueryError for a selection that names nothing.
    """
    check_reason(reason)
    check_selection(chosen)
    engine.before_erasure()
    with engine.database.snapshot() as snapshot:
        ns, newest = snapshot.state(namespace).ns, snapshot.erasure.newest()
        total = len(chosen) if isinstance(chosen, Sequence) else snapshot.erasure.count(ns, chosen)
    done = Forgotten(namespace, 0)
    for batch in _by_ids(chosen) if isinstance(chosen, Sequence) else _by_filter(chosen, newest):
        part = engine.database.write(lambda tx, batch=batch: _erase(engine, tx, namespace, batch, reason))  # type: ignore[misc]  # mypy cannot type a lambda's default
        if part is None:
            break
        done = _sum(done, part)
        if progress is not None:
            progress(done.count, total)
    trace(engine)
    return done


def trace(engine: Engine) -> None:
    """Takes records about what was erased (questions that showed it) out of the logs. Safe to stop and repeat."""
    after: int | None = 0
    while after is not None:
        after = engine.database.write(lambda tx, after=after: tx.erasure.trace(after))  # type: ignore[misc]  # mypy cannot type a lambda's default


def purge(engine: Engine, namespace: str, reason: str | None, progress: Progress | None = None) -> Forgotten:
    """Erases one namespace whole: thoughts, topics, names, and its own name. Raises NamespaceError for an unknown one.

    The journal keeps its rows under a number; who uses the name again begins a new namespace.
    """
    engine.before_erasure()
    with engine.database.snapshot() as snapshot:
        ns = snapshot.state(namespace).ns
        total = snapshot.count(ns, None)
    if ns == 0:
        raise NamespaceError(f"there is no namespace {namespace!r}", hint="nothing was deleted")
    done, ended = Forgotten(namespace, 0), False
    while not ended:
        part, ended = engine.database.write(lambda tx: _purge_some(engine, tx, ns, reason))
        done = _sum(done, part)
        if progress is not None:
            progress(done.count, max(total, done.count))
    return done


def check_selection(chosen: Predicate | Sequence[str]) -> None:
    """Raises InvalidQueryError for no ids, and for a filter without a condition: that would be everything."""
    if isinstance(chosen, Sequence):
        if isinstance(chosen, str) or not chosen or not all(isinstance(name, str) and name for name in chosen):
            raise InvalidQueryError("thought_ids names nothing to forget", hint="give a list of ids")
    elif not _has_condition(chosen):
        raise InvalidQueryError("the filter has no condition: it would forget everything", hint="purge a namespace")


def check_reason(reason: object) -> None:
    if not isinstance(reason, str) or not reason.strip():
        raise InvalidQueryError(f"reason is {reason!r:.80}; expected text, it stays in the journal")


def _has_condition(predicate: Predicate) -> bool:
    if isinstance(predicate, Compare):
        return True
    if isinstance(predicate, Not):
        return _has_condition(predicate.part)
    assert isinstance(predicate, (All, Either))
    return any(_has_condition(part) for part in predicate.parts)


def _by_ids(thought_ids: Sequence[str]) -> Iterator[Batch]:
    wanted = list(dict.fromkeys(thought_ids))
    for start in range(0, len(wanted), BATCH):
        part = wanted[start : start + BATCH]
        yield lambda tx, ns, part=part: tx.erasure.of_ids(ns, part)  # type: ignore[misc]  # mypy cannot type a lambda's default


def _by_filter(predicate: Predicate, newest: int) -> Iterator[Batch]:
    """Batch after batch by row id; each looks at the rows as they are inside its own transaction."""
    last = 0

    def batch(tx: Transaction, ns: int) -> Sequence[int]:
        nonlocal last
        found = tx.erasure.where(ns, predicate, last, newest, BATCH)
        last = found[-1] if found else newest
        return found

    while last < newest:
        yield batch


def _erase(engine: Engine, tx: Transaction, namespace: str, batch: Batch, reason: str) -> Forgotten | None:
    """One transaction. None when the namespace does not exist."""
    ns = tx.state(namespace).ns
    if ns == 0:
        return None
    tids = list(batch(tx, ns))
    if not tids:
        return Forgotten(namespace, 0)
    quoting = _quoting(tx, ns, tids)
    names, edges = tx.erasure.names([*tids, *quoting]), tx.erasure.edges_of([*tids, *quoting])
    at = engine.clock()
    _unname(tx, ns, namespace, tx.erasure.texts([*tids, *quoting]), at)
    kinds = [("edge.removed", name) for name in edges] + [("thought.erased", name) for name in names.values()]
    seqs = tx.journal([_entry(at, ns, engine.actor, reason, *kind) for kind in kinds])
    extent = tx.erasure.erase(ns, seqs[0], list(names))
    return Forgotten(namespace, len(tids), len(quoting), extent.versions, extent.passages, len(edges))


def _unname(tx: Transaction, ns: int, namespace: str, texts: Sequence[str], at: int) -> None:
    """Topics whose label holds a word of what is erased lose it; a job names them by what is left."""
    head = tx.topics.head(ns)
    if head is None or head.version == 0:
        return
    words = {word.casefold() for text in texts for word in _WORD.findall(text)}
    named = [topic for topic in tx.topics.names(ns, head.version) if topic.label]
    told = {topic.key: "" for topic in named if not words.isdisjoint(_WORD.findall(topic.label.casefold()))}
    if told:
        tx.topics.put_labels(ns, head.version, told)
        tx.jobs.put(NewJob(SPLIT_TOPICS, namespace, at, ""))


def _quoting(tx: Transaction, ns: int, tids: Sequence[int]) -> list[int]:
    """Reflections made from the thoughts, and reflections made from those."""
    known, fresh = set(tids), list(tids)
    for _ in range(DEPTH_MAX):
        fresh = [tid for tid in tx.erasure.reflections_on(ns, fresh) if tid not in known]
        if not fresh:
            break
        known.update(fresh)
    return sorted(known - set(tids))


def _purge_some(engine: Engine, tx: Transaction, ns: int, reason: str | None) -> tuple[Forgotten, bool]:
    """One transaction of a purge; True when the namespace is gone with it."""
    at, name = engine.clock(), f"namespace:{ns}"
    tids = tx.erasure.some(ns, BATCH)
    [seq] = tx.journal([_entry(at, ns, engine.actor, reason, "namespace.purged", name)])
    if not tids:
        tx.erasure.end_namespace(ns)
        return Forgotten("", 0), True
    edges = tx.erasure.edges_of(tids)
    extent = tx.erasure.erase(ns, seq, tids)
    return Forgotten("", len(tids), 0, extent.versions, extent.passages, len(edges)), False


def _entry(at: int, ns: int, actor: str, reason: str | None, kind: str, name: str) -> JournalEntry:
    return JournalEntry(at, ns, actor, reason, kind, name, None, digest({}, new_salt()))


def _sum(done: Forgotten, part: Forgotten) -> Forgotten:
    return Forgotten(
        done.namespace,
        done.count + part.count,
        done.reflections + part.reflections,
        done.versions + part.versions,
        done.passages + part.passages,
        done.edges + part.edges,
    )
