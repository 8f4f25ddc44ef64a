"""Where does the time of a warm `recall` go, and what does it touch? Stages, functions, statements, bytes."""

from __future__ import annotations

import cProfile
import pstats
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time

import apsw

import simonides
from benchmarks.speed.corpus import Corpus, Question
from benchmarks.speed.parts import Table
from simonides import Draft, Store

ROWS = 10_000
QUESTIONS = 100
SHOWN = 14
_WORD = re.compile(r"[a-z0-9]+")


def measure(folder: Path, size: int = ROWS) -> Table:
    path = folder / "profile.db"
    _remove(path)
    corpus = Corpus(size)
    held: Counter[str] = Counter()  # word → rows that hold it
    statements: list[tuple[int, int, int]] = []  # virtual machine steps, nanoseconds, full scan steps
    hook = _hook(statements)
    apsw.connection_hooks.append(hook)
    try:
        with simonides.open(path, embedder=False) as store:
            for block in corpus.blocks():
                held.update(word for text in block.texts for word in set(_WORD.findall(text.lower())))
                rows = zip(block.ids, block.texts, block.vectors, strict=True)
                store.remember_many([Draft(content=t, thought_id=i, vector=v) for i, t, v in rows])
        with simonides.open(path, embedder=False) as store:
            asked = corpus.questions(QUESTIONS)
            _ask_all(store, asked)
            rows, figures = _figures(store, asked, statements)
            postings = median(sum(held[term] for term in store.read_query(text).terms) for text, _ in asked)
            rows.append(["rows that hold a word of the question, counted once per word", f"{postings:,.0f}"])
    finally:
        apsw.connection_hooks.remove(hook)
    _remove(path)
    note = (
        f"Medians over {QUESTIONS} questions asked a second time. Functions: share of their own time under the "
        "profiler, which makes Python calls dearer than they are."
    )
    return Table(f"Inside a warm recall, {size:,} rows", ("what", "figure"), rows, note, figures)


def _remove(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def _hook(seen: list[tuple[int, int, int]]):
    def traced(event: dict) -> None:
        status = event["stmt_status"]
        steps, scans = status["SQLITE_STMTSTATUS_VM_STEP"], status["SQLITE_STMTSTATUS_FULLSCAN_STEP"]
        seen.append((steps, event["nanoseconds"], scans))

    def hook(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, traced)

    return hook


def _ask_all(store: Store, asked: list[Question]) -> None:
    for text, vector in asked:
        store.recall(text, query_vector=vector)


def _figures(
    store: Store, asked: list[Question], statements: list[tuple[int, int, int]]
) -> tuple[list[list[str]], dict[str, float]]:
    walls, cpus, counts, steps, stages = [], [], [], [], defaultdict(list)
    answers = []
    for text, vector in asked:
        store.log.count()  # what the log writes belongs to no question
        statements.clear()
        begun, used = perf_counter(), thread_time()
        answer = store.recall(text, query_vector=vector)
        cpus.append((thread_time() - used) * 1e3)
        walls.append((perf_counter() - begun) * 1e3)
        counts.append(len(statements))
        steps.append(sum(step for step, _, _ in statements))
        answers.append(answer)
        for stage, seconds in answer.timings.items():
            stages[stage].append(seconds * 1e3)
    calls = [_calls(store, question) for question in asked[:20]]
    logged = [store.log.get(answer.query_id) for answer in answers]
    scored = median(float(str(entry.profile["vectors_scored"])) for entry in logged if entry is not None)
    rows = [
        ["recall, wall", f"{median(walls):.2f} ms"],
        ["recall, its thread", f"{median(cpus):.2f} ms"],
        *[[f"stage “{name}”", f"{median(times):.2f} ms"] for name, times in stages.items()],
        ["statements of SQL", f"{median(counts):.0f}"],
        ["steps of SQLite's machine", f"{median(steps):,.0f}"],
        ["calls of Python functions", f"{median(c for c, _ in calls):,.0f}"],
        ["calls of built-in functions", f"{median(b for _, b in calls):,.0f}"],
        ["vectors compared", f"{scored:,.0f}"],
    ]
    figures = {"wall_ms": median(walls), "thread_ms": median(cpus), "statements": median(counts), "scored": scored}
    return rows + _functions(store, asked), figures | {"python_calls": median(c for c, _ in calls)}


def _calls(store: Store, question: Question) -> tuple[int, int]:
    """Calls of Python functions and of built-in ones during one recall of this thread."""
    seen = {"call": 0, "c_call": 0}

    def watch(_frame: object, event: str, _argument: object) -> None:
        if event in seen:
            seen[event] += 1

    sys.setprofile(watch)
    try:
        store.recall(question[0], query_vector=question[1])
    finally:
        sys.setprofile(None)
    return seen["call"], seen["c_call"]


def _functions(store: Store, asked: list[Question]) -> list[list[str]]:
    """The functions with most time of their own."""
    profile = cProfile.Profile()
    profile.enable()
    _ask_all(store, asked)
    profile.disable()
    stats = pstats.Stats(profile)
    total = stats.total_tt
    shares: dict[str, float] = defaultdict(float)
    for where, (_, _, own, _, _) in stats.stats.items():
        shares[_kind(where)] += own
    best = sorted(stats.stats.items(), key=lambda item: -item[1][2])[:SHOWN]
    grouped = sorted(shares.items(), key=lambda item: -item[1])
    return [[f"time in {kind}", f"{100 * own / total:.0f} %"] for kind, own in grouped] + [
        [f"`{_name(where)}`", f"{100 * own / total:.1f} %, {calls / len(asked):.0f} calls"]
        for where, (_, calls, own, _, _) in best
    ]


def _kind(where: tuple[str, int, str]) -> str:
    """Who spends the time: SQLite, products of vectors, numpy, a folder of the engine, or the interpreter."""
    file, _, function = where
    if "apsw" in function:
        return "SQLite"
    if "SimSIMD" in function or "simsimd" in function:
        return "products of vectors (SimSIMD)"
    if "numpy" in function or "numpy" in file:
        return "numpy"
    parts = Path(file).parts
    if "simonides" in parts:
        inside = parts[parts.index("simonides") + 1 :]
        return f"Python of {inside[0]}/" if len(inside) > 1 else "Python of the engine's front"
    return "built-in functions and the standard library"


def _name(where: tuple[str, int, str]) -> str:
    file, _, function = where
    if file == "~":
        return function.strip("<>").replace("built-in method ", "").replace("method ", "")
    parts = Path(file).parts
    inside = parts[parts.index("simonides") + 1 :] if "simonides" in parts else parts[-1:]
    return f"{'/'.join(inside)}: {function}"
