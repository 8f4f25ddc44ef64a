"""Where do figures go? Into one section of RESULTS.md; the other sections are left as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "RESULTS.md"
CONTENTS = "Contents:"
_SECTION = re.compile(r"^## ", re.MULTILINE)


def write_section(title: str, body: str, path: Path = RESULTS) -> None:
    """Replaces the section `## title`, or adds it at the end. The file is made when it is not there."""
    text = path.read_text("utf-8") if path.exists() else "# Results\n"
    section = f"## {title}\n\n{body.strip()}\n"
    parts = _SECTION.split(text)
    for place, part in enumerate(parts[1:], 1):
        if part.split("\n", 1)[0].strip() == title:
            parts[place] = section.removeprefix("## ") + ("\n" if place + 1 < len(parts) else "")
            path.write_text(with_contents("## ".join(parts)), "utf-8")
            return
    path.write_text(with_contents(f"{text.rstrip()}\n\n{section}"), "utf-8")


def with_contents(text: str) -> str:
    """The page with a list of its sections before the first of them, in their order; an older list is replaced."""
    head, *sections = _SECTION.split(text)
    titles = [section.split("\n", 1)[0].strip() for section in sections]
    lines = "\n".join(f"* [{title}](#{_anchor(title)})" for title in titles)
    before = head.split(f"{CONTENTS}\n")[0].rstrip()
    return "## ".join([f"{before}\n\n{CONTENTS}\n\n{lines}\n\n", *sections])


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """A Markdown table; the first `texts` columns are text, the others numbers."""
    marks = ["---"] * texts + ["---:"] * (len(head) - texts)
    lines = [list(head), marks, *[list(row) for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def short(value: float) -> str:
    """Three decimals without the zero in front.

    >>> short(0.3961), short(-0.0042)
    ('.396', '-.004')
    """
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def change(value: float) -> str:
    """A difference with its sign; what rounds to nothing is a dot.

    >>> change(0.0123), change(-0.0004)
    ('+.012', '·')
    """
    return "·" if abs(value) < 0.0005 else ("+" if value > 0 else "") + short(value)


if __name__ == "__main__":  # after a section was added or moved by hand
    RESULTS.write_text(with_contents(RESULTS.read_text("utf-8")), "utf-8")
