"""MCP servers with embedders that misbehave: `mcp_strange_server.py chatty|slow stdio|http DATABASE`."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Sequence

from simonides.faces.mcp import Settings, Web, serve_http, serve_stdio


def chatty(texts: Sequence[str]) -> list[list[float]]:
    """Prints in every way there is."""
    print("loading model: 100%")  # noqa: T201
    sys.stdout.write('{"jsonrpc": "2.0", "id": 1, "result": {}}\n')
    os.write(1, b"from a C library\n")
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    warnings.warn("this model is old", DeprecationWarning, stacklevel=1)
    return [[float(len(text)), 1.0] for text in texts]


def slow(texts: Sequence[str]) -> list[list[float]]:
    """Answers at once, but never for a text that says so."""
    if any("slowly" in text for text in texts):
        print("embedding slowly", file=sys.stderr, flush=True)  # noqa: T201
        threading.Event().wait(600)
    return [[float(len(text)), 1.0] for text in texts]


if __name__ == "__main__":
    kind, transport, database = sys.argv[1:]
    settings = Settings(database, embedder={"chatty": chatty, "slow": slow}[kind])
    if transport == "stdio":
        serve_stdio(settings)
    serve_http(settings, Web(token=None, port=0))
