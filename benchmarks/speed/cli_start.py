"""`python -m benchmarks.speed.cli_start [--rounds 15]`: what does it cost to start the command line?

Each command in turns with `python -c "import apsw, typer"`, the smallest program that could be of use; typer is the
yardstick only, the command line stands on click. Given are the ratio of the two smallest processor times, which others
on the machine disturb least, and the medians of the ratios. The limit holds for every command that reads or relabels
rows; `remember` and `recall` load numpy, the indexes and the embedder as well and are shown beside them. Ends with exit
code 1 above the limit.
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
LIGHT: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "--version": ("--version",),
    "recall --help": ("recall", "--help"),
    "get": ("get", "seat"),
    "list": ("list",),
    "stats": ("stats",),
    "history": ("history", "seat"),
    "edges": ("edges",),
    "log": ("log",),
    "jobs list": ("jobs", "list"),
    "changes": ("changes",),
    "link": ("link", "seat", "key"),
    "archive": ("archive", "key"),
    "forget": ("forget", "no-such", "--reason", "measured"),
}
HEAVY: dict[str, tuple[str, ...]] = {"remember": ("remember", "Ben owns a bike"), "recall": ("recall", "which seat?")}


def cost(arguments: tuple[str, ...], folder: str) -> tuple[float, float]:
    """Processor seconds and seconds on the clock of one process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, took


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Command → figures: the smallest in milliseconds, and ratios to the yardstick."""
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("seat", "Ana prefers window seats on trains"), ("key", "The key is under the pot")):
            cost((*SIMONIDES, "remember", text, "--id", name), folder)
        assert (Path(folder) / "simonides.db").exists()
        for name, words in (LIGHT | HEAVY).items():
            arguments = (*SIMONIDES, *words)
            cost(arguments, folder)  # the first one fills the caches of the file system
            pairs = [(cost(arguments, folder), cost(YARDSTICK, folder)) for _ in range(rounds)]
            ours, theirs = min(ours[0] for ours, _ in pairs), min(theirs[0] for _, theirs in pairs)
            figures[name] = {
                "cpu_ms": 1e3 * ours,
                "yardstick_cpu_ms": 1e3 * theirs,
                "cpu_ratio": ours / theirs,
                "median_ratio": statistics.median(ours[0] / theirs[0] for ours, theirs in pairs),
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
        print(f"{'simonides':<16}{'cpu ms':>8}{'yardstick':>11}{'cpu ratio':>11}{'median ratio':>14}")
        for name, row in figures.items():
            print(
                f"{name:<16}{row['cpu_ms']:>8.0f}{row['yardstick_cpu_ms']:>11.0f}"
                f"{row['cpu_ratio']:>11.2f}{row['median_ratio']:>14.2f}"
            )
        print(f"limit {LIMIT_RATIO} for all but {' and '.join(HEAVY)}")
    if any(figures[name]["cpu_ratio"] > LIMIT_RATIO for name in LIGHT):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
