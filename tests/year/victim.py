"""A process that does events until somebody kills it: `python victim.py STORE NOW EMBEDDER`, events on stdin."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(path: str, now: int, embedder: str) -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    import simonides
    from year.events import Event, perform

    events = [Event(*line) for line in json.load(sys.stdin)]
    store = simonides.open(path, embedder=embedder, clock=lambda: now, config={"store": {"synchronous": "NORMAL"}})
    print("ready", flush=True)
    for event in events:
        perform(store, event)
        print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
