"""What does a person see of a memory, an answer, a store? Values in, lines out; nothing is printed here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simonides.faces.cli.screen import one_line, paint, visible

if TYPE_CHECKING:
    from simonides import Hit, HybridSearchResult, Stats, Thought

_INDENT = "   "


def hit_lines(hit: Hit, columns: int, mark: str = "") -> Iterator[str]:
    """A hit: rank, score and words on one line, where it comes from and what is known about it on the next."""
    who = f"{one_line(hit.thought.speaker, 40)}: " if hit.thought.speaker else ""
    head = paint(f"{mark}{hit.rank}. {hit.score:.4f}", "strong")
    copies = f" (+{hit.copies} with the same text)" if hit.copies else ""
    text = hit.text if hit.cut else hit.passage.text or hit.text
    yield f"{head}  {who}{one_line(text, 3 * columns)}{copies}"
    yield paint(f"{_INDENT}{origin(hit.thought)}", "faint")
    for ids, says in (
        (hit.superseded_by, "replaced by"),
        (hit.conflicts, "contradicted by"),
        (hit.supported_by, "supported by"),
    ):
        if ids:
            yield f"{_INDENT}{says} {visible(', '.join(ids))}"


def answer_notes(answer: HybridSearchResult) -> Iterator[str]:
    """What a person should know about an answer besides its hits."""
    for lost in answer.degraded:
        yield f"degraded: {visible(lost.what)}: {visible(lost.reason)}"
    if answer.left_out:
        first = answer.left_out[0]
        yield f"left out by the budget: {len(answer.left_out)}, the best {visible(first.thought_id)} ({first.reason})"
    if not answer.hits:
        yield "nothing found"


def origin(thought: Thought) -> str:
    """Id, time, session and source of a thought on one line."""
    at = thought.occurred_at or thought.created_at
    parts = [thought.thought_id, at.strftime("%Y-%m-%d %H:%M")]
    parts += [f"{name} {value}" for name, value in (("session", thought.session), ("source", thought.source)) if value]
    line = thought.metadata.get("line")
    if isinstance(line, int) and thought.source:
        parts[-1] += f":{line}"
    if thought.metadata.get("heading") and thought.essence:
        parts.append(one_line(thought.essence, 80))
    return visible(" | ".join(parts))


def row(thought: Thought, columns: int) -> str:
    """A thought on one line of a listing."""
    at = thought.occurred_at or thought.created_at
    who = f"{one_line(thought.speaker, 40)}: " if thought.speaker else ""
    head = f"{visible(thought.thought_id)}  {at:%Y-%m-%d}"
    return f"{paint(head, 'faint')}  {who}{one_line(thought.content, max(30, columns - len(head) - len(who) - 2))}"


def card(thought: Thought) -> Iterator[str]:
    """Everything about a thought, then its content."""
    for name, value in thought.to_dict().items():
        if name != "content" and value not in (None, [], {}):
            text = json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list, bool)) else str(value)
            yield f"{paint(f'{name}:'.ljust(20), 'faint')}{visible(text)}"
    yield ""
    yield visible(thought.content)


def stats_lines(stats: Stats) -> Iterator[str]:
    """The numbers of a store, one per line."""
    for name in stats.__slots__:
        value = getattr(stats, name)
        if hasattr(value, "items"):
            value = ", ".join(f"{key} {count}" for key, count in value.items() if count)
        label = paint(f"{name.replace('_', ' ')}:".ljust(26), "faint")
        yield f"{label}{visible(str('' if value is None else value))}"
