"""The MCP server on standard streams: what it writes, how it starts, and above all how it ends (cases 61 and 63)."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp_types", reason="the MCP server needs the SDK: pip install 'simonides[mcp]'")
pytest.importorskip("click", reason="`simonides mcp` is a command: pip install 'simonides[cli]'")

from mcp_driver import COMMAND, HELLO, LEAVES_WITHIN_S, PATIENCE_S, STRANGE, Wire, ask, piped, wait

import simonides


def opened(path: Path, *arguments: str, **environment: str) -> Wire:
    return Wire(*COMMAND, "--db", str(path), "--embedder", "hashing:64", *arguments, **environment)


def contents(path: Path) -> list[str]:
    with simonides.open(path, embedder=False) as store:
        return [thought.content for thought in store.list_thoughts(limit=1000)]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_remembers_and_recalls(tmp_path: Path, mode: str) -> None:
    async def talk() -> None:
        async with piped(tmp_path / "agent.db", mode=mode) as client:
            assert client.server_info.name == "simonides"
            stored = await ask(client, "remember", content="Ana prefers window seats on trains")
            found = await ask(client, "recall", query="which seat does Ana like?")
            assert [hit["id"] for hit in found["hits"]] == [stored["id"]]

    wait(talk())


def test_many_servers_write_to_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    wanted = [[f"note {client}.{number}" for number in range(6)] for client in range(3)]

    async def write(notes: list[str]) -> None:
        async with piped(path) as client:
            for note in notes:
                await ask(client, "remember", content=note)

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for notes in wanted:
                group.start_soon(write, notes)

    wait(all_at_once())
    assert sorted(contents(path)) == sorted(note for notes in wanted for note in notes)


def test_nothing_is_opened_before_the_first_call(tmp_path: Path) -> None:
    path = tmp_path / "late.db"
    with opened(path) as wire:
        wire.greet()
        wire.ask("tools/list", {})
        wire.ask("prompts/list", {})
        wire.ask("resources/list", {})
        assert not path.exists()
        wire.call("remember", content="now")
        assert path.exists()
        assert wire.end() == 0


def test_a_server_is_ready_without_the_engine() -> None:
    code = """
