"""Which values do the readers hand over? A draft with its place, or a problem with its place."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from simonides.sources.limits import SOURCE_CHARACTERS_MAX

if TYPE_CHECKING:
    from simonides.model.thought import Draft

_IDS = uuid.UUID("6c1d5a52-9f0e-5b43-8a77-51c0de51b0d5")  # fixed for ever: ids of imported memories hang on it
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class SourceKind(StrEnum):
    """The formats that can be imported."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"
    TEXT = "text"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    LOCOMO = "locomo"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a source something stands. `position` is readable: "line 12", "conversation 3, message 5"."""

    file: str
    position: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.position}" if self.position else self.file

    def within(self, position: str) -> Place:
        """A place inside this one."""
        return Place(self.file, f"{self.position}, {position}" if self.position else position)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that could not be read as it stands.

    `kept` says that the record went in all the same, with the part named in `message` replaced or left out.
    """

    place: Place
    message: str
    kept: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Record:
    """A draft with an id, and where it was found."""

    place: Place
    draft: Draft


def derived_id(*parts: str) -> str:
    """The id of a memory whose source gives it none that can be used as it is: a UUID made of its stable parts.

    >>> derived_id("chatgpt", "c1", "m1") == derived_id("chatgpt", "c1", "m1") != derived_id("chatgpt", "c1m1", "")
    True
    """
    name = "\x00".join(f"{len(part)}:{part}" for part in parts)
    return str(uuid.uuid5(_IDS, name.encode("utf-8", "surrogatepass").hex()))


def shown(name: str) -> str:
    """A file name as text that a store takes: no control characters, nothing but UTF-8, the last part when long."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _CONTROL.sub("\ufffd", text)[-SOURCE_CHARACTERS_MAX:]
