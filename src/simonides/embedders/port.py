"""What is an embedder? The port every provider implements: text in, one vector per text out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from simonides.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Vectors: TypeAlias = "npt.NDArray[np.float32]"
"""Shape (n, d), dtype float32, row i belongs to text i. Rows need not have unit length."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Which model makes the vectors; a store remembers it and refuses to mix two models.

    model_id: a readable name, `provider:model`. dimension: length of a vector, >= 1.
    fingerprint: hex digest of the weights, or a stable string where the weights cannot be read.
    Two embedders whose `model_id`, `dimension` and `fingerprint` are equal make comparable vectors.
    """

    model_id: str
    dimension: int
    fingerprint: str


class Embedder(Protocol):
    """Turns texts into vectors. Implementations are safe to call from several threads at once.

    Both verbs return `Vectors` with exactly one finite row per text, in the order of the texts,
    and raise `EmbeddingError` when they cannot. An empty sequence gives no row.
    Blank texts are never passed in by the engine. After the first texts `info` answers from memory.
    One that computes in this process, and never waits for a server, may say so: `is_local = True`. `AsyncStore` then
    answers as many questions at a time as there are cores.
    """

    @property
    def info(self) -> ModelInfo:
        """The model's identity. May load the model; a remote model may be asked once for its dimension."""

    @property
    def zero_means_unknown(self) -> bool:
        """True: a row of exact zeros says "this text means nothing to the model"; it is kept without a vector.

        False: a row of zeros is a fault of the model and the engine raises.
        """

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One vector per text that will be stored. Returns (n, d) float32."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One vector per question that will be asked. Returns (n, d) float32."""


_MEMBERS = ("info", "zero_means_unknown", "embed_documents", "embed_queries")


def is_embedder(candidate: object) -> bool:
    """Whether an object has the members of `Embedder`; looks without running any property."""
    import inspect

    return not isinstance(candidate, type) and all(
        inspect.getattr_static(candidate, name, None) is not None for name in _MEMBERS
    )


def as_vectors(rows: object, *, count: int, dimension: int | None, source: str) -> Vectors:
    """Check what a provider got back and make it `Vectors`.

    rows: anything numpy can read as a (count, d) array of numbers. dimension: d if it is known already.
    source: the model id, for the message. Returns (count, d) float32, C-contiguous, finite.
    Raises EmbeddingError on a wrong number of rows, a wrong or uneven length, or a value that is not finite.
    """
    import numpy as np

    try:
        wide = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbeddingError(f"{source} returned something that is not a table of numbers: {error}") from error
    if wide.size == 0 and count == 0:
        wide = wide.reshape(0, dimension or 0)
    if wide.ndim != 2 or wide.shape[0] != count or (count and wide.shape[1] == 0):
        raise EmbeddingError(f"{source} returned shape {wide.shape} for {count} texts; expected ({count}, d)")
    if dimension is not None and wide.shape[1] != dimension:
        raise EmbeddingError(
            f"{source} returned vectors of length {wide.shape[1]}; it made vectors of length {dimension} before",
            hint="the model behind this name has changed: re-embed the store, or go back to the old model",
        )
    with np.errstate(over="ignore"):
        vectors = np.ascontiguousarray(wide, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise EmbeddingError(f"{source} returned a value that is not finite, for text {int(bad[0])} of {count}")
    return vectors
