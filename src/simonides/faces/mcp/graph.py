"""How is a knowledge graph kept in a store? Entities, observations and relations as thoughts; see compat.py."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from simonides import Budget, Draft, EdgeType, ThoughtNotFoundError

if TYPE_CHECKING:
    from simonides import Store, Thought

ENTITY, OBSERVATION, RELATION = "graph/entity", "graph/observation", "graph/relation"
PAGE = 10_000
BATCH = 500
ENTITY_EDGES = 10_000
WORD_HITS, MEANING_HITS = 50, 10


@dataclass(frozen=True, slots=True)
class Entity:
    """A node. `name` identifies it."""

    name: str
    entity_type: Annotated[str, Field(alias="entityType")]
    observations: list[str]


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed link between two entities, in active voice."""

    from_: Annotated[str, Field(alias="from", description="The entity where the relation starts.")]
    to: Annotated[str, Field(description="The entity where the relation ends.")]
    relation_type: Annotated[str, Field(alias="relationType", description="The verb between them.")]


@dataclass(frozen=True, slots=True)
class Graph:
    """Some entities, and the relations that touch them."""

    entities: list[Entity]
    relations: list[Relation]


def add_entities(store: Store, entities: Sequence[Entity]) -> list[Entity]:
    """Adds entities with their observations; gives those that are new."""
    wanted = {entity.name: entity for entity in reversed(entities)}
    there = _entities(store, wanted)
    new = [entity for name, entity in reversed(wanted.items()) if name not in there]
    drafts = [draft for entity in new for draft in (_entity(entity), *_observations(entity.name, entity.observations))]
    store.remember_many(drafts)
    return new


