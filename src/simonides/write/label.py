"""Which concepts cut across a thought, and which topics is it filed under? Memberships beside the text, journaled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from simonides.errors import InvalidThoughtError
from simonides.write.accept import check_labels, check_name, not_of_the_tree
from simonides.write.journal import Note, write_note
from simonides.write.revise import not_found

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.engine import Engine

DEPTH_MAX = 16  # levels of a topic key
TOPICS, CONCEPTS = "topics", "concepts"  # what the journal names: the names that people give would outlive an erasure


def annotate(
    engine: Engine, namespace: str, thought_id: str, concepts: Iterable[str], replace: bool, reason: str | None = None
) -> None:
    """Adds concepts to a thought, or replaces those it has. An alias stands for its concept.

    Raises ThoughtNotFoundError, InvalidThoughtError for a name that cannot be a concept.
    """
    names = check_labels(tuple(concepts), "concepts")

    def change(tx: Transaction, ns: int, labels: Mapping[str, list[str]]) -> dict[str, list[str]]:
        aliases = tx.aliases(ns)
        wanted = {aliases.get(name, name) for name in names}
        kept = set() if replace else set(labels.get("concept", ()))
        return {**labels, "concept": sorted(kept | wanted)}

    _relabel(engine, namespace, thought_id, ("thought.annotated", reason), change)


def file_under(
    engine: Engine, namespace: str, thought_id: str, topic: str, reason: str | None = None, *, remove: bool = False
) -> None:
    """Files a thought under a topic, made when it is new, or takes it out again."""
    key = check_topic(topic)

    def change(tx: Transaction, ns: int, labels: Mapping[str, list[str]]) -> dict[str, list[str]]:
        if not remove:
            tx.put_user_topic(ns, key, None, engine.clock())
        topics = set(labels.get("topic", ()))
        return {**labels, "topic": sorted(topics - {key} if remove else topics | {key})}

    _relabel(engine, namespace, thought_id, ("thought.filed", reason), change)


def create_topic(engine: Engine, namespace: str, key: str, title: str | None, reason: str | None = None) -> None:
    """Makes a topic without members; with the same key again it gets the new title."""
    key = check_topic(key)
    at = engine.clock()

    def job(tx: Transaction) -> None:
        ns = tx.namespace(namespace, at)
        tx.put_user_topic(ns, key, None if title is None else check_name(title, "title"), at)
        write_note(tx, Note(at, ns, engine.actor, reason), "topic.created", TOPICS, {"key": key, "title": title})

    engine.database.write(job)


def alias(engine: Engine, namespace: str, name: str, concept: str, reason: str | None = None) -> None:
    """Gives a concept another name. What was annotated before keeps its name."""
    name, concept = check_name(name, "alias"), check_name(concept, "concept")
    at = engine.clock()

    def job(tx: Transaction) -> None:
        ns = tx.namespace(namespace, at)
        if name == concept or tx.aliases(ns).get(concept) is not None:
            raise InvalidThoughtError(f"{concept!r} is itself an alias, or the same as {name!r}")
        tx.put_alias(ns, name, concept)
        write_note(
            tx, Note(at, ns, engine.actor, reason), "concept.alias", CONCEPTS, {"alias": name, "concept": concept}
        )

    engine.database.write(job)


def check_topic(key: object) -> str:
    """A topic key: names joined by `/`, none of them blank, at most 16 levels; not one of the topic tree."""
    name = check_name(key, "topic")
    not_of_the_tree((name,))
    parts = name.split("/")
    if len(parts) > DEPTH_MAX or not all(part.strip() for part in parts):
        raise InvalidThoughtError(f"topic is {name!r}; expected 1 to {DEPTH_MAX} names joined by '/'")
    return name


def _relabel(
    engine: Engine,
    namespace: str,
    thought_id: str,
    why: tuple[str, str | None],
    change: Callable[[Transaction, int, Mapping[str, list[str]]], dict[str, list[str]]],
) -> None:
    at = engine.clock()

    def job(tx: Transaction) -> None:
        ns = tx.state(namespace).ns
        tid = tx.tids_of(ns, [thought_id]).get(thought_id)
        if tid is None:
            raise not_found(thought_id, namespace)
        before = tx.labels_of(tid)
        after = change(tx, ns, before)
        if after == before:
            return
        tx.history.keep_labels(ns, tid, at)
        tx.set_labels(ns, tid, after)
        write_note(tx, Note(at, ns, engine.actor, why[1]), why[0], thought_id, dict(after))

    engine.database.write(job)
