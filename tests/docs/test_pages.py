"""Do links lead somewhere, and does the glossary keep its order and its words?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
WRITTEN_BY_A_RUN = {"benchmarks/RESULTS.md"}
WORDS = (
    "thought", "draft", "store", "namespace", "scope", "topic", "leaf", "concept", "edge", "leg", "signal", "recipe",
    "profile", "reflection", "budget", "journal", "job", "backend", "embedder", "face", "passage", "recency",
    "priority", "snapshot", "transaction", "plan", "pool", "scale", "speaker", "session", "revision", "version",
    "retrieval log",
)  # fmt: skip


def names(pages: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in pages]


@pytest.mark.parametrize("name", names(PAGES))
def test_links_inside_the_repository_lead_somewhere(name: str) -> None:
    page = (ROOT / name).read_text("utf-8")
    page = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", page):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = ((ROOT / name).parent / path).resolve() if path else ROOT / name
        if file.is_relative_to(ROOT) and file.relative_to(ROOT).as_posix() in WRITTEN_BY_A_RUN:
            continue
        assert file.exists(), f"{name} links to {target}"
        assert not anchor or anchor in anchors(file), f"{name} links to {target}"


def anchors(file: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def test_the_results_list_their_sections_in_order() -> None:
    """After a section was added by hand: `python -m benchmarks.quality.results`."""
    page = (ROOT / "benchmarks" / "RESULTS.md").read_text("utf-8")
    listed = re.findall(r"^\* \[(.+)\]\(#(.+)\)$", page.split("\n## ")[0], re.MULTILINE)
    assert [title for title, _ in listed] == re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert {anchor for _, anchor in listed} <= anchors(ROOT / "benchmarks" / "RESULTS.md")


def entries() -> list[str]:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    return re.findall(r"^\| \*{2,3}(.+?)\*{2,3} \| .+ \|$", page, re.MULTILINE)


def test_the_glossary_is_in_order_and_has_each_word_once() -> None:
    assert entries() == sorted(set(entries()))


def test_the_glossary_has_the_vocabulary() -> None:
    assert [word for word in WORDS if word not in entries()] == []


def test_every_decision_is_listed_and_has_its_four_parts() -> None:
    folder = ROOT / "docs" / "adr"
    index = (folder / "README.md").read_text("utf-8")
    for path in sorted(folder.glob("0*.md")):
        page = path.read_text("utf-8")
        assert path.name in index
        assert re.findall(r"^## (.+)$", page, re.MULTILINE) == ["Context", "Decision", "Consequences", "Revisit when"]
        assert page.startswith(f"# {int(path.name[:4])}. ")