def add_observations(store: Store, wanted: Sequence[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Adds observations to entities; gives those that are new.

    Raises ThoughtNotFoundError before anything is written.
    """
    _need(store, [name for name, _ in wanted])
    known = {_key(OBSERVATION, name, text) for name, texts in wanted for text in texts}
    there = _there(store, known)
    added: list[tuple[str, list[str]]] = []
    for name, texts in wanted:
        fresh = [text for text in dict.fromkeys(texts) if _key(OBSERVATION, name, text) not in there]
        added.append((name, fresh))
    store.remember_many([draft for name, texts in added for draft in _observations(name, texts)])
    return added


def add_relations(store: Store, relations: Sequence[Relation]) -> list[Relation]:
    """Adds relations; gives those that are new. Raises ThoughtNotFoundError before anything is written."""
    _need(store, [end for relation in relations for end in (relation.from_, relation.to)])
    wanted = {_relation_key(relation): relation for relation in relations}
    there = _there(store, wanted)
    new = {key: relation for key, relation in wanted.items() if key not in there}
    store.remember_many([_relation(key, relation) for key, relation in new.items()])
    for key, relation in wanted.items():  # also of known ones, in case an earlier call ended between the two
        for name in dict.fromkeys((relation.from_, relation.to)):
            store.link(key, _key(ENTITY, name), EdgeType.ASSOCIATED)
    return list(new.values())


def remove_entities(store: Store, names: Sequence[str]) -> list[str]:
    """Deletes entities with their observations and relations; gives the names that were there."""
    there = _entities(store, names)
    for name in there:
        gone = [*_touching(store, name), *_observed(store, [name])]
        _delete(store, [thought.thought_id for thought in gone] + [_key(ENTITY, name)])
    return list(there)


def remove_observations(store: Store, wanted: Sequence[tuple[str, str]]) -> int:
    """Deletes observations; how many were there."""
    return _delete(store, [_key(OBSERVATION, name, text) for name, text in wanted])


def remove_relations(store: Store, relations: Sequence[Relation]) -> int:
    """Deletes relations; how many were there."""
    return _delete(store, [_relation_key(relation) for relation in relations])


def whole(store: Store) -> Graph:
    """Everything, in the order it came."""
    return _assembled(_all(store, {"content_type": [ENTITY, OBSERVATION, RELATION]}))


def nodes(store: Store, names: Iterable[str]) -> Graph:
    """The entities of these names, and the relations that touch them."""
    there = _entities(store, names)
    relations = {thought.thought_id: thought for name in there for thought in _touching(store, name)}
    return _assembled([*there.values(), *_observed(store, list(there)), *relations.values()])


def search(store: Store, query: str) -> Graph:
    """The entities that a query is about: by words, and by meaning when no word is found."""
    if not query.strip():
        return whole(store)
    kinds = [ENTITY, OBSERVATION, RELATION]
    answer = store.retrieve(query, profile="keyword", content_type=kinds, budget=Budget(max_units=WORD_HITS))
    if not answer.hits:
        answer = store.recall(query, top_k=MEANING_HITS, filters={"content_type": kinds})
    return nodes(store, dict.fromkeys(name for hit in answer.hits for name in _about(hit.thought)))


# ---------------------------------------------------------------------- thoughts


def _key(kind: str, *texts: str) -> str:
    digest = hashlib.sha256("\x00".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kind}/{digest[:32]}"


def _relation_key(relation: Relation) -> str:
    return _key(RELATION, relation.from_, relation.relation_type, relation.to)


def _entity(entity: Entity) -> Draft:
    return Draft(
        content=f"{entity.name} ({entity.entity_type})",
        thought_id=_key(ENTITY, entity.name),
        content_type=ENTITY,
        session=_key(ENTITY, entity.name),
        metadata={"entity": entity.name, "entity_type": entity.entity_type},
    )


def _observations(name: str, texts: Iterable[str]) -> list[Draft]:
    session = _key(ENTITY, name)
    return [
        Draft(
            content=text,
            thought_id=_key(OBSERVATION, name, text),
            content_type=OBSERVATION,
            session=session,
            metadata={"entity": name},
        )
        for text in dict.fromkeys(texts)
    ]


def _relation(key: str, relation: Relation) -> Draft:
    return Draft(
        content=f"{relation.from_} {relation.relation_type} {relation.to}",
        thought_id=key,
        content_type=RELATION,
        metadata={"from": relation.from_, "to": relation.to, "relation_type": relation.relation_type},
    )


def _about(thought: Thought) -> list[str]:
    """Names of the entities that a thought of the graph is about."""
    facts = thought.metadata
    return [str(facts[name]) for name in ("entity", "from", "to") if name in facts]


def _assembled(thoughts: Iterable[Thought]) -> Graph:
    types: dict[str, str] = {}
    texts: dict[str, list[str]] = {}
    relations: list[Relation] = []
    for thought in thoughts:
        facts = {name: str(value) for name, value in thought.metadata.items()}
        if thought.content_type == ENTITY:
            types[facts["entity"]] = facts["entity_type"]
        elif thought.content_type == OBSERVATION:
            texts.setdefault(facts["entity"], []).append(thought.content)
        else:
            relations.append(Relation(facts["from"], facts["to"], facts["relation_type"]))
    return Graph([Entity(name, kind, texts.get(name, [])) for name, kind in types.items()], relations)


# ---------------------------------------------------------------------- the store


def _all(store: Store, filters: dict[str, Any]) -> list[Thought]:
    found: list[Thought] = []
    page: list[Thought] = []
    while not found or len(page) == PAGE:
        page = store.list_thoughts(filters=filters, limit=PAGE, after=found[-1].thought_id if found else None)
        if not page:
            break
        found += page
    return found


def _there(store: Store, ids: Iterable[str]) -> dict[str, Thought]:
    return {thought.thought_id: thought for thought in store.get_thoughts(ids)}


def _entities(store: Store, names: Iterable[str]) -> dict[str, Thought]:
    """Name → thought, of those that are there."""
    keys = {_key(ENTITY, name): name for name in names}
    return {keys[key]: thought for key, thought in _there(store, keys).items()}


def _need(store: Store, names: Sequence[str]) -> None:
    there = _entities(store, names)
    missing = next((name for name in names if name not in there), None)
    if missing is not None:
        raise ThoughtNotFoundError(f"Entity with name {missing!r:.320} not found", hint="create_entities makes it")


def _observed(store: Store, names: Sequence[str]) -> list[Thought]:
    found: list[Thought] = []
    for start in range(0, len(names), BATCH):
        sessions = [_key(ENTITY, name) for name in names[start : start + BATCH]]
        found += _all(store, {"session": sessions, "content_type": OBSERVATION})
    return found


def _touching(store: Store, name: str) -> list[Thought]:
    """The relations at an entity."""
    key = _key(ENTITY, name)
    ends = {end for edge in store.edges(key, limit=ENTITY_EDGES) for end in (edge.from_id, edge.to_id)}
    return [t for t in store.get_thoughts(sorted(ends - {key})) if t.content_type == RELATION]


def _delete(store: Store, ids: Iterable[str]) -> int:
    count = 0
    for thought_id in dict.fromkeys(ids):
        try:
            store.delete_thought(thought_id)
        except ThoughtNotFoundError:
            continue
        count += 1
    return count
