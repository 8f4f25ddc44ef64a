"""What must a vector look like before the engine takes it, and how long may an embedder think?"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from simonides.embedders.builtin import StaticEmbedder
from simonides.errors import EmbeddingError, InvalidVectorError, ModelMismatchError, SimonidesError

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy as np
    import numpy.typing as npt

    from simonides.embedders.port import Embedder, ModelInfo, Vectors

WAITING_MAX = 8  # calls that may hang at once before new ones are refused
DIMENSION_MAX = 16_384
Unit: TypeAlias = "npt.NDArray[np.float32]"


class _Shaped(Protocol):
    def __len__(self) -> int: ...


def unit(vector: object, name: str) -> Unit:
    """A given vector as a unit row: (d,) float32. `name` says whose it is in errors.

    Raises InvalidVectorError for anything that is not one row of finite numbers with a direction.
    """
    import numpy as np

    try:
        row = np.asarray(vector, np.float64)
    except (TypeError, ValueError):
        raise InvalidVectorError(f"the vector of {name} is not a row of numbers") from None
    if row.ndim != 1 or not 1 <= len(row) <= DIMENSION_MAX:
        raise InvalidVectorError(f"the vector of {name} has shape {row.shape}; expected (1..{DIMENSION_MAX},)")
    square = float(row @ row)
    if 1e-200 < square < 1e200:  # no NaN, no infinity, nothing that squaring would lose
        return np.asarray(row / math.sqrt(square), np.float32)
    bad = np.flatnonzero(~np.isfinite(row))
    if len(bad):
        raise InvalidVectorError(f"the vector of {name} holds {row[bad[0]]} at position {int(bad[0])}")
    largest = float(np.abs(row).max())
    if largest == 0.0:
        raise InvalidVectorError(f"the vector of {name} is all zeros: it has no direction")
    row = row / largest
    return np.asarray(row / np.sqrt(row @ row), np.float32)


def check_dimension(row: Unit, model: ModelInfo | None, name: str) -> None:
    """Raises ModelMismatchError when a vector has another length than those of the store."""
    if model is not None and len(row) != model.dimension:
        raise ModelMismatchError(
            f"the vector of {name} has {len(row)} numbers; the store holds vectors of {model.model_id} "
            f"with {model.dimension}",
            hint="give vectors of the store's model",
        )


class EmbedderDoor:
    """Asks an embedder with a deadline and hands out checked unit rows; None for a text that has no vector."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._direct = isinstance(embedder, StaticEmbedder)
        self._waiting = 0
        self._lock = threading.Lock()

    @property
    def info(self) -> ModelInfo:
        return self.embedder.info

    def documents(self, texts: Sequence[str], deadline_s: float) -> list[Unit | None]:
        """One row per text. Raises EmbeddingError, also when the deadline passes."""
        return self._ask(self.embedder.embed_documents, texts, deadline_s)

    def query(self, text: str, deadline_s: float) -> Unit | None:
        """The row of one question."""
        return self._ask(self.embedder.embed_queries, [text], deadline_s)[0]

    def _ask(
        self, embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str], deadline_s: float
    ) -> list[Unit | None]:
        if not texts:
            return []
        if self._direct:
            return self._check(embed(texts), len(texts))
        return self._check(self._within(lambda: embed(texts), deadline_s), len(texts))

    def _within(self, call: Callable[[], Vectors], deadline_s: float) -> Vectors:
        from concurrent.futures import Future

        with self._lock:
            if self._waiting >= WAITING_MAX:
                raise EmbeddingError(f"{self._waiting} calls of the embedder hang already; not asked again")
            self._waiting += 1
        future: Future[Vectors] = Future()

        def run() -> None:
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001  # the edge of a thread: it belongs to the caller
                future.set_exception(error)
            finally:
                with self._lock:
                    self._waiting -= 1

        threading.Thread(target=run, name="simonides-embed", daemon=True).start()
        try:
            return future.result(deadline_s)
        except TimeoutError:
            raise EmbeddingError(f"timeout: the embedder did not answer within {deadline_s:g} s") from None
        except SimonidesError:
            raise
        except Exception as error:  # a stranger's code may raise anything
            raise EmbeddingError(f"the embedder raised {type(error).__name__}: {error}") from error

    def _check(self, rows: object, count: int) -> list[Unit | None]:
        import numpy as np

        model = self.info
        try:
            table = np.asarray(rows, np.float64)
        except (TypeError, ValueError):
            raise EmbeddingError(f"{model.model_id} did not return a table of numbers") from None
        if table.ndim != 2 or table.shape != (count, model.dimension):
            raise EmbeddingError(
                f"{model.model_id} returned shape {table.shape} for {count} texts",
                hint=f"expected ({count}, {model.dimension})",
            )
        zero = np.asarray(~table.any(axis=1))
        if zero.any() and not self.embedder.zero_means_unknown:
            raise EmbeddingError(f"{model.model_id} returned a row of zeros for text {int(np.flatnonzero(zero)[0])}")
        return [None if z else unit(row, f"text {n}") for n, (row, z) in enumerate(zip(table, zero, strict=True))]
