"""Pictures of the kept figures: SVG files for the pages, in colours that people of any colour vision tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from benchmarks.speed.kept import Row
from benchmarks.speed.systems import NAMES

FOLDER = Path(__file__).parents[2] / "docs" / "img"
# Okabe and Ito; with a marker each, so that no line is told by its colour alone
STYLES = dict(
    zip(
        NAMES,
        [
            ("#000000", "o"), ("#E69F00", "s"), ("#D55E00", "^"), ("#CC79A7", "v"), ("#56B4E9", "D"), ("#0072B2", "d"),
            ("#009E73", "P"), ("#B8A300", "X"), ("#7F7F7F", "*"), ("#A0522D", "<"), ("#4B0082", ">"),
        ],
        strict=True,
    )
)  # fmt: skip
Series = dict[str, list[tuple[float, float]]]
Picture = tuple[str, Path]


def draw(cells: Sequence[Row]) -> list[Picture]:
    """Draws what there are figures for; title and file of each."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    mpl.rcParams.update({"font.size": 10, "svg.hashsalt": "simonides", "axes.spines.top": False,
                         "axes.spines.right": False, "svg.fonttype": "path"})  # fmt: skip
    drawn = [row for row in cells if row["key"]["corpus"] == "drawn" and "ask_mb" in row["figures"]]
    if not drawn:
        return []
    pictures = [_by_rows(drawn), _kinds(drawn), _recall(drawn), _growth(drawn), _stages(drawn)]
    return [picture for picture in pictures if picture is not None]


def _series(cells: Sequence[Row], key: str) -> Series:
    found: Series = {}
    for row in cells:
        if key in row["figures"]:
            found.setdefault(row["key"]["system"], []).append((row["figures"]["rows"], float(row["figures"][key])))
    return found


def _by_rows(cells: Sequence[Row]) -> Picture | None:
    """Hybrid questions by number of rows, every system."""
    figure, axes = plt.subplots(figsize=(7.5, 4.6))
    for system, points in _series(cells, "hybrid_cpu_ms").items():
        colour, marker = STYLES[system]
        wide = 2.6 if system == "simonides" else 1.4
        xs, ys = zip(*points, strict=True)
        axes.plot(xs, ys, color=colour, marker=marker, linewidth=wide, markersize=6, label=system)
    _logarithmic(axes, "rows", "hybrid question, median processor time, ms")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return _saved(figure, "speed-hybrid-by-rows", "Processor time of a hybrid question by number of rows")


def _kinds(cells: Sequence[Row]) -> Picture | None:
    """Every kind of question at the size that most systems were measured at."""
    sizes = [row["key"]["size"] for row in cells]
    size = max(sorted(set(sizes), reverse=True), key=sizes.count)
    rows = [row for row in cells if row["key"]["size"] == size][::-1]
    figure, places = plt.subplots(1, 3, figsize=(9.5, 0.36 * len(rows) + 1.3), sharey=True)
    names = [row["key"]["system"] for row in rows]
    for axes, kind in zip(places, ("hybrid", "text", "vector"), strict=True):
        for n, row in enumerate(rows):
            value = row["figures"].get(f"{kind}_p50_ms")
            late = row["figures"].get(f"{kind}_p95_ms")
            if value is None:
                axes.text(0.02, n, "cannot", transform=axes.get_yaxis_transform(), va="center", color="#666666", size=8)
                continue
            colour = "#0072B2" if row["key"]["system"] == "simonides" else "#999999"
            axes.plot([value, late], [n, n], color=colour, linewidth=2)
            axes.plot([value], [n], "o", color=colour)
            axes.plot([late], [n], "|", color=colour, markersize=9, markeredgewidth=2)
            axes.annotate(f"{value:.2g}" if value < 100 else f"{value:.0f}", (value, n), (0, 5),
                          textcoords="offset points", ha="center", size=7)  # fmt: skip
        axes.set_xscale("log")
        axes.set_ylim(-0.6, len(rows) - 0.3)
        axes.xaxis.set_major_formatter(FuncFormatter(_plain))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel(f"{kind}, ms")
        axes.grid(axis="x", color="#E5E5E5")
    places[0].set_yticks(range(len(names)), names)
    title = f"Questions at {size:,} rows: median (dot) to 95th percentile (bar)"
    return _saved(figure, "speed-kinds", title)


