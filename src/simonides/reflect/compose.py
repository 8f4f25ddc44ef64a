"""What does a reflection say about its sources? Keywords, keyphrases, excerpts and an essence, without a model."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.model.consolidation import Composer, Theme
from simonides.model.reflection import Excerpt
from simonides.reflect.words import Background, distinctive
from simonides.text.graphemes import border_at_or_before

if TYPE_CHECKING:
    from simonides.config import ConsolidationConfig
    from simonides.model.thought import Thought

COMPOSED_BY = "simonides"
ESSENCE_MAX = 2_000  # code points of what a composer writes
KEYWORDS_SAID = 8
QUOTED = 3  # excerpts that the essence quotes
DIFFERENT = 0.5  # what nearness to the chosen excerpts costs against nearness to the theme
USED = 0.02  # what ln(1 + uses) is worth in cosine
SHORT = 40  # code points: what is shorter says little
BLANKS = str.maketrans("\n\r\t\x0b\x0c\x85\u2028\u2029", "        ")
_log = logging.getLogger(__name__)
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Source:
    """One memory of a theme: a thought, how many equal ones there are besides, and its row."""

    thought: Thought
    repeats: int
    row: Floats


@dataclass(frozen=True, slots=True)
class Composed:
    """A theme with what is written about it. problem: why a composer's text was not taken."""

    theme: Theme
    span: tuple[str, str]
    essence: str
    composed_by: str
    problem: str | None = None


def compose(
    thought_id: str,
    sources: Sequence[Source],
    usual: Background,
    stop_words: frozenset[str],
    config: ConsolidationConfig,
    composer: Composer | None,
) -> Composed:
    """Writes about sources, in order of time. An error of the composer leaves the essence that needs none."""
    ordered = sorted(sources, key=lambda s: (_when(s.thought), s.thought.position or 0, s.thought.thought_id))
    texts = [source.thought.content for source in ordered]
    keywords, keyphrases = distinctive(texts, usual, stop_words, config.keywords, config.keyphrases)
    chosen = _chosen(ordered, config.excerpts)
    excerpts = tuple(_excerpt(ordered[n], config.excerpt_chars) for n in sorted(chosen))
    quoted = [_excerpt(ordered[n], config.excerpt_chars) for n in sorted(chosen[:QUOTED])]
    essence = _essence(keywords, keyphrases, quoted)
    theme = Theme(thought_id, tuple(s.thought for s in ordered), keywords, keyphrases, excerpts, essence)
    span = (_when(ordered[0].thought), _when(ordered[-1].thought))
    if composer is None:
        return Composed(theme, span, essence, COMPOSED_BY)
    text, problem = _asked(composer, theme)
    if text is None:
        return Composed(theme, span, essence, COMPOSED_BY, problem)
    return Composed(theme, span, text, getattr(composer, "__qualname__", type(composer).__qualname__))


def _asked(composer: Composer, theme: Theme) -> tuple[str | None, str | None]:
    """(what the composer wrote, why that cannot be taken)."""
    try:
        text: object = composer(theme)
    except Exception as error:  # noqa: BLE001  # a caller's own code; what it raised is reported
        _log.warning("the composer failed on %s: %s", theme.thought_id, type(error).__name__)
        return None, f"{theme.thought_id}: the composer raised {type(error).__name__}: {error}"[:500]
    if not isinstance(text, str) or not text.strip():
        return None, f"{theme.thought_id}: the composer gave {text!r:.80}; expected text"
    try:
        text.encode()
    except UnicodeEncodeError:
        return None, f"{theme.thought_id}: the composer gave a lone surrogate"
    return text[: border_at_or_before(text, ESSENCE_MAX)], None


def _chosen(sources: Sequence[Source], wanted: int) -> list[int]:
    """Which sources speak for all: near to the theme, unlike each other, rather used ones; places in `sources`.

    Maximal marginal relevance: J. Carbonell and J. Goldstein, SIGIR 1998.
    """
    wanted = min(wanted, len(sources))
    rows = np.stack([source.row for source in sources]).astype(np.float64)
    near = rows @ rows.T
    worth = near.mean(axis=1) + USED * np.log1p([_uses(source) for source in sources])
    worth *= [min(1.0, len(source.thought.content) / SHORT) for source in sources]
    taken = [int(np.argmax(worth))]
    while len(taken) < wanted:
        value = (1.0 - DIFFERENT) * worth - DIFFERENT * near[:, taken].max(axis=1)
        value[taken] = -math.inf
        taken.append(int(np.argmax(value)))
    return taken


def _uses(source: Source) -> int:
    return source.repeats + source.thought.access_count + source.thought.confirmation_count


def _excerpt(source: Source, chars: int) -> Excerpt:
    text = " ".join(source.thought.content.translate(BLANKS).split())
    if len(text) > chars:
        text = text[: border_at_or_before(text, chars - 1)].rstrip() + "…"
    return Excerpt(source.thought.thought_id, text, source.thought.speaker, _when(source.thought), source.repeats)


def _essence(keywords: Sequence[str], keyphrases: Sequence[str], excerpts: Sequence[Excerpt]) -> str:
    """`keywords; keyphrases: “excerpt” …`: every word is one of the sources' own, whatever their language."""
    said = list(keywords[:KEYWORDS_SAID])
    head = ", ".join(said)
    phrases = [phrase for phrase in keyphrases[:2] if phrase not in said]
    if phrases:
        head = "; ".join(part for part in (head, ", ".join(phrases)) if part)
    quotes = " ".join(f"“{e.speaker}: {e.text}”" if e.speaker else f"“{e.text}”" for e in excerpts)
    return f"{head}: {quotes}" if head else quotes


def _when(thought: Thought) -> str:
    return (thought.occurred_at or thought.created_at).isoformat()
