"""The packed table: reading, unpacking, and which texts get no vector."""

import io
from pathlib import Path

import numpy as np
import pytest

from simonides.embedders.builtin import StaticEmbedder
from simonides.embedders.table import read_table
from simonides.errors import EmbeddingError

TOKENS = ["[PAD]", "red", "kite", "sea", "##s", "!", "中"]
HAS_ROW = [False, True, True, True, True, True, False]
# Two bytes a row, low half first, each value + 8: 0x98 holds (0, 1), 0x87 holds (-1, 0), 0x88 holds (0, 0).
NIBBLES = [[0x98, 0x88], [0x87, 0x88], [0x88, 0x9F], [0x88, 0x88], [0x88, 0x89]]
SCALE = [1.0, 0.5, 2.0, 1.0, 1.0]


def archive(**changed: object) -> io.BytesIO:
    part: dict[str, object] = {
        "tokens": np.frombuffer("\n".join(TOKENS).encode(), np.uint8),
        "reference_size": np.int32(len(TOKENS)),
        "has_row": np.packbits(HAS_ROW),
        "nibbles": np.array(NIBBLES, np.uint8),
        "scale": np.array(SCALE, np.float16),
        "dimension": np.int32(4),
        "model_id": np.frombuffer(b"toy", np.uint8),
    }
    file = io.BytesIO()
    np.savez(file, **{**part, **changed})  # type: ignore[arg-type]  # values of a test, by name
    file.seek(0)
    return file


@pytest.fixture
def toy(tmp_path: Path) -> StaticEmbedder:
    path = tmp_path / "toy.npz"
    path.write_bytes(archive().getvalue())
    return StaticEmbedder(path)


def test_nibbles_are_unpacked_low_half_first_and_scaled_by_row() -> None:
    table = read_table(archive())
    assert table.unpack(np.array([0, 1, 2], np.int32)).tolist() == [
        [0.0, 1.0, 0.0, 0.0],
        [-0.5, 0.0, 0.0, 0.0],
        [0.0, 0.0, 14.0, 2.0],
    ]


def test_a_text_is_the_sum_of_its_rows_at_unit_length(toy: StaticEmbedder) -> None:
    # red + kite = (-0.5, 1, 0, 0), of length sqrt(1.25)
    assert toy.embed_documents(["Red kite"])[0] == pytest.approx(np.array([-0.5, 1, 0, 0]) / 1.25**0.5)


def test_half_of_the_words_unknown_is_still_judged_and_more_is_not(toy: StaticEmbedder) -> None:
    rows = toy.embed_documents(["red 中", "red 中 中", "red 中 中 !", "red kite 中 中", "中"])
    assert [bool(row.any()) for row in rows] == [True, False, False, True, False]


def test_unspellable_words_count_as_unknown_and_emoji_do_not(toy: StaticEmbedder) -> None:
    rows = toy.embed_documents(["red zzz", "red zzz zzz", "red 😀 😀 😀", "red😀"])
    assert [bool(row.any()) for row in rows] == [True, False, True, True]


def test_a_text_without_words_has_no_vector(toy: StaticEmbedder) -> None:
    assert not toy.embed_documents(["!!!", "", " ", "😀"]).any()


def test_a_text_is_embedded_the_same_alone_and_among_others(toy: StaticEmbedder) -> None:
    texts = ["red kite", "seas", "中", "kite kite red!", ""]
    together = toy.embed_documents(texts)
    assert all(np.array_equal(toy.embed_documents([t])[0], row) for t, row in zip(texts, together, strict=True))


def test_no_texts_give_no_rows(toy: StaticEmbedder) -> None:
    assert toy.embed_documents([]).shape == (0, 4)


def test_the_fingerprint_changes_with_the_weights_and_not_with_the_file() -> None:
    other = np.array(NIBBLES, np.uint8)
    other[0, 0] ^= 1
    assert read_table(archive()).info == read_table(archive()).info
    assert read_table(archive()).info.fingerprint != read_table(archive(nibbles=other)).info.fingerprint


@pytest.mark.parametrize(
    "broken",
    [
        io.BytesIO(b"not an archive"),
        io.BytesIO(archive().getvalue()[:400]),
        archive(nibbles=np.zeros((4, 2), np.uint8)),
        archive(dimension=np.int32(6)),
        archive(scale=np.ones(3, np.float16)),
        archive(reference_size=np.int32(99)),
    ],
    ids=["no archive", "cut off", "a row too few", "another dimension", "scales missing", "vocabulary too short"],
)
def test_a_damaged_table_is_refused(broken: io.BytesIO) -> None:
    with pytest.raises(EmbeddingError):
        read_table(broken)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError):
        StaticEmbedder(tmp_path / "none.npz").embed_documents(["red"])
