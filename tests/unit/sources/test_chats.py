"""Chat exports and LoCoMo become turns with speaker, session and time, oldest first."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides.model.thought import Draft
from simonides.sources import Problem, SourceKind, detect, read_source
from simonides.sources import chat as chat_module


def save(folder: Path, value: Any, name: str = "conversations.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def split(path: Path) -> tuple[list[Draft], list[str]]:
    found = list(read_source(path))
    return [f for f in found if isinstance(f, Draft)], [str(f) for f in found if isinstance(f, Problem)]


def node(key: str, parent: str | None, role: str = "user", text: Any = None, **more: Any) -> dict[str, Any]:
    content = more.pop("content", {"content_type": "text", "parts": [text]})
    message = {"id": f"m-{key}", "author": {"role": role}, "content": content, "create_time": 1_770_000_000.5, **more}
    return {"id": key, "parent": parent, "children": [], "message": message}


def chat(*nodes: dict[str, Any], current: str | None, **more: Any) -> dict[str, Any]:
    root = {"id": "root", "parent": None, "children": [], "message": None}
    mapping = {entry["id"]: entry for entry in (root, *nodes)}
    head = {"title": "Trip", "conversation_id": "c1", "create_time": 5}
    return head | {"mapping": mapping, "current_node": current} | more


def test_only_the_current_branch_of_a_chatgpt_conversation_is_read_oldest_first(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        [
            chat(
                node("b2", "a", "assistant", "Take the night train."),
                node("a", "root", text="How do I get to Oslo?"),
                node("b1", "a", "assistant", "Take a plane.", create_time=1_780_000_000),
                node("c", "b2", text="When does it leave?", create_time=None),
                current="c",
            )
        ],
    )
    assert detect(path) is SourceKind.CHATGPT
    drafts, problems = split(path)
    assert problems == []
    assert [(d.speaker, d.content) for d in drafts] == [
        ("user", "How do I get to Oslo?"),
        ("assistant", "Take the night train."),
        ("user", "When does it leave?"),
    ]
    assert {d.session for d in drafts} == {"c1"}
    assert [d.occurred_at for d in drafts] == [1_770_000_000.5, 1_770_000_000.5, 5]
    assert drafts[0].metadata == {"title": "Trip"}
    assert (drafts[0].source, drafts[0].source_type) == ("conversations.json", "chatgpt")


def test_what_was_never_on_the_screen_is_left_out_without_a_word(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        [
            chat(
                node("s", "root", "system", "You are helpful."),
                node("h", "s", "user", "profile", metadata={"is_visually_hidden_from_conversation": True}),
                node("w", "h", "assistant", "ghost", weight=0.0),
                node("q", "w", "user", "What is 2+2?"),
                node("k", "q", "assistant", "print(2+2)", recipient="python"),
                node("t", "k", "tool", "4"),
                node("r", "t", "assistant", content={"content_type": "thoughts", "thoughts": []}),
                node("e", "r", "assistant", ""),
                node("z", "e", "assistant", "Four.", recipient="all", metadata={"model_slug": "m-1"}),
                current="z",
            )
        ],
    )
    drafts, problems = split(path)
    assert problems == []
    assert [d.content for d in drafts] == ["What is 2+2?", "Four."]
    assert drafts[1].metadata == {"title": "Trip", "model": "m-1"}


def test_parts_that_are_not_text_are_noted(tmp_path: Path) -> None:
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-1"}
    speech = {"content_type": "audio_transcription", "text": "hello there"}
    sound = {"content_type": "real_time_user_audio_video_asset_pointer"}
    path = save(
        tmp_path,
        [
            chat(
                node("a", "root", content={"content_type": "multimodal_text", "parts": [image, "my cat", speech]}),
                node("b", "a", content={"content_type": "multimodal_text", "parts": [image, sound, None]}),
                node("c", "b", text="see file", metadata={"attachments": [{"name": "plan.pdf"}]}),
                current="c",
            )
        ],
    )
    drafts, _ = split(path)
    assert [(d.content, (d.metadata or {})["attachments"]) for d in drafts] == [
        ("my cat\n\nhello there", ["image"]),
        ("[image] [audio_video] [part without text]", ["image", "audio_video", "part without text"]),
        ("see file", ["plan.pdf"]),
    ]


def test_damaged_chatgpt_trees_give_what_can_be_read_and_a_problem(tmp_path: Path) -> None:
    looped = chat(node("a", "b", text="one"), node("b", "a", text="two"), current="b", conversation_id="loop")
    orphan = chat(node("a", "gone", text="left over"), current="a", conversation_id="orphan")
    leafless = chat(node("a", "root", text="old"), node("b", "root", text="new"), current="nowhere")
    leafless["mapping"]["b"]["message"]["create_time"] = 1_790_000_000
    closed = {"mapping": {"a": node("a", "b"), "b": node("b", "a")}, "current_node": None}
    odd = chat(
        {"id": "x", "parent": "root", "message": "text"},
        node("y", "x", author=None),
        node("z", "y", content={"content_type": "text", "parts": "words"}),
        node("t", "z", text="late", create_time="yesterday"),
        current="t",
    )
    path = save(tmp_path, [looped, orphan, 7, {"mapping": []}, leafless, closed, odd, {"mapping": {}}])
    drafts, problems = split(path)
    assert [d.content for d in drafts] == ["one", "two", "left over", "new", "late"]
    assert drafts[-1].occurred_at is None
    start = "conversations.json: conversation"
    assert problems == [
        f"{start} 1: message 'b' is its own ancestor; what came before it was not read",
        f"{start} 2: message 'gone' is missing; what came before it was not read",
        f"{start} 3: the record is not a JSON object",
        f'{start} 4: there is no "mapping" of messages',
        f"{start} 5: the current branch is not named; the newest one was read",
        f"{start} 6: no branch has an end; the conversation was not read",
        f"{start} 7, message x: the message has no author",
        f"{start} 7, message y: the message has no author",
        f"{start} 7, message z: the message has no parts",
        f"{start} 7, message t: the time 'yesterday' was left out",
    ]


def test_a_branch_over_the_limit_loses_its_oldest_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_module, "BRANCH_MESSAGES_MAX", 2)
    nodes = [node(str(n), str(n - 1) if n else "root", text=f"turn {n}") for n in range(4)]
    drafts, problems = split(save(tmp_path, [chat(*nodes, current="3")]))
    assert [d.content for d in drafts] == ["turn 2", "turn 3"]
    assert problems == [
        "conversations.json: conversation 1: the branch is longer than 2 messages; the oldest were not read"
    ]


def test_a_chain_of_ten_thousand_messages_is_no_recursion(tmp_path: Path) -> None:
    nodes = [node(str(n), str(n - 1) if n else "root", text=f"turn {n}") for n in range(10_000)]
    drafts, problems = split(save(tmp_path, [chat(*nodes, current="9999")]))
    assert (len(drafts), problems) == (10_000, [])
    assert drafts[-1].content == "turn 9999"


def test_a_claude_export_gives_turns_with_text_blocks_joined(tmp_path: Path) -> None:
    conversation = {
        "uuid": "k1",
        "name": "Garden",
        "created_at": "2026-03-01T08:00:00.000000Z",
        "chat_messages": [
            {
                "uuid": "u1",
                "sender": "human",
                "text": "Which roses?",
                "content": [{"type": "text", "text": "Which roses?"}],
                "created_at": "2026-03-01T08:00:01.000000Z",
                "attachments": [{"file_name": "plot.txt", "extracted_content": "secret"}],
                "files": [{"file_name": "photo.jpg"}],
            },
            {
                "uuid": "u2",
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "hmm"},
                    {"type": "text", "text": "Old ones."},
                    {"type": "tool_use", "name": "search"},
                    {"type": "text", "text": "They are hardy."},
                ],
                "created_at": "2026-03-01T08:00:02.000000Z",
            },
            {"uuid": "u3", "sender": "human", "text": "Thanks", "created_at": None},
            {"uuid": "u4", "sender": "moderator", "text": "?"},
            "broken",
            {"uuid": "u5", "sender": "assistant", "text": "", "content": []},
        ],
    }
    path = save(tmp_path, [conversation])
    assert detect(path) is SourceKind.CLAUDE
    drafts, problems = split(path)
    assert [(d.speaker, d.content, d.occurred_at) for d in drafts] == [
        ("user", "Which roses?", "2026-03-01T08:00:01.000000Z"),
        ("assistant", "Old ones.\n\nThey are hardy.", "2026-03-01T08:00:02.000000Z"),
        ("user", "Thanks", "2026-03-01T08:00:00.000000Z"),
    ]
    assert drafts[0].metadata == {"title": "Garden", "attachments": ["plot.txt", "photo.jpg"]}
    assert {d.session for d in drafts} == {"k1"}
    assert problems == [
        "conversations.json: conversation 1, message 4: the sender is 'moderator'; expected human or assistant",
        "conversations.json: conversation 1, message 5: the message is not a JSON object",
    ]


def test_a_claude_conversation_that_names_its_branch_is_read_along_it(tmp_path: Path) -> None:
    def message(key: str, parent: str, text: str) -> dict[str, str]:
        return {"uuid": key, "parent_message_uuid": parent, "sender": "human", "text": text}

    turns = [message("a", "0-0", "one"), message("b", "a", "two"), message("c", "a", "two, said again")]
    drafts, problems = split(save(tmp_path, [{"uuid": "k", "current_leaf_message_uuid": "c", "chat_messages": turns}]))
    assert ([d.content for d in drafts], problems) == (["one", "two, said again"], [])


def test_both_exports_give_the_same_ids_every_time_and_different_ones_for_different_messages(tmp_path: Path) -> None:
    first = save(tmp_path, [chat(node("a", "root", text="x"), node("b", "a", text="x"), current="b")], "one.json")
    second = save(tmp_path, [chat(node("a", "root", text="x"), node("b", "a", text="x"), current="b")], "two.json")
    ids = [d.thought_id for d in split(first)[0]]
    assert ids == [d.thought_id for d in split(second)[0]]
    assert len(set(ids)) == 2


def test_a_locomo_file_gives_turns_with_dates_and_captions(tmp_path: Path) -> None:
    sample = {
        "sample_id": "conv-1",
        "qa": [],
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Back again"}],
            "session_2_date_time": "12:05 am on 1 March, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a red boat"},
                {"speaker": "Ben", "dia_id": "D1:2", "text": ""},
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_10": "nothing",
            "session_3": [],
            "session_3_date_time": "soon",
        },
    }
    path = save(tmp_path, [sample], "locomo10.json")
    assert detect(path) is SourceKind.LOCOMO
    drafts, problems = split(path)
    assert [(d.thought_id, d.session, d.speaker, d.content) for d in drafts] == [
        ("conv-1/D1:1", "conv-1/session_1", "Ana", "Look! [shares a red boat]"),
        ("conv-1/D2:1", "conv-1/session_2", "Ben", "Back again"),
    ]
    moments = [datetime(2023, 5, 8, 13, 56, tzinfo=UTC), datetime(2023, 3, 1, 0, 5, tzinfo=UTC)]
    assert [d.occurred_at for d in drafts] == moments
    assert drafts[0].metadata == {"dia_id": "D1:1", "sample": "conv-1"}
    assert problems == [
        "locomo10.json: sample 1, session_1, turn 2: the turn needs a speaker, a dia_id and a text",
        "locomo10.json: sample 1, session_3: the date 'soon' was left out",
        "locomo10.json: sample 1, session_10: the session is not a list of turns",
    ]
