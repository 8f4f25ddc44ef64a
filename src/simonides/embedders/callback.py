"""How does a caller bring a model of their own? As a function from texts to vectors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from simonides.embedders.port import ModelInfo, Vectors, as_vectors
from simonides.errors import ConfigError, EmbeddingError, SimonidesError

EmbedFunction = Callable[[Sequence[str]], object]
"""Takes n texts, returns n rows of d numbers: lists, a numpy array or anything numpy reads as one."""

_PROBE = "dimension"


class CallbackEmbedder:
    """Wraps a function that embeds a list of texts.

    function: called with a list of n texts; must return n rows of equal length. It may be called from several
    threads. query_function: another one for questions, for models that treat them differently.
    model_id: a name for the model; the function's own name if not given. Give one whenever the model behind the
    function can change: stores tell models apart by it. fingerprint: something that changes with the weights.
    dimension: length of a row; found by embedding one word if not given.
    Whatever the function raises reaches the caller as EmbeddingError.

    >>> CallbackEmbedder(lambda texts: [[len(t), 1.0] for t in texts], model_id="lengths").info.dimension
    2
    """

    zero_means_unknown = False

    def __init__(
        self,
        function: EmbedFunction,
        *,
        model_id: str | None = None,
        dimension: int | None = None,
        fingerprint: str | None = None,
        query_function: EmbedFunction | None = None,
    ) -> None:
        for candidate in (function, query_function or function):
            if not callable(candidate):
                raise ConfigError(f"an embedding function must be callable, not {type(candidate).__name__}")
            if inspect.iscoroutinefunction(candidate):
                raise ConfigError("an embedding function must not be async", hint="wrap it in asyncio.run")
        self._document_function = function
        self._query_function = query_function or function
        self._model_id = model_id or f"callback:{_name(function)}"
        self._fingerprint = fingerprint or self._model_id
        self._dimension = dimension

    @property
    def info(self) -> ModelInfo:
        """Identity. Calls the function once if the dimension is not known yet."""
        if self._dimension is None:
            self.embed_documents([_PROBE])
        assert self._dimension is not None
        return ModelInfo(self._model_id, self._dimension, self._fingerprint)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text, as the function gives them. Returns (n, d) float32. Raises EmbeddingError."""
        return self._embed(self._document_function, texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One row per question, by the query function if there is one. Raises EmbeddingError."""
        return self._embed(self._query_function, texts)

    def _embed(self, function: EmbedFunction, texts: Sequence[str]) -> Vectors:
        if not len(texts):
            return as_vectors((), count=0, dimension=self._dimension, source=self._model_id)
        try:
            rows = function(list(texts))
        except SimonidesError:
            raise
        except Exception as error:  # the caller's code: anything can come out of it
            raise EmbeddingError(f"{self._model_id} raised {type(error).__name__}: {error}") from error
        vectors = as_vectors(rows, count=len(texts), dimension=self._dimension, source=self._model_id)
        self._dimension = vectors.shape[1]
        return vectors


def _name(function: object) -> str:
    """`module.qualified_name` of a function, or of the class of a callable object."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{getattr(named, '__module__', None) or '?'}.{getattr(named, '__qualname__', '?')}"
