"""On what was measured? Versions, cores, and what this machine's memory, disk and threads allow at best.

`python -m benchmarks.speed.machine` prints both.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import apsw
import numpy as np
import simsimd

import simonides

ROUNDS = 15


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Distribution → version; simonides with a digest of its source, as a checkout has no version of its own."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
        if name == "simonides":
            found[name] += f"+{source_digest()}"
    return found


def source_digest() -> str:
    """Eight digits that change with the code of the engine."""
    digest = hashlib.sha256()
    folder = Path(simonides.__file__).parent
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".py", ".sql", ".npz") and "faces" not in file.parts:
            digest.update(file.relative_to(folder).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def machine() -> dict[str, str]:
    """What the figures depend on beside the systems themselves."""
    return {
        "cores": str(os.cpu_count()),
        "processor": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "numpy": np.__version__,
        "threads of numpy": "1",
    }


def limits() -> dict[str, float]:
    """What no program on this machine can beat with one thread. The fastest of some rounds: others may be at work."""
    rows = np.ones(64 << 20, np.float32)  # 256 MB: far more than the caches
    target = np.empty_like(rows)
    matrix, query = rows[: 384 * 100_000].reshape(-1, 384), np.ones(384, np.float32)
    small = np.random.default_rng(1).integers(-127, 127, (1_000, 384)).astype(np.int8)
    code = small[0].copy()
    return {
        "read GB/s": round(rows.nbytes / 1e9 / seconds(lambda: rows @ rows), 2),
        "copy GB/s": round(2 * rows.nbytes / 1e9 / seconds(lambda: np.copyto(target, rows)), 2),
        "100,000 × 384 float32 products ms": round(seconds(lambda: matrix @ query) * 1e3, 2),
        "1,000 × 384 int8 products in cache ms": round(seconds(lambda: simsimd.dot(small, code)) * 1e3, 4),
        "thread hop and back µs": round(hop_us(), 1),
        **sqlite_limits(),
    }


def seconds(call: Callable[[], object]) -> float:
    """The fastest of some rounds, after one that is not counted."""
    call()
    found = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        call()
        found.append(time.perf_counter() - begun)
    return min(found)


def hop_us() -> float:
    """To another thread and back through two queues."""
    there: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    back: queue.SimpleQueue[int] = queue.SimpleQueue()

    def echo() -> None:
        while (value := there.get()) is not None:
            back.put(value)

    def hop() -> None:
        there.put(1)
        back.get()

    thread = threading.Thread(target=echo)
    thread.start()
    found = seconds(lambda: [hop() for _ in range(1_000)])
    there.put(None)
    thread.join()
    return found * 1e6 / 1_000


def sqlite_limits() -> dict[str, float]:
    """One row by key, an empty read transaction, and a durable commit of one small row."""
    with tempfile.TemporaryDirectory() as folder:
        db = apsw.Connection(str(Path(folder) / "limits.db"))
        for setting in ("journal_mode = WAL", "synchronous = FULL"):
            db.execute(f"PRAGMA {setting}").fetchall()
        db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v)")
        with db:
            db.executemany("INSERT INTO t VALUES (?, ?)", ((n, "x" * 100) for n in range(10_000)))

        def look() -> None:
            for n in range(0, 10_000, 10):
                db.execute("SELECT v FROM t WHERE k = ?", (n,)).fetchall()

        def opened() -> None:
            for _ in range(1_000):
                db.execute("BEGIN")
                db.execute("SELECT 1 FROM t WHERE k = 1").fetchall()
                db.execute("COMMIT")

        def commit() -> None:
            for _ in range(20):
                db.execute("UPDATE t SET v = v || 'x' WHERE k = 5")

        found = {
            "row by key µs": round(seconds(look) * 1e3, 1),
            "read transaction µs": round(seconds(opened) * 1e3, 1),
            "durable commit µs": round(seconds(commit) * 1e6 / 20, 0),
        }
        db.close()
    return found


if __name__ == "__main__":
    print(json.dumps({**machine(), **limits()}, indent=1))
