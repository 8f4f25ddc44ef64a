"""How does a store take in an export? An empty one becomes the other store, journal and all; another one merges it.

Line after line in batches, each a transaction. A killed restore notes in it how far it came and goes on there; a
killed merge begins anew and finds what it did.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from simonides.backend.port import HISTORY_FROM, Transaction
from simonides.errors import NamespaceError, SimonidesError
from simonides.exchange.put import Put, Tally
from simonides.exchange.reading import Header, Record, open_export, read_header, read_lines
from simonides.model.report import Imported, LineProblem

if TYPE_CHECKING:
    from simonides.engine import Engine

BATCH = 200  # lines of one transaction
PROBLEMS_MAX = 1_000  # that are listed; all are counted
MARK = "import"  # the key in `meta` of a restore that is not finished
Progress = Callable[[int, int], None]


@dataclass
class _Report:
    """What is known so far, outside of any transaction."""

    tally: Tally = field(default_factory=Tally)
    left_out: Counter[str] = field(default_factory=Counter)
    problems: list[LineProblem] = field(default_factory=list)
    problem_count: int = 0
    ended: bool = False

    def note(self, number: int, message: str) -> None:
        self.problem_count += 1
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(LineProblem(number, message))


def import_export(
    engine: Engine, path: str | os.PathLike[str], *, only: str | None = None, progress: Progress | None = None
) -> Imported:
    """Takes in an export. only: the one namespace that a sealed handle may write.

    A line that cannot be taken is reported with its number and skipped. Raises StoreError, InvalidThoughtError for
    a file that is not an export, NamespaceError when it holds other namespaces than a sealed handle's.
    """
    with open_export(path) as file:
        header = read_header(file)
        if only is not None and (header.whole or set(header.namespaces) - {only}):
            raise NamespaceError("this handle is sealed: it takes in its own namespace only")
        begun = _begun(engine, header)
        put = Put(engine, header, restoring=begun is not None)
        report = _Report()
        size = os.fstat(file.fileno()).st_size
        for batch in _batches(read_lines(file), begun or 0):
            _take(engine, put, batch, report)
            if progress is not None:
                progress(file.tell(), size)
    if not report.ended:
        report.note(0, "the file ends before its last line: the export was cut")
    _finish(engine, put)
    tally = report.tally
    return Imported(
        put.restoring, tally.added, tally.known, tally.edges, tally.vectors, tally.pending,
        dict(report.left_out), tuple(report.problems), report.problem_count,
    )  # fmt: skip


def _begun(engine: Engine, header: Header) -> int | None:
    """The last line of a restore that goes on, 0 for one that begins, None when this is a merge."""
    if not header.whole:
        return None
    with engine.database.snapshot() as snapshot:
        mark = snapshot.meta(MARK)
        empty = not snapshot.exchange.spaces()
    if mark is not None:
        at = json.loads(mark)
        return int(at["line"]) if at["file"] == header.mark else None
    if not empty:
        return None

    def begin(tx: Transaction) -> bool:
        if tx.exchange.spaces():
            return False
        tx.set_meta(MARK, json.dumps({"file": header.mark, "line": 0}))
        if header.history_from is not None:
            tx.set_meta(HISTORY_FROM, str(header.history_from))
        return True

    return 0 if engine.database.write(begin) else None


def _batches(records: Iterable[Record], begun: int) -> Iterator[list[Record]]:
    waiting = (record for record in records if record.number > begun)
    while batch := list(islice(waiting, BATCH)):
        yield batch


def _take(engine: Engine, put: Put, batch: list[Record], report: _Report) -> None:
    """Reads and analyses a batch, then writes it in one transaction."""
    ready = []
    for record in batch:
        if record.kind == "end":
            report.ended = True
        elif record.kind in ("journal", "seal", "kept") and not put.restoring:
            report.left_out[record.kind] += 1
        elif record.values is None:
            report.note(record.number, record.reason)
        else:
            try:
                ready.append((record.number, put.prepare(record.kind, record.values)))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                report.note(record.number, f"{record.kind or 'line'} cannot be read: {_said(error)}")
            except SimonidesError as error:
                report.note(record.number, error.message)
    tally = Tally()

    def job(tx: Transaction) -> list[LineProblem]:
        found = [LineProblem(n, said) for n, step in ready if (said := put.write(tx, step, tally)) is not None]
        put.settle(tx, {step.namespace for _, step in ready if step.namespace})
        if put.restoring:
            tx.set_meta(MARK, json.dumps({"file": put.header.mark, "line": batch[-1].number}))
        return found

    for problem in engine.database.write(job):
        report.note(problem.line, problem.message)
    report.tally = report.tally.plus(tally)


def _said(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) and error.args else str(error)


def _finish(engine: Engine, put: Put) -> None:
    """A restored store shows itself to readers at once: every namespace is at its last change from now on."""
    if not put.restoring:
        return

    def job(tx: Transaction) -> None:
        tx.exchange.finish()
        tx.exchange.drop_meta(MARK)

    engine.database.write(job)
    engine.library.clear()
