"""How are texts embedded by OpenAI, or by any server that speaks its `/embeddings` protocol?"""

from __future__ import annotations

import os
from collections.abc import Sequence

from simonides.embedders.http import Patience, ask, checked_base_url
from simonides.embedders.port import ModelInfo, Vectors
from simonides.embedders.remote import Batches
from simonides.errors import ConfigError, EmbeddingError

_BASE_URL = "https://api.openai.com/v1"
_BATCH_SIZE = 128  # the protocol allows 2,048 inputs; smaller ones lose less when a request fails


class OpenAIEmbedder:
    """Embeds through `POST {base_url}/embeddings`.

    model: the server's name for the model. base_url: the environment's OPENAI_BASE_URL if not given, else OpenAI.
    api_key: the environment's OPENAI_API_KEY if not given; servers without keys need none. It is sent to base_url
    only, never shown and never stored. dimension: asks the server to shorten the vectors to it.
    document_prefix, query_prefix: put before each text, for models that want one. batch_size: texts a request.
    Nothing is sent before the first text. Raises ConfigError on a bad argument.
    """

    zero_means_unknown = False

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimension: int | None = None,
        document_prefix: str = "",
        query_prefix: str = "",
        batch_size: int = _BATCH_SIZE,
        patience: Patience | None = None,
    ) -> None:
        if not model.strip():
            raise ConfigError("the name of the model is empty", hint="for example text-embedding-3-small")
        self._url = checked_base_url(base_url or os.environ.get("OPENAI_BASE_URL") or _BASE_URL) + "/embeddings"
        self._headers = _authorization(os.environ.get("OPENAI_API_KEY", "") if api_key is None else api_key)
        self._model, self._asked = model, dimension
        self._prefixes = (document_prefix, query_prefix)
        self._patience = patience or Patience()
        self._model_id = f"openai:{model}" + (f"@{dimension}" if dimension else "")
        self._batches = Batches(self._send, source=self._model_id, batch_size=batch_size, dimension=dimension)

    @property
    def info(self) -> ModelInfo:
        """Identity; the weights cannot be read, so the fingerprint is made of names. May send one request."""
        return ModelInfo(self._model_id, self._batches.dimension(), f"{self._model_id}|{self._prefixes[0]}")

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text. Returns (n, d) float32. Raises EmbeddingError."""
        return self._batches.embed([self._prefixes[0] + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One row per question. Returns (n, d) float32. Raises EmbeddingError."""
        return self._batches.embed([self._prefixes[1] + text for text in texts])

    def _send(self, texts: list[str]) -> object:
        payload: dict[str, object] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._asked:
            payload["dimensions"] = self._asked
        answer = ask(self._url, payload, self._headers, self._patience, source=self._model_id)
        data = answer.get("data") if isinstance(answer, dict) else None
        rows: dict[int, object] = {}
        for item in data if isinstance(data, list) else ():
            if isinstance(item, dict) and isinstance(item.get("index"), int):
                rows[item["index"]] = item.get("embedding")
        if not isinstance(data, list) or len(data) != len(texts) or sorted(rows) != list(range(len(texts))):
            raise EmbeddingError(
                f"{self._model_id}: the answer does not hold one vector for each of {len(texts)} texts"
            )
        return [rows[at] for at in range(len(texts))]


def _authorization(key: str) -> dict[str, str]:
    """The header for a key; none for an empty one. Raises ConfigError, without the key, if it is malformed."""
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ConfigError("the API key has characters that no key has", hint="was it copied with a line break?")
    return {"Authorization": f"Bearer {key}"} if key else {}
