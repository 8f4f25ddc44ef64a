"""The command that serves agents: mcp."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated, Literal

from simonides.errors import ConfigError
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, visible
from simonides.faces.cli.words import Option
from simonides.faces.mcp import Settings, Web, serve_http, serve_stdio
from simonides.faces.mcp.settings import PORT

TOKEN = "SIMONIDES_MCP_TOKEN"


def mcp(
    place: Place,
    http: Annotated[bool, Option("--http", help="Serve over HTTP instead of standard input and output.")] = False,
    host: Annotated[str, Option("--host", metavar="NAME", help="Where --http listens.")] = "127.0.0.1",
    port: Annotated[int, Option("--port", metavar="N", min=0, max=65535, help="0: any free one.")] = PORT,
    token_file: Annotated[
        Path | None, Option("--token-file", metavar="PATH", help=f"Holds the bearer token. [env: {TOKEN}]")
    ] = None,
    no_token: Annotated[bool, Option("--no-token", help="Let in every program of this machine.")] = False,
    allow_host: Annotated[
        list[str] | None, Option("--allow-host", metavar="NAME", help="A name that a proxy serves it under.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None, Option("--allow-origin", metavar="URL", help="A web page that may call it.")
    ] = None,
    read_only: Annotated[bool, Option("--read-only", help="Offer no tool that changes anything.")] = False,
    allow_namespaces: Annotated[bool, Option("--allow-namespaces", help="Let a call name another namespace.")] = False,
    compat: Annotated[
        Literal["none", "reference-memory"],
        Option("--compat", metavar="NAME", help="Offer another server's tools."),
    ] = "none",
) -> None:
    """Serve the memories to agents over the Model Context Protocol.

    Set-up for the common clients: docs/mcp.md.

    Example: simonides mcp --read-only
    """
    settings = Settings(
        database=place.database,
        namespace=place.namespace,
        embedder=place.embedder,
        config=place.config,
        read_only=read_only,
        allow_namespaces=allow_namespaces,
        compat=compat,
    )
    if not http:
        serve_stdio(settings)
        return
    web = Web(
        token=None if no_token else _token(token_file),
        host=host,
        port=port,
        hosts=tuple(allow_host or ()),
        origins=tuple(allow_origin or ()),
    )
    serve_http(settings, web)


def _token(file: Path | None) -> str:
    """The token that was given; a new one, shown once, when none was."""
    given = file.read_text("utf-8").strip() if file else os.environ.get(TOKEN, "").strip()
    if given:
        return given
    if file:
        raise ConfigError(f"there is no token in {file}", hint="write one, on a line of its own")
    made = secrets.token_urlsafe(24)
    note(visible(f"no token was given; for this run it is {made}"))
    return made
