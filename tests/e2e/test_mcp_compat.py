"""`--compat reference-memory`: the nine tools of the reference memory server, on thoughts and edges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp_types", reason="the MCP server needs the SDK: pip install 'simonides[mcp]'")

from mcp_driver import ask, inside, refused, wait

import simonides

TOOLS = [
    "create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations",
    "delete_relations", "read_graph", "search_nodes", "open_nodes",
]  # fmt: skip
ANA = {"name": "Ana", "entityType": "person", "observations": ["likes window seats", "speaks Greek"]}
ATLAS = {"name": "Atlas", "entityType": "project", "observations": ["ships in May"]}
WORKS = {"from": "Ana", "to": "Atlas", "relationType": "works on"}
LEADS = {"from": "Ana", "to": "Atlas", "relationType": "leads"}


def graph(**settings: Any) -> Any:
    return inside(compat="reference-memory", **settings)


async def filled(client: Any) -> None:
    await ask(client, "create_entities", entities=[ANA, ATLAS])
    await ask(client, "create_relations", relations=[WORKS, LEADS])


def test_the_nine_tools_take_and_give_the_reference_shapes() -> None:
    async def talk() -> None:
        async with graph() as client:
            offered = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(offered) == TOOLS
            entity = offered["create_entities"].input_schema["properties"]["entities"]["items"]
            assert entity["required"] == ["name", "entityType", "observations"]
            relation = offered["create_relations"].input_schema["properties"]["relations"]["items"]
            assert relation["required"] == ["from", "to", "relationType"]
            for name, argument in (
                ("delete_entities", "entityNames"),
                ("open_nodes", "names"),
                ("search_nodes", "query"),
            ):
                assert offered[name].input_schema["required"] == [argument]
            assert offered["read_graph"].input_schema["properties"] == {}
            result = await client.call_tool("create_entities", {"entities": [ANA]})
            assert result.structured_content == {"entities": [ANA]}
            assert json.loads(result.content[0].text) == [ANA]

    wait(talk())


def test_a_graph_is_built_read_and_opened() -> None:
    async def talk() -> None:
        async with graph() as client:
            await filled(client)
            whole = {"entities": [ANA, ATLAS], "relations": [WORKS, LEADS]}
            assert await ask(client, "read_graph") == whole
            opened = await ask(client, "open_nodes", names=["Atlas", "Nobody"])
            assert opened["entities"] == [ATLAS]
            assert sorted(opened["relations"], key=str) == sorted([WORKS, LEADS], key=str)
            (content,) = (await client.read_resource("memory://knowledge-graph")).contents
            assert json.loads(content.text) == whole

    wait(talk())


def test_doing_it_again_adds_nothing() -> None:
    async def talk() -> None:
        async with graph() as client:
            await filled(client)
            changed = {**ANA, "entityType": "robot", "observations": ["rusts"]}
            assert await ask(client, "create_entities", entities=[changed, ATLAS]) == {"entities": []}
            assert await ask(client, "create_relations", relations=[WORKS, WORKS]) == {"relations": []}
            added = await ask(
                client,
                "add_observations",
                observations=[{"entityName": "Ana", "contents": ["speaks Greek", "sings", "sings"]}],
            )
            assert added == {"results": [{"entityName": "Ana", "addedObservations": ["sings"]}]}
            (ana, _) = (await ask(client, "read_graph"))["entities"]
            assert ana == {**ANA, "observations": [*ANA["observations"], "sings"]}

    wait(talk())


def test_an_unknown_entity_is_refused_before_anything_is_written() -> None:
    async def talk() -> None:
        async with graph() as client:
            await filled(client)
            before = await ask(client, "read_graph")
            told = await refused(
                client, "create_relations", relations=[{**WORKS, "relationType": "x"}, {**WORKS, "to": "?"}]
            )
            assert told["code"] == "thought_not_found"
            added = [{"entityName": "Ana", "contents": ["y"]}, {"entityName": "?", "contents": ["z"]}]
            assert (await refused(client, "add_observations", observations=added))["code"] == "thought_not_found"
            assert await ask(client, "read_graph") == before

    wait(talk())


def test_what_is_deleted_is_gone_and_can_come_back() -> None:
    async def talk() -> None:
        async with graph() as client:
            await filled(client)
            done = await ask(client, "delete_relations", relations=[LEADS, {**LEADS, "to": "Ana"}])
            assert done == {"success": True, "message": "Deleted 1 of 2 relations. The rest matched nothing."}
            gone = [{"entityName": "Ana", "observations": ["speaks Greek"]}]
            done = await ask(client, "delete_observations", deletions=gone)
            assert done["message"] == "Observations deleted successfully"
            done = await ask(client, "delete_entities", entityNames=["Atlas", "Nobody"])
            assert done["message"] == "Deleted 1 of 2 entities. Not found: Nobody"
            left = {"entities": [{**ANA, "observations": ["likes window seats"]}], "relations": []}
            assert await ask(client, "read_graph") == left
            assert await ask(client, "create_entities", entities=[ATLAS]) == {"entities": [ATLAS]}
            opened = await ask(client, "open_nodes", names=["Atlas"])
            assert opened == {"entities": [ATLAS], "relations": []}
            await ask(client, "create_relations", relations=[LEADS])
            assert (await ask(client, "open_nodes", names=["Ana"]))["relations"] == [LEADS]

    wait(talk())


def test_a_search_finds_by_name_type_observation_and_relation() -> None:
    async def talk() -> None:
        async with graph() as client:
            await filled(client)
            for query, names in (
                ("Ana", {"Ana"}),
                ("project", {"Atlas"}),
                ("Greek", {"Ana"}),
                ("leads", {"Ana", "Atlas"}),
            ):
                found = await ask(client, "search_nodes", query=query)
                assert names <= {entity["name"] for entity in found["entities"]}
            found = await ask(client, "search_nodes", query="Greek")
            assert found == {"entities": [ANA], "relations": found["relations"]}
            assert sorted(found["relations"], key=str) == sorted([WORKS, LEADS], key=str)
            assert len((await ask(client, "search_nodes", query=" "))["entities"]) == 2

    wait(talk())


def test_a_reading_server_offers_the_three_that_read(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")

    async def talk() -> None:
        async with graph(database=path) as client:
            await filled(client)
        async with graph(database=path, read_only=True) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS[-3:]
            assert (await refused(client, "delete_entities", entityNames=["Ana"]))["code"] == "store_read_only"
            assert len((await ask(client, "read_graph"))["entities"]) == 2

    wait(talk())


def test_servers_side_by_side_lose_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    wanted = [[f"fact {server}.{number}" for number in range(8)] for server in range(3)]

    async def write(contents: list[str]) -> None:
        async with graph(database=path) as client:
            await ask(client, "create_entities", entities=[{**ANA, "observations": []}])
            for content in contents:
                await ask(client, "add_observations", observations=[{"entityName": "Ana", "contents": [content]}])

    async def all_at_once() -> None:
        simonides.open(path, embedder="hashing:64").close()
        async with anyio.create_task_group() as group:
            for contents in wanted:
                group.start_soon(write, contents)
        async with graph(database=path) as client:
            (ana,) = (await ask(client, "read_graph"))["entities"]
            assert sorted(ana["observations"]) == sorted(text for contents in wanted for text in contents)

    wait(all_at_once())
