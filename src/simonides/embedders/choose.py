"""Which embedder did the caller ask for? From a short name, a function or an object to an `Embedder`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, cast

from simonides.embedders.builtin import StaticEmbedder
from simonides.embedders.port import Embedder, is_embedder
from simonides.errors import ConfigError

if TYPE_CHECKING:
    from simonides.embedders.callback import EmbedFunction

EmbedderSpec: TypeAlias = "Embedder | EmbedFunction | str | bool | None"

_EXPECTED = (
    "expected builtin, minilm, hashing:DIMENSION, openai:MODEL, ollama:MODEL, sentence-transformers:NAME, "
    "False, a function or an Embedder"
)


def resolve(spec: EmbedderSpec = None) -> Embedder | None:
    """The embedder that a short description stands for; None means vectors are switched off.

    None or True: the built-in one (one shared object per process). False: off. An Embedder: itself.
    A function: `CallbackEmbedder`. A string: `builtin`, `minilm`, `hashing:64`, `openai:MODEL`, `ollama:MODEL`,
    `sentence-transformers:NAME`, or `off`. Nothing is loaded or asked over the network yet.
    Raises ConfigError for anything else, MissingExtraError when an optional package is needed.

    >>> resolve("hashing:32").info.dimension
    32
    >>> resolve(False) is None
    True
    """
    if spec is None or spec is True:
        return builtin()
    if spec is False:
        return None
    if isinstance(spec, str):
        return _by_name(spec)
    if is_embedder(spec):
        return cast(Embedder, spec)
    if callable(spec):
        from simonides.embedders.callback import CallbackEmbedder

        return CallbackEmbedder(spec)
    raise ConfigError(f"{type(spec).__name__} is not an embedder", hint=_EXPECTED)


@functools.cache
def builtin() -> StaticEmbedder:
    """The built-in embedder, shared by every store of the process."""
    return StaticEmbedder()


def _by_name(spec: str) -> Embedder | None:
    provider, _, model = spec.strip().partition(":")
    provider = provider.lower()
    if provider in ("off", "none") and not model:
        return None
    make = _PLAIN.get(provider)
    if make is not None and not model:
        return make()
    make_named = _NAMED.get(provider)
    if make_named is not None and model:
        return make_named(model)
    raise ConfigError(f"{spec!r} names no embedder", hint=_EXPECTED)


def _hashing(model: str = "64") -> Embedder:
    from simonides.embedders.hashing import HashingEmbedder

    if not model.isdecimal():
        raise ConfigError(f"{model!r} is not a dimension", hint="write hashing:64")
    return HashingEmbedder(int(model))


def _minilm() -> Embedder:
    from simonides.embedders.minilm import MiniLMEmbedder

    return MiniLMEmbedder()


def _openai(model: str) -> Embedder:
    from simonides.embedders.openai import OpenAIEmbedder

    return OpenAIEmbedder(model)


def _ollama(model: str) -> Embedder:
    from simonides.embedders.ollama import OllamaEmbedder

    return OllamaEmbedder(model)


def _sentence_transformers(model: str) -> Embedder:
    from simonides.embedders.sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(model)


_PLAIN: dict[str, Callable[[], Embedder]] = {"builtin": builtin, "hashing": _hashing, "minilm": _minilm}
_NAMED: dict[str, Callable[[str], Embedder]] = {
    "hashing": _hashing,
    "openai": _openai,
    "ollama": _ollama,
    "sentence-transformers": _sentence_transformers,
}
