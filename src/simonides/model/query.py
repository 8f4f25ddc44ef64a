"""What is asked, once every default is filled in?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from simonides.errors import InvalidQueryError

if TYPE_CHECKING:
    from simonides.model.predicate import Predicate

Mode = Literal["keyword", "semantic", "hybrid"]
MODES: dict[str, tuple[float, float]] = {"keyword": (1.0, 0.0), "semantic": (0.0, 1.0), "hybrid": (1.0, 1.0)}


@dataclass(frozen=True, slots=True)
class Profile:
    """Which legs `retrieve` uses: a mode, or explicit weights {"fts": 1.0, "vector": 0.5}."""

    mode: Mode = "hybrid"
    weights: Mapping[str, float] | None = None
    concept_filter: tuple[str, ...] | str | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidQueryError(f"profile mode {self.mode!r}; expected one of {', '.join(MODES)}")
        for name, weight in (self.weights or {}).items():
            if name not in ("fts", "vector"):
                raise InvalidQueryError(f"profile weight {name!r}; expected 'fts' or 'vector'")
            if not 0 <= weight < float("inf"):
                raise InvalidQueryError(f"profile weight {name} is {weight!r}; expected a finite number of at least 0")


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of an answer fits: hits, code points, tokens, milliseconds from the call. None: no limit."""

    max_units: int | None = None
    max_chars: int | None = None
    max_tokens: int | None = None
    max_ms: float | None = None

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
                raise InvalidQueryError(f"budget {name} is {value!r}; expected a number of at least 0")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a query may see: compiled once, pushed into every leg, checked again at the end."""

    namespaces: tuple[str, ...]
    predicate: Predicate | None
    include_archived: bool
    include_reflections: bool
    now: int  # instant: what expired before it is invisible
    concepts: Predicate | None = None  # narrows the vector leg only
    valid_at: int | None = None  # instant at which a statement has to hold; None: at `now`
    valid_any: bool = False  # whether statements count that do not hold then
    as_of: int | None = None  # instant whose state of the store is searched; None: today's

    @property
    def holds_at(self) -> int:
        """The instant at which statements and edges have to hold."""
        return self.now if self.valid_at is None else self.valid_at


@dataclass(frozen=True, slots=True)
class Recency:
    """One recency axis: `cycle` or `instant` counts back from `reference` and halves every `half_life`.

    half_life: cycles, or microseconds.
    """

    axis: Literal["cycle", "instant"]
    reference: int
    half_life: float
    field: str
