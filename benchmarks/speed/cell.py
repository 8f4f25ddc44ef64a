"""What does one system cost at one size? Storing and asking run in processes of their own, so that memory and a cold
open are honest. Both print one JSON object as their last line.

Before the clock runs and memory is read, a process does everything once with a few rows of its own: what a system
imports late, as most do, is in no figure but that of `start`, a process that opens the store, asks once and ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

from benchmarks.speed.corpus import Corpus, Question, Rows
from benchmarks.speed.systems import System, load
from benchmarks.speed.truth import found_share

WARM = 10  # questions of other rows, asked before the clock runs
THROWAWAY = 64  # rows of the store that everything is done with once
BUDGET_S = 15.0  # per kind of question and pass, for slow systems
KINDS = ("hybrid", "text", "vector")


@dataclass(frozen=True, slots=True)
class Cell:
    """One measurement. folder: where stores and texts are kept; limits: seconds of one phase."""

    system: str
    corpus: str
    size: int
    questions: int
    folder: str
    store_limit_s: float
    ask_limit_s: float

    @property
    def path(self) -> Path:
        return Path(self.folder) / f"{self.system}-{self.corpus}-{self.size}.db"

    @property
    def truth(self) -> Path:
        return Path(self.folder) / f"truth-{self.corpus}-{self.size}-{self.questions}.json"


def corpus_of(name: str, size: int, folder: str) -> Rows:
    """The corpus of that name: `drawn`, or `sentences` of this machine."""
    if name == Corpus.name:
        return Corpus(size)
    from benchmarks.speed.realtext import RealText

    return RealText(size, Path(folder))


def measure(cell: Cell) -> dict[str, object]:
    """Both phases; `error` says what a system could not do."""
    found: dict[str, object] = {}
    for phase, limit in (("store", cell.store_limit_s), ("start", cell.ask_limit_s), ("ask", cell.ask_limit_s)):
        call = [sys.executable, "-m", "benchmarks.speed.cell", phase, json.dumps(asdict(cell))]
        alone = {**os.environ, "OMP_NUM_THREADS": "1"}
        begun = time.perf_counter()
        try:
            done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=limit, env=alone)
        except subprocess.TimeoutExpired:
            return found | {"error": f"stopped after {limit:.0f} s of {'storing' if phase == 'store' else 'asking'}"}
        took = time.perf_counter() - begun
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            return found | {"error": lines[-1][:200] if lines else f"exit {done.returncode}"}
        found |= json.loads(done.stdout.strip().splitlines()[-1])
        if phase == "start":
            found["start_ms"] = round(took * 1e3)
    return found


def store(cell: Cell) -> dict[str, object]:
    """Stores the corpus block by block: rows per second of wall and of processor time, disk, memory."""
    system = load(cell.system)
    corpus = corpus_of(cell.corpus, cell.size, cell.folder)
    rehearse(system, cell)
    memory = Memory()
    made: System = system.open(str(cell.path), corpus.dimension)
    wall, cpu = 0.0, 0.0
    for block in corpus.blocks():
        begun, used = time.perf_counter(), time.process_time()
        made.store(block)
        wall, cpu = wall + time.perf_counter() - begun, cpu + time.process_time() - used
    begun, used = time.perf_counter(), time.process_time()
    if hasattr(made, "finish"):
        made.finish()
    made.close()
    wall, cpu = wall + time.perf_counter() - begun, cpu + time.process_time() - used
    return {
        "rows": corpus.size,
        "rows_per_s": round(corpus.size / wall),
        "rows_per_cpu_s": round(corpus.size / cpu),
        "disk_mb": round(disk_bytes(cell.path) / 1e6, 1),
        "store_mb": memory.grown_mb(),
    }


def rehearse(system: ModuleType, cell: Cell) -> None:
    """Opens, stores, asks and closes with a few rows, then throws them away."""
    path = Path(f"{cell.path}-rehearsal.db")
    corpus = Corpus(THROWAWAY)
    made: System = system.open(str(path), corpus.dimension)
    for block in corpus.blocks():
        made.store(block)
    if hasattr(made, "finish"):
        made.finish()
    for kind in KINDS:
        if hasattr(made, kind):
            caller(made, kind)(corpus.questions(1)[0])
    made.close()
    remove(path)


def remove(path: Path) -> None:
    """A store, whatever it consists of."""
    for part in path.parent.glob(f"{path.name}*"):
        shutil.rmtree(part) if part.is_dir() else part.unlink()


def start(cell: Cell) -> dict[str, object]:
    """Opens the store, asks once, and ends: what a program that is started for one question costs."""
    text, vector = json.loads(cell.truth.read_text("utf-8"))["first"]
    made: System = load(cell.system).open(str(cell.path), len(vector))
    kinds = [kind for kind in KINDS if hasattr(made, kind)]
    caller(made, kinds[0])((text, np.array(vector, np.float32)))
    made.close()
    return {}


def disk_bytes(path: Path) -> int:
    """Bytes of a file with its companions, or of a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*") if file.suffix != ".yaml")


