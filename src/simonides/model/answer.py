"""What does a search give back, and how does it account for every score?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from simonides.model.thought import Json, Thought


class Part(NamedTuple):
    """One line of an explanation: a leg or a signal, what it measured and what it added to the score.

    `value` is the raw measure, `scaled` lies in [0, 1], `weight` is the effective one (None for a factor or an
    addition), `contribution` is what the score got. `rank` is the place in the leg, from 1; None when the leg did not
    return the row.
    """

    name: str
    value: float | None
    scaled: float | None
    weight: float | None
    contribution: float
    rank: int | None = None
    note: str = ""


class Passage(NamedTuple):
    """The part of a content that matched best: code point offsets and the text between them."""

    start: int
    stop: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One found memory. The contributions of `parts` sum to `score`.

    `text` is what a budget allows to show (the whole content unless `cut`); `thought.content` is never cut.
    `copies` counts other thoughts with the same text that were folded into this one.
    """

    thought: Thought
    score: float
    rank: int
    parts: tuple[Part, ...]
    passage: Passage
    text: str
    cut: bool = False
    copies: int = 0
    superseded_by: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    supported_by: tuple[str, ...] = ()

    @property
    def thought_id(self) -> str:
        return self.thought.thought_id

    @property
    def contributions(self) -> Mapping[str, float]:
        """Name of leg, signal or boost → what it added; the values sum to `score`."""
        return {part.name: part.contribution for part in self.parts}

    def to_dict(self) -> dict[str, Json]:
        """JSON values."""
        return {
            "thought": self.thought.to_dict(),
            "score": self.score,
            "rank": self.rank,
            "contributions": dict(self.contributions),
            "parts": [_part(part) for part in self.parts],
            "passage": {"start": self.passage.start, "stop": self.passage.stop, "text": self.passage.text},
            "text": self.text,
            "cut": self.cut,
            "copies": self.copies,
            "superseded_by": list(self.superseded_by),
            "conflicts": list(self.conflicts),
            "supported_by": list(self.supported_by),
        }


def _part(part: Part) -> dict[str, Json]:
    return part._asdict()


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """How a query text was read: `bare`, `expert`, `expert→bare` or `empty`; which terms were used and dropped."""

    text: str
    kind: str
    terms: tuple[str, ...]
    unscored: tuple[str, ...]
    dropped: tuple[tuple[str, str], ...]
    expression: str | None

    def to_dict(self) -> dict[str, Json]:
        return {
            "text": self.text,
            "kind": self.kind,
            "terms": list(self.terms),
            "unscored": list(self.unscored),
            "dropped": [list(pair) for pair in self.dropped],
            "expression": self.expression,
        }


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A result that a budget kept out, and why."""

    thought_id: str
    reason: str
    size: int


@dataclass(frozen=True, slots=True)
class Degradation:
    """A leg, signal or service that could not do its part; the answer was made without it."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class HybridSearchResult:
    """The answer of every ranked search.

    `backends_used` names legs that ran and signals that changed a score. `weights` are the effective ones.
    `vectors_scored` counts vectors that the scan or the walk through a topic tree compared, `centroids_scored` topics
    on the way, `vectors_looked_up` those read whole and compared exactly. `trees`: namespace → epoch of its tree.
    `timings` are seconds per stage; they and `query_id` are all that two equal questions may differ in.
    """

    query: str
    hits: tuple[Hit, ...]
    reading: ReadQuery
    backends_used: frozenset[str]
    weights: Mapping[str, float]
    recipe: str
    query_id: str
    reflections: tuple[Hit, ...] = ()
    reflections_evicted: int = 0
    truncated: bool = False
    left_out: tuple[LeftOut, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    confidence: float | None = None
    pool: int = 0
    vectors_scored: int = 0
    centroids_scored: int = 0
    vectors_looked_up: int = 0
    trees: Mapping[str, int] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def results(self) -> list[tuple[str, float]]:
        """(thought_id, score) pairs, best first."""
        return [(hit.thought_id, hit.score) for hit in self.hits]

    def explain(self) -> str:
        """A table: one block per hit, one line per contribution."""
        from simonides.model.explanation import explain

        return explain(self)

    def text(self) -> str:
        """The hits as one block for a language model: each between marks that a memory cannot forge."""
        from simonides.model.explanation import block

        return block(self)

    def to_dict(self) -> dict[str, Json]:
        """JSON values, timings and query id included."""
        return {
            "query": self.query,
            "query_id": self.query_id,
            "recipe": self.recipe,
            "hits": [hit.to_dict() for hit in self.hits],
            "reflections": [hit.to_dict() for hit in self.reflections],
            "reading": self.reading.to_dict(),
            "backends_used": [*sorted(self.backends_used)],
            "weights": dict(self.weights),
            "reflections_evicted": self.reflections_evicted,
            "truncated": self.truncated,
            "left_out": [{"thought_id": x.thought_id, "reason": x.reason, "size": x.size} for x in self.left_out],
            "degraded": [{"what": x.what, "reason": x.reason} for x in self.degraded],
            "confidence": self.confidence,
            "pool": self.pool,
            "vectors_scored": self.vectors_scored,
            "centroids_scored": self.centroids_scored,
            "vectors_looked_up": self.vectors_looked_up,
            "trees": dict(self.trees),
            "timings": dict(self.timings),
        }
