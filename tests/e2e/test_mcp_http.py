"""The MCP server over streamable HTTP: the SDK's client, the token, the Origin check, and the end."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest

pytest.importorskip("mcp_types", reason="the MCP server needs the SDK: pip install 'simonides[mcp]'")
pytest.importorskip("click", reason="`simonides mcp` is a command: pip install 'simonides[cli]'")

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_driver import COMMAND, HELLO, LEAVES_WITHIN_S, PATIENCE_S, STRANGE, Wire, ask, wait

TOKEN = "a token of the tests"
PAGE = "https://inspector.example"


@contextmanager
def served(*command: str) -> Iterator[tuple[Wire, str]]:
    """A server process and its address."""
    with Wire(*command, SIMONIDES_MCP_TOKEN=TOKEN) as wire:
        yield wire, wire.await_note(b"serving on ").decode().split()[-1]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one server for the tests that leave it as it is."""
    path = tmp_path_factory.mktemp("http") / "a.db"
    options = ("--db", str(path), "--embedder", "hashing:64", "--http", "--port", "0", "--allow-origin", PAGE)
    with served(*COMMAND, *options) as (_, address):
        yield address


@asynccontextmanager
async def connected(url: str, mode: str = "legacy", token: str = TOKEN) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http_client,
        Client(streamable_http_client(url, http_client=http_client), mode=mode) as client,
    ):
        yield client


def post(url: str, **headers: str) -> http.client.HTTPResponse:
    """A handshake by hand."""
    place = urlsplit(url)
    assert place.hostname
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE_S)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", place.path, body, usual | given)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_remembers_and_recalls(url: str, mode: str) -> None:
    async def talk() -> None:
        async with connected(url, mode) as client:
            stored = await ask(client, "remember", content=f"Ana prefers window seats, said {mode}")
            found = await ask(client, "recall", query=f"window seats, said {mode}", top_k=1)
            assert [hit["id"] for hit in found["hits"]] == [stored["id"]]

    wait(talk())


def test_many_clients_are_served_at_once(url: str) -> None:
    done: list[int] = []

    async def write(number: int) -> None:
        async with connected(url) as client:
            for note in range(3):
                await ask(client, "remember", content=f"client {number} note {note}")
            done.append(number)

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(write, number)

    wait(all_at_once())
    assert sorted(done) == list(range(5))


def test_a_large_argument_passes(url: str) -> None:
    huge = "seven words make up this one sentence. " * 54_000

    async def talk() -> None:
        async with connected(url) as client:
            assert (await ask(client, "remember", content=huge))["revision"] == 1

    wait(talk())


def test_a_request_needs_the_token(url: str) -> None:
    for wrong in ({}, {"Authorization": "Bearer nothing"}, {"Authorization": f"Basic {TOKEN}"}, {"Authorization": "é"}):
        answer = post(url, **wrong)
        assert answer.status == 401
        assert answer.getheader("WWW-Authenticate") == "Bearer"
        assert answer.getheader("Mcp-Session-Id") is None
    assert post(url, Authorization=f"Bearer {TOKEN}").status == 200


def test_a_request_must_come_from_an_allowed_page_and_name_this_host(url: str) -> None:
    entry = {"Authorization": f"Bearer {TOKEN}"}
    assert post(url, **entry, Origin="https://evil.example").status == 403
    assert post(url, **entry, Origin="null").status == 403
    assert post(url, **entry, Host="evil.example").status == 421
    assert post(url, **entry, Origin=PAGE).status == 200
    assert post(url, **entry, Origin="http://localhost:3000").status == 200


def test_a_signal_ends_it_even_while_a_call_runs(tmp_path: Path) -> None:
    async def call_slowly(client: Client) -> None:
        with pytest.raises(MCPError):
            await client.call_tool("remember", {"content": "this comes slowly"})

    async def start_a_slow_call(wire: Wire, url: str) -> None:
        async with connected(url) as client:
            await ask(client, "remember", content="acknowledged")
            async with anyio.create_task_group() as group:
                group.start_soon(call_slowly, client)
                await anyio.to_thread.run_sync(wire.await_note, b"embedding slowly")
                wire.process.send_signal(signal.SIGTERM)
                code = await anyio.to_thread.run_sync(wire.process.wait, LEAVES_WITHIN_S)
                assert code == 0

    with served(*STRANGE, "slow", "http", str(tmp_path / "a.db")) as (wire, url):
        wait(start_a_slow_call(wire, url))
        assert b"".join(wire.said) == b""


def test_an_idle_one_ends_with_code_0(tmp_path: Path) -> None:
    with served(*COMMAND, "--db", str(tmp_path / "a.db"), "--http", "--port", "0") as (wire, _):
        wire.process.send_signal(signal.SIGTERM)
        assert wire.process.wait(LEAVES_WITHIN_S) == 0


def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, "--http", *arguments], capture_output=True, timeout=PATIENCE_S, check=False)


def test_beyond_this_machine_it_wants_a_token(tmp_path: Path) -> None:
    done = run("--db", str(tmp_path / "a.db"), "--host", "0.0.0.0", "--port", "0", "--no-token")
    assert done.returncode == 2
    assert b"without a token" in done.stderr


def test_a_taken_port_is_one_sentence(url: str, tmp_path: Path) -> None:
    done = run("--db", str(tmp_path / "a.db"), "--port", str(urlsplit(url).port))
    assert done.returncode == 2
    assert b"cannot listen" in done.stderr
    assert b"Traceback" not in done.stderr


def test_an_empty_token_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("\n")
    assert run("--token-file", str(tmp_path / "token")).returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_token_is_made_when_none_is_given(tmp_path: Path) -> None:
    with Wire(*COMMAND, "--db", str(tmp_path / "a.db"), "--http", "--port", "0", SIMONIDES_MCP_TOKEN="") as wire:
        token = wire.await_note(b"no token was given").decode().split()[-1]
        url = wire.await_note(b"serving on ").decode().split()[-1]
        assert post(url).status == 401
        assert post(url, Authorization=f"Bearer {token}").status == 200