def ask(cell: Cell) -> dict[str, object]:
    """A cold first answer, then two passes of every kind of question that the system can answer.

    Each kind has questions of its own: the first pass meets each for the first time, the second all again.
    """
    system = load(cell.system)
    corpus = corpus_of(cell.corpus, cell.size, cell.folder)
    asked = corpus.questions(WARM + len(KINDS) * cell.questions)
    truth = json.loads(cell.truth.read_text("utf-8"))["nearest"]
    rehearse(system, cell)
    memory = Memory()
    begun, used = time.perf_counter(), time.process_time()
    made: System = system.open(str(cell.path), corpus.dimension)
    kinds = [kind for kind in KINDS if hasattr(made, kind)]
    first = caller(made, kinds[0])
    first(asked[0])
    found: dict[str, object] = {
        "first_answer_ms": round((time.perf_counter() - begun) * 1e3, 1),
        "first_answer_cpu_ms": round((time.process_time() - used) * 1e3, 1),
    }
    for kind in kinds:
        call = caller(made, kind)
        for question in asked[:WARM]:
            call(question)
        start = WARM + KINDS.index(kind) * cell.questions
        own, nearest = asked[start : start + cell.questions], truth[start : start + cell.questions]
        if hasattr(made, "stages"):
            made.stages()
        timed, answers = passed(call, own)
        found |= {f"{kind}_{name}": value for name, value in timed.items()}
        if hasattr(made, "stages") and kind == "hybrid":
            found["stages_ms"] = made.stages()
        again, _ = passed(call, own[: len(answers)])
        found |= {f"{kind}_again_{name}": value for name, value in again.items()}
        if kind != "text":
            found[f"{kind}_recall"] = round(found_share(answers, nearest), 4)
    found["ask_mb"] = memory.grown_mb()
    made.close()
    return found


def caller(system: System, kind: str) -> Callable[[Question], list[str]]:
    if kind == "text":
        return lambda question: system.text(question[0])
    if kind == "vector":
        return lambda question: system.vector(question[1])
    return lambda question: system.hybrid(*question)


def passed(
    call: Callable[[Question], list[str]], questions: Sequence[Question]
) -> tuple[dict[str, float], list[list[str]]]:
    """Asks each once, until the budget of time is used up: figures in milliseconds, and the answers."""
    walls: list[float] = []
    cpus: list[float] = []
    own: list[float] = []  # of the calling thread
    answers: list[list[str]] = []
    end = time.perf_counter() + BUDGET_S
    for question in questions:
        begun, used, thread = time.perf_counter(), time.process_time(), time.thread_time()
        answers.append(call(question))
        own.append((time.thread_time() - thread) * 1e3)
        cpus.append((time.process_time() - used) * 1e3)
        walls.append((time.perf_counter() - begun) * 1e3)
        if time.perf_counter() > end:
            break
    walls.sort()
    cpus.sort()
    own.sort()
    return {
        "p50_ms": round(walls[len(walls) // 2], 3),
        "p95_ms": round(walls[min(len(walls) - 1, int(len(walls) * 0.95))], 3),
        "cpu_ms": round(cpus[len(cpus) // 2], 3),
        "thread_ms": round(own[len(own) // 2], 3),
        "cpu_mean_ms": round(sum(cpus) / len(cpus), 3),
        "asked": len(walls),
    }, answers


class Memory:
    """How much the process grew since this was made, at its highest. Pages of mapped files that were read count."""

    def __init__(self) -> None:
        with contextlib.suppress(OSError):  # Linux forgets the mark on request; elsewhere imports may hide a little
            Path("/proc/self/clear_refs").write_text("5")
        self._before = _peak_mb()

    def grown_mb(self) -> float:
        return round(_peak_mb() - self._before, 1)


def _peak_mb() -> float:
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main(argv: Sequence[str]) -> None:
    phase, given = argv
    cell = Cell(**json.loads(given))
    print(json.dumps({"store": store, "start": start, "ask": ask}[phase](cell)))


if __name__ == "__main__":
    main(sys.argv[1:])
