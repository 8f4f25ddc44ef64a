"""Which vectors do all systems of a run share? Made once per text by one model, then given to everybody."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from simonides.embedders import Embedder, resolve
from simonides.embedders.callback import CallbackEmbedder
from simonides.errors import MissingExtraError
from simonides.evaluate.collection import Collection, Item

NAMES = ("builtin", "wordllama")


def model(name: str) -> Embedder:
    """`builtin`, `wordllama` (a package with its weights inside), or whatever `simonides.embedders.resolve` takes."""
    if name == "wordllama":
        return _wordllama()
    found = resolve(name)
    assert found is not None, "a run needs vectors"
    return found


def _wordllama() -> Embedder:
    try:
        import wordllama
    except ImportError:
        raise MissingExtraError("vectors of wordllama", "bench") from None
    weights = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    return CallbackEmbedder(lambda texts: weights.embed(list(texts)), model_id="wordllama:l2_supercat_256")


def written(item: Item) -> str:
    """A text as a person would store it in a system without a field for the speaker."""
    return f"{item.speaker}: {item.text}" if item.speaker else item.text


def of_texts(embedder: Embedder, collection: Collection) -> np.ndarray:
    """(n, d) float32, a row per text of the collection as it is written."""
    return _unit(embedder.embed_documents([written(item) for item in collection.items]))


def of_questions(embedder: Embedder, texts: Sequence[str]) -> np.ndarray:
    """(n, d) float32."""
    return _unit(embedder.embed_queries(list(texts)))


def _unit(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), np.float32)
