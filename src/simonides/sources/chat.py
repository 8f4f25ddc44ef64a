"""What do the exports of chat programs have in common? Conversations of turns, in one JSON array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from simonides.clock import to_instant
from simonides.model.thought import Draft, Json
from simonides.sources.jsonstream import elements
from simonides.sources.limits import BRANCH_MESSAGES_MAX
from simonides.sources.record import Place, Problem, Record, SourceKind, derived_id

Findings = Iterator[Record | Problem]


@dataclass(frozen=True, slots=True)
class Conversation:
    """What every turn of a conversation shares. `at` stands in for a turn without a time of its own."""

    kind: SourceKind
    place: Place
    key: str
    title: str
    at: Json


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as a person saw it. attachments: what was there besides the text, by name or by kind."""

    key: str
    speaker: str
    text: str
    at: Json
    attachments: tuple[str, ...] = ()
    model: str | None = None


def read_array(path: Path, name: str, noun: str, read_one: Callable[[dict[str, Json], Place], Findings]) -> Findings:
    """Whatever `read_one` finds in each object of a JSON array; elements that cannot be read become problems.

    noun: what an element is called in places.
    """
    with path.open("rb") as file:
        for piece in elements(file):
            place = Place(name, f"{noun} {piece.number}")
            if piece.flaw:
                yield Problem(place, piece.flaw)
                continue
            if not isinstance(piece.value, dict):
                yield Problem(place, "the record is not a JSON object")
                continue
            if piece.repaired:
                yield Problem(place, "halves of surrogate pairs were replaced by U+FFFD", kept=True)
            yield from read_one(piece.value, place)


def turn_records(conversation: Conversation, turn: Turn, place: Place) -> Findings:
    """A turn as a draft; nothing when it has neither text nor attachments. Reports a time that cannot be read."""
    content = turn.text if turn.text.strip() else " ".join(f"[{what}]" for what in turn.attachments)
    if not content:
        return
    moment = conversation.at if turn.at is None else turn.at
    occurred_at = instant(moment)
    if occurred_at is None and moment is not None:
        yield Problem(place, f"the time {str(moment)[:40]!r} was left out", kept=True)
    metadata: dict[str, Json] = {}
    if conversation.title:
        metadata["title"] = conversation.title
    if turn.attachments:
        metadata["attachments"] = list(turn.attachments)
    if turn.model:
        metadata["model"] = turn.model
    draft = Draft(
        content=content,
        thought_id=derived_id(conversation.kind.value, conversation.key, turn.key),
        metadata=metadata,
        speaker=turn.speaker,
        session=conversation.key,
        occurred_at=occurred_at,
        source=place.file,
        source_type=conversation.kind.value,
    )
    yield Record(place, draft)


@dataclass(frozen=True, slots=True)
class Branch:
    """Keys from the first message to the last; `flaw` says why the beginning is missing."""

    keys: tuple[str, ...]
    flaw: str | None = None


def branch_to(leaf: str, parents: Mapping[str, str | None]) -> Branch:
    """The branch that ends in a message. Stops where a parent is missing, comes twice, or is one too many."""
    keys: list[str] = []
    seen: set[str] = set()
    flaw = None
    at: str | None = leaf
    while at is not None:
        if at in seen:
            flaw = f"message {shorten(at)} is its own ancestor; what came before it was not read"
        elif at not in parents:
            flaw = f"message {shorten(at)} is missing; what came before it was not read"
        elif len(keys) >= BRANCH_MESSAGES_MAX:
            flaw = f"the branch is longer than {BRANCH_MESSAGES_MAX:,} messages; the oldest were not read"
        if flaw:
            break
        seen.add(at)
        keys.append(at)
        at = parents[at]
    return Branch(tuple(reversed(keys)), flaw)


def instant(value: Json) -> str | int | float | None:
    """The value itself when it is an instant, else None.

    >>> instant("2026-02-30") is None, instant(0)
    (True, 0)
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        to_instant(value)
    except (ValueError, OverflowError):
        return None
    return value


def as_object(value: Json) -> dict[str, Json]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """The value if it is text, else empty text."""
    return value if isinstance(value, str) else ""


def shorten(text: str) -> str:
    """A key that fits into a message."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
