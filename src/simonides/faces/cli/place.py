"""Which store, which namespace and which settings is a command about?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.errors import StoreError
from simonides.faces.cli import progress

if TYPE_CHECKING:
    from simonides import Config, Store

DATABASE = "simonides.db"
"""The file in the current folder that is used when nothing names one."""
ACTOR = "cli"
"""Who the journal says it was."""


@dataclass(frozen=True, slots=True)
class Place:
    """The options that every command shares, with environment, settings and defaults filled in."""

    database: str
    namespace: str
    embedder: str | None
    config: Config | None
    as_json: bool

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """The open store. Raises StoreError when there is no file: reading never makes one."""
        path = self._existing()
        with self._open(read_only=os.path.exists(path) and not os.access(path, os.W_OK)) as store:
            yield store

    @contextmanager
    def changing(self) -> Iterator[Store]:
        """The open store, to change what is in it. Raises StoreError when there is no file."""
        self._existing()
        with self._open(read_only=False) as store:
            yield store

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """The open store, made when there is none."""
        with self._open(read_only=False) as store:
            yield store

    def _existing(self) -> str:
        path = os.path.expanduser(self.database)
        if self.database != ":memory:" and not os.path.exists(path):
            raise StoreError(f"there is no store at {self.database}", hint="name one with --db, or remember something")
        if self.database != ":memory:" and os.path.isfile(path) and not os.path.getsize(path):
            raise StoreError(
                f"{self.database} is empty: there is no store in it", hint="restore a backup, or remember something"
            )
        return path

    def _open(self, *, read_only: bool) -> Store:
        import simonides

        with progress.late("bringing the file up to this version") as tell:
            return simonides.open(
                self.database,
                namespace=self.namespace,
                config=self.config,
                embedder=self.embedder,
                read_only=read_only,
                actor=ACTOR,
                progress=tell,
            )


def settle(db: str | None, namespace: str | None, embedder: str | None, config: str | None, as_json: bool) -> Place:
    """Options over environment over the settings file over defaults. Raises ConfigError."""
    file = config or os.environ.get("SIMONIDES_CONFIG")
    settings = _load(file) if file else None
    path = db or os.environ.get("SIMONIDES_DB")
    if not path and file and settings and settings.database.path:
        path = _beside(file, settings.database.path)
    return Place(
        database=path or DATABASE,
        namespace=namespace
        or os.environ.get("SIMONIDES_NAMESPACE")
        or (settings.database.namespace if settings else "default"),
        embedder=embedder or os.environ.get("SIMONIDES_EMBEDDER") or None,
        config=settings,
        as_json=bool(as_json),
    )


def _load(file: str) -> Config:
    from simonides.config import load_config

    return load_config(os.path.expanduser(file))


def _beside(file: str, path: str) -> str:
    """A path of a settings file: relative to its folder."""
    if path == ":memory:":
        return path
    folder = os.path.dirname(os.path.abspath(os.path.expanduser(file)))
    return os.path.join(folder, os.path.expanduser(path))
