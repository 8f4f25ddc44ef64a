"""Which format is this, and what does it hold? From a path to drafts and problems, one at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from simonides.errors import ConfigError
from simonides.sources.chat import as_object
from simonides.sources.chatgpt import read_chatgpt
from simonides.sources.claude import read_claude
from simonides.sources.folder import ENDINGS, read_documents
from simonides.sources.jsonl import read_jsonl
from simonides.sources.jsonstream import elements, lines
from simonides.sources.locomo import read_locomo
from simonides.sources.record import Problem, Record, SourceKind, shown

if TYPE_CHECKING:
    from simonides.model.thought import Draft, Json

_EXPORT = "conversations.json"
_LINE_ENDINGS = (".jsonl", ".ndjson")
_FIRST_RECORDS = 5  # looked at to recognise a file
_JSON_READERS = {
    SourceKind.JSONL: read_jsonl,
    SourceKind.CHATGPT: read_chatgpt,
    SourceKind.CLAUDE: read_claude,
    SourceKind.LOCOMO: read_locomo,
}


def read_source(
    path: str | os.PathLike[str], *, kind: SourceKind | str | None = None, source: str | None = None
) -> Iterator[Draft | Problem]:
    """The memories a file or folder holds, as drafts with ids, and what could not be read. One record is in memory.

    kind: `jsonl`, `markdown`, `text`, `chatgpt`, `claude` or `locomo`; None looks at the content (`detect`).
    source: a name for the origin, used for `source` and, with Markdown and text, for the ids.
    Reading the same source again gives the same ids. Raises ConfigError for a kind that is unknown or cannot be
    told, OSError for a path that cannot be read; damage inside the file never raises.
    """
    for found in read_records(path, kind=kind, source=source):
        yield found if isinstance(found, Problem) else found.draft


def read_records(
    path: str | os.PathLike[str], *, kind: SourceKind | str | None = None, source: str | None = None
) -> Iterator[Record | Problem]:
    """As `read_source`, and every draft comes with its place."""
    where = Path(path).expanduser()
    chosen = _kind(kind) if kind is not None else detect(where)
    if chosen in (SourceKind.MARKDOWN, SourceKind.TEXT):
        return read_documents(where, source, chosen)
    file = where / _EXPORT if where.is_dir() and (where / _EXPORT).is_file() else where
    return _JSON_READERS[chosen](file, source or shown(file.name))


def detect(path: Path) -> SourceKind:
    """The kind of a source, from what it holds. Raises ConfigError when that does not tell, OSError without a file."""
    if path.is_dir():
        export = path / _EXPORT
        return detect(export) if export.is_file() else SourceKind.MARKDOWN
    ending = path.suffix.lower()
    if ending in ENDINGS:
        path.stat()
        return ENDINGS[ending]
    found = _by_records(path)
    if found is None and ending in _LINE_ENDINGS:
        found = SourceKind.JSONL
    if found is None:
        raise ConfigError(
            f"cannot tell what {path.name} holds", hint=f"say kind= one of {', '.join(SourceKind)} (--kind)"
        )
    return found


def _by_records(path: Path) -> SourceKind | None:
    """By the fields of the first records: elements of an array, or lines."""
    for split in (elements, lines):
        with path.open("rb") as file:
            for number, piece in enumerate(split(file)):
                if number == _FIRST_RECORDS:
                    break
                kind = _by_fields(piece.value)
                if kind is not None and (split is elements or kind is SourceKind.JSONL):
                    return kind
    return None


def _by_fields(value: Json) -> SourceKind | None:
    fields = as_object(value)
    if "mapping" in fields:
        return SourceKind.CHATGPT
    if "chat_messages" in fields:
        return SourceKind.CLAUDE
    if any(key.startswith("session_") for key in as_object(fields.get("conversation"))):
        return SourceKind.LOCOMO
    return SourceKind.JSONL if isinstance(fields.get("content", fields.get("text")), str) else None


def _kind(kind: SourceKind | str) -> SourceKind:
    try:
        return SourceKind(kind)
    except ValueError:
        raise ConfigError(f"{kind!r} is not a kind of source", hint=f"one of {', '.join(SourceKind)}") from None
