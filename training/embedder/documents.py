"""Documentation pages as values: headings with their paragraphs, sentence by sentence."""

from __future__ import annotations

import gzip
import html
import re
from dataclasses import dataclass
from pathlib import Path

# Package → (pages, at most so many paragraphs). Pages that repeat others (indexes, whole books) are left out.
PAGES: dict[str, tuple[tuple[str, ...], int]] = {
    "python3.11-doc": (("usr/share/doc/python3.11/html/**/*.html",), 9000),
    "rust-doc": (
        tuple(
            f"usr/share/doc/rust-doc/html/{part}/**/*.html"
            for part in ("book", "reference", "edition-guide", "embedded-book", "nomicon", "rust-by-example", "cargo")
        ),
        6000,
    ),
    "nodejs-doc": (("usr/share/doc/nodejs/api/*.md.gz",), 4000),
    "python-django-doc": (("usr/share/doc/python-django-doc/html/**/*.html",), 6000),
    "python-sklearn-doc": (("usr/share/doc/python-sklearn-doc/**/*.html",), 5000),
    "python-statsmodels-doc": (("usr/share/doc/python-statsmodels-doc/**/*.html",), 3000),
    "python-biopython-doc": (("usr/share/doc/python-biopython-doc/**/*.html",), 3000),
    "python-astropy-doc": (("usr/share/doc/**/*.html",), 3000),
    "python-scipy-doc": (("usr/share/doc/**/*.html",), 3000),
    "python-sympy-doc": (("usr/share/doc/**/*.html",), 3000),
}
_SKIPPED = ("print.html", "all.html", "genindex-all.html", "genindex.html", "license.html", "changelog.html")
_BLOCK = re.compile(r"(?s)<h([1-4])[^>]*>(.*?)</h\1>|<p[^>]*>(.*?)</p>")
_NOISE = re.compile(r"(?s)<(script|style|nav|pre|header|footer|table)\b.*?</\1>")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Paragraph:
    heading: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def read(work: Path) -> list[Paragraph]:
    """Distinct prose paragraphs of 12 to 160 words, package by package, pages in the order of their names."""
    out: dict[str, Paragraph] = {}
    for package, (patterns, most) in PAGES.items():
        had = len(out)
        for page in sorted({p for pattern in patterns for p in (work / package).glob(pattern)}):
            if page.name in _SKIPPED or not page.is_file():
                continue
            for paragraph in _markdown(page) if page.name.endswith(".md.gz") else _html(page):
                out.setdefault(paragraph.text[:60], paragraph)
            if len(out) - had > most:
                break
    return list(out.values())


def _html(page: Path) -> list[Paragraph]:
    heading, out = "", []
    for match in _BLOCK.finditer(_NOISE.sub(" ", page.read_text(encoding="utf-8", errors="ignore"))):
        text = html.unescape(re.sub(r"<[^>]+>", "", match[2] or match[3] or "")).replace("¶", "")
        if match[2]:
            heading = text
        elif paragraph := _prose(heading, text):
            out.append(paragraph)
    return out


def _markdown(page: Path) -> list[Paragraph]:
    heading, out = "", []
    text = re.sub(r"(?s)```.*?```|<!--.*?-->", " ", gzip.decompress(page.read_bytes()).decode("utf-8", "ignore"))
    for block in re.split(r"\n\s*\n", text):
        if block.startswith("#"):
            heading = block.strip("# `")
        elif paragraph := _prose(heading, re.sub(r"\[([^\]]*)\](\[[^\]]*\]|\([^)]*\))?|[`*]", r"\1", block)):
            out.append(paragraph)
    return out


def _prose(heading: str, text: str) -> Paragraph | None:
    text = re.sub(r"\s+", " ", text).strip()
    letters = sum(c.isalpha() or c == " " for c in text)
    if not 12 <= len(text.split()) <= 160 or letters < 0.86 * len(text) or "\\(" in text:
        return None
    heading = re.sub(r"\s+", " ", re.sub(r"^[\d.]+\s+", "", heading)).strip()[:120]
    return Paragraph(heading, tuple(_SENTENCE.split(text)))