def _recall(cells: Sequence[Row]) -> Picture | None:
    """What is found against what it takes, vector questions, at the size that most systems were measured at."""
    sizes = [row["key"]["size"] for row in cells if "vector_recall" in row["figures"]]
    if not sizes:
        return None
    size = max(sorted(set(sizes), reverse=True), key=sizes.count)
    figure, axes = plt.subplots(figsize=(6.5, 4.2))
    for row in cells:
        if row["key"]["size"] == size and "vector_recall" in row["figures"]:
            colour, marker = STYLES[row["key"]["system"]]
            point = row["figures"]["vector_cpu_ms"], row["figures"]["vector_recall"]
            axes.plot(*point, marker=marker, color=colour, markersize=9, linestyle="", label=row["key"]["system"])
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("vector question, median processor time, ms")
    axes.set_ylabel("recall@10 of exact cosine")
    axes.set_ylim(0, 1.05)
    axes.grid(color="#E5E5E5")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return _saved(figure, "speed-recall", f"What a vector question finds and takes at {size:,} rows")


def _growth(cells: Sequence[Row]) -> Picture | None:
    """Simonides alone: latency and memory by rows."""
    own = [row for row in cells if row["key"]["system"] == "simonides"]
    if len(own) < 2:
        return None
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8))
    shown = (
        ("hybrid_cpu_ms", "recall, first time", "#0072B2", "o"),
        ("hybrid_again_cpu_ms", "recall, asked again", "#56B4E9", "v"),
        ("text_cpu_ms", "search_fts", "#E69F00", "s"),
        ("vector_cpu_ms", "search_similar", "#009E73", "D"),
    )
    for key, label, colour, marker in shown:
        points = [(row["figures"]["rows"], row["figures"][key]) for row in own]
        left.plot(*zip(*points, strict=True), color=colour, marker=marker, label=label)
    for key, label, colour, marker in (
        ("disk_mb", "file", "#7F7F7F", "s"),
        ("ask_mb", "memory, asking", "#D55E00", "o"),
    ):
        points = [(row["figures"]["rows"], row["figures"][key]) for row in own]
        right.plot(*zip(*points, strict=True), color=colour, marker=marker, label=label)
    _logarithmic(left, "rows", "median processor time, ms")
    _logarithmic(right, "rows", "MB")
    for axes in (left, right):
        axes.legend(frameon=False)
    return _saved(figure, "speed-growth", "Simonides: how cost grows with rows")


def _stages(cells: Sequence[Row]) -> Picture | None:
    """Where the time of a recall goes, by rows."""
    own = [row for row in cells if row["figures"].get("stages_ms")]
    if not own:
        return None
    stages = list(own[-1]["figures"]["stages_ms"])
    colours = ["#999999", "#56B4E9", "#E69F00", "#009E73", "#0072B2", "#CC79A7", "#D55E00"]
    hatches = ["", "//", "", "..", "", "\\\\", ""]
    figure, axes = plt.subplots(figsize=(7.5, 0.5 * len(own) + 1.4))
    for n, row in enumerate(own):
        begun = 0.0
        for stage, colour, hatch in zip(stages, colours, hatches, strict=False):
            value = row["figures"]["stages_ms"].get(stage, 0.0)
            label = stage if n == 0 else None
            axes.barh(n, value, left=begun, color=colour, hatch=hatch, edgecolor="white", label=label)
            begun += value
    axes.set_yticks(range(len(own)), [f"{row['figures']['rows']:,} rows" for row in own])
    axes.invert_yaxis()
    axes.set_xlabel("median of each stage, ms")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return _saved(figure, "speed-stages", "Simonides: where the time of a recall goes")


def _logarithmic(axes: Axes, x: str, y: str) -> None:
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(_plain))
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(_plain))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="#E5E5E5")


def _plain(value: float, _place: object) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _saved(figure: plt.Figure, name: str, title: str) -> Picture:
    figure.suptitle(title, size=12)
    path = FOLDER / f"{name}.svg"
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)
    return title, path
