"""Which rankings are there? Each is data: legs and signals with their scales, and what happens around them.

    score = Σ weightᵢ · scaleᵢ(columnᵢ), then × (1 + boost) per boost, then + what the session adds

One rule for all. `rrf` ranks by places, `five_signal` and `default` by measures.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """A ranking as data.

    scales: column → scale (see scales.py). fill: a leg's true value is looked up for candidates that only the other
    leg found. augment: hits carry graph context. normalise: weights become shares of the active sum. collapse:
    identical texts of one speaker count once. refine: cosines come from the scan and are made exact for what is shown.
    conversational: turns count with the turns around them. beside: reflections stand beside the hits and take no place
    among them. exhaustive: everything in scope competes, not what a leg
    returns.
    """

    name: str
    scales: tuple[tuple[str, str], ...]
    fill: bool
    augment: bool
    normalise: bool
    collapse: bool
    conversational: bool = False
    beside: bool = False
    refine: bool = False
    exhaustive: bool = False


RRF = Recipe(
    name="rrf",
    scales=(("fts", "reciprocal_rank"), ("vector", "reciprocal_rank")),
    fill=False,
    augment=True,
    normalise=False,
    collapse=True,
    beside=True,
)
FIVE_SIGNAL = Recipe(
    name="five_signal",
    scales=(
        ("fts", "share_of_ideal"),
        ("vector", "cosine"),
        ("recency", "identity"),
        ("priority", "identity"),
        ("graph", "identity"),
    ),
    fill=True,
    augment=False,
    normalise=True,
    collapse=False,
)
DEFAULT = Recipe(
    name="default",
    scales=(("fts", "share_of_ideal"), ("vector", "cosine")),
    fill=True,
    augment=True,
    normalise=True,
    collapse=True,
    conversational=True,
    beside=True,
    refine=True,
)
TEXT = Recipe(name="fts", scales=(("fts", "identity"),), fill=False, augment=False, normalise=False, collapse=False)
SIMILAR = Recipe(
    name="similar", scales=(("vector", "identity"),), fill=False, augment=False, normalise=False, collapse=False
)
REFLECTIONS = Recipe(
    name="reflections",
    scales=(("vector", "identity"), ("recency", "identity")),
    fill=True,
    augment=False,
    normalise=False,
    collapse=False,
    exhaustive=True,
)
