"""The peer package with its sqlite-vec backend; needs a sqlite3 module that can load extensions."""

from __future__ import annotations

from benchmarks.speed.systems.engrava_numpy import Engrava


def open(path: str) -> Engrava:
    return Engrava(path, "sqlite-vec")
