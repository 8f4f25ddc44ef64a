"""How are texts embedded by a model of the sentence-transformers library? Extra `sentence-transformers`."""

from __future__ import annotations

import hashlib
import importlib
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simonides.embedders.port import ModelInfo, Vectors, as_vectors
from simonides.errors import ConfigError, EmbeddingError, MissingExtraError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_EXTRA = "sentence-transformers"
_BATCH_SIZE = 32
_SAMPLED = 1024  # numbers read from each end of a tensor for the fingerprint


class SentenceTransformersEmbedder:
    """Any model that `SentenceTransformer(name)` can load: a name on the hub, or a folder.

    device: `cpu`, `cuda`, …; the library chooses if not given. batch_size: texts at a time. The prompts for
    questions and documents that a model brings are used. The model is loaded on first use, which may download it.
    Raises MissingExtraError on first use if the library is not installed, ConfigError on a bad argument.
    """

    zero_means_unknown = False
    is_local = True

    def __init__(self, model: str, *, device: str | None = None, batch_size: int = _BATCH_SIZE) -> None:
        if not model.strip() or batch_size < 1:
            raise ConfigError(f"model is {model!r} and batch_size {batch_size}; expected a name and at least 1")
        self._name, self._device, self._batch_size = model, device, batch_size
        self._model_id = f"sentence-transformers:{model}"
        self._lock = threading.Lock()
        self._model: SentenceTransformer | None = None
        self._info: ModelInfo | None = None

    @property
    def info(self) -> ModelInfo:
        """Identity; the fingerprint is a digest over a sample of every tensor. Loads the model."""
        if self._info is None:
            model = self._load()
            dimension = self.embed_documents(["dimension"]).shape[1]
            self._info = ModelInfo(self._model_id, dimension, _fingerprint(model))
        return self._info

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text, by the model's prompt for documents. Returns (n, d) float32. Raises EmbeddingError."""
        return self._encode("encode_document", texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One row per question, by the model's prompt for questions. Returns (n, d) float32. Raises EmbeddingError."""
        return self._encode("encode_query", texts)

    def _encode(self, verb: str, texts: Sequence[str]) -> Vectors:
        model = self._load()
        encode = getattr(model, verb, model.encode)  # before version 5 there is only `encode`
        try:
            rows = (
                encode(list(texts), batch_size=self._batch_size, convert_to_numpy=True, show_progress_bar=False)
                if len(texts)
                else np.zeros((0, 0))
            )
        except (RuntimeError, ValueError, TypeError) as error:
            raise EmbeddingError(f"{self._model_id} failed: {error}") from error
        return as_vectors(rows, count=len(texts), dimension=None, source=self._model_id)

    def _load(self) -> SentenceTransformer:
        with self._lock:
            if self._model is None:
                try:
                    library = importlib.import_module("sentence_transformers")
                except ImportError as error:
                    raise MissingExtraError("the sentence-transformers embedder", _EXTRA) from error
                try:
                    self._model = library.SentenceTransformer(self._name, device=self._device)
                except (OSError, RuntimeError, ValueError) as error:
                    hint = "give the folder of a downloaded model if this machine has no network"
                    raise EmbeddingError(f"{self._model_id} cannot be loaded: {error}", hint=hint) from error
            return self._model


def _fingerprint(model: SentenceTransformer) -> str:
    """SHA-256 over name, shape and both ends of every tensor: quick, and other weights give another one."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        flat = tensor.detach().cpu().float().reshape(-1)
        digest.update(f"{name}:{tuple(tensor.shape)}\n".encode())
        digest.update(flat[:_SAMPLED].numpy().tobytes())
        digest.update(flat[-_SAMPLED:].numpy().tobytes())
    return digest.hexdigest()
