"""`python -m benchmarks.speed [--full] [--sizes 1000,10000] [--systems …]`: Simonides beside others, in one run.

Small by default: the main systems at 1,000 and 10,000 rows. `--full`: every system, 10,000 to 1,000,000 rows, each as
far as its time limit reaches, real text as well, and the parts of Simonides one by one. Every finished cell is a line
of the results file; a run that was stopped goes on from there. At the end tables and plots are made anew.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path

from benchmarks.speed import report
from benchmarks.speed.cell import Cell
from benchmarks.speed.kept import Kept
from benchmarks.speed.machine import limits, machine
from benchmarks.speed.parts import PARTS
from benchmarks.speed.runs import run_cell, run_part
from benchmarks.speed.systems import MAIN, NAMES

RESULTS = Path(__file__).parents[1] / "out"  # of this machine, so not in the repository
SENTENCES_MAX = 100_000  # more real sentences are hardly found on a machine


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed beside other systems, in one run.")
    parser.add_argument("--full", action="store_true", help="every system, size and part")
    parser.add_argument("--sizes", default=None)
    parser.add_argument("--systems", default=None)
    parser.add_argument("--corpora", default=None, help="drawn, sentences")
    parser.add_argument("--parts", default=None, help=f"of {', '.join(PARTS)}; '' for none")
    parser.add_argument("--questions", type=int, default=None, help="of each kind")
    parser.add_argument("--store-limit", type=float, default=None, help="seconds of storing, per cell")
    parser.add_argument("--ask-limit", type=float, default=300.0, help="seconds of asking, per cell")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "simonides-bench")
    parser.add_argument("--out", type=Path, default=None, help="the results file")
    parser.add_argument("--fresh", action="store_true", help="measure again what is there; a small run always does")
    parser.add_argument("--report-only", action="store_true", help="make tables and plots from what is there")
    parser.add_argument("--remark", default="", help="a sentence that the tables begin with")
    parser.add_argument("--no-report", action="store_true", help="measure only")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    full = options.full
    fresh = options.fresh or not full
    sizes = [int(n) for n in (options.sizes or ("10000,50000,100000,1000000" if full else "1000,10000")).split(",")]
    named = ",".join(NAMES if full else MAIN) if options.systems is None else options.systems
    systems = [system for system in named.split(",") if system]
    corpora = (options.corpora or ("drawn,sentences" if full else "drawn")).split(",")
    parts = [p for p in (",".join(PARTS) if full and options.parts is None else options.parts or "").split(",") if p]
    kept = Kept(options.out or RESULTS / ("full.jsonl" if full else "small.jsonl"))
    if not options.report_only:
        options.folder.mkdir(parents=True, exist_ok=True)
        kept.add({"machine": True}, {**machine(), **limits()}, {})
        cells = [
            Cell(
                system, corpus, size, options.questions or (200 if full else 60), str(options.folder),
                options.store_limit or (1_800.0 if full else 120.0), options.ask_limit,
            )
            for corpus in corpora
            for size in sizes
            for system in systems
            if corpus == "drawn" or size <= SENTENCES_MAX
        ]  # fmt: skip
        for number, cell in enumerate(cells, 1):
            print(f"[{number}/{len(cells)}] {cell.system}, {cell.size:,} {cell.corpus} … ", end="", flush=True)
            print(run_cell(kept, cell, fresh=fresh), flush=True)
        for part in parts:
            print(f"[{part}] … ", end="", flush=True)
            print(run_part(kept, part, options.folder, fresh=fresh), flush=True)
    if options.no_report:
        return
    given = [part for part in sys.argv[1:] if part not in ("--report-only", "--remark", options.remark)]
    report.write(kept, small=not full, command=f"python -m benchmarks.speed {shlex.join(given)}", remark=options.remark)


if __name__ == "__main__":
    main()
