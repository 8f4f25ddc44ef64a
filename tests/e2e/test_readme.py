"""From a fresh clone to an answer by the README alone: on the command line and in an MCP client."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp_types", reason="the MCP server needs the SDK: pip install 'simonides[mcp]'")

from command_line import ROOT, surroundings
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_driver import ask, wait

README = (ROOT / "README.md").read_text("utf-8")
LEFT_OUT = ("__pycache__", ".git", ".venv", ".*_cache", "tests", "benchmarks", "training")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The checkout in another place, and `simonides` on the PATH as an installation puts it there."""
    place = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT, place / "simonides", ignore=shutil.ignore_patterns(*LEFT_OUT))
    entry = re.search(r"^simonides = \"(.+):(.+)\"$", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert entry is not None
    program = place / "bin" / "simonides"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom {entry[1]} import {entry[2]}\n{entry[2]}()\n", "utf-8")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return surroundings() | {"PYTHONPATH": str(place / "simonides" / "src"), "PATH": path}


@pytest.mark.skipif(os.name == "nt", reason="a script there has another form")
def test_the_command_line_answers(clone: dict[str, str], tmp_path: Path) -> None:
    lines = re.findall(r"^\$ (simonides (?:remember|recall) .*)$", README, re.MULTILINE)
    assert [shlex.split(line)[1] for line in lines] == ["remember", "recall"]
    for line in lines:
        done = subprocess.run(
            shlex.split(line), cwd=tmp_path, env=clone, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
    assert "Ana: Ana prefers window seats on trains" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="a script there has another form")
def test_an_mcp_client_that_was_set_up_as_it_says_gets_an_answer(clone: dict[str, str], tmp_path: Path) -> None:
    [block] = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    server = json.loads(block)["mcpServers"]["memory"]
    arguments = [str(tmp_path / "agent.db") if word.endswith(".db") else word for word in server["args"]]
    command = shutil.which(server["command"], path=clone["PATH"])
    assert command is not None

    async def talk() -> str:
        how = StdioServerParameters(command=command, args=arguments, env=clone, cwd=tmp_path)
        async with Client(how) as client:
            offered = {tool.name for tool in (await client.list_tools()).tools}
            assert offered >= {"remember", "recall"}
            assert len(offered) == 14  # "and twelve more"
            await ask(client, "remember", content="Ana prefers window seats on trains")
            found = await ask(client, "recall", query="which seat does Ana like?")
            assert len(found["hits"]) == 1
            return json.dumps(found)

    assert "Ana prefers window seats on trains" in wait(talk())
