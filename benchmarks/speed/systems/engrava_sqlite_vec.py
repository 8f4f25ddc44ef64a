"""The peer package with its sqlite-vec backend; needs a sqlite3 module that can load extensions."""

from __future__ import annotations

from benchmarks.speed.systems.engrava_numpy import Engrava

PACKAGES = ("engrava", "sqlite-vec", "pysqlite3-binary")
NOTE = "the same with its backend sqlite-vec"


def open(path: str, dimension: int) -> Engrava:
    return Engrava(path, dimension, "sqlite-vec")
