"""Which options do several commands share? Groups of them, each with the arguments that it makes for a verb."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from simonides.errors import InvalidQueryError
from simonides.faces.cli.filters import read_filter
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides import Budget, Profile

Arguments = dict[str, Any]
Filters = Annotated[
    list[str] | None,
    Option("--filter", "-f", metavar="COND", help="speaker=Ana, occurred_at>=2026-01-01, metadata.x=3, or JSON."),
]
Meta = Annotated[
    list[str] | None,
    Option("--meta", "-m", metavar="KEY=VALUE", help="Anything else; may be given several times."),
]
Reason = Annotated[str | None, Option("--reason", metavar="TEXT", help="Why; the journal keeps it.")]
Ids = Annotated[list[str], Argument(metavar="ID...", help="Ids, as recall and list print them.")]
Limit = Annotated[int, Option("--limit", "-l", metavar="N", min=0, help="How many; 0 means all.")]


ValidAt = Annotated[
    str | None, Option("--valid-at", metavar="TIME", help="What holds then; without it now; any: whenever.")
]
AsOf = Annotated[str | None, Option("--as-of", metavar="TIME", help="What the store knew then.")]


def values_of(name: str) -> Callable[[], list[str]]:
    """For completion in a shell: the values of a public enumeration of the package."""

    def values() -> list[str]:
        import simonides

        return [str(value) for value in getattr(simonides, name)]

    return values


def given(**arguments: object) -> Arguments:
    """The arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question may see, which hits are shown, and how much of an answer fits."""

    top_k: Annotated[int | None, Option("-k", "--top-k", metavar="N", help="How many memories; else 10.")] = None
    filters: Filters = None
    archived: Annotated[bool, Option("--archived", help="Look at archived memories too.")] = False
    min_score: Annotated[float | None, Option("--min-score", metavar="X", help="Leave out hits below it.")] = None
    superseded: Annotated[
        str | None, Option("--superseded", metavar="HOW", help="annotate, demote or exclude what was replaced.")
    ] = None
    valid_at: ValidAt = None
    as_of: AsOf = None
    max_units: Annotated[int | None, Option("--max-units", metavar="N", help="Memories that may be shown.")] = None
    max_chars: Annotated[int | None, Option("--max-chars", metavar="N", help="Characters of their text.")] = None
    max_tokens: Annotated[int | None, Option("--max-tokens", metavar="N", help="Tokens of their text.")] = None
    max_ms: Annotated[float | None, Option("--max-ms", metavar="MS", help="Milliseconds that it may take.")] = None

    beam_width: Annotated[
        int | None, Option("--beam-width", metavar="N", help="Topics of a topic tree kept per round.")
    ] = None
    max_depth: Annotated[int | None, Option("--max-depth", metavar="N", help="The last round, from 0.")] = None

    def arguments(self, verb: str) -> Arguments:
        """Keyword arguments of a verb of the store. `retrieve` knows no top_k: there it is a budget of units."""
        units, top_k = self.max_units, self.top_k
        if verb == "retrieve":
            units, top_k = top_k if units is None else units, None
        return given(
            top_k=top_k,
            filters=read_filter(self.filters or ()),
            include_archived=self.archived or None,
            min_score=self.min_score,
            superseded=self.superseded,
            valid_at=self.valid_at,
            as_of=self.as_of,
            budget=self._budget(units),
            beam_width=self.beam_width,
            max_depth=self.max_depth,
        )

    def _budget(self, units: int | None) -> Budget | None:
        limits = (units, self.max_chars, self.max_tokens, self.max_ms)
        if all(limit is None for limit in limits):
            return None
        from simonides import Budget

        return Budget(*limits)


@dataclass(frozen=True, slots=True)
class Piped:
    """What is particular to `retrieve`: legs and labels."""

    mode: Annotated[
        str | None, Option("--profile", metavar="NAME", help="keyword, semantic or hybrid (the default).")
    ] = None
    weights: Annotated[
        list[str] | None, Option("--weight", metavar="LEG=X", help="fts=1, vector=0.5: weights of the legs.")
    ] = None
    concepts: Annotated[
        list[str] | None, Option("--concept", metavar="NAME", help="Narrows the vector leg; several: any.")
    ] = None
    topics: Annotated[
        list[str] | None, Option("--topic", metavar="KEY", help="This topic and those below; several: any.")
    ] = None
    content_types: Annotated[
        list[str] | None, Option("--content-type", metavar="NAME", help="Only such contents; several: any.")
    ] = None
    recency_boost: Annotated[
        float | None, Option("--recency-boost", metavar="X", help="score x (1 + X / (1 + age in days)).")
    ] = None

    def arguments(self) -> Arguments:
        return given(
            profile=self._profile(),
            topics=self.topics or None,
            content_type=self.content_types or None,
            recency_boost=self.recency_boost,
        )

    def _profile(self) -> Profile | None:
        if not (self.mode or self.weights or self.concepts):
            return None
        from simonides import Profile

        return Profile(
            self.mode or "hybrid",  # type: ignore[arg-type]  # Profile says what it may be
            weights=_numbers(self.weights) if self.weights else None,
            concept_filter=tuple(self.concepts) if self.concepts else None,
        )


def _numbers(pairs: Iterable[str]) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        try:
            numbers[name.strip()] = float(value)
        except ValueError:
            raise InvalidQueryError(f"{pair!r:.80} is no weight", hint="fts=1 or vector=0.5") from None
    return numbers
