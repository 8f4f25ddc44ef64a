"""What does Simonides do? It takes in a conversation and this repository's own pages, and answers questions from them.

    python examples/demo.py [FILE]

FILE is the store, demo-out/simonides.db when it is left out. Running it again imports nothing a second time.
"""

from __future__ import annotations

import sys
import textwrap
import time
import tomllib
from pathlib import Path

import simonides
from simonides.sources import import_into

ROOT = Path(__file__).resolve().parent.parent
CONVERSATION = ROOT / "examples" / "conversation"
PAGES = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs")
ABOUT_THE_PAGES = (
    "How do I import a ChatGPT export?",
    "Can several machines share one file?",
    "Where do I set the half-life of recency?",
    "How is nDCG@10 computed?",
)
HITS = 3
WIDTH = 100


def main() -> None:
    """Import, ask, explain."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # an old console shows ? where it lacks a character
    started = time.perf_counter()
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "demo-out" / "simonides.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with simonides.open(path) as store:
        talk, pages = store.in_namespace("petrel"), store.in_namespace("pages")
        take_in(talk, pages)
        title("A conversation of seven months")
        for question in questions():
            ask(talk, question["text"], question.get("note", ""))
        title("The pages of this repository")
        for text in ABOUT_THE_PAGES:
            ask(pages, text)
        title("One answer, every number explained")
        say(talk.recall("Which berth did Randi move us to?", top_k=HITS).explain())
    title(f"{time.perf_counter() - started:.1f} seconds, no server, no model beyond the wheel")
    say(f'Try it:  {command()} --db "{path}" --namespace petrel recall "who is the harbour master?" --explain')


def command() -> str:
    """The command line of the environment that this runs in, as one types it here."""
    beside = Path(sys.executable).parent / "simonides"
    if not beside.exists():
        return "simonides"
    return str(beside.relative_to(Path.cwd()) if beside.is_relative_to(Path.cwd()) else beside)


def take_in(talk: simonides.Store, pages: simonides.Store) -> None:
    """Import both sources and say what that did."""
    title("Taking in")
    report = import_into(talk, CONVERSATION / "petrel.jsonl")
    say(f"a conversation of two people: {report.added} turns added, {report.skipped} known already")
    added = updated = skipped = 0
    for name in PAGES:
        if (ROOT / name).exists():
            report = import_into(pages, ROOT / name, source="docs" if name == "docs" else None)
            added, updated, skipped = added + report.added, updated + report.updated, skipped + report.skipped
    say(f"this repository's own pages: {added} sections added, {updated} updated, {skipped} known already")


def questions() -> list[dict[str, str]]:
    """The questions about the conversation, as the test asks them too."""
    listed: list[dict[str, str]] = tomllib.loads((CONVERSATION / "questions.toml").read_text("utf-8"))["question"]
    return listed


def ask(store: simonides.Store, question: str, note: str = "") -> None:
    """A question, its best answers, and what each score is made of."""
    answer = store.recall(question, top_k=HITS)
    say()
    say(f"? {question}", bold=True)
    if note:
        say(f"  ({note})")
    for hit in answer.hits:
        made_of = "  ".join(f"{name} {value:.2f}" for name, value in hit.contributions.items() if abs(value) >= 0.005)
        at = hit.thought.occurred_at
        who = f"{hit.thought.speaker}, {at:%d %B %Y}: " if hit.thought.speaker and at else ""
        words = textwrap.shorten(f"{who}{telling(hit.passage.text, answer)}", 2 * WIDTH, placeholder=" ...")
        head = f"  {hit.rank}. {hit.score:.2f}  "
        say(textwrap.fill(words, WIDTH, initial_indent=head, subsequent_indent=" " * len(head)))
        line = hit.thought.metadata.get("line")
        where = f"{hit.thought.source}:{line}" if line else hit.thought_id
        say(f"{' ' * len(head)}[{where}]  {made_of}")


def telling(text: str, answer: simonides.HybridSearchResult) -> str:
    """A passage from the line on that holds most words of the question."""
    lines = text.splitlines()
    held = [sum(word in line.casefold() for word in answer.reading.terms) for line in lines]
    return " ".join(lines[held.index(max(held)) :])


def title(text: str) -> None:
    """A heading."""
    say()
    say(text, bold=True)
    say("-" * len(text))


def say(text: str = "", *, bold: bool = False) -> None:
    """A line on the screen; bold on a terminal."""
    print(f"\033[1m{text}\033[0m" if bold and sys.stdout.isatty() else text)


if __name__ == "__main__":
    main()
