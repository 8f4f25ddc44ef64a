"""How is what is left of a damaged store saved? As an export that another store takes in; the file stays untouched."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress

from simonides.backend.exchange_port import StoredEdge
from simonides.backend.sqlite.salvage import Salvage
from simonides.clock import system_clock, to_datetime
from simonides.engine import read_model
from simonides.errors import StoreDamagedError, StoreError
from simonides.exchange import lines
from simonides.exchange.export import free_target
from simonides.exchange.partial import partial_name
from simonides.model.report import Exported


def salvage(path: str | os.PathLike[str], target: str | os.PathLike[str], *, overwrite: bool = False) -> Exported:
    """Writes every thought that can be read, revision by revision, past what is broken.

    left_out says how many revisions could not. Raises StoreDamagedError when nothing can be read, and leaves no file;
    StoreError when it cannot be written.
    """
    name = os.path.abspath(os.path.expanduser(os.fspath(path)))
    place = free_target(target, overwrite=overwrite)
    part = partial_name(place)  # what an earlier one wrote stays until this one has something
    counts: Counter[str] = Counter()
    try:
        with Salvage(name) as found, open(part, "w", encoding="ascii", newline="\n") as file:
            spaces, text = found.namespaces(), found.model()
            model = None if text is None else read_model(text)
            header = {
                "format": lines.FORMAT,
                "version": lines.FORMAT_VERSION,
                "id": "salvage",
                "exported_at": to_datetime(system_clock()).isoformat(),
                "whole": False,
                "namespaces": sorted(spaces.values()),
                "model": None
                if model is None
                else {"id": model.model_id, "dimension": model.dimension, "fingerprint": model.fingerprint},
                "left_out": {},
            }
            file.write(lines.to_text("header", header) + "\n")
            for thought in found.thoughts():
                space = spaces.get(thought.ns, f"salvaged-{thought.ns}")
                file.write(lines.thought_line(space, thought) + "\n")
                counts["thought"] += 1
            for ns, *values in found.edges():
                edge = StoredEdge(0, ns, *values)
                file.write(lines.edge_line(spaces.get(ns, f"salvaged-{ns}"), edge) + "\n")
                counts["edge"] += 1
            file.write(lines.to_text("end", {"lines": dict(counts)}) + "\n")
            lost = found.lost
            if not counts["thought"]:
                raise StoreDamagedError(
                    f"{name!r} holds no memory that can be read, {lost} revisions are lost", hint="restore a backup"
                )
        os.replace(part, place)
    except OSError as error:
        raise StoreError(f"{place!r} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            os.unlink(part)
    return Exported(place, dict(counts), {"revisions": lost} if lost else {})
