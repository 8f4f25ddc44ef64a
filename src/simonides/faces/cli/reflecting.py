"""The command that consolidates: consolidate."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from simonides.faces.cli import progress
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, one_line, paint, say, say_json, visible, width
from simonides.faces.cli.words import Option

if TYPE_CHECKING:
    from simonides import Consolidated


def consolidate(
    place: Place,
    dry_run: Annotated[bool, Option("--dry-run", help="Only say what would be written.")] = False,
    background: Annotated[bool, Option("--background", help="Leave it to the jobs.")] = False,
    cycle: Annotated[int | None, Option("--cycle", metavar="N", help="Of your own clock, for what is written.")] = None,
    all_: Annotated[bool, Option("--all", help="Print every reflection, not the first ten.")] = False,
) -> None:
    """Write reflections on memories that belong together, and again where their sources changed.

    Nothing is removed or hidden. A second run with nothing new writes nothing.

    Example: simonides consolidate --dry-run
    """
    opening = place.reading if dry_run else place.changing
    with opening() as store, progress.shown("reflections") as advance:
        done = store.consolidate(current_cycle=cycle, dry_run=dry_run, background=background, progress=advance)
    if place.as_json:
        say_json(asdict(done))
        return
    if done.queued:
        say("asked for: `jobs run` does it")
        return
    _print(done, None if all_ else 10)


def _print(done: Consolidated, limit: int | None) -> None:
    columns = width()
    for planned in done.reflections[:limit]:
        say(f"{paint(planned.action.ljust(8), 'strong')}{visible(planned.thought_id)}  {len(planned.sources)} sources")
        say(f"        {one_line(planned.essence, columns - 8)}")
    if limit is not None and len(done.reflections) > limit:
        say(f"… and {len(done.reflections) - limit} more: --all")
    would = "would be " if done.dry_run else ""
    retired = f", {done.retired} {would}retired" if done.retired else ""
    say(f"{done.created} {would}created, {done.updated} {would}updated{retired}, {done.unchanged} unchanged")
    say(f"{done.grouped} of {done.thoughts} memories are in a reflection (mean cosine {done.bound:.2f} or more)")
    for problem in done.problems:
        note(visible(problem))
    if done.skipped:
        note(f"{done.skipped} changed meanwhile: run it again")
