"""What does a server serve, and how is it reached? Decided by whoever starts it, never by the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from simonides import Config, Embedder

PORT = 8765
"""The port of `simonides mcp --http` when none is given."""
Compat = Literal["none", "reference-memory"]


@dataclass(frozen=True, slots=True)
class Settings:
    """One store and one namespace. The handle is sealed unless `allow_namespaces` lets a call name another one.

    embedder, config: as `simonides.open` takes them. compat: whose tools are offered in place of ours.
    """

    database: str
    namespace: str = "default"
    embedder: Embedder | Callable[..., Any] | str | bool | None = None
    config: Config | str | None = None
    read_only: bool = False
    allow_namespaces: bool = False
    compat: Compat = "none"


@dataclass(frozen=True, slots=True)
class Web:
    """Where the HTTP server listens and whom it answers.

    token: None lets everybody in who reaches the port, which is refused beyond this machine. hosts, origins: names
    that a proxy or a page uses, beside those of this machine. port 0: any free one.
    """

    token: str | None
    host: str = "127.0.0.1"
    port: int = PORT
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in ("127.0.0.1", "::1", "localhost")
