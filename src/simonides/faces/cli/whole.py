"""The commands about a whole store or set: stats, verify, import, eval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from simonides.errors import EmbeddingError
from simonides.faces.cli import progress
from simonides.faces.cli.chain import read_anchor
from simonides.faces.cli.exits import Ended, Exit
from simonides.faces.cli.place import Place
from simonides.faces.cli.render import stats_lines
from simonides.faces.cli.screen import note, say, say_json, visible
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides.store import Store

PROBLEMS_SHOWN = 20
"""Problems of an import that are printed; --json prints up to a thousand."""


def stats(place: Place) -> None:
    """Count what the namespace holds.

    Example: simonides stats --json
    """
    from dataclasses import asdict

    with place.reading() as store:
        numbers = store.stats()
    if place.as_json:
        say_json(asdict(numbers))
        return
    for line in stats_lines(numbers):
        say(line)


def verify(
    place: Place,
    anchor: Annotated[
        Path | None,
        Option("--anchor", metavar="FILE", help="Compare with what `changes anchor` printed."),
    ] = None,
) -> None:
    """Check the file, the indexes and the journal.

    Ends with exit code 8 when something is wrong.

    Example: simonides verify
    """
    from dataclasses import asdict

    with place.reading() as store:
        result = store.verify(anchor=None if anchor is None else read_anchor(anchor))
    if place.as_json:
        say_json(asdict(result) | {"ok": result.ok})
    else:
        for problem in result.problems:
            say(visible(f"{problem.check}: {problem.subject}: {problem.message}"))
        found = f"{len(result.problems)} found to be wrong" if result.problems else "no problems"
        say(f"{result.thoughts} thoughts, {result.journal_rows} journal rows: {found}")
    if not result.ok:
        raise Ended(Exit.INCOMPLETE)


def import_(
    place: Place,
    path: Annotated[Path, Argument(metavar="PATH", help="A file, or a folder of Markdown and text.")],
    kind: Annotated[
        str | None,
        Option("--kind", metavar="NAME", help="jsonl, markdown, text, chatgpt, claude, locomo; seen by itself."),
    ] = None,
    source: Annotated[
        str | None, Option("--source", metavar="NAME", help="Stands for the folder, so that it may move.")
    ] = None,
) -> None:
    """Remember what a file or folder holds.

    Doing it again adds nothing. Ends with exit code 8 when records were left out (docs/importing.md).

    Example: simonides import chat.jsonl
    """
    from simonides.sources import detect, import_into

    chosen = kind or detect(path.expanduser())  # before a store is made for nothing
    with place.writing() as store:
        with progress.shown("importing") as advance:
            report = import_into(store, path, kind=chosen, source=source, progress=lambda read: advance(read, None))
        pending = _embed_pending(store)
    if place.as_json:
        say_json({"kind": str(chosen), **report.to_dict(), "pending_embeddings": pending})
    else:
        counts = f"{report.added} added, {report.updated} updated, {report.skipped} known already"
        say(f"{chosen}: {counts}, {report.left_out} left out")
    for problem in report.problems[:PROBLEMS_SHOWN]:
        note(visible(f"{problem}{' (kept)' if problem.kept else ''}"))
    if report.problem_count > PROBLEMS_SHOWN:
        note(f"... and {report.problem_count - PROBLEMS_SHOWN} more")
    if pending:
        note(f"{pending} passages have no vector; importing again tries once more")
    if not report.ok:
        raise Ended(Exit.INCOMPLETE)


def _embed_pending(store: Store) -> int:
    """Give the model another chance for what it did not manage in time; how many passages are left without a vector."""
    if store.stats().pending_embeddings:
        try:
            with progress.shown("embedding") as advance:
                store.embed_pending(progress=advance)
        except EmbeddingError as error:
            note(visible(error.message))
    return store.stats().pending_embeddings


def eval_(
    place: Place,
    set_name: Annotated[str, Argument(metavar="SET", help="A set's name, several with commas, or all.")],
    data: Annotated[Path, Option("--data", metavar="DIR", help="The folder that holds one folder per set.")],
    systems: Annotated[
        str | None, Option("--systems", metavar="NAMES", help="Some of: fts5,fts5_porter,text,vector,rrf,...")
    ] = None,
    split: Annotated[bool, Option("--split", help="Report the even and the odd half as well.")] = False,
    by_category: Annotated[bool, Option("--categories", help="Report each category as well.")] = False,
    depth: Annotated[
        int, Option("--depth", metavar="N", min=10, max=1000, help="How many ids a system is asked for.")
    ] = 100,
    cache: Annotated[
        Path | None, Option("--cache", metavar="DIR", help="Keep the vectors of a slow model here.")
    ] = None,
) -> None:
    """Measure every way to rank on public sets.

    Prints recall at 5 and 10, nDCG at 10 and the mean reciprocal rank in one table (docs/evaluation.md).

    Example: simonides eval locomo --data DIR
    """
    from simonides.embedders import resolve
    from simonides.evaluate import run, sets
    from simonides.evaluate import systems as known
    from simonides.evaluate.cached import CachedEmbedder

    names = sets.SETS if set_name == "all" else tuple(set_name.split(","))
    chosen = known.choose(systems)
    embedder = resolve(place.embedder)
    cached = None
    if embedder is not None and place.embedder not in (None, "builtin"):
        embedder = cached = CachedEmbedder(embedder, cache)
    table: list[run.Row] = []
    for name in names:
        with progress.shown(name) as advance:
            outcomes = run.evaluate(sets.load_set(name, data), run.Setting(chosen, embedder, depth), advance)
        parts = [*(run.PARTS if split else ("all",)), *(run.categories(outcomes) if by_category else ())]
        table += [row for part in parts for row in run.rows(name, outcomes, part)]
        if cached is not None:
            cached.save()
    if place.as_json:
        say_json([row.to_dict() for row in table])
    else:
        say(visible(run.table(table)))
