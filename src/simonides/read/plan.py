"""What is settled about one question before anything is read? Values only; `plans/` fills them in.

Below a plan nothing reads configuration or the clock, and nothing knows a default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.embedders.door import Unit
    from simonides.model.query import Budget, Recency, Scope
    from simonides.read.legs.full_text import TextRules
    from simonides.read.legs.topic_beam import Walk
    from simonides.read.recipes import Recipe
    from simonides.text.reading import Reading


@dataclass(frozen=True, slots=True)
class Graph:
    """The weighted graph signal and the expansion from reflections."""

    decay: float
    neighbours_max: int
    expand: bool
    expand_top_n: int
    expand_factor: float
    sources_max: int
    sources_ceiling: int


@dataclass(frozen=True, slots=True)
class Collapse:
    """Which rows stand for one unit: paths into metadata, and how many of a unit may stay."""

    paths: tuple[tuple[str, ...], ...]
    per_unit: int


@dataclass(frozen=True, slots=True)
class Alike:
    """share: of the distinct words of two texts that both have, from which the worse keeps `factor` of its score."""

    share: float
    factor: float


@dataclass(frozen=True, slots=True)
class Plan:
    """One question, settled. weights: per column of the recipe. limits: candidates per leg.

    asked_at: for the log, where `scope.now` may be another instant. given: the caller's vector as float64 bytes,
    little-endian, of which `vector` is the unit row.
    """

    query: str
    reading: Reading
    recipe: Recipe
    scope: Scope
    top_k: int
    weights: Mapping[str, float]
    fts_limit: int
    vector_limit: int
    vector: Unit | None
    wants_vector: bool
    deadline_s: float
    text: TextRules
    rrf_k: int
    recency: Recency | None
    recency_boost: float
    recency_field: str
    graph: Graph | None
    reflection_boost: float
    reflection_cap: float
    collapse: Collapse | None
    alike: Alike | None
    walk: Walk
    window_factor: int
    budget: Budget
    default_budget: bool
    min_score: float | None
    second_look: bool
    shown: int
    superseded: str
    count_tokens: Callable[[str], int]
    asked_at: int
    given: bytes | None
