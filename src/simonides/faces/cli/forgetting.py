"""The commands that forget what nobody needs: hygiene, expire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, one_line, say_json, say_table, visible
from simonides.faces.cli.words import Option

if TYPE_CHECKING:
    from simonides import HygieneReport

TEXT_CHARACTERS = 60

DryRun = Annotated[bool, Option("--dry-run", help="Only show what would go, and why.")]
Limit = Annotated[int | None, Option("--limit", metavar="N", help="Memories of this run, at most.")]
Now = Annotated[str | None, Option("--now", metavar="TIME", help="With --dry-run: as if it were then.")]


def hygiene(
    place: Place,
    dry_run: DryRun = False,
    erase: Annotated[
        bool, Option("--erase", help="Also erase what hygiene archived and both restore windows have left.")
    ] = False,
    limit: Limit = None,
    cycle: Annotated[int | None, Option("--cycle", metavar="N", help="The current cycle.")] = None,
    now: Now = None,
) -> None:
    """Archive memories that nobody has used for long.

    They must be cold, weak and unprotected: docs/forgetting.md. `restore` brings archived ones back.

    Example: simonides hygiene --dry-run
    """
    with place.reading() if dry_run else place.changing() as store:
        report = store.hygiene(dry_run=dry_run, erase=erase, limit=limit, current_cycle=cycle, now=now)
    _say(place, report)


def expire(
    place: Place,
    erase: Annotated[bool, Option("--erase", help="Erase them instead of archiving them.")] = False,
    dry_run: DryRun = False,
    limit: Limit = None,
    now: Now = None,
) -> None:
    """Archive or erase memories whose time is up.

    Searches leave them out from then on anyway. Pinned ones stay.

    Example: simonides expire --dry-run
    """
    with place.reading() if dry_run else place.changing() as store:
        report = store.expire(action="erase" if erase else None, dry_run=dry_run, limit=limit, now=now)
    _say(place, report)


def _say(place: Place, report: HygieneReport) -> None:
    if place.as_json:
        say_json(report.to_dict())
        return
    rows = (
        (
            item.action,
            item.thought.thought_id,
            f"{item.last_used:%Y-%m-%d %H:%M}",
            one_line(item.thought.content, TEXT_CHARACTERS),
            ", ".join(item.reasons),
        )
        for item in report.items
    )
    say_table(("what", "memory", "last used", "text", "why"), rows)
    done = "would be " if report.dry_run else ""
    note(
        f"{report.archived} {done}archived, {report.erased} {done}erased"
        + (", and there is more" if report.more else "")
    )
    if report.kept:
        note("kept: " + ", ".join(f"{count} {visible(why)}" for why, count in sorted(report.kept.items())))
    if report.skipped:
        note(f"{report.skipped} were changed meanwhile and left alone")
    if report.caution:
        note(report.caution)
