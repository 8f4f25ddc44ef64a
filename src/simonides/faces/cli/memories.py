"""The commands about single memories: remember, get, list."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, Any

from simonides.errors import InvalidThoughtError, ThoughtNotFoundError
from simonides.faces.cli.filters import read_filter, read_metadata
from simonides.faces.cli.options import AsOf, Filters, Ids, Limit, Meta, values_of
from simonides.faces.cli.place import Place
from simonides.faces.cli.render import card, row
from simonides.faces.cli.screen import note, say, say_json, visible, width
from simonides.faces.cli.words import Argument, Option

STDIN_BYTES_MAX = 80_000_000
"""As much as the longest content can have."""
PAGE = 500


@dataclass(frozen=True, slots=True)
class Given:
    """What can be said about a new memory."""

    thought_id: Annotated[
        str | None, Option("--id", metavar="ID", help="An id of yours; the same one again changes the memory.")
    ] = None
    thought_type: Annotated[
        str,
        Option(
            "--type",
            metavar="NAME",
            help="NOTE, OBSERVATION, BELIEF, TASK ...",
            values=values_of("ThoughtType"),
        ),
    ] = "NOTE"
    priority: Annotated[
        str, Option("--priority", metavar="P", help="P1 (most) to P4.", values=values_of("Priority"))
    ] = "P3"
    content_type: Annotated[str, Option("--content-type", metavar="NAME", help="A name for its kind.")] = "text"
    essence: Annotated[str | None, Option("--essence", metavar="TEXT", help="The same in a few words.")] = None
    speaker: Annotated[str | None, Option("--speaker", metavar="NAME", help="Who said it.")] = None
    session: Annotated[str | None, Option("--session", metavar="NAME", help="The conversation it belongs to.")] = None
    occurred_at: Annotated[str | None, Option("--at", metavar="TIME", help="When, ISO-8601.")] = None
    expires_at: Annotated[str | None, Option("--expires", metavar="TIME", help="Until when it holds.")] = None
    metadata: Meta = None
    concepts: Annotated[
        list[str] | None, Option("--concept", metavar="NAME", help="A label; may be given several times.")
    ] = None
    topics: Annotated[
        list[str] | None, Option("--topic", metavar="KEY", help="Where to file it; may be given several times.")
    ] = None
    source: Annotated[str | None, Option("--source", metavar="TEXT", help="Where it comes from.")] = None
    supersedes: Annotated[str | None, Option("--supersedes", metavar="ID", help="Which one it replaces.")] = None
    pinned: Annotated[bool, Option("--pin", help="Keep it from being tidied away.")] = False
    deduplicate: Annotated[bool, Option("--deduplicate", help="Do nothing if the same text is there.")] = False

    def arguments(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__slots__}
        return values | {
            "metadata": read_metadata(self.metadata or ()),
            "concepts": tuple(self.concepts or ()),
            "topics": tuple(self.topics or ()),
        }


def remember(
    place: Place,
    content: Annotated[str, Argument(metavar="TEXT", help="The text; - reads standard input, byte for byte.")],
    given: Given,
) -> None:
    """Store one memory and print its id.

    Example: simonides remember "Ana prefers window seats on trains" --speaker Ana --id seat
    """
    text = standard_input() if content == "-" else content
    with place.writing() as store:
        thought = store.remember(text, **given.arguments())
    if place.as_json:
        say_json(thought.to_dict())
    else:
        say(visible(thought.thought_id))
    if thought.embedding == "pending":
        note("the text is stored, its vector is not: the embedder failed or was late")


def standard_input() -> str:
    """The text on standard input, byte for byte. Raises InvalidThoughtError when it is too long or not UTF-8."""
    data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(data) > STDIN_BYTES_MAX:
        raise InvalidThoughtError(f"standard input holds more than {STDIN_BYTES_MAX:,} bytes", hint="use import")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidThoughtError(f"standard input is not UTF-8 at byte {error.start}") from None


def get(place: Place, thought_ids: Ids, as_of: AsOf = None) -> None:
    """Print memories by id, with every field.

    Those that are there are printed also when one is missing.

    Example: simonides get seat --json
    """
    with place.reading() as store:
        found = {thought.thought_id: thought for thought in store.get_thoughts(thought_ids, as_of=as_of)}
    for number, thought in enumerate(found[key] for key in dict.fromkeys(thought_ids) if key in found):
        if place.as_json:
            say_json(thought.to_dict(), indent=None)
            continue
        if number:
            say()
        for line in card(thought):
            say(line)
    missing = [key for key in dict.fromkeys(thought_ids) if key not in found]
    if missing:
        raise ThoughtNotFoundError(f"no thought {', '.join(map(repr, missing))} in namespace {place.namespace!r}")


def list_(
    place: Place,
    limit: Limit = 20,
    filters: Filters = None,
    newest: Annotated[bool, Option("--newest", help="The newest first.")] = False,
    after: Annotated[str | None, Option("--after", metavar="ID", help="Go on behind this memory.")] = None,
    status: Annotated[
        str | None,
        Option("--status", metavar="NAME", help="ACTIVE, ARCHIVED ...", values=values_of("LifecycleStatus")),
    ] = None,
    expired: Annotated[bool, Option("--expired", help="List those that have expired too.")] = False,
    valid_at: Annotated[str | None, Option("--valid-at", metavar="TIME", help="Only what holds then.")] = None,
    as_of: AsOf = None,
) -> None:
    """List memories, oldest first or newest first.

    With --json each is an object on a line of its own, which `import` can read.

    Example: simonides list -f speaker=Ana --limit 0
    """
    wanted: dict[str, Any] = {
        "filters": read_filter(filters or ()),
        "include_expired": expired,
        "lifecycle_status": status,
        "valid_at": valid_at,
        "as_of": as_of,
    }
    left, shown, columns = limit, 0, width()
    with place.reading() as store:
        total = store.count_thoughts(**wanted)
        while True:
            size = min(PAGE, left) if limit else PAGE
            thoughts = store.list_thoughts(**wanted, limit=size, after=after, newest_first=newest)
            for thought in thoughts:
                if place.as_json:
                    say_json(thought.to_dict(), indent=None)
                else:
                    say(row(thought, columns))
            shown, left = shown + len(thoughts), left - len(thoughts)
            if len(thoughts) < size or (limit and left == 0):
                break
            after = thoughts[-1].thought_id
    if not place.as_json and (shown < total):
        note(f"{shown} of {total}; --limit 0 lists all")
