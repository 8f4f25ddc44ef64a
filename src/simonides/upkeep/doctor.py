"""Is a store well, and what can be done when it is not? Looks at everything, mends what is derived, saves what is left.

A file that SQLite cannot read, or whose log is not its own, is never written to.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from simonides.backend.sqlite.connect import FileSettings, resolve
from simonides.backend.sqlite.database import SqliteDatabase
from simonides.backend.sqlite.salvage import Salvage
from simonides.config import Config
from simonides.engine import Engine, read_model
from simonides.errors import StoreBusyError, StoreError, StoreReadOnlyError, StoreTooNewError
from simonides.index.passages import passages_of
from simonides.model.report import Diagnosis
from simonides.model.trail import Problem
from simonides.upkeep.kept import wrong_catalogues, wrong_trees
from simonides.upkeep.reindex import rebuild

if TYPE_CHECKING:
    from simonides.backend.port import Transaction

MENDED = (
    "indexes of SQLite",
    "full text",
    "postings",
    "passages",
    "vectors' marks",
    "orphans",
    "topic trees",
    "catalogues",
)


def examine(path: str | os.PathLike[str], *, mend: bool = False, config: Config | None = None) -> Diagnosis:
    """Checks file, indexes, counts, orphans, circles, journal, vectors and trees of a store.

    mend: makes every index and everything else that is derived anew from the rows; rows themselves stay as they
    are. Raises StoreError for a file that is not there, StoreBusyError.
    """
    name = resolve(path)
    if not os.path.isfile(name):
        raise StoreError(f"{name!r} is not a file", hint="give the file of a store")
    settings = config or Config()
    try:
        engine = _open(name, settings, writing=mend)
    except StoreBusyError:
        raise
    except StoreError as error:
        return _refused(name, error)
    try:
        done = _mend(engine) if mend else ()
        return _look(engine, name, done)
    except StoreBusyError:
        raise
    except StoreError as error:
        return _refused(name, error)
    finally:
        engine.database.close()


def _open(name: str, settings: Config, *, writing: bool) -> Engine:
    files = FileSettings(settings.store.busy_timeout_s, settings.store.synchronous, settings.store.cache_mb)
    return Engine(SqliteDatabase(name, files, read_only=not writing), settings, None, False, owner="doctor")


def _look(engine: Engine, name: str, done: tuple[str, ...]) -> Diagnosis:
    with engine.database.snapshot() as snapshot:
        problems = snapshot.check()
        model = snapshot.meta("model")
        dimension = None if model is None else read_model(model).dimension
        problems += snapshot.doctor.problems(dimension)
        problems += [
            Problem("catalogue", str(ns), "what is kept of the namespace's columns is not what its rows say")
            for ns in wrong_catalogues(snapshot)
        ]
        problems += [
            Problem("topics", str(ns), "what is kept of the namespace's topic tree is not what its rows say")
            for ns in wrong_trees(snapshot)
        ]
        facts: dict[str, int | str] = dict(snapshot.doctor.facts())
        stored = snapshot.meta("analysis")
        for key, what in (
            ("import", "a restore is not finished"),
            ("model_next", "a change of the model is not finished"),
        ):
            if snapshot.meta(key) is not None:
                problems.append(Problem("unfinished", key, what))
    if stored != engine.analyzer.signature:
        problems.append(Problem("fulltext", "analysis", "the text index was made with other rules; opening remakes it"))
    hint = None
    if problems:
        hint = "`doctor --repair` makes indexes and derived rows anew; rows that are lost come from a backup"
    return Diagnosis(name, True, facts, tuple(problems), done, hint)


def _refused(name: str, error: StoreError) -> Diagnosis:
    facts: dict[str, int | str] = {"bytes": os.path.getsize(name)}
    if isinstance(error, StoreReadOnlyError):  # of an earlier version, or a file that may not be written
        return Diagnosis(name, False, facts, (Problem("file", Path(name).name, error.message),), (), error.hint)
    facts |= _readable(name)
    saved = facts.get("readable_thoughts", 0)
    if isinstance(error, StoreTooNewError):
        hint = error.hint or "upgrade simonides"
        return Diagnosis(name, False, facts, (Problem("file", Path(name).name, error.message),), (), hint)
    hint = "restore a backup"
    if saved:
        hint += f", or save {saved} thoughts with `doctor --salvage OUT.jsonl`"
    return Diagnosis(name, False, facts, (Problem("file", Path(name).name, error.message),), (), hint)


def _readable(name: str) -> Mapping[str, int]:
    """How many thoughts and revisions could be salvaged, and how many revisions not."""
    with Salvage(name) as found:
        revisions = [len(thought.versions) for thought in found.thoughts()]
    return {"readable_thoughts": len(revisions), "readable_revisions": sum(revisions), "lost_revisions": found.lost}


def _mend(engine: Engine) -> tuple[str, ...]:
    """One transaction: when it fails, nothing was changed."""

    def job(tx: Transaction) -> None:
        model = tx.meta("model")
        tx.doctor.reindex()
        tx.doctor.mend(None if model is None else read_model(model).dimension)
        for thought in list(tx.doctor.bare()):
            passages = passages_of(thought.content, thought.essence, thought.speaker, engine.analyzer)
            tx.add_passages(thought.ns, thought.tid, thought.seq, passages)
        rebuild(engine, tx)
        tx.set_meta("analysis", engine.analyzer.signature)
        for ns in tx.namespaces():
            tx.topics.clear(ns)

    engine.database.write(job)
    engine.library.clear()
    return MENDED
