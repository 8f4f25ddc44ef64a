"""Text to vectors: the port, the built-in embedder and one module per provider."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.embedders.builtin import StaticEmbedder
    from simonides.embedders.callback import CallbackEmbedder
    from simonides.embedders.choose import EmbedderSpec, resolve
    from simonides.embedders.hashing import HashingEmbedder
    from simonides.embedders.port import Embedder, ModelInfo, Vectors

__all__ = [
    "CallbackEmbedder",
    "Embedder",
    "EmbedderSpec",
    "HashingEmbedder",
    "ModelInfo",
    "StaticEmbedder",
    "Vectors",
    "resolve",
]

# A name is loaded when it is first used, as in the package itself.
_HOME_OF = {
    "CallbackEmbedder": "callback",
    "Embedder": "port",
    "EmbedderSpec": "choose",
    "HashingEmbedder": "hashing",
    "ModelInfo": "port",
    "StaticEmbedder": "builtin",
    "Vectors": "port",
    "resolve": "choose",
}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'simonides.embedders' has no attribute {name!r}")
    value = getattr(import_module(f"simonides.embedders.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
