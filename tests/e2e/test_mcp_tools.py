"""What the MCP tools, resources and prompts take and answer, asked by the SDK's client in this process."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp_types", reason="the MCP server needs the SDK: pip install 'simonides[mcp]'")

from mcp.shared.exceptions import MCPError
from mcp_driver import ask, inside, refused, wait

import simonides
from simonides.faces.mcp.errors import BY_ERROR, INTERNAL, INVALID_PARAMS
from simonides.faces.mcp.tokens import estimate

EFFECTS = {
    # name: (reads only, destroys, repeats)
    "remember": (False, False, False),
    "update": (False, True, True),
    "forget": (False, True, True),
    "link": (False, False, True),
    "recall": (True, False, True),
    "search": (True, False, True),
    "fetch": (True, False, True),
    "get": (True, False, True),
    "history": (True, False, True),
    "topics": (True, False, True),
    "why_not": (True, False, True),
    "explain": (True, False, True),
    "conflicts": (True, False, True),
    "stats": (True, False, True),
}
WRITING = [name for name, (reads_only, _, _) in EFFECTS.items() if not reads_only]
SEAT = "Ana prefers window seats on trains"


async def offers(client: Any) -> dict[str, Any]:
    return {tool.name: tool for tool in (await client.list_tools()).tools}


class TestTheOffer:
    @pytest.mark.parametrize("mode", ["legacy", "auto"])
    def test_names_every_tool_with_its_effects(self, mode: str) -> None:
        async def talk() -> None:
            async with inside(mode) as client:
                told = {
                    name: (t.annotations.read_only_hint, t.annotations.destructive_hint, t.annotations.idempotent_hint)
                    for name, t in (await offers(client)).items()
                }
                assert told == EFFECTS

        wait(talk())

    def test_says_the_type_and_meaning_of_every_argument(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                for tool in (await offers(client)).values():
                    schema = tool.input_schema
                    assert schema["additionalProperties"] is False
                    assert tool.output_schema["type"] == "object"
                    assert "$ref" not in json.dumps([schema, tool.output_schema])
                    for field in schema["properties"].values():
                        assert {"type", "enum"} & set(field)
                        assert field["description"]

        wait(talk())

    def test_names_no_namespace_unless_that_is_allowed(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                for tool in (await offers(client)).values():
                    assert "namespace" not in tool.input_schema["properties"]
            async with inside(allow_namespaces=True) as client:
                for tool in (await offers(client)).values():
                    assert tool.input_schema["properties"]["namespace"]["type"] == "string"

        wait(talk())

    def test_of_a_reading_server_has_no_tool_that_writes(self, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        with simonides.open(path, embedder="hashing:64") as store:
            kept = store.remember(SEAT)

        async def talk() -> None:
            async with inside(database=str(path), read_only=True) as client:
                assert set(await offers(client)) == set(EFFECTS) - set(WRITING)
                for name in WRITING:
                    assert (await refused(client, name))["code"] == "store_read_only"
                assert [p.name for p in (await client.list_prompts()).prompts] == [
                    "recall_before_answering",
                    "what_do_you_know",
                ]
                found = await ask(client, "recall", query="window seats")
                assert [hit["id"] for hit in found["hits"]] == [kept.thought_id]

        wait(talk())


class TestRecalling:
    def test_gives_each_memory_once_between_marks(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                stored = await ask(client, "remember", content=SEAT, speaker="Ana")
                result = await client.call_tool("recall", {"query": "window seats"})
                (content,) = result.content
                nonce = re.search(r"\[([0-9a-f]{16})\]", content.text)
                assert nonce
                assert f"\n{SEAT}\n[/{nonce[1]}]" in content.text
                assert result.structured_content["text"] == content.text
                assert json.dumps(result.structured_content).count(SEAT) == 1
                (hit,) = result.structured_content["hits"]
                assert (hit["id"], hit["rank"], hit["speaker"]) == (stored["id"], 1, "Ana")

        wait(talk())

    def test_keeps_to_its_budget_with_the_marks_counted(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                for number in range(12):
                    await ask(client, "remember", content=f"note {number} about the harbour. " + "More of it. " * 20)
                for budget in (150, 400, 2000):
                    found = await ask(client, "recall", query="harbour", top_k=12, max_tokens=budget)
                    assert estimate(found["text"]) <= budget
                    assert len(found["hits"]) + len(found["left_out"]) == 12
                    assert found["truncated"] == bool(found["left_out"])

        wait(talk())

    def test_takes_null_for_not_given(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                await ask(client, "remember", content=SEAT, speaker=None, priority=None, metadata=None)
                assert (await ask(client, "recall", query="seats", top_k=None, filters=None))["hits"]

        wait(talk())

    def test_filters(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                for speaker in ("Ana", "Ben"):
                    await ask(client, "remember", content=f"{speaker} likes tea", speaker=speaker)
                found = await ask(client, "recall", query="tea", filters={"speaker": "Ben"})
                assert [hit["speaker"] for hit in found["hits"]] == ["Ben"]
                told = await refused(client, "recall", query="tea", filters={"colour": "red"})
                assert told["code"] == "filter_invalid"
                assert told["hint"]

        wait(talk())


class TestChatGPT:
    """The two tools it needs, in the shape its documentation gives."""

    def test_searches_and_fetches(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                offered = await offers(client)
                for name, argument in (("search", "query"), ("fetch", "id")):
                    assert list(offered[name].input_schema["properties"]) == [argument]
                    assert offered[name].input_schema["required"] == [argument]
                await ask(client, "remember", content=SEAT, metadata={"trip": 7})
                await ask(client, "remember", content="Seats on trains, a page", source="https://example.org/seats")
                searched = await client.call_tool("search", {"query": "seats on trains"})
                (content,) = searched.content
                pages = json.loads(content.text)
                assert pages == searched.structured_content
                assert [set(page) for page in pages["results"]] == [{"id", "title", "url"}] * 2
                by_title = {page["title"]: page for page in pages["results"]}
                assert by_title["Seats on trains, a page"]["url"] == "https://example.org/seats"
                one = by_title[SEAT]
                assert one["url"] == f"simonides://thought/{one['id']}"
                (content,) = (await client.call_tool("fetch", {"id": one["id"]})).content
                document = json.loads(content.text)
                assert set(document) == {"id", "title", "text", "url", "metadata"}
                assert document["text"] == SEAT
                assert document["metadata"]["trip"] == 7

        wait(talk())


class TestReadingById:
    def test_cuts_a_long_content_and_goes_on_where_it_stopped(self) -> None:
        content = "".join(f"{number:05} ist größer; " for number in range(800))

        async def talk() -> None:
            async with inside() as client:
                stored = await ask(client, "remember", content=content)
                read = ""
                while len(read) < len(content):
                    got = await ask(client, "get", ids=[stored["id"], "nobody"], offset=len(read), max_tokens=1500)
                    (thought,) = got["thoughts"]
                    assert got["missing"] == ["nobody"]
                    assert thought["cut"] is True
                    assert thought["characters"] == len(content)
                    assert estimate(json.dumps(got, ensure_ascii=False)) < 1700
                    read += thought["content"]
                assert read == content

        wait(talk())

    def test_says_which_ones_did_not_fit(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                ids = [(await ask(client, "remember", content=f"{n} " * 900))["id"] for n in range(4)]
                got = await ask(client, "get", ids=ids, max_tokens=600)
                assert [thought["id"] for thought in got["thoughts"]] == ids[:1]
                assert got["left_out"] == ids[1:]

        wait(talk())


class TestChanging:
    def test_updates_what_is_given_and_clears_what_is_named(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                old = await ask(
                    client, "remember", content="The code is 4471", source="a call", occurred_at="2026-02-01"
                )
                new = await ask(client, "update", id=old["id"], content="The code is 4472", priority="P1")
                assert (new["revision"], new["priority"]) == (2, "P1")
                await ask(client, "update", id=old["id"], clear=["source", "occurred_at"])
                (thought,) = (await ask(client, "get", ids=[old["id"]]))["thoughts"]
                assert thought["content"] == "The code is 4472"
                assert (thought["source"], thought["occurred_at"]) == (None, None)
                told = await refused(client, "update", id=old["id"], content="x", expected_revision=1)
                assert told["code"] == "revision_conflict"

        wait(talk())

    def test_stores_an_equal_text_once_unless_asked(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                first = await ask(client, "remember", content=SEAT)
                assert (await ask(client, "remember", content=SEAT))["id"] == first["id"]
                assert (await ask(client, "remember", content=SEAT, deduplicate=False))["id"] != first["id"]

        wait(talk())

    def test_archives_and_forgets(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                stored = await ask(client, "remember", content=SEAT)
                await ask(client, "update", id=stored["id"], lifecycle_status="ARCHIVED")
                assert (await ask(client, "recall", query="window seats"))["hits"] == []
                fate = await ask(client, "why_not", query="window seats", id=stored["id"])
                assert (fate["found"], fate["stage"]) == (False, "archived")
                gone = await ask(client, "forget", id=stored["id"], reason="asked to")
                assert gone == {"id": stored["id"], "erased": False}
                assert (await refused(client, "forget", id=stored["id"]))["code"] == "thought_not_found"
                gone = await ask(client, "forget", id=stored["id"], erase=True)
                assert gone == {"id": stored["id"], "erased": True}
                assert (await refused(client, "forget", id="nobody", erase=True))["code"] == "thought_not_found"

        wait(talk())

    def test_links_and_lists_what_contradicts_itself(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                old = await ask(client, "remember", content="The meeting is on Monday")
                new = await ask(client, "remember", content="The meeting is on Tuesday")
                edge = await ask(client, "link", from_id=new["id"], to_id=old["id"], edge_type="CONTRADICTS")
                assert edge["weight"] == 1.0
                listed = await ask(client, "conflicts")
                (conflict,) = listed["conflicts"]
                assert conflict["says"]["text"] == "The meeting is on Tuesday"
                assert conflict["against"]["id"] == old["id"]
                assert (listed["proposed"], listed["left_out"]) == ([], 0)
                found = await ask(client, "recall", query="when is the meeting?")
                assert {hit["id"]: hit["conflicts"] for hit in found["hits"]} == {
                    old["id"]: [new["id"]],
                    new["id"]: [old["id"]],
                }

        wait(talk())

    def test_lists_what_a_scan_proposed(self, tmp_path: Path) -> None:
        path = tmp_path / "store.db"
        with simonides.open(path, embedder="hashing:64") as store:
            store.remember("The gala is on 3 June", thought_id="old")
            store.remember("The gala is on 4 June", thought_id="new")
            store.conflicts.scan()

        async def talk() -> None:
            async with inside(database=str(path)) as client:
                listed = await ask(client, "conflicts")
                assert listed["conflicts"] == []
                (seems,) = listed["proposed"]
                assert (seems["kind"], seems["older"]["id"], seems["newer"]["id"]) == ("CONTRADICTS", "old", "new")
                assert (await ask(client, "conflicts", top_k=1))["left_out"] == 0

        wait(talk())

    def test_replaces_an_older_memory(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                old = await ask(client, "remember", content="Ana lives in Porto")
                new = await ask(client, "remember", content="Ana lives in Lisbon", supersedes=old["id"])
                found = await ask(client, "recall", query="where does Ana live?", superseded="exclude")
                assert [hit["id"] for hit in found["hits"]] == [new["id"]]

        wait(talk())


class TestLooking:
    def test_lists_topics_and_concepts_with_counts(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                await ask(client, "remember", content="one", topics=["work/atlas"], concepts=["release"])
                await ask(client, "remember", content="two", topics=["work/atlas", "home"])
                found = await ask(client, "topics")
                assert found["topics"] == {"home": 1, "work/atlas": 2}
                assert found["concepts"] == {"release": 1}
                assert (found["tree"][0]["name"], found["tree"][0]["count"]) == ("__root__", 2)

        wait(talk())

    def test_shows_the_topic_tree(self, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        with simonides.open(path, embedder="hashing:64") as store:
            store.remember_many([f"note {number} about pumps and gaskets" for number in range(60)])
            store.topics.rebalance()

        async def talk() -> None:
            async with inside(database=str(path), read_only=True) as client:
                (root, *_) = (await ask(client, "topics"))["tree"]
                assert (root["name"], root["count"], root["depth"]) == ("__root__", 60, 0)

        wait(talk())

    def test_explains_every_score(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                assert (await refused(client, "explain"))["code"] == "query_not_found"
                stored = await ask(client, "remember", content=SEAT)
                first = await ask(client, "recall", query="window seats")
                fresh = await ask(client, "explain", query="trains")
                for asked in ({}, {"query_id": first["query_id"]}, {"query": "seats"}):
                    explained = await ask(client, "explain", **asked)
                    assert stored["id"] in explained["text"]
                    assert "fts" in explained["text"]
                    if "query_id" in asked:
                        assert explained["query_id"] == first["query_id"] != fresh["query_id"]
                assert (await refused(client, "explain", query_id="none"))["code"] == "query_not_found"

        wait(talk())

    def test_counts_the_namespace_and_nothing_of_the_file(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                await ask(client, "remember", content=SEAT, speaker="Ana")
                counts = await ask(client, "stats")
                assert (counts["thoughts"], counts["speakers"], counts["by_type"]) == (1, 1, {"NOTE": 1})
                assert "file_bytes" not in counts

        wait(talk())

    def test_reads_resources(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                ids = [(await ask(client, "remember", content=f"note {n}"))["id"] for n in range(3)]
                listed = {resource.uri for resource in (await client.list_resources()).resources}
                assert listed == {"simonides://recent", "simonides://topics", "simonides://stats"}
                (template,) = (await client.list_resource_templates()).resource_templates
                assert template.uri_template == "simonides://thought/{id}"
                recent = await resource(client, "simonides://recent")
                assert [thought["id"] for thought in recent] == ids[::-1]
                assert (await resource(client, "simonides://stats"))["thoughts"] == 3
                assert (await resource(client, "simonides://topics"))["topics"] == {}
                assert (await resource(client, f"simonides://thought/{ids[0]}"))["content"] == "note 0"

        wait(talk())

    def test_writes_prompts(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                await ask(client, "remember", content=SEAT)
                prompt = await client.get_prompt("what_do_you_know", {"subject": "Ana"})
                assert SEAT in prompt.messages[0].content.text
                prompt = await client.get_prompt("recall_before_answering", {"question": "Which seat?"})
                assert "Which seat?" in prompt.messages[0].content.text
                prompt = await client.get_prompt("remember_this_conversation")
                assert "`remember`" in prompt.messages[0].content.text
                for name, arguments in (("what_do_you_know", {}), ("nothing", {})):
                    with pytest.raises(MCPError) as caught:
                        await client.get_prompt(name, arguments)
                    assert caught.value.code == INVALID_PARAMS

        wait(talk())


async def resource(client: Any, uri: str) -> Any:
    (content,) = (await client.read_resource(uri)).contents
    assert content.mime_type == "application/json"
    return json.loads(content.text)


class TestErrors:
    def test_have_a_row_for_every_code_of_the_engine_and_no_other(self) -> None:
        codes = {kind.code for kind in vars(simonides.errors).values() if hasattr(kind, "code")}
        assert set(BY_ERROR) - codes == {"arguments_invalid", "name_unknown", "unexpected"}
        assert codes <= set(BY_ERROR)

    def test_of_arguments_name_the_argument_but_not_its_value(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                told = await refused(client, "recall", query="x", top_k=0, colour="r" * 10_000)
                assert told["code"] == "arguments_invalid"
                assert "top_k" in told["message"]
                assert "colour" in told["message"]
                assert len(told["message"]) < 300
                assert (await refused(client, "recall"))["message"] == "query: Field required"
                told = await refused(client, "recall", query="x", namespace="ben")
                assert told["code"] == "arguments_invalid"

        wait(talk())

    def test_nobody_foresaw_tell_their_kind_and_nothing_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(*_: object, **__: object) -> None:
            raise RuntimeError("a password")

        async def talk() -> None:
            async with inside() as client:
                await ask(client, "stats")
                monkeypatch.setattr(simonides.Store, "stats", fails)
                told = await refused(client, "stats")
                assert (told["code"], told["message"]) == ("unexpected", "an unexpected RuntimeError")
                with pytest.raises(MCPError) as caught:
                    await client.read_resource("simonides://stats")
                assert caught.value.code == INTERNAL
                assert "password" not in str(caught.value.error)

        wait(talk())

    def test_outside_of_tools_are_rpc_errors_with_code_and_hint(self) -> None:
        async def talk() -> None:
            async with inside() as client:
                with pytest.raises(MCPError) as caught:
                    await client.read_resource("simonides://thought/none")
                assert caught.value.code == INVALID_PARAMS
                assert caught.value.data == {"code": "thought_not_found", "hint": None}
                with pytest.raises(MCPError) as caught:
                    await client.read_resource("simonides://nothing")
                assert caught.value.data["code"] == "name_unknown"

        wait(talk())

    def test_of_opening_are_told_and_tried_again(self, tmp_path: Path) -> None:
        path = tmp_path / "later.db"

        async def talk() -> None:
            async with inside(database=str(path), read_only=True) as client:
                assert (await refused(client, "stats"))["code"] == "store_error"
                simonides.open(path, embedder="hashing:64").close()
                assert (await ask(client, "stats"))["thoughts"] == 0

        wait(talk())


def test_an_allowed_namespace_is_reached_and_the_servers_own_is_the_default() -> None:
    async def talk() -> None:
        async with inside(namespace="ana", allow_namespaces=True) as client:
            await ask(client, "remember", content="mine")
            await ask(client, "remember", content="his", namespace="ben")
            assert (await ask(client, "stats"))["namespace"] == "ana"
            assert (await ask(client, "stats", namespace="ben"))["thoughts"] == 1
            found = await ask(client, "recall", query="his", namespace="ben")
            assert len(found["hits"]) == 1
            told = await refused(client, "stats", namespace="a\nb")
            assert told["code"] == "namespace_invalid"

    wait(talk())
