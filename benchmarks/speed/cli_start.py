"""`python -m benchmarks.speed.cli_start [--rounds 15]`: what does it cost to start the command line?

Each command in turns with `python -c "import apsw, typer"`, the smallest program that could be of use. Of each round
the ratio of the two, of all rounds the median, in processor time and on the clock. The limit holds for --help and
--version; `get` opens a store as well and is shown beside them. Ends with exit code 1 above the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

YARDSTICK = ("-c", "import apsw, typer")
SIMONIDES = ("-m", "simonides.faces.cli")
LIMIT_RATIO = 2.0
LIMITED = ("--help", "--version")


def cost(arguments: tuple[str, ...], folder: str) -> tuple[float, float]:
    """Processor seconds and seconds on the clock of one process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, took


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Command → figures: medians in milliseconds, and ratios to the yardstick."""
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        commands: dict[str, tuple[str, ...]] = {
            "--help": (*SIMONIDES, "--help"),
            "--version": (*SIMONIDES, "--version"),
            "recall --help": (*SIMONIDES, "recall", "--help"),
            "get": (*SIMONIDES, "get", "seat"),
        }
        cost((*SIMONIDES, "remember", "Ana prefers window seats on trains", "--id", "seat"), folder)
        assert (Path(folder) / "simonides.db").exists()
        for name, arguments in commands.items():
            cost(arguments, folder)  # the first one fills the caches of the file system
            pairs = [(cost(arguments, folder), cost(YARDSTICK, folder)) for _ in range(rounds)]
            figures[name] = {
                "cpu_ms": 1e3 * statistics.median(ours[0] for ours, _ in pairs),
                "yardstick_cpu_ms": 1e3 * statistics.median(theirs[0] for _, theirs in pairs),
                "cpu_ratio": statistics.median(ours[0] / theirs[0] for ours, theirs in pairs),
                "wall_ratio": statistics.median(ours[1] / theirs[1] for ours, theirs in pairs),
            }
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="Start of the command line.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("SIMONIDES")]:
        del os.environ[name]
    os.environ["PYTHONDONTWRITEBYTECODE"] = ""
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parents[2] / "src")
    figures = measure(options.rounds)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        print(f"{'simonides':<16}{'cpu ms':>8}{'yardstick':>11}{'cpu ratio':>11}{'wall ratio':>12}")
        for name, row in figures.items():
            print(
                f"{name:<16}{row['cpu_ms']:>8.0f}{row['yardstick_cpu_ms']:>11.0f}"
                f"{row['cpu_ratio']:>11.2f}{row['wall_ratio']:>12.2f}"
            )
        print(f"limit {LIMIT_RATIO} for {' and '.join(LIMITED)}")
    if any(figures[name]["cpu_ratio"] > LIMIT_RATIO for name in LIMITED):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
