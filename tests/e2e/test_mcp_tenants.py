"""Case 38 through MCP: nothing that ana's server says tells that ben exists.

Two files hold the same memories of ana; in one of them ben keeps his own beside them, with the same ids and words. The
same requests to ana's server on either file must be answered alike, to the last digit.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp_types", reason="the MCP server needs the SDK: pip install 'simonides[mcp]'")

from mcp.shared.exceptions import MCPError
from mcp_driver import inside, wait

import simonides

ANA = {"a1": "Ana's code is 4471 for the blue door", "shared": "The harbour opens at seven", "a3": "Ana likes tea"}
BEN = {"b1": "Ben's code is 9902 for the blue door", "shared": "The harbour opens at nine", "b3": "Ben likes tea"}
AT = "2026-02-01T12:00:00Z"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("recall", {"query": "what is the code for the blue door?"}),
    ("recall", {"query": "9902"}),
    ("recall", {"query": "Ben likes tea", "include_archived": True, "top_k": 100}),
    ("recall", {"query": "code", "filters": {"namespace": "ben"}}),
    ("recall", {"query": "code", "filters": {"$or": [{"speaker": "Ben"}, {"metadata.namespace": "ben"}]}}),
    ("recall", {"query": "code", "namespace": "ben"}),
    ("recall", {"query": ""}),
    ("search", {"query": "harbour"}),
    ("fetch", {"id": "b1"}),
    ("fetch", {"id": "shared"}),
    ("get", {"ids": ["b1", "shared", "a1"]}),
    ("why_not", {"query": "code", "id": "b1"}),
    ("why_not", {"query": "code", "id": "a3"}),
    ("explain", {"query": "tea"}),
    ("explain", {}),
    ("explain", {"query_id": "QUERY OF BEN"}),
    ("topics", {}),
    ("conflicts", {}),
    ("stats", {}),
    ("stats", {"namespace": "ben"}),
    ("update", {"id": "b1", "content": "mine now"}),
    ("forget", {"id": "b1"}),
    ("forget", {"id": "b1", "erase": True}),
    ("link", {"from_id": "a1", "to_id": "b1"}),
    ("remember", {"content": "Ana's new one", "supersedes": "b1"}),
    ("remember", {"content": "Ben likes tea", "occurred_at": AT}),
    ("recall", {"query": "Ben likes tea"}),
    ("stats", {}),
]
READS = [
    "simonides://recent",
    "simonides://topics",
    "simonides://stats",
    "simonides://thought/b1",
    "simonides://thought/shared",
    "simonides://ben/stats",
]
PASSING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"  # ids made in this run
    r"|(?<![.\w])[0-9a-f]{16}\b"  # marks
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+\+00:00"  # when it was written
)


def fill(path: Path, *, with_ben: bool) -> str:
    """Writes the memories; the id of a question that ben asked."""
    asked = "00000000-0000-7000-8000-000000000000"
    with simonides.open(path, embedder="hashing:64") as store:
        spaces = [("ben", BEN), ("ana", ANA)] if with_ben else [("ana", ANA)]
        for namespace, memories in spaces:
            for thought_id, content in memories.items():
                speaker, concepts = namespace.title(), [f"{namespace}'s concept"]
                store.remember(
                    content, thought_id=thought_id, speaker=speaker, concepts=concepts, session="s",
                    topics=["places"], occurred_at=AT, namespace=namespace,
                )  # fmt: skip
        if with_ben:
            store.link("b1", "b3", "CONTRADICTS", namespace="ben")
            asked = store.recall("what is my code?", namespace="ben").query_id
    return asked


async def said(path: Path, query_of_ben: str, namespace: str = "ana") -> list[Any]:
    """Everything the server says, without what differs from run to run."""
    answers: list[Any] = []
    async with inside(database=str(path), namespace=namespace) as client:
        for tool, arguments in CALLS:
            given = json.loads(json.dumps(arguments).replace("QUERY OF BEN", query_of_ben))
            result = await client.call_tool(tool, given)
            answers.append((tool, arguments, result.model_dump(mode="json")))
        for uri in READS:
            try:
                answers.append((uri, (await client.read_resource(uri)).model_dump(mode="json")))
            except MCPError as error:
                answers.append((uri, error.error.model_dump(mode="json")))
        for name, told in (("what_do_you_know", "Ben"), ("recall_before_answering", "Which code?")):
            arguments = {"subject": told, "question": told}
            answers.append((name, (await client.get_prompt(name, arguments)).model_dump(mode="json")))
        for listed in (client.list_tools, client.list_resources, client.list_resource_templates, client.list_prompts):
            answers += [(await listed()).model_dump(mode="json")]
    return [json.loads(PASSING.sub("*", json.dumps(answer))) for answer in answers]


def test_a_server_says_the_same_whether_or_not_somebody_else_is_in_the_file(tmp_path: Path) -> None:
    beside, alone = tmp_path / "beside.db", tmp_path / "alone.db"
    query_of_ben = fill(beside, with_ben=True)
    fill(alone, with_ben=False)

    async def both() -> tuple[list[Any], list[Any]]:
        return await said(beside, query_of_ben), await said(alone, query_of_ben)

    with_ben, without = wait(both())
    assert with_ben == without
    everything = json.dumps(with_ben)
    for secret in ("Ben's code", "opens at nine", "ben's concept", query_of_ben):
        assert secret not in everything


def test_what_ben_has_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    query_of_ben = fill(path, with_ben=True)
    wait(said(path, query_of_ben))
    with simonides.open(path, namespace="ben", embedder="hashing:64") as store:
        assert {thought.thought_id: thought.content for thought in store.list_thoughts()} == BEN
        assert len([edge for edge in store.edges() if edge.edge_type == "CONTRADICTS"]) == 1
