"""Does docs/mcp.md describe every tool, option, limit and error as the code has them?

`SIMONIDES_UPDATE_DOCS=1` writes the parts that are made from the code anew instead of comparing.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

pytest.importorskip("mcp_types", reason="the MCP server needs the SDK: pip install 'simonides[mcp]'")
pytest.importorskip("click", reason="the options are those of the command: pip install 'simonides[cli]'")

import mcp_page

from simonides.faces.cli import run as cli_run
from simonides.faces.mcp.prompts import PROMPTS
from simonides.faces.mcp.resources import SHELVES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mcp.md"
PARTS = {
    "tools": mcp_page.tools,
    "graph tools": mcp_page.graph_tools,
    "errors": mcp_page.error_codes,
    "limits": mcp_page.limits,
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_made_from_the_code_is_as_the_code_is(name: str) -> None:
    start, stop = f"<!-- {name}: made from the code -->\n", f"<!-- end of {name} -->\n"
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(start)
    part, _, after = rest.partition(stop)
    wanted = f"\n{PARTS[name]().strip()}\n\n"
    if os.environ.get("SIMONIDES_UPDATE_DOCS"):
        PAGE.write_text(before + start + wanted + stop + after, "utf-8")
        return
    assert part == wanted


def test_every_option_resource_and_prompt_is_named() -> None:
    text = PAGE.read_text("utf-8")
    command = cli_run.command_line().get_command(None, "mcp")  # type: ignore[arg-type]  # it needs no context
    assert command is not None
    options = [max(parameter.opts, key=len) for parameter in command.params if parameter.opts[0].startswith("--")]
    for option in options:
        assert re.search(rf"{option}(?![\w-])", text), option
    for name in [shelf.uri for shelf in SHELVES] + [prompt.name for prompt in PROMPTS]:
        assert f"`{name}`" in text


def test_every_configuration_is_json_that_starts_the_server() -> None:
    blocks = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    for block in blocks:
        (servers,) = json.loads(block).values()
        (server,) = servers.values()
        if "command" in server:
            assert server["command"] == "simonides"
            assert server["args"][0] == "mcp"
        else:
            assert server["url"].endswith("/mcp")
