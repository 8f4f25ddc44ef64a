"""The commands about what was: history, diff, invalidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from simonides.faces.cli.options import Reason
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import one_line, say, say_json, say_table, visible
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides import HistoryEntry

Id = Annotated[str, Argument(metavar="ID", help="Which memory.")]
TEXT_CHARS = 60


def history(place: Place, thought_id: Id) -> None:
    """Print what happened to a memory: when, by whom and why.

    Revisions, deletion, labels; oldest first. With --json each is an object on a line of its own, revisions with all
    their fields.

    Example: simonides history seat
    """
    with place.reading() as store:
        entries = store.history(thought_id)
    if place.as_json:
        for entry in entries:
            say_json(entry.to_dict(), indent=None)
    else:
        say_table(("seq", "at", "actor", "kind", "rev", "reason", "text"), map(_cells, entries))


def _cells(entry: HistoryEntry) -> list[str]:
    revision = "" if entry.revision is None else str(entry.revision)
    text = "" if entry.thought is None else one_line(entry.thought.content, TEXT_CHARS)
    at = entry.at.strftime("%Y-%m-%d %H:%M:%S")
    return [str(entry.seq), at, entry.actor or "", entry.kind or "", revision, entry.reason or "", text]


def diff(
    place: Place,
    thought_id: Id,
    before: Annotated[int | None, Argument(metavar="[BEFORE]", help="A revision; else the last but one.")] = None,
    after: Annotated[int | None, Argument(metavar="[AFTER]", help="Another one; else the newest.")] = None,
) -> None:
    """Show what two revisions of a memory differ in.

    Example: simonides diff seat
    """
    with place.reading() as store:
        found = store.diff(thought_id, before, after)
    if place.as_json:
        say_json(found.to_dict())
    else:
        say(visible(str(found)))


def invalidate(
    place: Place,
    thought_id: Id,
    until: Annotated[str | None, Option("--until", metavar="TIME", help="When it ended; else now.")] = None,
    reason: Reason = None,
) -> None:
    """Say that a memory is not true any more.

    Answers for today leave it out; `recall --valid-at TIME` and `list` still have it.

    Example: simonides invalidate seat --until 2026-01-01 --reason "she moved"
    """
    with place.changing() as store:
        thought = store.invalidate_thought(thought_id, valid_until=until, reason=reason)
    if place.as_json:
        say_json(thought.to_dict())
    else:
        assert thought.valid_until is not None
        say(visible(f"{thought.thought_id} held until {thought.valid_until:%Y-%m-%d %H:%M:%S}"))
