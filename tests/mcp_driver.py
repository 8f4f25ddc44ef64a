"""An MCP server as its clients meet it: in this process, as a process on a pipe, and over HTTP. All waits end."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from simonides.faces.mcp.opening import Opening
from simonides.faces.mcp.server import build
from simonides.faces.mcp.settings import Settings

T = TypeVar("T")
PATIENCE_S = 120.0
"""A machine may be busy; nothing here takes that long."""
LEAVES_WITHIN_S = 10.0
"""The product's limit is 2 s (benchmarks/speed/mcp_start.py measures it); a busy machine gets more."""
COMMAND = (sys.executable, "-m", "simonides.faces.cli", "mcp")
STRANGE = (sys.executable, str(Path(__file__).with_name("mcp_strange_server.py")))
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}


def wait(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end, or fails in time."""

    async def bounded() -> T:
        with anyio.fail_after(PATIENCE_S):
            return await work

    return asyncio.run(bounded())


@asynccontextmanager
async def inside(mode: str = "legacy", **settings: Any) -> AsyncIterator[Client]:
    """The SDK's client on a server in this process."""
    chosen = Settings(**{"database": ":memory:", "embedder": "hashing:64", **settings})
    opening = Opening(chosen)
    try:
        async with Client(build(chosen, opening), mode=mode) as client:
            yield client
    finally:
        opening.close()


@asynccontextmanager
async def piped(path: Path, *arguments: str, mode: str = "legacy") -> AsyncIterator[Client]:
    """The SDK's client on a server process."""
    command, *rest = (*COMMAND, "--db", str(path), "--embedder", "hashing:64", *arguments)
    async with Client(StdioServerParameters(command=command, args=rest), mode=mode) as client:
        yield client


async def ask(client: Client, tool: str, /, **arguments: Any) -> Any:
    """The structured answer of a tool that must not fail."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """What a tool that must fail says."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert result.structured_content is None
    (content,) = result.content
    told: dict[str, Any] = json.loads(content.text)
    assert set(told) == {"code", "message", "hint"}
    assert "Traceback" not in content.text
    return told


class Wire:
    """A server process, byte for byte."""

    def __init__(self, *command: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "", **environment},
        )
        self.said: list[bytes] = []
        self.logged: list[bytes] = []
        self._number = 0
        self._answers: queue.Queue[Any] = queue.Queue()
        self._notes: queue.Queue[bytes] = queue.Queue()
        self._threads = [threading.Thread(target=read, daemon=True) for read in (self._hear, self._overhear)]
        for thread in self._threads:
            thread.start()

    def _hear(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.append(line)
            self._answers.put(json.loads(line))

    def _overhear(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.logged.append(line)
            self._notes.put(line)

    def put(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def start(self, method: str, params: Any) -> int:
        """Sends a request without waiting for the answer."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.put(json.dumps(request).encode() + b"\n")
        return self._number

    def answer(self) -> Any:
        """The next message."""
        return self._answers.get(timeout=PATIENCE_S)

    def ask(self, method: str, params: Any) -> Any:
        """Sends a request and gives its answer, which must be the next message."""
        number = self.start(method, params)
        message = self.answer()
        assert message["id"] == number
        return message

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def greet(self) -> Any:
        """The handshake."""
        answer = self.ask("initialize", HELLO)
        self.put(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        return answer

    def await_note(self, wanted: bytes) -> bytes:
        """The next line on standard error that holds this."""
        while True:
            line = self._notes.get(timeout=PATIENCE_S)
            if wanted in line:
                return line

    def end(self, within: float = LEAVES_WITHIN_S) -> int:
        """Closes the input; the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        code = self.process.wait(within)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        return code

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_S)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            try:
                stream.close()
            except BrokenPipeError:
                continue
