"""What can go wrong, and what the caller can do about it?

    SimonidesError
    ├── ConfigError                    a setting is unknown or out of range
    ├── MissingExtraError              an optional package is needed
    ├── StoreError                     the file itself
    │   ├── StoreClosedError           the handle was closed
    │   ├── StoreReadOnlyError         writing through a read-only handle
    │   ├── StoreBusyError             another process kept the write lock
    │   ├── StoreDamagedError          not a Simonides store, or a broken one
    │   └── StoreTooNewError           written by a newer version
    ├── NamespaceError                 a bad name, or a sealed handle asked for another owner
    ├── ThoughtNotFoundError           no such thought in this namespace
    ├── QueryNotFoundError             no such question in the retrieval log
    ├── InvalidThoughtError            a field of a thought or an edge cannot be accepted
    ├── RevisionConflictError          somebody else changed the thought first
    ├── InvalidQueryError              an argument of a search is out of range
    │   ├── InvalidFilterError         a filter cannot be read
    │   ├── HistoryPrunedError         asked for a time, or for changes, that were pruned
    │   ├── InvalidRecencyArgumentError
    │   └── RecencyModeConflictError   both recency clocks were given
    ├── JobError                       a unit of upkeep failed or cannot be run
    │   └── AuditError                 the retrieval log could not be written
    └── EmbeddingError                 the embedder failed
        ├── InvalidVectorError         a vector has a bad length, a NaN, an infinity or no direction
        └── ModelMismatchError         vectors of another model or dimension are stored

Every error has a stable `code` (snake case, part of the public contract), a message with the numbers, and
where there is one a `hint` that names the remedy. Faces translate codes; this module knows none of them.
"""

from __future__ import annotations


class SimonidesError(Exception):
    """Base of every error raised on purpose. `code` is stable; `hint` says what to do."""

    code = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message} ({hint})")
        self.message = message
        self.hint = hint


class ConfigError(SimonidesError):
    """A setting is unknown, has the wrong type or is out of range."""

    code = "config_invalid"


class MissingExtraError(SimonidesError):
    """An optional package is not installed. `extra` is the name to install."""

    code = "extra_missing"

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional package", hint=f"pip install 'simonides[{extra}]'")
        self.extra = extra


class StoreError(SimonidesError):
    """Something about the file or the connection."""

    code = "store_error"


class StoreClosedError(StoreError):
    code = "store_closed"


class StoreReadOnlyError(StoreError):
    code = "store_read_only"


class StoreBusyError(StoreError):
    """The write lock was not free within the busy timeout; nothing was written, the call can be repeated."""

    code = "store_busy"


class StoreDamagedError(StoreError):
    """The file is not a Simonides store or is damaged; it was left untouched."""

    code = "store_damaged"


class StoreTooNewError(StoreError):
    code = "store_too_new"


class NamespaceError(SimonidesError):
    code = "namespace_invalid"


class ThoughtNotFoundError(SimonidesError):
    code = "thought_not_found"


class QueryNotFoundError(SimonidesError):
    """The retrieval log has no such question, or not for this handle."""

    code = "query_not_found"


class JobError(SimonidesError):
    """A job failed, lost its lease, or cannot be retried."""

    code = "job_failed"


class AuditError(JobError):
    """A row of the retrieval log was not written."""

    code = "audit_failed"


class InvalidThoughtError(SimonidesError):
    code = "thought_invalid"


class RevisionConflictError(SimonidesError):
    """`expected_revision` was not the current one; read the thought again and decide."""

    code = "revision_conflict"


class InvalidQueryError(SimonidesError):
    code = "query_invalid"


class InvalidFilterError(InvalidQueryError):
    code = "filter_invalid"


class HistoryPrunedError(InvalidQueryError):
    """What was asked for lies before the point up to which the journal was pruned."""

    code = "history_pruned"


class InvalidRecencyArgumentError(InvalidQueryError):
    code = "recency_argument_invalid"


class RecencyModeConflictError(InvalidQueryError):
    code = "recency_mode_conflict"


class EmbeddingError(SimonidesError):
    code = "embedding_failed"


class InvalidVectorError(EmbeddingError):
    code = "vector_invalid"


class ModelMismatchError(EmbeddingError):
    code = "model_mismatch"
