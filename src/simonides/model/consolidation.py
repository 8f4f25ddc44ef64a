"""What does consolidation tell its caller, and a caller's composer? Themes, plans and a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.model.reflection import Excerpt
    from simonides.model.thought import Thought


@dataclass(frozen=True, slots=True)
class Theme:
    """Thoughts that belong together, and what was found in them without a model. essence: what is written otherwise."""

    thought_id: str
    sources: tuple[Thought, ...]
    keywords: tuple[str, ...]
    keyphrases: tuple[str, ...]
    excerpts: tuple[Excerpt, ...]
    essence: str


Composer = Callable[[Theme], str]
"""Writes the essence of a reflection. It is called outside of any transaction and may take its time."""


@dataclass(frozen=True, slots=True)
class PlannedReflection:
    """A reflection that was written, or would be. action: created, updated or retired. sources: ids, sorted."""

    thought_id: str
    action: str
    essence: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What a consolidation did, or with `dry_run` would do.

    created, updated, retired, unchanged: reflections; retired ones had no source left to speak of. thoughts: those that
    could have been sources; grouped: those that are. bound: the mean cosine that thoughts of one reflection have at
    least. skipped: themes whose thoughts changed meanwhile, for the next run. problems: what a composer got wrong.
    queued: it was only asked for; a job will do it.
    """

    namespace: str
    created: int = 0
    updated: int = 0
    retired: int = 0
    unchanged: int = 0
    thoughts: int = 0
    grouped: int = 0
    bound: float = 0.0
    skipped: int = 0
    dry_run: bool = False
    queued: bool = False
    reflections: tuple[PlannedReflection, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.created or self.updated or self.retired)
