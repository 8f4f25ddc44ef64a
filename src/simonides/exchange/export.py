"""How is everything written down? One snapshot, line after line, under its name only when it is complete."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from simonides.backend.port import HISTORY_FROM, Snapshot
from simonides.clock import to_datetime
from simonides.engine import Engine, read_model
from simonides.errors import StoreError
from simonides.exchange import lines
from simonides.exchange.partial import partial_name
from simonides.model.report import Exported

if TYPE_CHECKING:
    from simonides.backend.exchange_port import Space

PAGE = 500
Progress = Callable[[int, int], None]


def export(
    engine: Engine,
    path: str | os.PathLike[str],
    namespaces: Sequence[str] | None,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Writes namespaces (None: all, and the journal) as JSONL in an order that does not change.

    Raises StoreError when the file is there (unless `overwrite`) or cannot be written.
    """
    target = free_target(path, overwrite=overwrite)
    partial = partial_name(target)
    counts: Counter[str] = Counter()
    try:
        with open(partial, "w", encoding="ascii", newline="\n") as file, engine.database.snapshot() as snapshot:
            spaces, left_out = _scope(snapshot, namespaces)
            total = sum(snapshot.count(ns, None) for ns in spaces)
            file.write(_header(engine, snapshot, spaces, left_out, whole=namespaces is None) + "\n")
            for kind, line in _lines(snapshot, spaces, whole=namespaces is None):
                file.write(line + "\n")
                counts[kind] += 1
                if progress is not None and kind == "thought" and counts[kind] % PAGE == 0:
                    progress(counts[kind], max(total, counts[kind]))
            file.write(lines.to_text("end", {"lines": dict(counts)}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except OSError as error:
        raise StoreError(f"{target!r} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            os.unlink(partial)
    return Exported(target, dict(counts), left_out)


def free_target(path: str | os.PathLike[str], *, overwrite: bool) -> str:
    """The absolute path. Raises StoreError when a file is there already, unless it may be overwritten."""
    target = os.path.abspath(os.path.expanduser(os.fspath(path)))
    if os.path.exists(target) and not overwrite:
        raise StoreError(f"{target!r} exists", hint="choose another name, or overwrite it on purpose")
    return target


def _scope(snapshot: Snapshot, namespaces: Sequence[str] | None) -> tuple[dict[int, Space], dict[str, int]]:
    """The namespaces that are written, by number, and what is not."""
    spaces = {space.ns: space for space in snapshot.exchange.spaces()}
    left_out = snapshot.exchange.left_out()
    if namespaces is not None:
        wanted = set(namespaces)
        spaces = {ns: space for ns, space in spaces.items() if space.name in wanted}
        missing = wanted - {space.name for space in spaces.values()}
        if missing:
            raise StoreError(f"there is no namespace {sorted(missing)[0]!r}", hint="nothing was written")
        left_out["journal"] = sum(int(str(snapshot.counts(ns)["journal"])) for ns in spaces)
    return spaces, {name: count for name, count in left_out.items() if count}


def _header(
    engine: Engine, snapshot: Snapshot, spaces: dict[int, Space], left_out: dict[str, int], *, whole: bool
) -> str:
    text = snapshot.meta("model")
    model = None if text is None else read_model(text)
    values: dict[str, object] = {
        "format": lines.FORMAT,
        "version": lines.FORMAT_VERSION,
        "id": os.urandom(8).hex(),
        "exported_at": to_datetime(engine.clock()).isoformat(),
        "whole": whole,
        "namespaces": [space.name for space in spaces.values()],
        "model": None
        if model is None
        else {"id": model.model_id, "dimension": model.dimension, "fingerprint": model.fingerprint},
        "left_out": left_out,
    }
    since = snapshot.meta(HISTORY_FROM)
    if whole and since is not None:
        values["history_from"] = int(since)
    return lines.to_text("header", values)


def _lines(snapshot: Snapshot, spaces: dict[int, Space], *, whole: bool) -> Iterator[tuple[str, str]]:
    """(kind, line), in the order in which a store can take them in."""
    reader = snapshot.exchange
    yield from (("namespace", lines.space_line(space)) for space in spaces.values())
    if whole:
        yield from (("seal", lines.seal_line(seal)) for seal in snapshot.chain.seals())
        yield from (("kept", lines.kept_line(row)) for row in snapshot.chain.kept())
    seal = snapshot.chain.pruned()
    last = 0 if seal is None else seal.last_seq
    while whole and (changes := snapshot.changes(None, last, PAGE)):
        yield from (("journal", lines.journal_line(row)) for row in changes)
        last = changes[-1].seq
    last = 0
    while thoughts := reader.thoughts(last, PAGE):
        for thought in thoughts:
            if thought.ns in spaces:
                yield "thought", lines.thought_line(spaces[thought.ns].name, thought)
        last = thoughts[-1].tid
    for session in reader.sessions():
        if session.ns in spaces:
            yield "session", lines.session_line(spaces[session.ns].name, session)
    for alias in reader.aliases():
        if alias.ns in spaces:
            yield "alias", lines.alias_line(spaces[alias.ns].name, alias)
    for topic in reader.user_topics():
        if topic.ns in spaces:
            yield "topic", lines.topic_line(spaces[topic.ns].name, topic)
    last = 0
    while edges := reader.edges(last, PAGE):
        for edge in edges:
            if edge.ns in spaces:
                yield "edge", lines.edge_line(spaces[edge.ns].name, edge)
        last = edges[-1].eid
    at = (0, "", 0)
    while past := reader.past_edges(at, PAGE):
        for was in past:
            if was.edge.ns in spaces:
                yield "past_edge", lines.past_edge_line(spaces[was.edge.ns].name, was)
        at = (past[-1].edge.ns, past[-1].edge.edge_id, past[-1].until)
    last = 0
    while conflicts := reader.conflicts(last, PAGE):
        for conflict in conflicts:
            if conflict.ns in spaces:
                yield "conflict", lines.conflict_line(spaces[conflict.ns].name, conflict)
        last = conflicts[-1].cid
