"""The commands about what happened: changes, log, explain, replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from simonides.errors import QueryNotFoundError
from simonides.faces.cli.exits import Ended, Exit
from simonides.faces.cli.options import Limit
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, one_line, say, say_json, say_table, visible
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides import Change, Store
    from simonides.model.log import LogEntry

PAGE = 1_000
Question = Annotated[
    str | None, Argument(metavar="[QUERY_ID]", help="As `log` prints it; without it the newest question.")
]


def changes(
    place: Place,
    since: Annotated[int | None, Option("--since", metavar="SEQ", help="Only what comes after this.")] = None,
    limit: Limit = 0,
) -> None:
    """Print the journal: what was changed, when, and by whom.

    Oldest first. With --json each is an object on a line of its own; go on from the last `seq` that you have seen.

    Example: simonides changes --since 2 --json
    """
    last, left = since, limit
    with place.reading() as store:
        while True:
            size = min(PAGE, left) if limit else PAGE
            page = store.changes(last, limit=size)
            if place.as_json:
                for change in page:
                    say_json(_as_json(change), indent=None)
            else:
                say_table(("seq", "at", "actor", "kind", "subject", "rev", "reason"), map(_cells, page))
            left -= len(page)
            if len(page) < size or (limit and left == 0):
                break
            last = page[-1].seq
    if not place.as_json and limit and left == 0:
        note(f"there may be more; go on with --since {page[-1].seq}")


def _as_json(change: Change) -> dict[str, object]:
    return {name: getattr(change, name) for name in change.__slots__} | {"at": change.at.isoformat()}


def _cells(change: Change) -> list[str]:
    revision = "" if change.revision is None else str(change.revision)
    at = change.at.strftime("%Y-%m-%d %H:%M:%S")
    return [str(change.seq), at, change.actor, change.kind, change.subject_id, revision, change.reason or ""]


def log(
    place: Place,
    limit: Limit = 20,
    after: Annotated[str | None, Option("--after", metavar="QUERY_ID", help="Go on behind this question.")] = None,
) -> None:
    """List the questions that were asked, newest first.

    With --json each is an object on a line of its own, with what was shown and why.

    Example: simonides log --limit 5
    """
    left, shown = limit, 0
    with place.reading() as store:
        while True:
            size = min(PAGE, left) if limit else PAGE
            page = store.log.list(size, after=after)
            if place.as_json:
                for entry in page:
                    say_json(entry.to_dict(), indent=None)
            else:
                say_table(("query id", "at", "verb", "hits", "question"), map(_asked, page))
            shown, left = shown + len(page), left - len(page)
            if len(page) < size or (limit and left == 0):
                break
            after = page[-1].query_id
        total = store.log.count()
    if not place.as_json and shown < total:
        note(f"{shown} of {total}; --limit 0 lists all")


def prune(
    place: Place,
    before: Annotated[str | None, Option("--before", metavar="TIME", help="All that was asked before.")] = None,
) -> None:
    """Forget old questions.

    Those that are older than the settings say, or than --before; of every namespace.

    Example: simonides log prune --before 2026-01-01
    """
    with place.changing() as store:
        gone = store.log.prune(before=before)
    if place.as_json:
        say_json({"pruned": gone})
    else:
        say(f"{gone} questions forgotten")


def explain(place: Place, query_id: Question = None) -> None:
    """Show an answer that was given, with what every score was made of.

    Example: simonides explain
    """
    with place.reading() as store:
        name = query_id or _newest(store)
        if place.as_json:
            entry = store.log.get(name)
            if entry is None:
                raise QueryNotFoundError(f"no question {name!r} in the log", hint="simonides log")
            say_json(entry.to_dict())
            return
        text = store.explain(name)
    say(visible(text.rstrip("\n")))


def replay(place: Place, query_id: Question = None) -> None:
    """Ask a question of the log again and say what changed since.

    Ends with exit code 8 when the answer is not the same.

    Example: simonides replay
    """
    with place.reading() as store:
        result = store.replay(query_id or _newest(store))
    if place.as_json:
        differences = [{n: getattr(d, n) for n in ("kind", "subject", "before", "after")} for d in result.differences]
        answer = None if result.answer is None else result.answer.to_dict()
        head = {"query_id": result.query_id, "identical": result.identical}
        say_json({**head, "differences": differences, "answer": answer})
    else:
        say(visible(str(result)))
    if not result.identical:
        raise Ended(Exit.INCOMPLETE)


def _newest(store: Store) -> str:
    newest = store.log.list(1)
    if not newest:
        raise QueryNotFoundError("nothing was asked yet", hint="or the settings keep no log: audit.mode")
    return newest[0].query_id


def _asked(entry: LogEntry) -> list[str]:
    question = "(not kept)" if entry.query is None else one_line(entry.query, 120)
    at = entry.at.strftime("%Y-%m-%d %H:%M:%S")
    return [entry.query_id, at, entry.verb, str(len(entry.sources)), question]
