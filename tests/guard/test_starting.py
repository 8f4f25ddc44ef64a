"""How much does a command load before it does anything? Modules are counted, not seconds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import fill, process

import simonides

COUNT = """
import json, sys
from simonides.faces.cli.run import run
code = run(sys.argv[1:])
names = set(sys.modules)
own = sum(name.split(".")[0] == "simonides" for name in names)
heavy = {"numpy", "rich", "asyncio", "logging", "tomllib", "yaml", "urllib.request", "mcp", "apsw.unicode", "typer"}
sys.stderr.write("\\n" + json.dumps([code, len(names), own, sorted(heavy & names)]))
"""
BUDGETS = {  # command: modules of the package at most
    ("--help",): 16,
    ("recall", "--help"): 20,
    ("get", "a"): 66,
    ("list",): 70,
    ("stats",): 70,
    ("history", "a"): 73,
    ("edges",): 65,
    ("log",): 78,
    ("jobs", "list"): 68,
    ("changes",): 69,
    ("link", "a", "b"): 75,
    ("archive", "a"): 79,
    ("edit", "a", "--priority", "P1"): 79,
    ("forget", "b", "--reason", "asked for"): 77,
}


@pytest.mark.parametrize("arguments", BUDGETS, ids=" ".join)
def test_a_light_command_loads_little(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Neither numpy nor what is needed to analyse a text; the standard library is counted for --help and get alone."""
    for name in "ab":
        fill(tmp_path, "the pot is blue", thought_id=name)
    done = process(tmp_path, "-c", COUNT, *arguments)
    code, modules, own, heavy = json.loads(done.stderr.splitlines()[-1])
    assert (code, heavy) == (0, []), done.stderr
    assert 0.8 * BUDGETS[arguments] < own <= BUDGETS[arguments]
    if arguments == ("get", "a"):
        assert modules <= 200


@pytest.mark.parametrize("statement", ["import simonides", "from simonides import Thought, open"])
def test_the_package_itself_loads_neither_numpy_nor_the_engine(tmp_path: Path, statement: str) -> None:
    script = f"{statement}; import sys; print(sorted({{'numpy', 'simonides.read.recall'}} & set(sys.modules)))"
    done = process(tmp_path, "-c", script)
    assert (done.returncode, done.stdout) == (0, b"[]\n"), done.stderr


def test_opening_a_store_and_reading_a_row_needs_no_numpy(tmp_path: Path) -> None:
    fill(tmp_path, "the pot is blue", thought_id="a")
    script = (
        "import sys, simonides\n"
        "with simonides.open('simonides.db') as store:\n"
        "    assert store.get_thought('a').content == 'the pot is blue'\n"
        "    print('numpy' in sys.modules)"
    )
    done = process(tmp_path, "-c", script)
    assert (done.returncode, done.stdout) == (0, b"False\n"), done.stderr


def test_a_question_loads_no_masked_arrays(tmp_path: Path) -> None:
    """`numpy.unique` and its kin load them when they are called first, which takes 30 ms."""
    with simonides.open(tmp_path / "simonides.db") as store:
        for n in range(40):
            store.remember(f"pot number {n} is blue", thought_id=f"p{n}")
        store.topics.rebalance()
    script = (
        "import sys, simonides\n"
        "with simonides.open('simonides.db') as store:\n"
        "    print(store.recall('number 7').trees, 'numpy.ma' in sys.modules)"
    )
    done = process(tmp_path, "-c", script)
    assert (done.returncode, done.stdout) == (0, b"{'default': 1} False\n"), done.stderr
