"""How does a Markdown or text file become drafts? It is cut at headings, then at paragraphs, never inside code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from simonides.model.thought import Draft, Json
from simonides.sources.limits import DOCUMENT_BYTES_MAX, SECTION_CHARACTERS_AIM
from simonides.sources.record import Place, Problem, Record, SourceKind, derived_id

HEADING_SEPARATOR = " › "
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_SETEXT_LINES_MAX = 3  # a longer paragraph above a rule is not a title
_NOT_A_TITLE = re.compile(r"[ \t]*(?:[#>|]|[-*+] |\d+[.)] )")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_CONTINUES = re.compile(r" {4}|\t")  # code by indentation, or a further paragraph of a list item
_FRONT_MATTER_LINES_MAX = 200


@dataclass(frozen=True, slots=True)
class Block:
    """Lines start to stop (from 0) that stay together: a heading (level 1 to 6), or a paragraph or code (level 0)."""

    start: int
    stop: int
    level: int = 0
    title: str = ""
    fenced: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Lines that become one memory. path: the headings they stand under; part: counts below the innermost one.

    `opens`: the text begins with that innermost heading itself.
    """

    path: tuple[str, ...]
    opens: bool
    part: int
    start: int
    text: str


def read_document(path: Path, name: str, identity: str, kind: SourceKind) -> Iterator[Record | Problem]:
    """The memories of one file, in order.

    name: how the file is called in `source` and places. identity: what the ids are made of, besides the headings
    and the number of the part below them: an edit leaves the ids of everything under other headings alone.
    Line ends become line feeds and a byte-order mark is dropped; everything else stays as it is.
    """
    text = _text(path, name)
    if isinstance(text, Problem):
        yield text
        return
    seen: Counter[tuple[str, ...]] = Counter()
    for section in sections(text.split("\n"), kind):
        if section.part == 0:
            seen[section.path] += 1
        yield _record(section, seen[section.path], name, identity, kind)


def _record(section: Section, occurrence: int, name: str, identity: str, kind: SourceKind) -> Record:
    """A section as a draft. Its essence holds the headings that are not in the text already, else the file's name."""
    metadata: dict[str, Json] = {"file": name, "line": section.start + 1}
    if section.path:
        metadata["heading"] = list(section.path)
    above = section.path[:-1] if section.opens else section.path
    essence = HEADING_SEPARATOR.join(above) if section.path else name
    draft = Draft(
        content=section.text,
        thought_id=derived_id("document", identity, *section.path, str(occurrence), str(section.part)),
        essence=essence or None,
        metadata=metadata,
        source=name,
        source_type=kind.value,
    )
    return Record(Place(name, f"line {section.start + 1}"), draft)


def _text(path: Path, name: str) -> str | Problem:
    """The whole file as text with line feeds, or why it is left out."""
    place = Place(name)
    try:
        with path.open("rb") as file:
            data = file.read(DOCUMENT_BYTES_MAX + 1)
    except OSError as error:
        return Problem(place, f"cannot be read: {error.strerror}")
    if len(data) > DOCUMENT_BYTES_MAX:
        return Problem(place, f"the file is larger than {DOCUMENT_BYTES_MAX:,} bytes")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem(place.within(f"line {line}"), f"not UTF-8: byte 0x{data[error.start]:02x}")
    if "\x00" in text:
        return Problem(place, "the file holds NUL bytes; it is not text")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def sections(lines: Sequence[str], kind: SourceKind) -> Iterator[Section]:
    """Pack the blocks of a file: a heading with what follows, up to about SECTION_CHARACTERS_AIM characters.

    A block longer than that stays whole. A heading without text of its own is left out when a deeper heading
    follows, for then it is part of that one's path.
    """
    headings: list[Block] = []
    held: list[Block] = []
    part = 0
    for block in blocks(lines, kind):
        if block.level:
            if held and not (held[-1].level and block.level > held[-1].level):
                yield _section(lines, headings, held, part)
            while headings and headings[-1].level >= block.level:
                headings.pop()
            headings.append(block)
            held, part = [block], 0
        elif held and not held[-1].level and not _fits(lines, held, block):
            yield _section(lines, headings, held, part)
            held, part = [block], part + 1
        else:
            held.append(block)
    if held:
        yield _section(lines, headings, held, part)


def _fits(lines: Sequence[str], held: Sequence[Block], block: Block) -> bool:
    """Whether a block still goes with those before it; code keeps the words that introduce it for twice as long."""
    size = sum(len(lines[n]) + 1 for n in range(held[0].start, block.stop))
    return size <= SECTION_CHARACTERS_AIM * (2 if block.fenced else 1)


def _section(lines: Sequence[str], headings: Sequence[Block], held: Sequence[Block], part: int) -> Section:
    first = held[0]
    text = "\n".join(lines[first.start : held[-1].stop])
    return Section(tuple(h.title for h in headings), bool(first.level), part, first.start, text)


def blocks(lines: Sequence[str], kind: SourceKind) -> Iterator[Block]:
    """The blocks of a file in order. In plain text only blank lines part; Markdown has headings and code as well."""
    at = 0
    if kind is SourceKind.MARKDOWN and lines and lines[0].rstrip() == "---":
        at = _front_matter(lines)
        if at:
            yield Block(0, at)
    pending: Block | None = None
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        block = _markdown_block(lines, at) if kind is SourceKind.MARKDOWN else Block(at, _paragraph_end(lines, at))
        at = block.stop
        if pending and not pending.level and not block.level and _CONTINUES.match(lines[block.start]):
            pending = Block(pending.start, block.stop, fenced=pending.fenced)
            continue
        if pending:
            yield pending
        pending = block
    if pending:
        yield pending


def _front_matter(lines: Sequence[str]) -> int:
    """Where the metadata at the top of a Markdown file ends; 0 when there is none."""
    for number, line in enumerate(lines[1:_FRONT_MATTER_LINES_MAX], 1):
        if line.rstrip() in ("---", "..."):
            return number + 1
    return 0


def _paragraph_end(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and lines[at].strip():
        at += 1
    return at


def _markdown_block(lines: Sequence[str], start: int) -> Block:
    fence = _FENCE.match(lines[start])
    if fence:
        return Block(start, _fence_end(lines, start, fence[1]), fenced=True)
    heading = _ATX.match(lines[start])
    if heading:
        return Block(start, start + 1, len(heading[1]), (heading[2] or "").strip())
    at = start + 1
    while at < len(lines) and lines[at].strip():
        rule = _SETEXT.match(lines[at])
        if rule and at - start <= _SETEXT_LINES_MAX and not _NOT_A_TITLE.match(lines[start]):
            title = " ".join(line.strip() for line in lines[start:at])
            return Block(start, at + 1, 1 if rule[1][0] == "=" else 2, title)
        if _FENCE.match(lines[at]) or _ATX.match(lines[at]):
            break
        at += 1
    return Block(start, at)


def _fence_end(lines: Sequence[str], start: int, mark: str) -> int:
    """The line after the closing fence: the same sign, at least as often, alone; or the end of the file."""
    for number in range(start + 1, len(lines)):
        line = lines[number].strip()
        if len(line) >= len(mark) and not line.strip(mark[0]):
            return number + 1
    return len(lines)
