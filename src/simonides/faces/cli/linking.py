"""The commands about connections: link, unlink, edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from simonides.errors import ThoughtNotFoundError
from simonides.faces.cli.filters import read_metadata
from simonides.faces.cli.options import AsOf, Limit, Meta, Reason, values_of
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, say, say_json, say_table, visible
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides import Edge

ALL = 100_000
"""As many as `Store.edges` gives."""
From = Annotated[str, Argument(metavar="FROM", help="The memory that it starts at.")]
To = Annotated[str, Argument(metavar="TO", help="The memory that it points to.")]
Kind = Annotated[
    str,
    Option("--type", metavar="NAME", help="SUPERSEDES, CONTRADICTS, SUPPORTS ...", values=values_of("EdgeType")),
]
OneKind = Annotated[
    str | None,
    Option("--type", metavar="NAME", help="Only those of this type.", values=values_of("EdgeType")),
]


@dataclass(frozen=True, slots=True)
class Details:
    """What can be said about a connection."""

    weight: Annotated[float, Option("--weight", metavar="X", help="From 0 to 1.")] = 1.0
    valid_from: Annotated[str | None, Option("--valid-from", metavar="TIME", help="True since.")] = None
    valid_until: Annotated[str | None, Option("--valid-until", metavar="TIME", help="True until.")] = None
    source: Annotated[str | None, Option("--source", metavar="TEXT", help="Where it comes from.")] = None
    metadata: Meta = None


def link(
    place: Place, from_id: From, to_id: To, details: Details, kind: Kind = "ASSOCIATED", reason: Reason = None
) -> None:
    """Connect two memories.

    The same two and the same type again change the connection. SUPERSEDES, CONTRADICTS and SUPPORTS point from the new
    memory to the old one.

    Example: simonides link porto seat --type SUPPORTS --weight 0.8
    """
    with place.changing() as store:
        edge = store.link(
            from_id,
            to_id,
            kind,
            weight=details.weight,
            valid_from=details.valid_from,
            valid_until=details.valid_until,
            source=details.source,
            metadata=read_metadata(details.metadata or ()),
            reason=reason,
        )
    if place.as_json:
        say_json(edge.to_dict())
    else:
        say(visible(" ".join(_cells(edge))))


def unlink(place: Place, from_id: From, to_id: To, kind: Kind = "ASSOCIATED", reason: Reason = None) -> None:
    """Remove a connection.

    Ends with exit code 3 when there is none.

    Example: simonides unlink porto seat --type SUPPORTS
    """
    with place.changing() as store:
        removed = store.unlink(from_id, to_id, kind, reason=reason)
    if not removed:
        raise ThoughtNotFoundError(f"nothing connects {from_id!r} to {to_id!r} by {kind}", hint="see `edges`")
    if place.as_json:
        say_json({"from_id": from_id, "to_id": to_id, "edge_type": kind, "done": "removed"})
    else:
        say(visible(f"{from_id} {kind} {to_id} removed"))


def edges(
    place: Place,
    thought_id: Annotated[str | None, Argument(metavar="[ID]", help="Only those of this memory.")] = None,
    kind: OneKind = None,
    limit: Limit = 100,
    valid_at: Annotated[str | None, Option("--valid-at", metavar="TIME", help="Only what holds then.")] = None,
    as_of: AsOf = None,
) -> None:
    """List the connections of a memory, or all of them.

    The strongest first. With --json each is an object on a line of its own.

    Example: simonides edges seat --type SUPERSEDES
    """
    size = limit or ALL
    with place.reading() as store:
        found = store.edges(thought_id, edge_type=kind, limit=min(size + 1, ALL), valid_at=valid_at, as_of=as_of)
        if thought_id is not None and not found and store.get_thought(thought_id, as_of=as_of) is None:
            raise ThoughtNotFoundError(f"no thought {thought_id!r} in namespace {place.namespace!r}")
    if place.as_json:
        for edge in found[:size]:
            say_json(edge.to_dict(), indent=None)
        return
    say_table(("from", "type", "to", "weight", "valid"), (_cells(edge) for edge in found[:size]))
    if len(found) > size:
        note(f"{size} of more; --limit 0 lists all")


def _cells(edge: Edge) -> list[str]:
    times = [at.strftime("%Y-%m-%d") if at else "" for at in (edge.valid_from, edge.valid_until)]
    return [
        edge.from_id,
        edge.edge_type.value,
        edge.to_id,
        f"{edge.weight:g}",
        " to ".join(times).strip() if any(times) else "",
    ]
