"""The nine tools of the MCP project's reference memory server: same names, same shapes, on thoughts and edges.

Entity: a thought whose id is made from its name. Observation: a thought in the entity's session, id from both texts.
Relation: a thought "from type to", linked to both entities. Ids made from texts make every write repeatable, so that
many servers can write to one file without undoing each other's work.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from simonides.faces.mcp import graph
from simonides.faces.mcp.graph import Entity, Graph, Relation
from simonides.faces.mcp.resources import Shelf
from simonides.faces.mcp.tools import Tool

if TYPE_CHECKING:
    from simonides import Store

Names = Annotated[list[str], Field(description="Names of entities.")]


@dataclass(frozen=True, slots=True)
class Contents:
    """Observations to add to an entity."""

    entity_name: Annotated[str, Field(alias="entityName")]
    contents: list[str]


@dataclass(frozen=True, slots=True)
class Added:
    """Observations that were not there before."""

    entity_name: Annotated[str, Field(alias="entityName")]
    added_observations: Annotated[list[str], Field(alias="addedObservations")]


@dataclass(frozen=True, slots=True)
class Deletion:
    """Observations to take from an entity."""

    entity_name: Annotated[str, Field(alias="entityName")]
    observations: list[str]


@dataclass(frozen=True, slots=True)
class Entities:
    entities: list[Entity]


@dataclass(frozen=True, slots=True)
class Relations:
    relations: list[Relation]


@dataclass(frozen=True, slots=True)
class Results:
    results: list[Added]


@dataclass(frozen=True, slots=True)
class Outcome:
    success: bool
    message: str


def create_entities(store: Store, *, entities: list[Entity]) -> Entities:
    """Create multiple new entities in the knowledge graph; names that exist already are left as they are."""
    return Entities(graph.add_entities(store, entities))


def create_relations(store: Store, *, relations: list[Relation]) -> Relations:
    """Create multiple new relations between entities in the knowledge graph. Relations should be in active voice."""
    return Relations(graph.add_relations(store, relations))


def add_observations(store: Store, *, observations: list[Contents]) -> Results:
    """Add new observations to existing entities in the knowledge graph."""
    added = graph.add_observations(store, [(each.entity_name, each.contents) for each in observations])
    return Results([Added(name, contents) for name, contents in added])


def delete_entities(
    store: Store, *, entity_names: Annotated[list[str], Field(alias="entityNames", description="Which.")]
) -> Outcome:
    """Delete multiple entities with their observations and relations from the knowledge graph."""
    names = list(dict.fromkeys(entity_names))
    deleted = graph.remove_entities(store, names)
    missing = [name for name in names if name not in deleted]
    told = f"Deleted {len(deleted)} of {len(names)} entities. Not found: {', '.join(missing)}"
    return Outcome(True, told if missing else "Entities deleted successfully")


def delete_observations(store: Store, *, deletions: list[Deletion]) -> Outcome:
    """Delete specific observations from entities in the knowledge graph."""
    wanted = [(each.entity_name, text) for each in deletions for text in each.observations]
    count = graph.remove_observations(store, wanted)
    told = f"Deleted {count} of {len(wanted)} observations."
    return Outcome(True, told if count < len(wanted) else "Observations deleted successfully")


def delete_relations(store: Store, *, relations: list[Relation]) -> Outcome:
    """Delete multiple relations from the knowledge graph."""
    count = graph.remove_relations(store, relations)
    told = f"Deleted {count} of {len(relations)} relations. The rest matched nothing."
    return Outcome(True, told if count < len(relations) else "Relations deleted successfully")


def read_graph(store: Store) -> Graph:
    """Read the entire knowledge graph."""
    return graph.whole(store)


def search_nodes(store: Store, *, query: Annotated[str, Field(description="Words or a question.")]) -> Graph:
    """Search for nodes in the knowledge graph by name, type and observations: by words, else by meaning."""
    return graph.search(store, query)


def open_nodes(store: Store, *, names: Names) -> Graph:
    """Open specific nodes in the knowledge graph by their names, with their relations."""
    return graph.nodes(store, names)


def _graph_json(found: Graph) -> dict[str, list[dict[str, object]]]:
    entities: list[dict[str, object]] = [
        {"name": e.name, "entityType": e.entity_type, "observations": e.observations} for e in found.entities
    ]
    relations: list[dict[str, object]] = [
        {"from": r.from_, "to": r.to, "relationType": r.relation_type} for r in found.relations
    ]
    return {"entities": entities, "relations": relations}


def _listed(found: Entities | Relations | Results) -> str:
    """The reference server's texts hold the list itself."""
    if isinstance(found, Entities):
        return _text(_graph_json(Graph(found.entities, []))["entities"])
    if isinstance(found, Relations):
        return _text(_graph_json(Graph([], found.relations))["relations"])
    return _text([{"entityName": a.entity_name, "addedObservations": a.added_observations} for a in found.results])


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


GRAPH_TOOLS = (
    Tool(create_entities, "Create Entities", text=_listed),
    Tool(create_relations, "Create Relations", text=_listed),
    Tool(add_observations, "Add Observations", text=_listed),
    Tool(delete_entities, "Delete Entities", destroys=True, repeats=True, text=lambda done: done.message),
    Tool(delete_observations, "Delete Observations", destroys=True, repeats=True, text=lambda done: done.message),
    Tool(delete_relations, "Delete Relations", destroys=True, repeats=True, text=lambda done: done.message),
    Tool(read_graph, "Read Graph", reads_only=True),
    Tool(search_nodes, "Search Nodes", reads_only=True),
    Tool(open_nodes, "Open Nodes", reads_only=True),
)
GRAPH_SHELF = Shelf(
    "memory://knowledge-graph",
    "knowledge-graph",
    "The full knowledge graph with all entities and relations.",
    lambda store: _graph_json(graph.whole(store)),
)
