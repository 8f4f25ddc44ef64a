"""What can be set about upkeep: comparing, consolidating and forgetting? A part of `config.py`, for its length."""

from __future__ import annotations

from dataclasses import dataclass

from simonides.config_checks import choice, flag, number, whole
from simonides.errors import ConfigError

_KINDS = ("NOTE", "OBSERVATION", "BELIEF", "TASK", "OUTPUT_DRAFT", "REFLECTION")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictsConfig:
    """How memories are compared with each other: `store.conflicts`."""

    min_confidence: float = 0.6  # what is less sure is not proposed
    candidates: int = 16  # near memories of each leg that a new one is compared with
    subject_field: str = "subject"  # path into metadata: memories of two subjects are never compared

    def __post_init__(self) -> None:
        number("min_confidence", self.min_confidence, low=0.0, high=1.0)
        whole("candidates", self.candidates, low=1)
        if not isinstance(self.subject_field, str) or not all(self.subject_field.split(".")):
            raise ConfigError(f"subject_field is {self.subject_field!r}; expected names joined by dots")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationConfig:
    """How thoughts become reflections: `consolidate`."""

    sources_min: int = 3  # memories of a reflection; equal texts are one
    sources_max: int = 50  # beyond, a reflection points everywhere
    deviations: float = 2.0  # how unusual a closeness must be, in standard deviations above what is usual
    cosine_min: float = 0.40  # below, nothing belongs together, however unusual
    cosine_max: float = 0.75  # above, everything does, however usual
    keywords: int = 8
    keyphrases: int = 5
    excerpts: int = 5
    excerpt_chars: int = 200  # code points of an excerpt

    def __post_init__(self) -> None:
        whole("sources_min", self.sources_min, low=2)
        whole("sources_max", self.sources_max, low=self.sources_min)
        number("deviations", self.deviations, low=0.0, high=10.0)
        number("cosine_min", self.cosine_min, low=0.0, high=1.0)
        number("cosine_max", self.cosine_max, low=self.cosine_min, high=1.0)
        for name in ("keywords", "keyphrases"):
            whole(name, getattr(self, name), low=0)
        whole("excerpts", self.excerpts, low=1)
        whole("excerpt_chars", self.excerpt_chars, low=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class HygieneConfig:
    """What `hygiene` and `expire` may forget; neither runs unless it is called."""

    cold_days: float = 180.0  # neither written nor shown for so long
    weak_accesses: int = 1  # shown more often: it stays
    weak_confirmations: int = 0  # remembered again more often: it stays
    strong_confidence: float = 0.9  # given a confidence from here on: it stays
    protected_types: str = "TASK, REFLECTION"  # names, separated by commas
    protected_priorities: str = "P1, P2"
    protect_sources: bool = True  # of living reflections
    limit: int = 500  # memories of one run
    restore_days: float = 90.0  # between the archiving and the erasure, if that is asked for
    restore_cycles: int = 0  # and so many cycles; 0: days alone decide
    expired_action: str = "archive"  # or erase
    expired_after_days: float = 0.0  # between the expiry and that

    def __post_init__(self) -> None:
        for name in ("cold_days", "restore_days", "expired_after_days"):
            number(name, getattr(self, name), low=0.0, high=36_500.0)
        for name in ("weak_accesses", "weak_confirmations", "restore_cycles"):
            whole(name, getattr(self, name), low=0)
        number("strong_confidence", self.strong_confidence, low=0.0, high=1.0)
        whole("limit", self.limit, low=1)
        flag("protect_sources", self.protect_sources)
        choice("expired_action", self.expired_action, ("archive", "erase"))
        for name, known in (("protected_types", _KINDS), ("protected_priorities", ("P1", "P2", "P3", "P4"))):
            for wanted in str(getattr(self, name)).upper().replace(",", " ").split():
                choice(name, wanted, known)
