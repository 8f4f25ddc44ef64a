"""What does a reflection say? A JSON document: which thoughts it was made from, and what they are about."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.model.thought import Json, Thought

FORMAT = 1
HEAD = f'{{"reflection":{FORMAT},'


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A source in its own words, cut if it is long. at: when it happened, ISO-8601. repeats: further equal texts."""

    thought_id: str
    text: str
    speaker: str | None = None
    at: str | None = None
    repeats: int = 0


@dataclass(frozen=True, slots=True)
class Reflection:
    """The document in the content of a reflection that consolidation wrote.

    members: ids of its sources that were ACTIVE then, sorted. keywords, keyphrases: best first. excerpts: in order of
    time. span: the first and the last instant, ISO-8601. composed_by: who wrote the essence. digest: of the members
    and their texts; when it no longer fits, the reflection is stale.
    """

    members: tuple[str, ...]
    keywords: tuple[str, ...]
    keyphrases: tuple[str, ...]
    excerpts: tuple[Excerpt, ...]
    span: tuple[str, str] | None
    composed_by: str
    digest: str

    def to_json(self) -> str:
        """The document; `of` reads it."""
        excerpts = [
            {name: getattr(e, name) for name in Excerpt.__slots__ if getattr(e, name) not in (None, 0)}
            for e in self.excerpts
        ]
        rest = {
            "keywords": self.keywords, "keyphrases": self.keyphrases, "excerpts": excerpts, "span": self.span,
            "composed_by": self.composed_by, "digest": self.digest, "members": self.members,
        }  # fmt: skip
        return HEAD + json.dumps(rest, ensure_ascii=False, separators=(",", ":"))[1:]

    @classmethod
    def of(cls, thought: Thought) -> Reflection | None:
        """The document of a thought; None when consolidation did not write it.

        >>> import simonides
        >>> with simonides.open(":memory:", embedder=False) as store:
        ...     Reflection.of(store.remember("a plain note")) is None
        True
        """
        return read_reflection(thought.content)


def read_reflection(content: str) -> Reflection | None:
    """The document in a content; None when it is not one."""
    if not content.startswith(HEAD):
        return None
    try:
        value = json.loads(content)
        excerpts = tuple(_excerpt(item) for item in value["excerpts"])
        span = value["span"]
        return Reflection(
            _texts(value["members"]), _texts(value["keywords"]), _texts(value["keyphrases"]), excerpts,
            None if span is None else (str(span[0]), str(span[1])), str(value["composed_by"]), str(value["digest"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def outline(content: str) -> str:
    """A reflection's keywords and first excerpt; any other content as it is."""
    document = read_reflection(content)
    if document is None:
        return content
    first = f": “{document.excerpts[0].text}”" if document.excerpts else ""
    return f"{', '.join(document.keywords)}{first}"


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError("expected a list of texts")
    return tuple(value)


def _excerpt(value: dict[str, Json]) -> Excerpt:
    speaker, at, repeats = value.get("speaker"), value.get("at"), value.get("repeats", 0)
    if not isinstance(repeats, int):
        raise TypeError("expected a number")
    return Excerpt(
        str(value["thought_id"]), str(value["text"]), None if speaker is None else str(speaker),
        None if at is None else str(at), repeats,
    )  # fmt: skip
