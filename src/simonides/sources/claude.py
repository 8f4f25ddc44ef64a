"""How does a Claude export become drafts? Conversations are lists of messages; a named branch is followed."""

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
    read_array,
    turn_records,
)
from simonides.sources.record import Place, Problem, SourceKind, derived_id

if TYPE_CHECKING:
    from simonides.model.thought import Json

_SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}


def read_claude(path: Path, name: str) -> Findings:
    """The turns of an export's `conversations.json`, in the order of the file.

    Blocks of type text count; thinking and tool blocks are left out. Attachments are named in
    `metadata.attachments`, their text is not imported.
    """
    return read_array(path, name, "conversation", _conversation)


def _conversation(value: dict[str, Json], place: Place) -> Findings:
    messages = value.get("chat_messages")
    if not isinstance(messages, list):
        yield Problem(place, 'there is no list of "chat_messages"')
        return
    title, started = as_text(value.get("name")), value.get("created_at")
    key = as_text(value.get("uuid")) or derived_id("claude", title, str(started))
    conversation = Conversation(SourceKind.CLAUDE, place, key, title, started)
    chosen = set(range(len(messages)))
    leaf = as_text(value.get("current_leaf_message_uuid"))
    if leaf:
        numbers = {as_text(as_object(m).get("uuid")): n for n, m in enumerate(messages)}
        parents = {k: as_text(as_object(messages[n]).get("parent_message_uuid")) for k, n in numbers.items()}
        branch = branch_to(leaf, {k: parent if parent in numbers else None for k, parent in parents.items()})
        if branch.flaw:
            yield Problem(place, branch.flaw, kept=bool(branch.keys))
        chosen = {numbers[k] for k in branch.keys}
    for number, message in enumerate(messages):
        if number in chosen:
            yield from _message(conversation, number, message)


def _message(conversation: Conversation, number: int, message: Json) -> Findings:
    place = conversation.place.within(f"message {number + 1}")
    if not isinstance(message, dict):
        yield Problem(place, "the message is not a JSON object")
        return
    speaker = _SPEAKERS.get(as_text(message.get("sender")))
    if speaker is None:
        yield Problem(place, f"the sender is {str(message.get('sender'))[:40]!r}; expected human or assistant")
        return
    blocks = [as_object(block) for block in as_list(message.get("content"))]
    texts = [as_text(block.get("text")) for block in blocks if block.get("type") == "text"]
    files = [as_object(f) for f in (*as_list(message.get("attachments")), *as_list(message.get("files")))]
    names = [as_text(file.get("file_name")) or "file" for file in files]
    kinds = [as_text(block.get("type")) for block in blocks if block.get("type") in ("image", "document")]
    turn = Turn(
        key=as_text(message.get("uuid")) or str(number),
        speaker=speaker,
        text="\n\n".join(filter(None, texts)) or as_text(message.get("text")),
        at=message.get("created_at"),
        attachments=tuple(dict.fromkeys([*names, *kinds])),
    )
    yield from turn_records(conversation, turn, place)
