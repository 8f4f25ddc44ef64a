"""Text to vectors: the port, the built-in embedder and one module per provider."""

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
