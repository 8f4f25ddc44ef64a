"""What does `import simonides` cost beside importing numpy and apsw, which nobody can do without?"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.speed.parts import Table

ROUNDS = 15
PROGRAMS = {
    "import numpy, apsw": "import numpy, apsw",
    "import simonides": "import simonides",
    "import simonides, open a store, ask": "import simonides; simonides.open(':memory:', embedder=False).recall('a')",
    "python, nothing imported": "pass",
}
_LOADED = "import sys; before = set(sys.modules); import simonides; import json; print(json.dumps(sorted(sys.modules)))"


def measure(folder: Path) -> Table:
    walls: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    cpus: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(ROUNDS):
        for name, program in PROGRAMS.items():
            cpu, wall = _cost(program)
            walls[name].append(wall * 1e3)
            cpus[name].append(cpu * 1e3)
    base = "import numpy, apsw"
    ratio = {name: median(a / b for a, b in zip(cpus[name], cpus[base], strict=True)) for name in PROGRAMS}
    rows = [
        [name, f"{median(cpus[name]):.0f}", f"{median(walls[name]):.0f}", f"{ratio[name]:.2f}"] for name in PROGRAMS
    ]
    found = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True, env=_env())
    loaded = {name.partition(".")[0] for name in json.loads(found.stdout)}
    others = sorted(name for name in loaded if name not in sys.stdlib_module_names and not name.startswith("_"))
    return Table(
        "Importing",
        ("program", "CPU ms", "wall ms", "× numpy and apsw, CPU"),
        rows,
        f"Packages outside the standard library that `import simonides` loads: {', '.join(others)}.",
        {"ratio": ratio["import simonides"]},
    )


def _env() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _cost(program: str) -> tuple[float, float]:
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, env=_env())
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter() - begun
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall
