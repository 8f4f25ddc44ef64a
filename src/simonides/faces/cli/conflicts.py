"""The commands about memories that disagree: conflicts, confirm, reject."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from simonides.faces.cli import progress
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import is_interactive, note, one_line, paint, say, say_json, visible, width
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides import Conflict, Store, Thought

ANSWERS = "y as proposed, s supersedes, c contradicts, n not so, Enter later, q quit"


def conflicts(
    place: Place,
    scan: Annotated[bool, Option("--scan", help="Compare what is new first.")] = False,
    again: Annotated[bool, Option("--again", help="With --scan: compare everything again.")] = False,
    status: Annotated[str, Option("--status", metavar="NAME", help="proposed, confirmed or rejected.")] = "proposed",
    limit: Annotated[int, Option("--limit", metavar="N", help="How many at most.")] = 100,
    plain: Annotated[bool, Option("--list", help="Only list them, on a terminal too.")] = False,
) -> None:
    """Review memories that seem to disagree, one by one; in a pipe list them.

    Nothing is ranked otherwise or hidden before somebody says yes. With --json each is an object on a line of its own.

    Example: simonides conflicts --scan
    """
    with place.changing() if scan else place.reading() as store:
        if scan:
            with progress.shown("comparing") as advance:
                done = store.conflicts.scan(again=again, progress=advance)
            note(f"{done.thoughts} memories compared in {done.pairs} pairs, {done.proposed} conflicts proposed")
        found = store.conflicts.list(status, limit=limit)
        if is_interactive() and not (place.as_json or plain or store.read_only) and status.lower() == "proposed":
            _review(store, found)
            return
    for conflict in found:
        if place.as_json:
            say_json(conflict.to_dict(), indent=None)
        else:
            _show(conflict)
    if not found and not place.as_json:
        note(f"there is no conflict that is {status}" + ("" if scan else "; --scan looks for some"))


def confirm(
    place: Place,
    conflict_id: Annotated[str, Argument(metavar="ID", help="Of the conflict.")],
    kind: Annotated[
        str | None, Option("--kind", metavar="NAME", help="SUPERSEDES or CONTRADICTS, else as proposed.")
    ] = None,
    newer: Annotated[
        str | None, Option("--newer", metavar="ID", help="The memory that holds, if it is the other.")
    ] = None,
    reason: Annotated[str | None, Option("--reason", metavar="TEXT", help="Why; it stays in the journal.")] = None,
) -> None:
    """Say that two memories disagree: the newer one is linked to the older one.

    Example: simonides conflicts confirm 01a2 --kind SUPERSEDES
    """
    with place.changing() as store:
        _said(place, store.conflicts.confirm(conflict_id, kind=kind, newer=newer, reason=reason))


def reject(
    place: Place,
    conflict_id: Annotated[str, Argument(metavar="ID", help="Of the conflict.")],
    reason: Annotated[str | None, Option("--reason", metavar="TEXT", help="Why; it stays in the journal.")] = None,
) -> None:
    """Say that two memories do not disagree; the pair is not proposed again.

    Example: simonides conflicts reject 01a2 --reason "two different sheds"
    """
    with place.changing() as store:
        _said(place, store.conflicts.reject(conflict_id, reason=reason))


def _said(place: Place, conflict: Conflict) -> None:
    if place.as_json:
        say_json(conflict.to_dict())
    else:
        say(visible(f"{conflict.conflict_id} {conflict.status.value}: {conflict.found.kind.value}"))


def _review(store: Store, found: list[Conflict]) -> None:
    """Shows one after the other and does what is answered."""
    decided = 0
    for number, conflict in enumerate(found, 1):
        say(paint(f"{number} of {len(found)}", "faint"))
        _show(conflict)
        answer = _asked()
        if answer == "q":
            break
        if answer in ("y", "s", "c"):
            kind = {"s": "SUPERSEDES", "c": "CONTRADICTS"}.get(answer)
            store.conflicts.confirm(conflict.conflict_id, kind=kind)
        elif answer == "n":
            store.conflicts.reject(conflict.conflict_id)
        decided += answer in ("y", "s", "c", "n")
    left = store.conflicts.counts()["proposed"]
    note(f"{decided} decided, {left} left" if found else "there is no conflict to review; --scan looks for some")


def _asked() -> str:
    """One of the answers; "" for later. Asks again for anything else; the end of the input quits."""
    while True:
        sys.stderr.write(f"{ANSWERS} > ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        answer = line.strip().lower()[:1]
        if not line:
            return "q"
        if answer in ("", "y", "s", "c", "n", "q"):
            return answer


def _show(conflict: Conflict) -> None:
    found = conflict.found
    head = f"{conflict.conflict_id}  {found.kind.value}  {found.confidence:.2f}  {found.slot}"
    if conflict.status != "proposed":
        why = f" ({conflict.reason})" if conflict.reason else ""
        head += f"  {conflict.status.value} by {conflict.decided_by}{why}"
    say(paint(visible(head), "strong"))
    say(_side("older", conflict.older, found.older))
    say(_side("newer", conflict.newer, found.newer))
    say()


def _side(name: str, thought: Thought, words: str) -> str:
    at = thought.occurred_at or thought.created_at
    who = f"{one_line(thought.speaker, 40)}: " if thought.speaker else ""
    differs = f"  [{one_line(words, 40)}]" if words else ""
    head = f"  {name}  {at:%Y-%m-%d}  {visible(thought.thought_id)}"
    return f"{paint(head, 'faint')}\n    {who}{one_line(thought.content, 3 * width())}{differs}"
