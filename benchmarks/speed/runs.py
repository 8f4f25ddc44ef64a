"""Which cells have to be measured, and which are there already? Runs them one after the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.speed.cell import KINDS, WARM, Cell, corpus_of, measure, remove
from benchmarks.speed.kept import Kept, Row
from benchmarks.speed.machine import versions
from benchmarks.speed.systems import load
from benchmarks.speed.truth import nearest

PART_LIMIT_S = 1_500.0


def run_cell(kept: Kept, cell: Cell, *, fresh: bool = False) -> str:
    """Measures a cell, unless it is kept or cannot be done in time; says in a few words what came out."""
    try:
        packages = versions(load(cell.system).PACKAGES)
    except ImportError as error:
        kept.add(key_of(cell, {}), {"error": f"not installed: {error.name or error}"}, {})
        return f"not installed ({error})"
    key = key_of(cell, packages)
    known = kept.find(key)
    if known is not None and not fresh:
        return f"kept of {known['at']}"
    late = too_long(kept, cell)
    if late:
        kept.add(key, {"error": late}, packages)
        return late
    begun, load_before = time.perf_counter(), os.getloadavg()[0]
    remove(cell.path)
    prepare_truth(cell)
    try:
        figures = measure(cell)
    finally:
        remove(cell.path)
    kept.add(key, figures | {"load": round(load_before, 1)}, packages)
    said = figures.get("error") or (
        f"stored {figures['rows_per_s']:,}/s, hybrid {figures.get('hybrid_p50_ms', '–')} ms, "
        f"text {figures.get('text_p50_ms', '–')} ms, vector {figures.get('vector_p50_ms', '–')} ms"
    )
    return f"{said} ({time.perf_counter() - begun:.0f} s)"


def key_of(cell: Cell, packages: dict[str, str]) -> Row:
    named = {"system": cell.system, "corpus": cell.corpus, "size": cell.size, "questions": cell.questions}
    return {**named, "versions": packages}


def too_long(kept: Kept, cell: Cell) -> str:
    """Why a cell need not be tried: what the next smaller size of the system took."""
    smaller = [
        row
        for row in kept
        if row["key"].get("system") == cell.system
        and row["key"].get("corpus") == cell.corpus
        and row["key"]["size"] < cell.size
    ]
    if not smaller:
        return ""
    size = max(row["key"]["size"] for row in smaller)
    figures = [row["figures"] for row in smaller if row["key"]["size"] == size][-1]
    if "error" in figures:
        return (
            str(figures["error"]) if "not tried" in figures["error"] else f"not tried: at {size:,} {figures['error']}"
        )
    expected = cell.size / figures["rows_per_s"]
    if expected > cell.store_limit_s:
        return f"not tried: storing would take {expected / 60:.0f} minutes, the limit is {cell.store_limit_s / 60:.0f}"
    return ""


def prepare_truth(cell: Cell) -> None:
    """The exact answers of every question, once per corpus and size."""
    if cell.truth.exists():
        return
    corpus = corpus_of(cell.corpus, cell.size, cell.folder)
    asked = corpus.questions(WARM + len(KINDS) * cell.questions)
    text, vector = asked[0]
    found = nearest(corpus, np.stack([vector for _, vector in asked]))
    cell.truth.write_text(json.dumps({"first": [text, vector.tolist()], "nearest": found}), "utf-8")


def run_part(kept: Kept, part: str, folder: Path, *, fresh: bool = False) -> str:
    """Measures a part of Simonides in a process of its own."""
    packages = versions(("simonides", "apsw", "numpy", "simsimd", "PyStemmer"))
    key: Row = {"part": part, "versions": packages}
    known = kept.find(key)
    if known is not None and not fresh:
        return f"kept of {known['at']}"
    begun = time.perf_counter()
    call = [sys.executable, "-m", "benchmarks.speed.parts", part, str(folder)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=False, timeout=PART_LIMIT_S, env=alone)
    except subprocess.TimeoutExpired:
        return f"stopped after {PART_LIMIT_S:.0f} s"
    if done.returncode:
        return f"failed with exit code {done.returncode}"
    kept.add(key, json.loads(done.stdout.strip().splitlines()[-1]), packages)
    return f"done ({time.perf_counter() - begun:.0f} s)"
