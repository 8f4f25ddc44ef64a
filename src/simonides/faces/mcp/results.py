"""What do the tools answer? Values with names, which are also the output schemas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simonides import Hit, Thought

TITLE_CHARACTERS = 80
THOUGHT_URI = "simonides://thought/"


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory as it was written. embedding: present, pending (its vector comes later) or none."""

    id: str
    revision: int
    thought_type: str
    priority: str
    lifecycle_status: str
    created_at: str
    updated_at: str
    embedding: str


@dataclass(frozen=True, slots=True)
class Found:
    """A hit without its text, which stands in the block of the whole answer."""

    id: str
    rank: int
    score: float
    time: str
    speaker: str | None
    source: str | None
    cut: bool
    copies: int
    superseded_by: list[str]
    conflicts: list[str]
    supported_by: list[str]


@dataclass(frozen=True, slots=True)
class Recalled:
    """An answer. text: the memories between marks that no memory can forge. left_out: found, but over the budget."""

    query_id: str
    text: str
    hits: list[Found]
    truncated: bool
    left_out: list[str]
    degraded: list[str]


@dataclass(frozen=True, slots=True)
class Page:
    """A search result as ChatGPT expects it."""

    id: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Pages:
    results: list[Page]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole memory as ChatGPT expects it."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory with its content from `offset` on; `cut` when there is more of it than was shown."""

    id: str
    content: str
    offset: int
    characters: int
    cut: bool
    essence: str | None
    thought_type: str
    content_type: str
    priority: str
    lifecycle_status: str
    speaker: str | None
    session: str | None
    source: str | None
    created_at: str
    updated_at: str
    occurred_at: str | None
    expires_at: str | None
    revision: int
    pinned: bool
    confidence: float | None
    concepts: list[str]
    topics: list[str]
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Got:
    """The memories asked for; `missing` are not there, `left_out` did not fit the budget."""

    thoughts: list[Shown]
    missing: list[str]
    left_out: list[str]


@dataclass(frozen=True, slots=True)
class Happened:
    """One change of a memory. text: of the revision that it wrote, '' when it wrote none."""

    at: str
    actor: str | None
    reason: str | None
    kind: str | None
    revision: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Histories:
    """Oldest first; `left_out` older entries did not fit."""

    id: str
    entries: list[Happened]
    left_out: int


@dataclass(frozen=True, slots=True)
class Forgotten:
    """erased: also its earlier revisions are gone for good."""

    id: str
    erased: bool


@dataclass(frozen=True, slots=True)
class Linked:
    """A link as it stands now."""

    edge_id: str
    from_id: str
    to_id: str
    edge_type: str
    weight: float


@dataclass(frozen=True, slots=True)
class Branch:
    """A topic that the store found by itself. label: words that set its memories apart. depth 0: the root."""

    name: str
    label: str
    count: int
    depth: int


@dataclass(frozen=True, slots=True)
class Labels:
    """Label → number of memories. tree: the uppermost topics found by themselves; empty in a small store."""

    topics: dict[str, int]
    concepts: dict[str, int]
    tree: list[Branch]


@dataclass(frozen=True, slots=True)
class Fate:
    """Where a memory is in a search, or the stage it fell out at."""

    id: str
    found: bool
    stage: str
    sentence: str
    numbers: dict[str, float | int | str | None]


@dataclass(frozen=True, slots=True)
class Explained:
    """How a search came out. text: how the question was read, and a table whose lines add up to each score."""

    query_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Counts:
    """What the namespace holds; nothing about the rest of the file."""

    namespace: str
    thoughts: int
    by_type: dict[str, int]
    by_status: dict[str, int]
    passages: int
    edges: int
    vectors: int
    pending_embeddings: int
    sessions: int
    speakers: int
    model_id: str | None
    dimension: int | None


def stored(thought: Thought) -> Stored:
    """What a writer needs to know about what it wrote."""
    return Stored(
        id=thought.thought_id,
        revision=thought.revision,
        thought_type=thought.thought_type,
        priority=thought.priority,
        lifecycle_status=thought.lifecycle_status,
        created_at=thought.created_at.isoformat(),
        updated_at=thought.updated_at.isoformat(),
        embedding=thought.embedding,
    )


def found(hit: Hit) -> Found:
    """A hit without its text."""
    return Found(
        id=hit.thought_id,
        rank=hit.rank,
        score=hit.score,
        time=when(hit.thought),
        speaker=hit.thought.speaker,
        source=hit.thought.source,
        cut=hit.cut,
        copies=hit.copies,
        superseded_by=list(hit.superseded_by),
        conflicts=list(hit.conflicts),
        supported_by=list(hit.supported_by),
    )


def shown(thought: Thought, content: str, offset: int) -> Shown:
    """A memory with that part of its content that begins at `offset`."""
    facts = thought.to_dict()
    kept = {name: facts[name] for name in Shown.__slots__ if name in facts and name not in ("content",)}
    size = len(thought.content)
    values: dict[str, Any] = {**kept, "id": thought.thought_id, "content": content, "offset": offset}
    return Shown(**values, characters=size, cut=bool(offset) or len(content) < size)


def title(thought: Thought) -> str:
    """One line that tells a memory from others."""
    line = " ".join((thought.essence or thought.content[: 4 * TITLE_CHARACTERS]).split())
    return line if len(line) <= TITLE_CHARACTERS else f"{line[: TITLE_CHARACTERS - 1]}…"


def url(thought: Thought) -> str:
    """Where the memory can be cited: its source on the web when it has one, else the resource of this server."""
    from urllib.parse import quote

    source = thought.source or ""
    return source if source.startswith(("https://", "http://")) else THOUGHT_URI + quote(thought.thought_id, safe="")


def when(thought: Thought) -> str:
    """When it happened, else when it was stored."""
    return (thought.occurred_at or thought.created_at).isoformat()
