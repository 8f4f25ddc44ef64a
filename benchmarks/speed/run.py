"""How fast is a system on a corpus? Building and asking run in processes of their own, so that memory and a cold
open are honest."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.speed.corpus import Corpus
from benchmarks.speed.systems import open_system

WARM = 5  # questions asked before the clock runs
BUDGET_S = 30.0  # per kind of question, for slow systems


def measure(system: str, size: int, questions: int, folder: Path) -> dict[str, object]:
    """Both phases of one system at one size; an `error` where a phase failed."""
    path = folder / f"{system}-{size}.db"
    for old in folder.glob(f"{system}-{size}.db*"):
        old.unlink()
    found: dict[str, object] = {"system": system, "size": size}
    for phase in ("build", "ask"):
        call = [sys.executable, "-m", "benchmarks.speed.run", phase, system, str(size), str(questions), str(path)]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            found["error"] = lines[-1] if lines else f"exit {done.returncode}"
            break
        found |= json.loads(done.stdout.strip().splitlines()[-1])
    return found


def build(system: str, size: int, path: str) -> dict[str, object]:
    """Stores the corpus block by block: rows per second of wall and of processor time, file size, memory."""
    corpus = Corpus(size)
    store = open_system(system, path)
    wall, cpu = 0.0, 0.0
    for block in corpus.blocks():
        begun, used = time.perf_counter(), time.process_time()
        store.store(block)
        wall, cpu = wall + time.perf_counter() - begun, cpu + time.process_time() - used
    store.close()
    file = sum(os.path.getsize(p) for p in (path, f"{path}-wal") if os.path.exists(p))
    return {
        "rows_per_s": round(size / wall),
        "rows_per_cpu_s": round(size / cpu),
        "file_mb": round(file / 1e6, 1),
        "build_rss_mb": _memory_mb(),
    }


def ask(system: str, size: int, count: int, path: str) -> dict[str, object]:
    """A cold first answer, then medians and 95th percentiles of every kind of question."""
    asked = Corpus(size).questions(count)
    begun = time.perf_counter()
    store = open_system(system, path)
    store.hybrid(*asked[0])
    found: dict[str, object] = {"first_answer_ms": round((time.perf_counter() - begun) * 1e3, 1)}
    kinds: dict[str, Callable[[int], Sequence[str]]] = {
        "hybrid": lambda n: store.hybrid(*asked[n]),
        "text": lambda n: store.text(asked[n][0]),
        "vector": lambda n: store.vector(asked[n][1]),
    }
    for kind, call in kinds.items():
        for n in range(min(WARM, count)):
            call(n)
        found |= {f"{kind}_{name}": value for name, value in _timed(call, count).items()}
    found["ask_rss_mb"] = _memory_mb()
    store.close()
    return found


def _timed(call: Callable[[int], object], count: int) -> dict[str, float]:
    times: list[float] = []
    used, end = time.process_time(), time.perf_counter() + BUDGET_S
    for n in range(count):
        begun = time.perf_counter()
        call(n)
        times.append((time.perf_counter() - begun) * 1e3)
        if time.perf_counter() > end:
            break
    cpu = (time.process_time() - used) / len(times) * 1e3
    times.sort()
    return {
        "p50_ms": round(times[len(times) // 2], 2),
        "p95_ms": round(times[min(len(times) - 1, int(len(times) * 0.95))], 2),
        "cpu_ms": round(cpu, 2),
        "asked": len(times),
    }


def _memory_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def main(argv: Sequence[str]) -> None:
    phase, system, size, count, path = argv
    found = build(system, int(size), path) if phase == "build" else ask(system, int(size), int(count), path)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
