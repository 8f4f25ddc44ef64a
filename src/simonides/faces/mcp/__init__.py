"""The MCP server: how do agents reach one namespace of a store? Over standard streams or streamable HTTP.

Nothing heavy is imported before it is needed: the SDK when serving begins, the engine when the first call arrives.
"""

from __future__ import annotations

from simonides.faces.mcp.settings import Settings, Web

__all__ = ["Settings", "Web", "serve_http", "serve_stdio"]


def serve_stdio(settings: Settings) -> None:
    """Serves one client on the standard streams until its end closes, then leaves the process with code 0.

    Whatever else writes to standard output meanwhile, lands on standard error. Raises MissingExtraError.
    """
    from simonides.faces.mcp import process

    process.need_sdk()
    streams = process.take_streams()
    with process.collecting_later():
        from simonides.faces.mcp.stdio import run

    run(settings, streams)
    process.leave(0)


def serve_http(settings: Settings, web: Web) -> None:
    """Serves many clients over streamable HTTP until the process is told to stop, then leaves it with code 0.

    Raises MissingExtraError, ConfigError for an address that cannot be had or would be open to everybody.
    """
    from simonides.faces.mcp import process

    process.need_sdk()
    from simonides.faces.mcp.http import run

    run(settings, web)
    process.leave(0)
