"""The commands that copy or move a whole store: backup, export, import-store."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from simonides.faces.cli import progress
from simonides.faces.cli.exits import Ended, Exit
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, say, say_json, visible
from simonides.faces.cli.words import Argument, Option

PROBLEMS_SHOWN = 20
"""Problems of an import that are printed; --json prints up to a thousand."""
TABLES = (".parquet", ".arrow")

Overwrite = Annotated[bool, Option("--overwrite", help="Replace the file that is there.")]


def backup(
    place: Place,
    target: Annotated[Path, Argument(metavar="TARGET", help="The copy's name.")],
    overwrite: Overwrite = False,
) -> None:
    """Copy the store while it is in use.

    The copy is checked before it gets its name.

    Example: simonides backup copy.db
    """
    with place.reading() as store, progress.shown("copying") as advance:
        done = store.backup(target, overwrite=overwrite, progress=advance)
    if place.as_json:
        say_json(asdict(done))
    else:
        say(visible(f"{done.path}: {done.size_bytes:,} bytes, up to change {done.seq}"))


def export(
    place: Place,
    target: Annotated[Path, Argument(metavar="TARGET", help="A .jsonl, .parquet or .arrow file.")],
    only: Annotated[
        list[str] | None, Option("--only", metavar="NAME", help="A namespace; may be given several times.")
    ] = None,
    table: Annotated[
        str, Option("--table", metavar="NAME", help="For .parquet and .arrow: thoughts, edges, retrieval_log.")
    ] = "thoughts",
    overwrite: Overwrite = False,
) -> None:
    """Write everything as lines of JSON, or a table for analysts.

    Example: simonides export all.jsonl
    """
    with place.reading() as store, progress.shown("exporting") as advance:
        if target.suffix in TABLES:
            rows = store.export_table(target, table=table, namespaces=only or None, overwrite=overwrite)
            lines, left_out = {table: rows}, {}
        else:
            done = store.export(target, namespaces=only or None, overwrite=overwrite, progress=advance)
            lines, left_out = dict(done.lines), dict(done.left_out)
    if place.as_json:
        say_json({"path": str(target), "lines": lines, "left_out": left_out})
        return
    say(", ".join(f"{count} {name}" for name, count in lines.items()) or "nothing to write")
    if left_out:
        note("left out: " + ", ".join(f"{count} {name}" for name, count in left_out.items()))


def import_store(place: Place, source: Annotated[Path, Argument(metavar="FILE", help="What `export` wrote.")]) -> None:
    """Take in an export; an empty store becomes the one it came from.

    Doing it again adds nothing. Ends with exit code 8 when lines were left out.

    Example: simonides import-store all.jsonl --db new.db
    """
    with place.writing() as store, progress.shown("importing") as advance:
        done = store.import_(source, progress=advance)
    if place.as_json:
        say_json(asdict(done) | {"ok": done.ok})
    else:
        how = "restored" if done.restored else "merged"
        say(
            f"{how}: {done.added} added, {done.known} known already, {done.edges} edges, {done.pending} vectors pending"
        )
    for problem in done.problems[:PROBLEMS_SHOWN]:
        note(visible(str(problem)))
    if done.left_out:
        note("left out: " + ", ".join(f"{count} {name}" for name, count in done.left_out.items()))
    if not done.ok:
        raise Ended(Exit.INCOMPLETE)
