"""Which goals are reached? Each with the figure that decides it, from the newest cells and parts."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.quality.results import table
from benchmarks.speed.kept import Row


class Figures:
    """Look-ups that give None where nothing was measured."""

    def __init__(self, cells: Sequence[Row], parts: dict[str, Row]) -> None:
        self._cells = {
            (row["key"]["system"], row["key"]["size"]): row["figures"]
            for row in cells
            if row["key"]["corpus"] == "drawn"
        }
        self._parts = parts

    def of(self, system: str, size: int, key: str) -> float | None:
        value = self._cells.get((system, size), {}).get(key)
        return None if value is None else float(value)

    def times(self, system: str, size: int, key: str) -> float | None:
        """How many times what Simonides takes another system takes."""
        theirs, ours = self.of(system, size, key), self.of("simonides", size, key)
        return None if theirs is None or not ours else theirs / ours

    def rows(self, system: str, size: int) -> float | None:
        value = self.times(system, size, "rows_per_s")
        return None if not value else 1 / value

    def growth(self, small: int, large: int, key: str) -> float | None:
        before, after = self.of("simonides", small, key), self.of("simonides", large, key)
        return None if not before or after is None else after / before

    def part(self, name: str, key: str) -> float | None:
        value = self._parts.get(name, {}).get("figures", {}).get(key)
        return None if value is None else float(value)


def section(cells: Sequence[Row], parts: dict[str, Row]) -> str:
    """A table: goal, measured, reached. What is not reached is explained in docs/performance.md."""
    f = Figures(cells, parts)
    size = max((n for s, n in f._cells if s == "simonides" and n > 100_000), default=1_000_000)
    goals: list[tuple[str, float, float | None, bool]] = [
        ("hybrid beside engrava, numpy, 10,000 rows: times as fast", 100, f.times("engrava_numpy", 10_000, _P50), True),
        ("the same by processor time", 100, f.times("engrava_numpy", 10_000, _CPU), True),
        ("hybrid beside engrava, sqlite-vec, 50,000", 25, f.times("engrava_sqlite_vec", 50_000, _P50), True),
        ("the same by processor time", 25, f.times("engrava_sqlite_vec", 50_000, _CPU), True),
        ("hybrid beside the fifty lines, 100,000", 5, f.times("fifty_lines", 100_000, _P50), True),
        ("the same by processor time", 5, f.times("fifty_lines", 100_000, _CPU), True),
        ("recall@10 of the vector leg, 100,000", 0.95, f.of("simonides", 100_000, "vector_recall"), True),
        (f"hybrid p50 at {size:,} beside 100,000: times as slow", 2.5, f.growth(100_000, size, _P50), False),
        ("the same asked again", 2.5, f.growth(100_000, size, "hybrid_again_p50_ms"), False),
        (f"memory at {size:,}, MB", 1_000, f.of("simonides", size, "ask_mb"), False),
        ("cold open to first answer at 100,000, ms", 150, f.of("simonides", 100_000, "first_answer_ms"), False),
        ("common words beside FTS5, first time: times as fast", 10, f.part("words", "ratio_first"), True),
        ("common words beside FTS5, asked again", 10, f.part("words", "ratio_again"), True),
        ("top ten as by exhaustive scoring, share", 0.99, f.part("words", "equal"), True),
        ("the same after changes", 0.99, f.part("words", "equal_changed"), True),
        ("batches beside engrava, 10,000: times the rows/s", 8, f.rows("engrava_numpy", 10_000), True),
        ("`remember` from 8 threads beside one thread, times", 2.5, f.part("writes", "threads_8"), True),
        ("thread hops of an awaited recall", 1, f.part("asynchronous", "hops"), False),
        ("longest hold-up of the event loop by 64 recalls, ms", 100, f.part("asynchronous", "stall_ms"), False),
        ("built-in embedder, texts per second of one core", 5_000, f.part("embedding", "texts_per_s"), True),
        ("`import simonides` beside numpy and apsw, times", 1.5, f.part("imports", "ratio"), False),
    ]
    lines = [
        [name, f"{'≥' if more else '≤'} {goal:,g}", _shown(value), _verdict(goal, value, more)]
        for name, goal, value, more in goals
    ]
    return (
        "From the figures above; [docs/performance.md](../docs/performance.md) explains what is not reached.\n\n"
        + table(["what", "goal", "measured", "reached"], lines)
    )


_P50, _CPU = "hybrid_p50_ms", "hybrid_cpu_ms"


def _shown(value: float | None) -> str:
    if value is None:
        return "not measured"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _verdict(goal: float, value: float | None, more: bool) -> str:
    if value is None:
        return "–"
    return "yes" if (value >= goal if more else value <= goal) else "**no**"
