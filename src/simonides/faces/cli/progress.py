"""How does long work show that it goes on? A bar on a terminal; in a pipe nothing, so that logs stay clean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from simonides.faces.cli.screen import note

Advance = Callable[[int, int | None], None]
"""Told what is done and, when it is known, of how much."""
Stage = Callable[[str, int, int], None]
"""Told which stage it is as well."""


@contextmanager
def shown(label: str) -> Iterator[Advance]:
    """A bar on standard error while the block runs; it vanishes afterwards."""
    with staged(label) as tell:
        yield lambda done, total: tell("", done, total or 0)


@contextmanager
def staged(label: str) -> Iterator[Stage]:
    """The same for work in stages, whose names stand behind the label. total 0: not known."""
    if not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=None)

        def tell(stage: str, done: int, total: int) -> None:
            progress.update(task, description=f"{label} {stage}".strip(), completed=done, total=total or None)

        yield tell


@contextmanager
def late(label: str) -> Iterator[Stage]:
    """The same for work that is seldom needed: nothing is loaded or shown before the first word. A pipe gets a line."""
    with ExitStack() as stack:
        told: list[Stage] = []

        def tell(stage: str, done: int, total: int) -> None:
            if not told:
                if not sys.stderr.isatty():
                    note(label)
                told.append(stack.enter_context(staged(label)))
            told[0](stage, done, total)

        yield tell
