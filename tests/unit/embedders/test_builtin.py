"""The table in the package: meaning, languages, determinism, size."""

import threading
from importlib import resources

import numpy as np
import pytest

from simonides.embedders import StaticEmbedder

LIMIT_BYTES = 6_500_000
NEAR_AND_FAR = [
    ("my dog is ill", "the puppy feels sick", "stock prices fell today"),
    (
        "What does Anna do for a living?",
        "I have been working as a nurse for years",
        "We watched the sunset at the beach",
    ),
    (
        "Where did they go on vacation?",
        "We just got back from a trip to Italy",
        "The server crashed and we lost the files",
    ),
    ("Is he married?", "My wife and I celebrated our anniversary", "I bought a new bicycle"),
    ("When is the meeting?", "The appointment was moved to three o'clock", "Tomatoes grow well in the garden"),
    ("How do I sort a list in Python?", "Arrange the items of a sequence in order", "The cat sleeps on the sofa"),
    ("flow over a wing", "lift of an airfoil in a stream of air", "the recipe needs two eggs and butter"),
    ("Does she play an instrument?", "I take guitar lessons", "I had my car repaired"),
]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.mark.parametrize(("text", "near", "far"), NEAR_AND_FAR)
def test_related_texts_are_nearer_than_unrelated_ones(embedder: StaticEmbedder, text: str, near: str, far: str) -> None:
    a, b, c = embedder.embed_documents([text, near, far])
    assert a @ b > a @ c + 0.1


def test_the_table_says_who_it_is(embedder: StaticEmbedder) -> None:
    assert (embedder.info.model_id, embedder.info.dimension) == ("simonides-static-v1", 384)
    assert len(bytes.fromhex(embedder.info.fingerprint)) == 32
    assert embedder.zero_means_unknown


def test_the_table_is_small_enough_for_the_wheel() -> None:
    table = resources.files("simonides.embedders").joinpath("data", "static-v1.npz")
    assert len(table.read_bytes()) <= LIMIT_BYTES


@pytest.mark.parametrize(
    "text",
    [
        "我昨天和朋友去了北京。",
        "昨日は友達と東京へ行きました。",
        "어제 친구와 함께 서울에 갔어요.",
        "Вчера мы с другом ездили в Москву.",
        "ذهبت أمس مع صديقي إلى القاهرة",
        "אתמול נסעתי לירושלים",
        "कल मैं दिल्ली गया था",
        "Χθες πήγα στην Αθήνα με έναν φίλο",
        "เมื่อวานฉันไปกรุงเทพ",
    ],
)
def test_scripts_the_table_does_not_cover_get_no_vector(embedder: StaticEmbedder, text: str) -> None:
    assert not embedder.embed_queries([text]).any()


def test_a_foreign_word_does_not_silence_an_english_sentence(embedder: StaticEmbedder) -> None:
    a, b = embedder.embed_documents(["We ate sushi (寿司) in Tokyo last week", "We ate sushi in Tokyo last week"])
    assert a @ b > 0.99


def test_rows_have_unit_length_and_are_finite(embedder: StaticEmbedder) -> None:
    rows = embedder.embed_documents(["a", "The quick brown fox", "x" * 50, "ß", "1234567", "word " * 20_000])
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_a_text_has_the_same_bytes_in_every_batch_and_every_object(embedder: StaticEmbedder) -> None:
    texts = [f"Caroline: I went hiking {n} times, {'it was lovely ' * (n % 40)}" for n in range(900)]
    together = embedder.embed_documents(texts)
    assert all(embedder.embed_queries([texts[n]])[0].tobytes() == together[n].tobytes() for n in range(0, 900, 37))
    assert StaticEmbedder().embed_documents(texts[::-1])[::-1].tobytes() == together.tobytes()


def test_threads_share_one_embedder() -> None:
    fresh, texts = StaticEmbedder(), [f"memory number {n}" for n in range(50)]
    rows: list[bytes] = []
    threads = [threading.Thread(target=lambda: rows.append(fresh.embed_documents(texts).tobytes())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rows) == 8
    assert len(set(rows)) == 1
