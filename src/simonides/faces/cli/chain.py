"""The commands that keep the journal honest and small: changes anchor, changes seal, changes prune."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from simonides.errors import InvalidQueryError, StoreError
from simonides.faces.cli.options import Reason
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, say, say_json, visible
from simonides.faces.cli.words import Option

Before = Annotated[str | None, Option("--before", metavar="TIME", help="Only what happened before.")]


def anchor(place: Place) -> None:
    """Print where the journal stands, to keep elsewhere or to sign.

    It is one line. `simonides verify --anchor FILE` compares the journal with it.

    Example: simonides changes anchor
    """
    with place.reading() as store:
        say(store.log.anchor().to_bytes().decode())


def read_anchor(path: Path) -> bytes:
    """The anchor in a file. Raises StoreError, InvalidQueryError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be read: {error.strerror}") from None
    if len(data) > 10_000:
        raise InvalidQueryError(f"{str(path)!r} is no anchor: it has {len(data)} bytes")
    return data


def seal(place: Place, before: Before = None, reason: Reason = None) -> None:
    """Check the journal since the last seal and close that part of it.

    Example: simonides changes seal --reason "end of the quarter"
    """
    with place.changing() as store:
        made = store.log.seal(before=before, reason=reason)
    if place.as_json:
        values = None if made is None else {n: getattr(made, n) for n in made.__slots__}
        say_json(None if values is None else values | {"until": str(values["until"])})
    elif made is None:
        note("nothing new to seal")
    else:
        say(visible(f"sealed {made.first_seq} to {made.last_seq} {made.hash}"))


def prune(
    place: Place,
    before: Before = None,
    keep: Annotated[bool, Option("--keep-revisions", help="Keep earlier revisions, labels and edges.")] = False,
    reason: Reason = None,
) -> None:
    """Take sealed parts out of the journal.

    With them go the revisions that ended in them: what was known before cannot be asked any more. The rest still
    verifies.

    Example: simonides changes prune --before 2026-01-01
    """
    with place.changing() as store:
        done = store.log.prune_journal(before=before, keep_revisions=keep, reason=reason)
    if place.as_json:
        values = None if done is None else {n: getattr(done, n) for n in done.__slots__}
        say_json(None if values is None else values | {"since": None if done is None else str(done.since)})
    elif done is None:
        note("no sealed part to prune")
    else:
        say(f"the journal begins behind {done.upto_seq}")
