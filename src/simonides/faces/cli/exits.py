"""With which code does the command end? One table from error codes to exit codes; docs/cli.md says the same."""

from __future__ import annotations

from enum import IntEnum

from simonides.errors import SimonidesError


class Ended(Exception):
    """A command has said what it had to say and ends with a code."""

    def __init__(self, code: Exit) -> None:
        super().__init__(code)
        self.code = code


class Exit(IntEnum):
    """Exit codes of `simonides`. They are part of the public contract."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    NOT_FOUND = 3
    STORE = 4
    BUSY = 5
    EMBEDDING = 6
    EXTRA_MISSING = 7
    INCOMPLETE = 8
    INPUT = 9
    INTERRUPTED = 130
    BROKEN_PIPE = 141


BY_ERROR: dict[str, Exit] = {
    "error": Exit.FAILURE,
    "config_invalid": Exit.USAGE,
    "namespace_invalid": Exit.USAGE,
    "thought_invalid": Exit.USAGE,
    "query_invalid": Exit.USAGE,
    "filter_invalid": Exit.USAGE,
    "history_pruned": Exit.NOT_FOUND,
    "recency_argument_invalid": Exit.USAGE,
    "recency_mode_conflict": Exit.USAGE,
    "thought_not_found": Exit.NOT_FOUND,
    "query_not_found": Exit.NOT_FOUND,
    "store_error": Exit.STORE,
    "store_closed": Exit.STORE,
    "store_read_only": Exit.STORE,
    "store_damaged": Exit.STORE,
    "store_too_new": Exit.STORE,
    "store_busy": Exit.BUSY,
    "revision_conflict": Exit.BUSY,
    "embedding_failed": Exit.EMBEDDING,
    "vector_invalid": Exit.EMBEDDING,
    "model_mismatch": Exit.EMBEDDING,
    "extra_missing": Exit.EXTRA_MISSING,
    "job_failed": Exit.INCOMPLETE,
    "audit_failed": Exit.INCOMPLETE,
}


def exit_for(error: SimonidesError) -> Exit:
    """The exit code of an error of the engine."""
    return BY_ERROR.get(error.code, Exit.FAILURE)
