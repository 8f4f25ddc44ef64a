"""`python -m benchmarks.speed.mcp_start [--rounds 9]`: how fast does the MCP server answer and leave?

Four figures on a new store, each the median of the rounds: from the start of the process to the answer of `initialize`,
for an empty server of the SDK and for ours, in turns; from there to the answer of a first `recall`; from the end of the
input to the end of the process, idle and while a call runs that takes a minute.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

EMPTY = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def main():
    server = Server("empty")
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

anyio.run(main)
"""
SLOW = """
import sys, threading
from simonides.faces.mcp import Settings, serve_stdio

def slow(texts):
    print("embedding", file=sys.stderr, flush=True)
    threading.Event().wait(60)

serve_stdio(Settings(sys.argv[1], embedder=slow))
"""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "mcp_start", "version": "1"},
}
LIMIT_RATIO, LIMIT_EXIT_S = 1.3, 2.0


class Peer:
    """A server process and the wire to it."""

    def __init__(self, arguments: list[str]) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def ask(self, number: int, method: str, params: dict[str, Any]) -> None:
        put(self.process.stdin, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def hello(self) -> float:
        """Seconds from the start of the process to its first answer."""
        self.ask(1, "initialize", HELLO)
        self.answer()
        taken = time.perf_counter() - self.began
        put(self.process.stdin, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        return taken

    def answer(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def end(self) -> tuple[float, float]:
        """Closes the input; (seconds until the process is gone, processor seconds it took in all)."""
        assert self.process.stdin
        self.process.stdin.close()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        code = self.process.wait(60)
        taken = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert code == 0, code
        return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def put(stream: IO[bytes] | None, message: dict[str, Any]) -> None:
    assert stream
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description="Start and end of the MCP server.")
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    figures: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        figures.setdefault(name, []).append(value)

    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds + 1):  # the first one warms the caches of the file system
            empty = Peer(["-c", EMPTY])
            wall, (_, cpu) = empty.hello(), empty.end()
            ours = Peer(["-m", "simonides.faces.cli", "mcp", "--db", str(Path(folder) / "idle.db")])
            own_wall, (gone, own_cpu) = ours.hello(), ours.end()
            if turn:
                note("empty server, initialize", wall)
                note("empty server, processor", cpu)
                note("simonides, initialize", own_wall)
                note("simonides, processor", own_cpu)
                note("simonides, idle exit", gone)
        for turn in range(rounds):
            ours = Peer(["-m", "simonides.faces.cli", "mcp", "--db", str(Path(folder) / f"{turn}.db")])
            ours.hello()
            began = time.perf_counter()
            ours.ask(2, "tools/call", {"name": "recall", "arguments": {"query": "seats"}})
            ours.answer()
            note("simonides, first recall", time.perf_counter() - began)
            ours.end()
            slow = Peer(["-c", SLOW, str(Path(folder) / "slow.db")])
            slow.hello()
            slow.ask(2, "tools/call", {"name": "remember", "arguments": {"content": f"note {turn}"}})
            assert slow.process.stderr
            while b"embedding" not in slow.process.stderr.readline():
                pass
            note("simonides, busy exit", slow.end()[0])
    report(figures)


def report(figures: dict[str, list[float]]) -> None:
    print(f"{'seconds':<28}{'median':>9}{'best':>9}{'worst':>9}")
    for name, values in figures.items():
        print(f"{name:<28}{statistics.median(values):>9.3f}{min(values):>9.3f}{max(values):>9.3f}")
    for what in ("initialize", "processor"):
        pairs = zip(figures[f"simonides, {what}"], figures[f"empty server, {what}"], strict=True)
        ratio = statistics.median(ours / empty for ours, empty in pairs)
        print(f"{what}: {ratio:.2f} times an empty server (limit {LIMIT_RATIO})")
    print(f"exit limit {LIMIT_EXIT_S} s")


if __name__ == "__main__":
    main()
