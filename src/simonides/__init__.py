"""Simonides: memory and hybrid retrieval for AI agents. One SQLite file, one import, every score explained."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.aio import AsyncStore, open_async
    from simonides.config import (
        AuditConfig,
        Config,
        ConflictsConfig,
        ConsolidationConfig,
        EmbeddingConfig,
        HygieneConfig,
        RecallConfig,
        RetrieveConfig,
        SearchConfig,
        StoreConfig,
        TextConfig,
        TopicsConfig,
        load_config,
    )
    from simonides.dreaming import DreamingExtension
    from simonides.embedders.port import Embedder, ModelInfo
    from simonides.errors import (
        AuditError,
        ConfigError,
        EmbeddingError,
        HistoryPrunedError,
        InvalidFilterError,
        InvalidQueryError,
        InvalidRecencyArgumentError,
        InvalidThoughtError,
        InvalidVectorError,
        JobError,
        MissingExtraError,
        ModelMismatchError,
        NamespaceError,
        QueryNotFoundError,
        RecencyModeConflictError,
        RevisionConflictError,
        SimonidesError,
        StoreBusyError,
        StoreClosedError,
        StoreDamagedError,
        StoreError,
        StoreReadOnlyError,
        StoreTooNewError,
        ThoughtNotFoundError,
    )
    from simonides.model.anchor import Anchor, Pruned, Seal
    from simonides.model.answer import Degradation, Hit, HybridSearchResult, LeftOut, Part, Passage, ReadQuery
    from simonides.model.conflict import Conflict, ConflictKind, ConflictScan, ConflictStatus, Disagreement
    from simonides.model.consolidation import Consolidated, PlannedReflection, Theme
    from simonides.model.edge import Edge, EdgeType
    from simonides.model.history import FieldChange, HistoryEntry, RevisionDiff
    from simonides.model.hygiene import Aged, HygieneReport
    from simonides.model.job import Job, JobFailure
    from simonides.model.log import Difference, LogEntry, LoggedHit, Replay
    from simonides.model.query import Budget, Profile
    from simonides.model.reflection import Excerpt, Reflection
    from simonides.model.report import (
        Backup,
        Compacted,
        Diagnosis,
        Exported,
        Forgotten,
        Imported,
        LineProblem,
        Reembedded,
        Reembedding,
    )
    from simonides.model.thought import Draft, LifecycleStatus, Priority, Thought, ThoughtType
    from simonides.model.trail import Change, Problem, Stats, Verification, WhyNot
    from simonides.store import Store, open  # the public name; `simonides.open` reads well

__version__ = "0.1.0"

__all__ = [
    "Aged",
    "Anchor",
    "AsyncStore",
    "AuditConfig",
    "AuditError",
    "Backup",
    "Budget",
    "Change",
    "Compacted",
    "Config",
    "ConfigError",
    "Conflict",
    "ConflictKind",
    "ConflictScan",
    "ConflictStatus",
    "ConflictsConfig",
    "Consolidated",
    "ConsolidationConfig",
    "Degradation",
    "Diagnosis",
    "Difference",
    "Disagreement",
    "Draft",
    "DreamingExtension",
    "Edge",
    "EdgeType",
    "Embedder",
    "EmbeddingConfig",
    "EmbeddingError",
    "Excerpt",
    "Exported",
    "FieldChange",
    "Forgotten",
    "HistoryEntry",
    "HistoryPrunedError",
    "Hit",
    "HybridSearchResult",
    "HygieneConfig",
    "HygieneReport",
    "Imported",
    "InvalidFilterError",
    "InvalidQueryError",
    "InvalidRecencyArgumentError",
    "InvalidThoughtError",
    "InvalidVectorError",
    "Job",
    "JobError",
    "JobFailure",
    "LeftOut",
    "LifecycleStatus",
    "LineProblem",
    "LogEntry",
    "LoggedHit",
    "MissingExtraError",
    "ModelInfo",
    "ModelMismatchError",
    "NamespaceError",
    "Part",
    "Passage",
    "PlannedReflection",
    "Priority",
    "Problem",
    "Profile",
    "Pruned",
    "QueryNotFoundError",
    "ReadQuery",
    "RecallConfig",
    "RecencyModeConflictError",
    "Reembedded",
    "Reembedding",
    "Reflection",
    "Replay",
    "RetrieveConfig",
    "RevisionConflictError",
    "RevisionDiff",
    "Seal",
    "SearchConfig",
    "SimonidesError",
    "Stats",
    "Store",
    "StoreBusyError",
    "StoreClosedError",
    "StoreConfig",
    "StoreDamagedError",
    "StoreError",
    "StoreReadOnlyError",
    "StoreTooNewError",
    "TextConfig",
    "Theme",
    "Thought",
    "ThoughtNotFoundError",
    "ThoughtType",
    "TopicsConfig",
    "Verification",
    "WhyNot",
    "load_config",
    "open",
    "open_async",
]

# A name is loaded when it is first used: a command line that only prints its help needs no numpy.
_HOMES = {
    "aio": ("AsyncStore", "open_async"),
    "config": (
        "AuditConfig",
        "Config",
        "ConflictsConfig",
        "ConsolidationConfig",
        "EmbeddingConfig",
        "HygieneConfig",
        "RecallConfig",
        "RetrieveConfig",
        "SearchConfig",
        "StoreConfig",
        "TextConfig",
        "TopicsConfig",
        "load_config",
    ),
    "dreaming": ("DreamingExtension",),
    "embedders.port": ("Embedder", "ModelInfo"),
    "errors": (
        "AuditError",
        "ConfigError",
        "EmbeddingError",
        "HistoryPrunedError",
        "InvalidFilterError",
        "InvalidQueryError",
        "InvalidRecencyArgumentError",
        "InvalidThoughtError",
        "InvalidVectorError",
        "JobError",
        "MissingExtraError",
        "ModelMismatchError",
        "NamespaceError",
        "QueryNotFoundError",
        "RecencyModeConflictError",
        "RevisionConflictError",
        "SimonidesError",
        "StoreBusyError",
        "StoreClosedError",
        "StoreDamagedError",
        "StoreError",
        "StoreReadOnlyError",
        "StoreTooNewError",
        "ThoughtNotFoundError",
    ),
    "model.anchor": ("Anchor", "Pruned", "Seal"),
    "model.answer": ("Degradation", "Hit", "HybridSearchResult", "LeftOut", "Part", "Passage", "ReadQuery"),
    "model.conflict": ("Conflict", "ConflictKind", "ConflictScan", "ConflictStatus", "Disagreement"),
    "model.consolidation": ("Consolidated", "PlannedReflection", "Theme"),
    "model.edge": ("Edge", "EdgeType"),
    "model.history": ("FieldChange", "HistoryEntry", "RevisionDiff"),
    "model.hygiene": ("Aged", "HygieneReport"),
    "model.job": ("Job", "JobFailure"),
    "model.log": ("Difference", "LogEntry", "LoggedHit", "Replay"),
    "model.query": ("Budget", "Profile"),
    "model.reflection": ("Excerpt", "Reflection"),
    "model.thought": ("Draft", "LifecycleStatus", "Priority", "Thought", "ThoughtType"),
    "model.report": (
        "Backup",
        "Compacted",
        "Diagnosis",
        "Exported",
        "Forgotten",
        "Imported",
        "LineProblem",
        "Reembedded",
        "Reembedding",
    ),
    "model.trail": ("Change", "Problem", "Stats", "Verification", "WhyNot"),
    "store": ("Store", "open"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'simonides' has no attribute {name!r}")
    value = getattr(import_module(f"simonides.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
