"""The commands that ask: recall, retrieve, why-not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from simonides.errors import InvalidQueryError
from simonides.faces.cli.options import Asked, Piped
from simonides.faces.cli.place import Place
from simonides.faces.cli.render import answer_notes, hit_lines
from simonides.faces.cli.screen import note, say, say_json, visible, width
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides import HybridSearchResult

Query = Annotated[str, Argument(metavar="QUERY", help="What to look for, in your own words.")]
TAKES: dict[str, set[str]] = {
    "recall": {
        *("top_k", "filters", "include_archived", "min_score", "superseded", "budget", "valid_at", "as_of"),
        *("beam_width", "max_depth"),
    },
    "retrieve": {
        *("filters", "include_archived", "min_score", "superseded", "budget", "valid_at", "as_of"),
        *("profile", "topics", "content_type", "recency_boost", "beam_width", "max_depth"),
    },
    "search_hybrid": {
        *("top_k", "filters", "include_archived", "min_score", "valid_at", "as_of", "beam_width", "max_depth"),
    },
    "search_fts": {"top_k", "filters", "include_archived", "valid_at", "as_of"},
    "search_reflections_only": {"top_k", "valid_at", "as_of"},
}
"""Which arguments of those that `why-not` can pass on each verb has."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How an answer is printed."""

    explain: Annotated[bool, Option("--explain", "-e", help="Show what every score is made of.")] = False
    as_text: Annotated[bool, Option("--text", help="Print one block for a language model instead.")] = False


def recall(place: Place, query: Query, asked: Asked, shown: Shown) -> None:
    """Find the memories that answer a question, best first.

    Example: simonides recall "which seat does Ana like?" --explain
    """
    with place.reading() as store:
        _print(place, store.recall(query, **asked.arguments("recall")), shown)


def retrieve(place: Place, query: Query, pipeline: Piped, asked: Asked, shown: Shown) -> None:
    """Find memories with a profile, scopes and budgets.

    Ten memories, unless a budget says otherwise.

    Example: simonides retrieve "late trains" --profile keyword --max-tokens 500
    """
    with place.reading() as store:
        _print(place, store.retrieve(query, **pipeline.arguments(), **asked.arguments("retrieve")), shown)


def why_not(
    place: Place,
    query: Query,
    thought_id: Annotated[str, Argument(metavar="ID", help="The memory that was expected.")],
    pipeline: Piped,
    asked: Asked,
    verb: Annotated[
        str, Option("--verb", metavar="NAME", help="recall, retrieve, search_hybrid, search_fts ...")
    ] = "recall",
) -> None:
    """Say why a memory is not among the answers.

    Give the options of the question as it was asked. The answer is the stage that the memory fell out at, with numbers.

    Example: simonides why-not "which seat does Ana like?" key -k 1
    """
    arguments = pipeline.arguments() | asked.arguments(verb)
    strange = sorted(set(arguments) - TAKES.get(verb, set(arguments)))
    if strange:
        raise InvalidQueryError(f"{verb} takes no {', '.join(strange)}", hint="give the options of that command only")
    with place.reading() as store:
        reason = store.why_not(query, thought_id, verb=verb, **arguments)
    if place.as_json:
        say_json({name: getattr(reason, name) for name in reason.__slots__} | {"numbers": dict(reason.numbers)})
    else:
        say(visible(f"{reason.stage}: {reason.sentence}"))


def _print(place: Place, answer: HybridSearchResult, shown: Shown) -> None:
    if place.as_json:
        say_json(answer.to_dict())
        return
    if shown.as_text:
        say(visible(answer.text()))
    else:
        columns = width()
        for hit in answer.hits:
            for line in hit_lines(hit, columns):
                say(line)
        for hit in answer.reflections:
            for line in hit_lines(hit, columns, mark="reflection "):
                say(line)
    if shown.explain:
        say()
        say(visible(answer.explain()))
    for line in answer_notes(answer):
        note(line)
