"""How are texts embedded by a local Ollama server?"""

from __future__ import annotations

import os
from collections.abc import Sequence

from simonides.embedders.http import Patience, ServerRefusedError, ask, checked_base_url
from simonides.embedders.port import ModelInfo, Vectors
from simonides.embedders.remote import Batches
from simonides.errors import ConfigError, EmbeddingError

_BASE_URL = "http://127.0.0.1:11434"
_BATCH_SIZE = 32
_TIMEOUT_S = 120.0  # the first request may have to load the model


class OllamaEmbedder:
    """Embeds through `POST {base_url}/api/embed`.

    model: as Ollama lists it, for example `nomic-embed-text`. base_url: the environment's OLLAMA_HOST if not
    given, else this machine's port 11434. document_prefix, query_prefix: put before each text
    (`search_document: ` and `search_query: ` for nomic-embed-text). batch_size: texts a request.
    Nothing is sent before the first text. Raises ConfigError on a bad argument.
    """

    zero_means_unknown = False

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        document_prefix: str = "",
        query_prefix: str = "",
        batch_size: int = _BATCH_SIZE,
        patience: Patience | None = None,
    ) -> None:
        if not model.strip():
            raise ConfigError("the name of the model is empty", hint="for example nomic-embed-text")
        self._base_url = checked_base_url(base_url or _from_environment(os.environ.get("OLLAMA_HOST", "")))
        self._model, self._model_id = model, f"ollama:{model}"
        self._prefixes = (document_prefix, query_prefix)
        self._patience = patience or Patience(timeout_s=_TIMEOUT_S)
        self._batches = Batches(self._send, source=self._model_id, batch_size=batch_size)
        self._digest: str | None = None

    @property
    def info(self) -> ModelInfo:
        """Identity; the fingerprint is the digest Ollama gives the model. Asks nothing after the first texts."""
        dimension = self._batches.dimension()
        return ModelInfo(self._model_id, dimension, f"{self._digest}|{self._prefixes[0]}")

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text. Returns (n, d) float32. Raises EmbeddingError."""
        return self._batches.embed([self._prefixes[0] + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One row per question. Returns (n, d) float32. Raises EmbeddingError."""
        return self._batches.embed([self._prefixes[1] + text for text in texts])

    def _send(self, texts: list[str]) -> object:
        if self._digest is None:
            self._digest = self._ask_digest()
        payload = {"model": self._model, "input": texts, "truncate": True}
        try:
            answer = ask(f"{self._base_url}/api/embed", payload, {}, self._patience, source=self._model_id)
        except ServerRefusedError as error:
            if error.status != 404:
                raise
            hint = f"ollama pull {self._model}"
            raise ServerRefusedError(error.message, status=error.status, hint=hint) from error
        rows = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise EmbeddingError(f"{self._model_id}: the answer holds no embeddings")
        return rows

    def _ask_digest(self) -> str:
        """The digest of the model's files, or its name if the server does not list it."""
        answer = ask(f"{self._base_url}/api/tags", None, {}, self._patience, source=self._model_id)
        models = answer.get("models") if isinstance(answer, dict) else None
        for item in models if isinstance(models, list) else ():
            if isinstance(item, dict) and item.get("name") in (self._model, f"{self._model}:latest"):
                return str(item.get("digest") or self._model_id)
        return self._model_id


def _from_environment(host: str) -> str:
    """OLLAMA_HOST as a URL: the scheme and the port may be missing, and 0.0.0.0 means this machine."""
    host = host.strip().rstrip("/")
    if not host:
        return _BASE_URL
    scheme, _, rest = host.rpartition("://")
    place, slash, path = rest.partition("/")
    name, colon, port = place.rpartition(":")
    if not colon or not port.isdecimal():
        name, port = place, {"http": "80", "https": "443"}.get(scheme, "11434")
    return f"{scheme or 'http'}://{'127.0.0.1' if name in ('', '0.0.0.0') else name}:{port}{slash}{path}"
