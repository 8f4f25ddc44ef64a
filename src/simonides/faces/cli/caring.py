"""The commands that keep a store well: doctor, reembed."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from simonides.errors import ConfigError
from simonides.faces.cli import progress
from simonides.faces.cli.exits import Ended, Exit
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, say, say_json, visible
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides.model.report import Reembedding


def doctor(
    place: Place,
    path: Annotated[Path | None, Argument(metavar="FILE", help="The store's file, else that of --db.")] = None,
    repair: Annotated[bool, Option("--repair", help="Make indexes and derived rows anew.")] = False,
    salvage: Annotated[
        Path | None, Option("--salvage", metavar="OUT", help="Write what can be read as an export.")
    ] = None,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace the file OUT.")] = False,
) -> None:
    """Look at everything in a store and say what is wrong.

    A file that SQLite cannot read is never written to. Ends with exit code 8 when something is wrong.

    Example: simonides doctor agent.db --repair
    """
    from simonides import doctor as doctors

    file = place.database if path is None else str(path)
    if salvage is not None:
        saved = doctors.salvage(file, salvage, overwrite=overwrite)
        say(visible(f"{saved.path}: {saved.lines.get('thought', 0)} memories saved"))
        if saved.left_out:
            note("lost: " + ", ".join(f"{count} {name}" for name, count in saved.left_out.items()))
        return
    found = doctors.examine(file, mend=repair, config=place.config)
    if place.as_json:
        say_json(asdict(found) | {"ok": found.ok})
    else:
        for problem in found.problems:
            say(visible(f"{problem.check}: {problem.subject}: {problem.message}"))
        for name, value in found.facts.items():
            say(f"{name.replace('_', ' ')}: {value:,}" if isinstance(value, int) else f"{name}: {value}")
        if found.repaired:
            say(f"made anew: {', '.join(found.repaired)}")
        say(f"problems: {len(found.problems)}" if found.problems else "no problems")
    if found.hint:
        note(found.hint)
    if not found.ok:
        raise Ended(Exit.INCOMPLETE)


def reembed(
    place: Place,
    background: Annotated[
        bool, Option("--background", help="Leave it to whoever runs jobs with this embedder.")
    ] = False,
    status: Annotated[bool, Option("--status", help="Say how far a change is, and how fast.")] = False,
    wait: Annotated[bool, Option("--wait", help="Wait for a change that is under way.")] = False,
    cancel: Annotated[bool, Option("--cancel", help="Give up a change that has not switched.")] = False,
) -> None:
    """Make the vectors of another model and switch to it.

    The model is that of --embedder. The old vectors answer until then; who was stopped begins again.

    Example: simonides reembed --embedder minilm
    """
    if sum((background, status, wait, cancel)) > 1:
        raise ConfigError("--background, --status, --wait and --cancel exclude each other", hint="give one")
    if status or wait:
        with place.reading() as store, progress.shown("embedding") as advance:
            found = store.reembed_wait(progress=advance) if wait else store.reembed_progress()
        _say_how_far(place, found)
        return
    with replace(place, embedder="off").changing() as store:
        if cancel:
            say("given up" if store.reembed_cancel() else "there was nothing to give up")
            return
        if place.embedder is None:
            raise ConfigError("the new model is not named", hint="--embedder NAME")
        if background:
            done = store.reembed(place.embedder, background=True)
        else:
            with progress.shown("embedding") as advance:
                done = store.reembed(place.embedder, progress=advance)
    if place.as_json:
        say_json(asdict(done))
        return
    if done.queued:
        say(visible(f"{done.model_id}: {done.left_pending} passages to do, `simonides jobs run` does them"))
        return
    if not done.switched:
        say(visible(f"the store has {done.model_id} already"))
        return
    say(visible(f"{done.model_id}: {done.made} vectors, {done.passages_per_s:g} a second"))
    if done.left_pending:
        note(f"{done.left_pending} passages wait for their vector")


def _say_how_far(place: Place, found: Reembedding | None) -> None:
    if place.as_json:
        say_json(None if found is None else found.to_dict())
        return
    if found is None:
        say("no change of the model is under way")
        return
    rate = f", {found.passages_per_s:g} a second" if found.passages_per_s else ""
    left = f", {found.seconds_left:g} s left" if found.seconds_left and not found.over else ""
    say(visible(f"{found.model_id}: {found.state}, {found.done} of {found.total} passages{rate}{left}"))
    if found.error:
        note(visible(found.error))
    if found.state == "failed":
        raise Ended(Exit.INCOMPLETE)
