"""How does an error of the engine reach a client? One table from codes to JSON-RPC codes; docs/mcp.md says the same.

A tool that fails answers with a *tool error*, so that the model can read it and do better. Everything else (resources,
prompts, an unknown tool) fails as a JSON-RPC error. Both carry code, message and hint; neither carries a traceback.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simonides import SimonidesError

if TYPE_CHECKING:
    from pydantic import ValidationError

INVALID_PARAMS = -32602
INTERNAL = -32603
BY_ERROR: dict[str, int] = {
    "error": INTERNAL,
    "config_invalid": INTERNAL,
    "namespace_invalid": INVALID_PARAMS,
    "thought_invalid": INVALID_PARAMS,
    "query_invalid": INVALID_PARAMS,
    "filter_invalid": INVALID_PARAMS,
    "history_pruned": INVALID_PARAMS,
    "recency_argument_invalid": INVALID_PARAMS,
    "recency_mode_conflict": INVALID_PARAMS,
    "thought_not_found": INVALID_PARAMS,
    "query_not_found": INVALID_PARAMS,
    "store_error": INTERNAL,
    "store_closed": INTERNAL,
    "store_read_only": INVALID_PARAMS,
    "store_damaged": INTERNAL,
    "store_too_new": INTERNAL,
    "store_busy": INTERNAL,
    "revision_conflict": INVALID_PARAMS,
    "embedding_failed": INTERNAL,
    "vector_invalid": INTERNAL,
    "model_mismatch": INTERNAL,
    "extra_missing": INTERNAL,
    "job_failed": INTERNAL,
    "audit_failed": INTERNAL,
    # of this face
    "arguments_invalid": INVALID_PARAMS,
    "name_unknown": INVALID_PARAMS,
    "unexpected": INTERNAL,
}

PROBLEMS_SHOWN = 5
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Failure:
    """What a client is told about a failure: a stable code, a sentence, and what to do about it."""

    code: str
    message: str
    hint: str | None = None

    @property
    def rpc_code(self) -> int:
        """The JSON-RPC code."""
        return BY_ERROR.get(self.code, INTERNAL)

    def to_dict(self) -> dict[str, Any]:
        """Code, message and hint as JSON values."""
        return {"code": self.code, "message": self.message, "hint": self.hint}

    def text(self) -> str:
        """The same as one line of JSON, for a model."""
        return json.dumps(self.to_dict(), ensure_ascii=False)


class Refusal(Exception):
    """A request that this face itself refuses."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.failure = Failure(code, message, hint)


def failure_of(error: Exception) -> Failure:
    """What to tell about an error. One that nobody foresaw is told by its kind only; the log has the rest."""
    if isinstance(error, Refusal):
        return error.failure
    if isinstance(error, SimonidesError):
        return Failure(error.code, error.message, error.hint)
    log.error("unexpected %s", type(error).__name__, exc_info=error)
    return Failure("unexpected", f"an unexpected {type(error).__name__}", "the server's log on standard error has more")


def refused_arguments(error: ValidationError) -> Refusal:
    """Which arguments do not fit the schema, and why; without the values, which may be long."""
    problems = error.errors(include_input=False, include_url=False, include_context=False)
    told = [f"{'.'.join(map(str, p['loc'])) or 'arguments'}: {p['msg']}" for p in problems[:PROBLEMS_SHOWN]]
    more = len(problems) - len(told)
    message = "; ".join(told) + (f"; and {more} more" if more else "")
    return Refusal("arguments_invalid", message, "the tool's input schema lists what it takes")
