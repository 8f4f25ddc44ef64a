"""How does SQL get from files into code? Files of named statements.

A statement begins with `-- name: some_name`, followed by one comment line of intent and the SQL.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


def parse(text: str, origin: str) -> Mapping[str, str]:
    """name → SQL, comments removed. Raises ValueError for a name that is given twice."""
    parts = _NAME.split(text)
    statements: dict[str, str] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if name in statements:
            raise ValueError(f"{origin} names {name!r} twice")
        lines = [line for line in body.splitlines() if not line.lstrip().startswith("--")]
        statements[name] = "\n".join(lines).strip().rstrip(";")
    return MappingProxyType(statements)


@cache
def load(package: str, file: str) -> Mapping[str, str]:
    """The named statements of a file inside a package, e.g. load("simonides.backend.sqlite", "snapshot.sql")."""
    return parse(read(os.path.join(sys.modules[package].__path__[0], "queries", file)), file)


def read(path: str) -> str:
    """The text of a file of SQL."""
    with open(path, encoding="utf-8") as file:
        return file.read()
