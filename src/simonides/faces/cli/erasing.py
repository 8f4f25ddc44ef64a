"""The commands that erase for good: forget, purge, compact."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from simonides.errors import InvalidQueryError
from simonides.faces.cli import progress
from simonides.faces.cli.filters import read_filter
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, say, say_json
from simonides.faces.cli.words import Argument, Option


def forget(
    place: Place,
    thought_ids: Annotated[list[str] | None, Argument(metavar="ID...", help="Which; or --filter.")] = None,
    filters: Annotated[
        list[str] | None, Option("--filter", "-f", metavar="COND", help="As for list; deleted ones match too.")
    ] = None,
    reason: Annotated[str, Option("--reason", metavar="TEXT", help="Why; it stays in the journal.")] = "",
) -> None:
    """Erase memories for good, with their history and what was made from them.

    Ids, the reason and who did it stay in the journal. The bytes leave the file with `compact`.

    Example: simonides forget -f speaker=Ana --reason "asked for it"
    """
    if not reason:
        raise InvalidQueryError("forgetting needs a reason, which stays in the journal", hint="--reason TEXT")
    with place.changing() as store, progress.shown("erasing") as advance:
        given = read_filter(filters or ())
        if thought_ids and given is None:
            done = store.forget(thought_ids=thought_ids, reason=reason, progress=advance)
        else:
            done = store.forget(given, thought_ids=thought_ids or None, reason=reason, progress=advance)
    _say_forgotten(place, asdict(done))


def purge(
    place: Place,
    confirm: Annotated[str, Option("--confirm", metavar="NAME", help="The namespace's name once more.")] = "",
    reason: Annotated[str | None, Option("--reason", metavar="TEXT", help="Why.")] = None,
) -> None:
    """Erase a namespace whole, its name included.

    Example: simonides purge -n ana --confirm ana
    """
    with place.changing() as store, progress.shown("erasing") as advance:
        done = store.purge(namespace=place.namespace, confirm=confirm, reason=reason, progress=advance)
    _say_forgotten(place, asdict(done))


def compact(place: Place) -> None:
    """Rewrite indexes and file without what was forgotten.

    Needs free disk of twice the file's size.

    Example: simonides compact
    """
    with place.changing() as store:
        done = store.compact()
    if place.as_json:
        say_json(asdict(done))
    else:
        say(f"{done.bytes_before:,} bytes before, {done.bytes_after:,} after")
    if not done.log_emptied:
        note("a reader kept the write-ahead log alive: what was forgotten may be in it until compact runs again")


def _say_forgotten(place: Place, done: dict[str, object]) -> None:
    if place.as_json:
        say_json(done)
        return
    parts = ("count", "reflections", "versions", "passages", "edges")
    say(", ".join(f"{done[name]} {'memories' if name == 'count' else name}" for name in parts) + " erased")
    if done["count"]:
        note("their bytes may still be in the file: `simonides compact` rewrites it")
