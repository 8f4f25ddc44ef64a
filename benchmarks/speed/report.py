"""How do the kept figures become tables and plots? The newest line of each cell, written into RESULTS.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module

from benchmarks.quality.results import table, write_section
from benchmarks.speed import goals, plots
from benchmarks.speed.kept import Kept, Row
from benchmarks.speed.parts import PARTS
from benchmarks.speed.systems import NAMES

ASKING = (
    ("hybrid_p50_ms", "hybrid p50 ms"),
    ("hybrid_p95_ms", "p95"),
    ("hybrid_cpu_ms", "CPU"),
    ("hybrid_again_p50_ms", "again p50"),
    ("text_p50_ms", "text p50 ms"),
    ("text_p95_ms", "p95"),
    ("text_cpu_ms", "CPU"),
    ("vector_p50_ms", "vector p50 ms"),
    ("vector_p95_ms", "p95"),
    ("vector_cpu_ms", "CPU"),
    ("vector_recall", "recall@10"),
    ("hybrid_recall", "in hybrid"),
)
KEEPING = (
    ("rows_per_s", "rows/s"),
    ("rows_per_cpu_s", "rows per CPU s"),
    ("disk_mb", "disk MB"),
    ("store_mb", "memory storing MB"),
    ("ask_mb", "memory asking MB"),
    ("first_answer_ms", "open to first answer ms"),
    ("first_answer_cpu_ms", "CPU"),
    ("start_ms", "whole process ms"),
)
READING = """\
Each system stores the same rows with the same vectors and answers the same questions, one at a time, in a process of
its own. p50, p95: milliseconds that a caller waits for a question never asked before; CPU: median processor time of the
whole process, so of all its threads; *again*: the same questions once more. recall@10: share of the ten nearest rows by
exact cosine that a vector question found; *in hybrid*: the share that the ten hybrid hits hold, which mix in words and
so cannot have all. Memory: how far the process grew beyond its imports at its highest, files that are mapped into
memory included. Open to first answer: beyond imports, the file being in the cache of the operating system; whole
process: a fresh interpreter that imports, opens, asks once and ends. rows/s: in blocks of 2,000, all indexes built,
each system's own default of what is safe on disk."""


def write(kept: Kept, *, small: bool, command: str, remark: str = "") -> None:
    """Makes all sections anew. A small run has one section of its own and leaves those of the full run alone."""
    cells = newest(kept)
    loads = [row["figures"]["load"] for row in cells if "load" in row["figures"]]
    if loads:
        remark += f" Load average of the machine before the cells: {min(loads):.1f} to {max(loads):.1f}."
    if small:
        write_section("Speed, small run", f"`{command}`\n\n{remark.strip()}\n\n{_machine(kept)}\n\n{_systems(cells)}")
        return
    shown = plots.draw(cells)
    pictures = "\n\n".join(f"![{title}](../docs/img/{file.name})" for title, file in shown)
    how = f"`{command}`\n\n{remark.strip()}\n\n{READING}\n\n{_machine(kept)}"
    write_section("Speed beside other systems", f"{how}\n\n{pictures}\n\n{_systems(cells)}\n\n{_notes(cells)}")
    write_section("Speed: growth with rows", _growth(cells))
    write_section("Speed: the parts", _parts(kept))
    write_section("Speed: the goals", goals.section(cells, parts_of(kept)))


def newest(kept: Kept) -> list[Row]:
    """The newest line of each system, corpus and size, by corpus and size, in the order of the systems."""
    found: dict[tuple[object, ...], Row] = {}
    for row in kept:
        key = row["key"]
        if "system" in key:
            found[key["corpus"], key["size"], key["system"]] = row
    return sorted(found.values(), key=_order)


def _order(row: Row) -> tuple[object, ...]:
    key = row["key"]
    return key["corpus"], key["size"], NAMES.index(key["system"])


def parts_of(kept: Kept) -> dict[str, Row]:
    """Part → its newest table."""
    return {row["key"]["part"]: row["figures"] for row in kept if "part" in row["key"]}


def _machine(kept: Kept) -> str:
    row = kept.find({"machine": True})
    if row is None:
        return ""
    figures = row["figures"]
    facts = ", ".join(f"{name} {value}" for name, value in figures.items() if isinstance(value, str))
    limits = ", ".join(f"{name} {value:,g}" for name, value in figures.items() if not isinstance(value, str))
    return f"Machine, shared with others: {facts}.\n\nWhat it can do at best, one thread: {limits}."


