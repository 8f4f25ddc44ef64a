"""The commands about single memories: remember, recall, get, list."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from simonides.errors import InvalidQueryError, InvalidThoughtError, ThoughtNotFoundError
from simonides.faces.cli.filters import read_filter, read_metadata
from simonides.faces.cli.place import Place
from simonides.faces.cli.render import answer_notes, card, hit_lines, row
from simonides.faces.cli.screen import note, say, say_json, visible, width

STDIN_BYTES_MAX = 80_000_000
"""As much as the longest content can have."""

Filters = Annotated[
    list[str] | None,
    typer.Option("--filter", "-f", metavar="COND", help="speaker=Ana, occurred_at>=2026-01-01, metadata.x=3, or JSON."),
]


def remember(
    place: Place,
    content: Annotated[str, typer.Argument(help="The text; - reads standard input, byte for byte.")],
    thought_type: Annotated[str, typer.Option("--type", help="NOTE, OBSERVATION, BELIEF, TASK ...")] = "NOTE",
    priority: Annotated[str, typer.Option("--priority", help="P1 (most) to P4.")] = "P3",
    speaker: Annotated[str | None, typer.Option("--speaker", help="Who said it.")] = None,
    session: Annotated[str | None, typer.Option("--session", help="The conversation it belongs to.")] = None,
    occurred_at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When, ISO-8601.")] = None,
    metadata: Annotated[
        list[str] | None, typer.Option("--meta", "-m", metavar="KEY=VALUE", help="May be given several times.")
    ] = None,
    concepts: Annotated[list[str] | None, typer.Option("--concept", help="May be given several times.")] = None,
    source: Annotated[str | None, typer.Option("--source", help="Where it comes from.")] = None,
    deduplicate: Annotated[bool, typer.Option("--deduplicate", help="Do nothing if the same text is there.")] = False,
) -> None:
    """Store one memory and print its id."""
    text = _standard_input() if content == "-" else content
    with place.writing() as store:
        thought = store.remember(
            text,
            thought_type=thought_type,
            priority=priority,
            speaker=speaker,
            session=session,
            occurred_at=occurred_at,
            metadata=read_metadata(metadata or ()),
            concepts=tuple(concepts or ()),
            source=source,
            deduplicate=deduplicate,
        )
    if place.as_json:
        say_json(thought.to_dict())
    else:
        say(visible(thought.thought_id))
    if thought.embedding == "pending":
        note("the text is stored, its vector is not: the embedder failed or was late")


def _standard_input() -> str:
    data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(data) > STDIN_BYTES_MAX:
        raise InvalidThoughtError(f"standard input holds more than {STDIN_BYTES_MAX:,} bytes", hint="use import")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidThoughtError(f"standard input is not UTF-8 at byte {error.start}") from None


def recall(
    place: Place,
    query: Annotated[str, typer.Argument(help="What to look for, in your own words.")],
    top_k: Annotated[int, typer.Option("-k", "--top-k", help="How many memories.")] = 10,
    explain: Annotated[bool, typer.Option("--explain", "-e", help="Show what every score is made of.")] = False,
    filters: Filters = None,
    archived: Annotated[bool, typer.Option("--archived", help="Look at archived memories too.")] = False,
) -> None:
    """Find the memories that answer a question, best first."""
    with place.reading() as store:
        answer = store.recall(query, top_k=top_k, filters=read_filter(filters or ()), include_archived=archived)
    if place.as_json:
        say_json(answer.to_dict())
        return
    columns = width()
    for hit in answer.hits:
        for line in hit_lines(hit, columns):
            say(line)
    if explain:
        say()
        say(visible(answer.explain()))
    for line in answer_notes(answer):
        note(line)


def get(
    place: Place,
    thought_ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids, as recall and list print them.")],
) -> None:
    """Print memories by id, with every field.

    Those that are there are printed also when one is missing.
    """
    with place.reading() as store:
        found = {thought.thought_id: thought for thought in store.get_thoughts(thought_ids)}
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
    limit: Annotated[int, typer.Option("--limit", "-l", help="How many; 0 means all.")] = 20,
    filters: Filters = None,
    after: Annotated[str | None, typer.Option("--after", metavar="ID", help="Go on behind this memory.")] = None,
) -> None:
    """List memories, oldest first.

    With --json each is an object on a line of its own, which `import` can read.
    """
    if limit < 0:
        raise InvalidQueryError(f"--limit is {limit}; expected 0 or more")
    page_size, left, shown, columns = 500, limit, 0, width()
    with place.reading() as store:
        total = store.count_thoughts(filters=read_filter(filters or ()))
        while True:
            size = min(page_size, left) if limit else page_size
            thoughts = store.list_thoughts(filters=read_filter(filters or ()), limit=size, after=after)
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
