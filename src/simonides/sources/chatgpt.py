"""How does a ChatGPT export become drafts? A conversation is a tree; its current branch is what was said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simonides.sources.chat import (
    Conversation,
    Findings,
    Turn,
    as_list,
    as_object,
    as_text,
    branch_to,
    instant,
    read_array,
    turn_records,
)
from simonides.sources.record import Place, Problem, SourceKind, derived_id

if TYPE_CHECKING:
    from simonides.model.thought import Json

_SPEAKERS = ("user", "assistant")
_SHOWN_TYPES = ("text", "multimodal_text")  # the others are tool calls, reasoning and instructions


def read_chatgpt(path: Path, name: str) -> Findings:
    """The turns of an export's `conversations.json`: the current branch of each conversation, oldest turn first.

    Left out without a word, as they were never on the screen: system and tool messages, calls of tools, hidden
    messages, reasoning. A part that is not text is named in `metadata.attachments`.
    """
    return read_array(path, name, "conversation", _conversation)


def _conversation(value: dict[str, Json], place: Place) -> Findings:
    mapping = value.get("mapping")
    if not isinstance(mapping, dict):
        yield Problem(place, 'there is no "mapping" of messages')
        return
    title, started = as_text(value.get("title")), value.get("create_time")
    key = as_text(value.get("conversation_id")) or as_text(value.get("id"))
    conversation = Conversation(
        SourceKind.CHATGPT, place, key or derived_id("chatgpt", title, str(started)), title, started
    )
    parents = {node: _parent(entry) for node, entry in mapping.items()}
    leaf = as_text(value.get("current_node"))
    if leaf not in mapping:
        newest = _newest_leaf(mapping, parents)
        if newest is None:
            if mapping or leaf:
                yield Problem(place, "no branch has an end; the conversation was not read")
            return
        yield Problem(place, "the current branch is not named; the newest one was read", kept=True)
        leaf = newest
    branch = branch_to(leaf, parents)
    if branch.flaw:
        yield Problem(place, branch.flaw, kept=bool(branch.keys))
    for node in branch.keys:
        yield from _message(conversation, node, as_object(mapping[node]).get("message"))


def _message(conversation: Conversation, node: str, message: Json) -> Findings:
    if message is None:  # the root, and places where a message was removed
        return
    place = conversation.place.within(f"message {node[:60]}")
    if not isinstance(message, dict) or not isinstance(message.get("author"), dict):
        yield Problem(place, "the message has no author")
        return
    speaker = as_text(as_object(message["author"]).get("role"))
    content, metadata = as_object(message.get("content")), as_object(message.get("metadata"))
    hidden = metadata.get("is_visually_hidden_from_conversation") is True or message.get("weight") == 0
    to_a_tool = message.get("recipient") not in (None, "all")
    if speaker not in _SPEAKERS or hidden or to_a_tool or content.get("content_type") not in _SHOWN_TYPES:
        return
    parts = content.get("parts")
    if not isinstance(parts, list):
        yield Problem(place, "the message has no parts")
        return
    names = tuple(as_text(as_object(file).get("name")) for file in as_list(metadata.get("attachments")))
    turn = Turn(
        key=as_text(message.get("id")) or node,
        speaker=speaker,
        text="\n\n".join(text for text in map(_part_text, parts) if text),
        at=message.get("create_time"),
        attachments=tuple(filter(None, (*names, *map(_part_note, parts)))),
        model=as_text(metadata.get("model_slug")) or None,
    )
    yield from turn_records(conversation, turn, place)


def _part_text(part: Json) -> str:
    """The words of a part: text, or what was said aloud."""
    return as_text(part) or as_text(as_object(part).get("text"))


def _part_note(part: Json) -> str:
    """What a part without words is: `image`, `audio`, `video` …; empty for text.

    >>> _part_note({"content_type": "image_asset_pointer"}), _part_note("words")
    ('image', '')
    """
    if isinstance(part, str) or _part_text(part):
        return ""
    kind = as_text(as_object(part).get("content_type"))
    return kind.removesuffix("_asset_pointer").removeprefix("real_time_user_") or "part without text"


def _parent(entry: Json) -> str | None:
    return as_text(as_object(entry).get("parent")) or None


def _newest_leaf(mapping: dict[str, Json], parents: dict[str, str | None]) -> str | None:
    """The node without children whose message is the newest; of equals the last one listed."""
    leaves = [node for node in mapping if node not in set(parents.values())]
    return max(reversed(leaves), key=lambda node: _created(mapping[node]), default=None)


def _created(entry: Json) -> float:
    at = instant(as_object(as_object(entry).get("message")).get("create_time"))
    return float(at) if isinstance(at, (int, float)) else 0.0