def _systems(cells: Sequence[Row]) -> str:
    found = []
    for corpus, size in dict.fromkeys((row["key"]["corpus"], row["key"]["size"]) for row in cells):
        rows = [row for row in cells if (row["key"]["corpus"], row["key"]["size"]) == (corpus, size)]
        text = "drawn notes" if corpus == "drawn" else "real sentences"
        found.append(f"### {size:,} {text}\n\n{_figures(rows, ASKING)}\n\n{_figures(rows, KEEPING)}\n\n{_ratios(rows)}")
    return "\n\n".join(found)


def _figures(rows: Iterable[Row], columns: Sequence[tuple[str, str]]) -> str:
    lines = []
    for row in rows:
        figures = row["figures"]
        name = row["key"]["system"]
        if "error" in figures:
            name = f"{name}: {figures['error']}"
        lines.append([name, *(_shown(figures.get(key)) for key, _ in columns)])
    return table(["system", *(title for _, title in columns)], lines)


def _shown(value: object) -> str:
    if value is None:
        return "–"
    number = float(str(value))
    if number == round(number) and number >= 10:
        return f"{number:,.0f}"
    return f"{number:,.0f}" if number >= 1_000 else f"{number:.1f}" if number >= 100 else f"{number:.2f}"


def _ratios(rows: Sequence[Row]) -> str:
    """How many times faster the first system is, where both were measured."""
    first = next((row["figures"] for row in rows if row["key"]["system"] == "simonides"), None)
    if first is None or "error" in first:
        return ""
    lines = []
    for row in rows:
        figures, name = row["figures"], row["key"]["system"]
        if name == "simonides" or "rows_per_s" not in figures:
            continue
        ratios = [
            ratio(figures, first, f"{kind}_{what}_ms")
            for kind in ("hybrid", "text", "vector")
            for what in ("p50", "cpu")
        ]
        lines.append([name, times(first["rows_per_s"] / figures["rows_per_s"]), *ratios])
    if not lines:
        return ""
    head = ["simonides beside", "stores", "hybrid", "by CPU", "text", "by CPU", "vector", "by CPU"]
    return f"How many times as fast (below 1: slower):\n\n{table(head, lines)}"


def ratio(figures: Row, first: Row, key: str) -> str:
    theirs, ours = figures.get(key), first.get(key)
    return "–" if theirs is None or not ours else times(theirs / ours)


def times(value: float) -> str:
    return f"{value:.0f}" if value >= 20 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _notes(cells: Sequence[Row]) -> str:
    lines = []
    for name in NAMES:
        row = next((row for row in reversed(cells) if row["key"]["system"] == name), None)
        if row is None:
            continue
        try:
            note = import_module(f"benchmarks.speed.systems.{name}").NOTE
        except ImportError:
            note = ""
        packages = ", ".join(f"{package} {version}" for package, version in row["versions"].items())
        lines.append(f"* **{name}** ({packages or 'not installed'}): {note}")
    return "### The systems, and how they were used\n\n" + "\n".join(lines)


def _growth(cells: Sequence[Row]) -> str:
    rows = [row for row in cells if row["key"]["system"] == "simonides" and "error" not in row["figures"]]
    shown = [
        ("hybrid_p50_ms", "recall p50 ms"),
        ("hybrid_cpu_ms", "CPU"),
        ("hybrid_thread_ms", "its thread"),
        ("hybrid_again_thread_ms", "again, thread"),
        ("text_thread_ms", "text, thread"),
        ("vector_thread_ms", "vector, thread"),
        ("vector_recall", "recall@10"),
        ("ask_mb", "memory MB"),
        ("disk_mb", "disk MB"),
        ("first_answer_cpu_ms", "first answer CPU ms"),
        ("rows_per_cpu_s", "rows per CPU s"),
    ]
    lines = [[_named(row), *(_shown(row["figures"].get(key)) for key, _ in shown)] for row in rows]
    stages = list(dict.fromkeys(stage for row in rows for stage in row["figures"].get("stages_ms", {})))
    staged = [[_named(row), *(_shown(row["figures"]["stages_ms"].get(s)) for s in stages)]
              for row in rows if row["figures"].get("stages_ms")]  # fmt: skip
    return (
        f"Simonides alone, from the cells above.\n\n{table(['rows', *(title for _, title in shown)], lines)}\n\n"
        f"Median milliseconds of each stage of `recall` (`answer.timings`), questions asked for the first time:\n\n"
        f"{table(['rows', *stages], staged)}"
    )


def _named(row: Row) -> str:
    return f"{row['figures']['rows']:,} {row['key']['corpus']}"


def _parts(kept: Kept) -> str:
    found = parts_of(kept)
    texts = []
    for name in PARTS:
        if name in found:
            part = found[name]
            texts.append(f"### {part['title']}\n\n{table(part['head'], part['rows'])}\n\n{part['note']}".strip())
    command = "`python -m benchmarks.speed.parts NAME FOLDER`, each in a process of its own."
    return "\n\n".join([command, *texts])
