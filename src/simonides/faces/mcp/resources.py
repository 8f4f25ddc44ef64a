"""What can a client attach to a conversation? One memory by id, the newest ones, the labels, the counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from simonides import ThoughtNotFoundError
from simonides.faces.mcp.errors import Refusal
from simonides.faces.mcp.reading import stats, topics
from simonides.faces.mcp.results import THOUGHT_URI, shown
from simonides.faces.mcp.tokens import beginning

if TYPE_CHECKING:
    from mcp_types import Resource, ResourceTemplate

    from simonides import Store

RECENT = 20
RECENT_TOKENS_EACH = 200
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Shelf:
    """A resource at a fixed address."""

    uri: str
    name: str
    description: str
    read: Callable[[Store], Any]


def _recent(store: Store) -> list[dict[str, Any]]:
    newest = [hit.thought for hit in store.recall("", top_k=RECENT).hits]
    return [asdict(shown(thought, beginning(thought.content, RECENT_TOKENS_EACH), 0)) for thought in newest]


SHELVES = (
    Shelf("simonides://recent", "recent", f"The {RECENT} newest memories.", _recent),
    Shelf("simonides://topics", "topics", "Topics, concepts and the topic tree, with counts.", topics),
    Shelf("simonides://stats", "stats", "What the namespace holds, in numbers.", stats),
)


def listed(shelves: tuple[Shelf, ...]) -> list[Resource]:
    """The resources with a fixed address."""
    from mcp_types import Resource

    return [Resource(uri=s.uri, name=s.name, description=s.description, mime_type=JSON) for s in shelves]


def templates() -> list[ResourceTemplate]:
    """The one family of addresses."""
    from mcp_types import ResourceTemplate

    about = "One memory with every field, by the id that recall and search give."
    return [ResourceTemplate(uri_template=f"{THOUGHT_URI}{{id}}", name="thought", description=about, mime_type=JSON)]


def read(uri: str, store: Store, shelves: tuple[Shelf, ...]) -> str:
    """A resource as JSON text. Raises Refusal for an unknown address, ThoughtNotFoundError for an unknown id."""
    for shelf in shelves:
        if uri == shelf.uri:
            value = shelf.read(store)
            return _json(value if isinstance(value, list | dict) else asdict(value))
    if uri.startswith(THOUGHT_URI):
        thought_id = unquote(uri.removeprefix(THOUGHT_URI))
        thought = store.get_thought(thought_id)
        if thought is None:
            raise ThoughtNotFoundError(f"no thought {thought_id!r:.320} in namespace {store.namespace!r}")
        return _json(thought.to_dict())
    known = ", ".join([*(s.uri for s in shelves), f"{THOUGHT_URI}ID"])
    raise Refusal("name_unknown", f"there is no resource {uri!r:.320}", known)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
