"""`make soak`: many seeds, thousands of events each. A failure prints the seed that repeats it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from simonides.index import shelf
from year.life import Life


def main() -> None:
    parser = argparse.ArgumentParser(description="Years in the life of a store.")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1_000)
    parser.add_argument("--events", type=int, default=5_000)
    options = parser.parse_args()
    shelf.KEPT_FROM = 5  # so that a small store keeps its catalogues too
    for seed in range(options.first, options.first + options.seeds):
        with tempfile.TemporaryDirectory() as folder:
            life = Life(seed, Path(folder, "year.db"))

            def tell(done: int, seed: int = seed) -> None:
                if done % 250 == 0:
                    print(f"seed {seed}: {done} of {options.events} events", flush=True)

            life.live(options.events, tell)
            print(f"seed {seed}: {dict(sorted(life.told.items()))}", flush=True)


if __name__ == "__main__":
    main()