import sys
from simonides.faces.mcp.opening import Opening
from simonides.faces.mcp.settings import Settings
import simonides.faces.cli.run, simonides.faces.mcp.stdio
settings = Settings("never.db")
simonides.faces.mcp.stdio.build(settings, Opening(settings))
print([name for name in ("numpy", "apsw", "simonides.store", "simonides.engine") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=PATIENCE_S, check=True)
    assert done.stdout.decode().strip() == "[]"


class TestTheWire:
    """Case 61: each line on standard output is one JSON-RPC message, whatever else goes on."""

    def test_stays_clean_beside_a_chatty_embedder(self, tmp_path: Path) -> None:
        with Wire(*STRANGE, "chatty", "stdio", str(tmp_path / "a.db"), PYTHONWARNINGS="always") as wire:
            wire.greet()
            content = "first line\nsecond line\r\nthird \u2028 \x00"
            stored = wire.call("remember", content=content)["result"]["structuredContent"]
            got = wire.call("get", ids=[stored["id"]])["result"]["structuredContent"]
            assert got["thoughts"][0]["content"] == content
            wire.call("recall", query="line")
            assert wire.end() == 0
            log = b"".join(wire.logged)
            for chatter in (b"loading model", b"from a C library", b"from a child", b"DeprecationWarning"):
                assert chatter in log
            assert all(json.loads(line)["jsonrpc"] == "2.0" for line in wire.said)
            assert len(wire.said) == 4

    def test_survives_a_broken_line_an_unknown_tool_and_a_huge_argument(self, tmp_path: Path) -> None:
        with opened(tmp_path / "a.db", PYTHONWARNINGS="always") as wire:
            wire.greet()
            for broken in (b"{broken\n", b"[]\n", b"\xff\xfe\n", b"\n", b'{"jsonrpc": "2.0"}\n'):
                wire.put(broken)
                if broken != b"\n":
                    assert wire.answer() == {
                        "jsonrpc": "2.0",
                        "id": None,
                        "error": {"code": -32700, "message": "the line is not a JSON-RPC message"},
                    }
            assert wire.call("no_such_tool")["error"]["code"] == -32602
            assert wire.ask("no/such/method", {})["error"]["code"] == -32601
            huge = "seven words make up this one sentence. " * 54_000
            assert len(huge) > 2_000_000
            stored = wire.call("remember", content=huge)["result"]["structuredContent"]
            assert stored["revision"] == 1
            refused = wire.call("remember", content="x", priority=huge)["result"]
            assert refused["isError"]
            assert len(json.dumps(refused)) < 2_000
            assert wire.end() == 0

    def test_tells_of_a_missing_model_and_lives(self, tmp_path: Path) -> None:
        with Wire(*COMMAND, "--db", str(tmp_path / "a.db"), "--embedder", "no-such-model") as wire:
            wire.greet()
            result = wire.call("remember", content="x")["result"]
            assert result["isError"]
            assert json.loads(result["content"][0]["text"])["code"] == "config_invalid"
            assert len(wire.ask("tools/list", {})["result"]["tools"]) == 14
            assert wire.end() == 0


class TestTheEnd:
    """Case 63: the server leaves with its client, loses nothing it acknowledged and blocks nobody."""

    def test_comes_with_the_end_of_the_input(self, tmp_path: Path) -> None:
        with opened(tmp_path / "a.db") as wire:
            wire.greet()
            assert wire.end() == 0
            assert wire.logged == []

    def test_comes_without_a_single_request(self, tmp_path: Path) -> None:
        with opened(tmp_path / "a.db") as wire:
            assert wire.end(PATIENCE_S) == 0

    def test_waits_for_the_answers_to_what_was_asked(self, tmp_path: Path) -> None:
        lines: list[dict[str, Any]] = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
            {"jsonrpc": "2.0", "id": 3, "method": "prompts/list", "params": {}},
        ]
        script = "".join(json.dumps(line) + "\n" for line in lines).encode()
        command = [*COMMAND, "--db", str(tmp_path / "a.db")]
        done = subprocess.run(command, input=script, capture_output=True, timeout=PATIENCE_S, check=True)
        assert sorted(json.loads(line)["id"] for line in done.stdout.splitlines()) == [1, 2, 3]

    def test_comes_while_a_call_still_runs(self, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        with Wire(*STRANGE, "slow", "stdio", str(path)) as wire:
            wire.greet()
            assert not wire.call("remember", content="this one is acknowledged")["result"].get("isError")
            wire.start("tools/call", {"name": "remember", "arguments": {"content": "this one comes slowly"}})
            wire.await_note(b"embedding slowly")
            assert wire.end() == 0
        assert contents(path) == ["this one is acknowledged"]
        with opened(path, "--read-only") as wire:
            wire.greet()
            assert wire.call("stats")["result"]["structuredContent"]["thoughts"] == 1
            assert wire.end() == 0

    def test_comes_when_the_parent_is_killed(self, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        with subprocess.Popen(
            [sys.executable, "-c", PARENT, *COMMAND, "--db", str(path), "--embedder", "hashing:64"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as parent:
            assert parent.stdout
            assert parent.stderr
            killer = threading.Timer(PATIENCE_S, parent.kill)
            killer.start()
            assert json.loads(parent.stdout.readline())["id"] == 1
            assert not json.loads(parent.stdout.readline())["result"].get("isError")
            parent.kill()
            heard = threading.Thread(target=parent.stderr.read, daemon=True)
            heard.start()
            heard.join(LEAVES_WITHIN_S)  # the server holds the other end until it is gone
            killer.cancel()
            assert not heard.is_alive()
        with opened(path) as wire:
            wire.greet()
            assert wire.call("stats")["result"]["structuredContent"]["thoughts"] == 1
            assert wire.end() == 0

    @pytest.mark.slow
    def test_and_the_next_start_take_turns_twenty_times(self, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        for turn in range(20):
            with opened(path) as wire:
                wire.greet()
                assert not wire.call("remember", content=f"turn {turn}")["result"].get("isError")
                if turn % 2:
                    assert wire.end() == 0
                else:
                    wire.process.kill()
        assert contents(path) == [f"turn {turn}" for turn in range(20)]


PARENT = f"""
import json, subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def ask(number, method, params):
    request = {{"jsonrpc": "2.0", "id": number, "method": method, "params": params}}
    server.stdin.write(json.dumps(request).encode() + b"\\n")
    server.stdin.flush()
    sys.stdout.write(server.stdout.readline().decode())
    sys.stdout.flush()
ask(1, "initialize", {HELLO!r})
server.stdin.write(b'{{"jsonrpc": "2.0", "method": "notifications/initialized"}}\\n')
ask(2, "tools/call", {{"name": "remember", "arguments": {{"content": "acknowledged"}}}})
server.wait()
"""


def test_a_missing_sdk_is_one_sentence_and_code_7(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from simonides.faces.cli.run import run
    from simonides.faces.mcp import process

    monkeypatch.setattr(process, "find_spec", lambda name: None)
    assert run(["mcp", "--db", str(tmp_path / "a.db")]) == 7
    assert "simonides[mcp]" in capfd.readouterr().err
