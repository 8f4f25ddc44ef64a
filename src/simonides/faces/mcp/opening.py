"""When is the store opened? At the first call that needs it, once, by whichever thread comes first."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from simonides.faces.mcp.settings import Settings

if TYPE_CHECKING:
    from simonides import Store


class Opening:
    """One store of a server, opened late. Safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._store: Store | None = None

    def store(self, namespace: str | None = None) -> Store:
        """A sealed handle on the server's namespace, or on the one that a call was allowed to name.

        Raises what `simonides.open` raises; the next call tries again.
        """
        root = self._root()
        if namespace is None:
            return root if root.sealed else root.in_namespace(self._settings.namespace, sealed=True)
        return root.in_namespace(namespace, sealed=True)

    def close(self) -> None:
        """Closes the file, if it was ever opened."""
        with self._lock:
            if self._store is not None:
                self._store.close()

    def _root(self) -> Store:
        with self._lock:
            if self._store is None:
                import simonides

                chosen = self._settings
                self._store = simonides.open(
                    chosen.database,
                    namespace=chosen.namespace,
                    config=chosen.config,
                    embedder=chosen.embedder,
                    read_only=chosen.read_only,
                    sealed=not chosen.allow_namespaces,
                    actor="mcp",
                )
            return self._store
