"""`python -m benchmarks.speed [--sizes 1000,10000] [--systems …] [--questions 60]`: one run, one table, ratios."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from benchmarks.speed.run import measure
from benchmarks.speed.systems import NAMES

COLUMNS = (
    ("rows_per_s", "rows/s"),
    ("hybrid_p50_ms", "hybrid p50 ms"),
    ("hybrid_p95_ms", "p95"),
    ("hybrid_cpu_ms", "cpu"),
    ("text_p50_ms", "text p50 ms"),
    ("vector_p50_ms", "vector p50 ms"),
    ("first_answer_ms", "first answer ms"),
    ("ask_rss_mb", "memory MB"),
    ("file_mb", "file MB"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed beside peers, in one run.")
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--systems", default=",".join(NAMES))
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--out", type=Path, default=None, help="append results as JSON lines")
    options = parser.parse_args()
    for size in (int(s) for s in options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for system in options.systems.split(","):
                print(f"… {system} at {size}", flush=True)
                found.append(measure(system, size, options.questions, Path(folder)))
        if options.out is not None:
            with options.out.open("a", encoding="utf-8") as out:
                out.writelines(json.dumps(row) + "\n" for row in found)
        print(table(size, found), flush=True)


def table(size: int, found: list[dict[str, object]]) -> str:
    """Markdown, and how many times faster the first system is at storing and at hybrid questions."""
    lines = [f"| {size} rows | " + " | ".join(title for _, title in COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for row in found:
        if "error" in row:
            lines.append(f"| {row['system']} | {row['error']} |" + " |" * (len(COLUMNS) - 1))
            continue
        lines.append(f"| {row['system']} | " + " | ".join(str(row[key]) for key, _ in COLUMNS) + " |")
    first, *others = [row for row in found if "error" not in row] or [{}]
    for row in others:
        rows = float(str(first["rows_per_s"])) / float(str(row["rows_per_s"]))
        asks = float(str(row["hybrid_p50_ms"])) / float(str(first["hybrid_p50_ms"]))
        cpu = float(str(row["hybrid_cpu_ms"])) / float(str(first["hybrid_cpu_ms"]))
        lines.append(
            f"\n{first['system']} beside {row['system']}: stores {rows:.1f}×, "
            f"answers {asks:.1f}× as fast ({cpu:.1f}× by processor time)."
        )
    return "\n".join(lines) + "\n"


main()
