"""Which files of a folder are read? Those with an ending of text or Markdown, in the order of their names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from simonides.sources.document import read_document
from simonides.sources.limits import FILES_MAX, FOLDER_DEPTH_MAX
from simonides.sources.record import Place, Problem, Record, SourceKind, shown

ENDINGS = {
    ".md": SourceKind.MARKDOWN,
    ".markdown": SourceKind.MARKDOWN,
    ".mdown": SourceKind.MARKDOWN,
    ".txt": SourceKind.TEXT,
    ".text": SourceKind.TEXT,
    ".rst": SourceKind.TEXT,
}
LEFT_OUT = frozenset({"node_modules", "__pycache__", "venv"})
"""Folders that hold other people's files; so do those whose name begins with a full stop."""


def read_documents(path: Path, source: str | None, kind: SourceKind) -> Iterator[Record | Problem]:
    """The memories of one file, or of all text files below a folder.

    source: a name that stands for the folder in ids and in `source`, so that the folder may move; without it the
    ids hang on the absolute path. kind: for the file, or for files of a folder whose ending does not tell.
    Links are not followed.
    """
    if not path.is_dir():
        name = shown(path.name)
        yield from read_document(path, _named(source, name), _identity(source, path, name), kind)
        return
    files = 0
    for found in _files(path, 0):
        if isinstance(found, Problem):
            yield found
            continue
        files += 1
        relative = shown(found.relative_to(path).as_posix())
        if files > FILES_MAX:
            yield Problem(Place(relative), f"the folder holds more than {FILES_MAX:,} files; the rest was not read")
            return
        known = ENDINGS[found.suffix.lower()]
        yield from read_document(found, _named(source, relative), _identity(source, found, relative), known)


def _files(folder: Path, depth: int) -> Iterator[Path | Problem]:
    """Text files below a folder: first its own, then those of its folders, each in the order of names."""
    if depth > FOLDER_DEPTH_MAX:
        yield Problem(Place(shown(str(folder))), f"more than {FOLDER_DEPTH_MAX} folders deep; it was not read")
        return
    try:
        with os.scandir(folder) as listing:
            entries = sorted((e for e in listing if not e.name.startswith(".")), key=lambda e: e.name)
    except OSError as error:
        yield Problem(Place(shown(str(folder))), f"cannot be read: {error.strerror}")
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False) and Path(entry.name).suffix.lower() in ENDINGS:
            yield folder / entry.name
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and entry.name not in LEFT_OUT:
            yield from _files(folder / entry.name, depth + 1)


def _named(source: str | None, relative: str) -> str:
    return f"{source}/{relative}" if source else relative


def _identity(source: str | None, path: Path, relative: str) -> str:
    return f"{source}/{relative}" if source else Path(os.path.abspath(path)).as_posix()
