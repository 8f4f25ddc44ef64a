"""The parts of docs/mcp.md that are made from the code: every tool with its schema, and every error code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcp_types import Tool

from simonides.faces.mcp import compat, errors, graph, http, reading, resources, server, writing
from simonides.faces.mcp.tools import offer


def tools() -> str:
    """Our tools."""
    return "\n".join(
        line for tool in writing.WRITING + reading.READING for line in described(offer(tool, namespaces=False))
    )


def graph_tools() -> str:
    """Those of the reference server."""
    return "\n".join(line for tool in compat.GRAPH_TOOLS for line in described(offer(tool, namespaces=False)))


def error_codes() -> str:
    """The table of errors."""
    rows = [f"| `{code}` | {number} |" for code, number in errors.BY_ERROR.items()]
    return "\n".join(["| code | JSON-RPC code |", "|---|---|", *rows])


def limits() -> str:
    """What is bounded, and by how much."""
    told = {
        "tokens of an answer, unless a call asks for another number": reading.MAX_TOKENS,
        "tokens of what `fetch` reads": reading.FETCH_TOKENS,
        "memories that `search` finds": reading.SEARCH_HITS,
        "topics of the tree that `topics` shows": reading.TREE_TOPICS,
        "links among which `conflicts` looks": reading.CONFLICT_EDGES,
        "memories of `simonides://recent`": resources.RECENT,
        "tokens of each of them": resources.RECENT_TOKENS_EACH,
        "relations of one entity (`--compat`)": graph.ENTITY_EDGES,
        "calls that run at once; more wait": server.CALLS_AT_ONCE,
        "bytes of a request over HTTP": http.BODY_BYTES,
    }
    return "\n".join(["| what | limit |", "|---|---|", *(f"| {what} | {number:,} |" for what, number in told.items())])


def described(tool: Tool) -> Iterator[str]:
    hints = tool.annotations
    assert hints
    assert tool.output_schema
    effects = "reads only" if hints.read_only_hint else "may change or delete" if hints.destructive_hint else "adds"
    if not hints.read_only_hint and hints.idempotent_hint:
        effects += "; doing it again changes nothing more"
    yield f"#### `{tool.name}`\n"
    yield f"{' '.join((tool.description or '').split())} *({effects})*\n"
    fields: dict[str, Any] = tool.input_schema["properties"]
    if fields:
        yield "| argument | type | default | |"
        yield "|---|---|---|---|"
        needed = tool.input_schema.get("required", [])
        for name, field in fields.items():
            default = "needed" if name in needed else written(field)
            yield f"| `{name}` | {kind(field)} | {default} | {field.get('description', '')} |"
        yield ""
    yield f"Answers with {', '.join(f'`{name}`' for name in tool.output_schema['properties'])}.\n"


def kind(field: dict[str, Any]) -> str:
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    if field["type"] == "array":
        return f"list of {kind(field['items'])}"
    if field["type"] == "object" and "properties" in field:
        return "{" + ", ".join(field["properties"]) + "}"
    low, high = field.get("minimum"), field.get("maximum")
    span = f" {low}–{high}" if None not in (low, high) else f" from {low}" if low is not None else ""
    return f"{field['type']}{span}"


def written(field: dict[str, Any]) -> str:
    default = field.get("default")
    return "" if default in (None, []) else str(default).lower() if isinstance(default, bool) else str(default)
