"""The tools that change something: remember, update, forget, link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from simonides import EdgeType, LifecycleStatus, Priority, ThoughtNotFoundError, ThoughtType
from simonides.faces.mcp.reading import Id
from simonides.faces.mcp.results import Forgotten, Linked, Stored, stored
from simonides.faces.mcp.tools import Tool

if TYPE_CHECKING:
    from simonides import Store

Kind = Annotated[ThoughtType, Field(description="What kind of memory it is.")]
Weight = Annotated[Priority, Field(description="How much it matters: P1 most, P4 least.")]
Time = Annotated[str | None, Field(description="ISO 8601, e.g. 2026-03-01 or 2026-03-01T12:00:00Z.")]
Metadata = Annotated[dict[str, Any] | None, Field(description="Any JSON values; recall can filter by them.")]
Reason = Annotated[str | None, Field(description="Why; it goes into the journal.")]
Clearable = Literal[
    "essence", "metadata", "occurred_at", "expires_at", "valid_from", "valid_until", "source", "confidence"
]


def remember(
    store: Store,
    *,
    content: Annotated[str, Field(min_length=1, description="The fact, complete in itself, in plain words.")],
    thought_type: Kind = ThoughtType.NOTE,
    priority: Weight = Priority.P3,
    speaker: Annotated[str | None, Field(description="Who said it.")] = None,
    session: Annotated[str | None, Field(description="The conversation it belongs to; keeps turns in order.")] = None,
    occurred_at: Time = None,
    expires_at: Time = None,
    concepts: Annotated[list[str], Field(description="Names of ideas it touches.")] = [],  # noqa: B006  # read only
    topics: Annotated[list[str], Field(description="Where to file it, e.g. work/atlas.")] = [],  # noqa: B006
    metadata: Metadata = None,
    source: Annotated[str | None, Field(description="Where it comes from: a page, a file, a person.")] = None,
    supersedes: Annotated[str | None, Field(description="Id of an older memory that this one replaces.")] = None,
    deduplicate: Annotated[bool, Field(description="Store an equal text once.")] = True,
) -> Stored:
    """Store one memory: a fact, preference, decision or event worth knowing later. One fact per call.

    Do not store secrets or what can be looked up. To correct a memory use update, or supersedes to keep both.
    """
    thought = store.remember(
        content,
        thought_type=thought_type,
        priority=priority,
        speaker=speaker,
        session=session,
        occurred_at=occurred_at,
        expires_at=expires_at,
        concepts=concepts,
        topics=topics,
        metadata=metadata,
        source=source,
        supersedes=supersedes,
        deduplicate=deduplicate,
    )
    return stored(thought)


def update(
    store: Store,
    *,
    id: Id,
    content: Annotated[str | None, Field(min_length=1, description="The new text.")] = None,
    essence: Annotated[str | None, Field(description="One sentence that says it all.")] = None,
    thought_type: Annotated[ThoughtType | None, Field(description="What kind of memory it is.")] = None,
    priority: Annotated[Priority | None, Field(description="P1 most, P4 least.")] = None,
    lifecycle_status: Annotated[
        LifecycleStatus | None, Field(description="ARCHIVED takes it out of recall, ACTIVE brings it back.")
    ] = None,
    occurred_at: Time = None,
    expires_at: Time = None,
    valid_from: Time = None,
    valid_until: Annotated[
        str | None, Field(description="ISO 8601: until when it held. For what is no longer true; recall leaves it out.")
    ] = None,
    metadata: Annotated[dict[str, Any] | None, Field(description="Takes the place of all metadata.")] = None,
    source: Annotated[str | None, Field(description="Where it comes from.")] = None,
    confidence: Annotated[float | None, Field(ge=0, le=1, description="How sure it is.")] = None,
    pinned: Annotated[bool | None, Field(description="Keep it from being tidied away.")] = None,
    clear: Annotated[list[Clearable], Field(description="Fields to empty.")] = [],  # noqa: B006  # read only
    expected_revision: Annotated[int | None, Field(description="Refuse if it was changed since.")] = None,
    reason: Reason = None,
) -> Stored:
    """Correct a memory: the fields that are given change, the rest stays. Earlier revisions are kept."""
    given: dict[str, Any] = {
        "content": content,
        "essence": essence,
        "thought_type": thought_type,
        "priority": priority,
        "lifecycle_status": lifecycle_status,
        "occurred_at": occurred_at,
        "expires_at": expires_at,
        "valid_from": valid_from,
        "valid_until": valid_until,
        "metadata": metadata,
        "source": source,
        "confidence": confidence,
        "pinned": pinned,
    }
    changes: dict[str, Any] = dict.fromkeys(clear)
    changes |= {name: value for name, value in given.items() if value is not None}
    return stored(store.update_thought(id, **changes, expected_revision=expected_revision, reason=reason))


def forget(
    store: Store,
    *,
    id: Id,
    erase: Annotated[bool, Field(description="Erase its history and its vectors too, for good.")] = False,
    reason: Reason = None,
) -> Forgotten:
    """Delete a memory and its links: nothing finds it any more. Only when the user wants it; else update or archive.

    With erase it cannot be brought back: when the user asks that something be erased, or for a secret.
    """
    if erase:
        gone = store.forget(thought_ids=[id], reason=reason or "asked for over MCP")
        if not gone.count:
            raise ThoughtNotFoundError(f"no thought {id!r:.320} in namespace {store.namespace!r}")
        return Forgotten(id, True)
    store.delete_thought(id, reason=reason)
    return Forgotten(id, False)


def link(
    store: Store,
    *,
    from_id: Annotated[str, Field(min_length=1, description="Id of the newer memory, where the link starts.")],
    to_id: Annotated[str, Field(min_length=1, description="Id of the memory it points at.")],
    edge_type: Annotated[EdgeType, Field(description="What the first is to the second.")] = EdgeType.ASSOCIATED,
    weight: Annotated[float, Field(ge=0, le=1, description="How strong the link is.")] = 1.0,
    reason: Reason = None,
) -> Linked:
    """Connect two memories: one SUPERSEDES, CONTRADICTS or SUPPORTS an older one, or is merely ASSOCIATED with it."""
    edge = store.link(from_id, to_id, edge_type, weight=weight, reason=reason)
    return Linked(edge.edge_id, edge.from_id, edge.to_id, edge.edge_type, edge.weight)


WRITING = (
    Tool(remember, "Remember something"),
    Tool(update, "Correct a memory", destroys=True, repeats=True),
    Tool(forget, "Forget a memory", destroys=True, repeats=True),
    Tool(link, "Link two memories", repeats=True),
)
