"""WordPiece against cases worked out by hand from the rules of uncased BERT."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.embedders.builtin import load_table
from simonides.embedders.wordpiece import UNKNOWN, UNKNOWN_SYMBOL, WordPiece, split_words

VOCABULARY = ["[PAD]", "[UNK]", "un", "##aff", "##able", "afford", "cafe", "!", "[", "5", "##c", "##°", "°", "c", "中"]
ID = {token: number for number, token in enumerate(VOCABULARY)}


def tokens(text: str, *, symbols_apart: bool = False) -> list[str]:
    spelled = WordPiece(VOCABULARY, symbols_apart=symbols_apart).ids(text)
    return [{UNKNOWN: "?", UNKNOWN_SYMBOL: "*"}.get(number) or VOCABULARY[number] for number in spelled]


def test_the_longest_piece_comes_first() -> None:
    assert tokens("unaffable") == ["un", "##aff", "##able"]
    assert tokens("afford") == ["afford"]


def test_a_word_that_cannot_be_spelled_to_its_end_is_unknown_as_a_whole() -> None:
    assert tokens("unaffected unaffable") == ["?", "un", "##aff", "##able"]


def test_letters_are_lowered_and_accents_dropped() -> None:
    assert tokens("Café CAFE\u0301") == ["cafe", "cafe"]


def test_punctuation_stands_alone_and_brackets_make_no_special_token() -> None:
    assert tokens("cafe!!") == ["cafe", "!", "!"]
    assert tokens("[PAD]") == ["[", "?", "*"]


def test_a_continuation_is_not_found_at_the_start_of_a_word() -> None:
    assert tokens("able") == ["?"]


def test_symbols_stay_in_their_word_unless_wanted_apart() -> None:
    assert tokens("5°C") == ["5", "##°", "##c"]
    assert tokens("5°C", symbols_apart=True) == ["5", "°", "c"]


def test_an_unknown_symbol_is_told_from_an_unknown_word() -> None:
    assert tokens("cafe 😀") == ["cafe", "*"]
    assert tokens("cafe😀") == ["?"]
    assert tokens("cafe😀", symbols_apart=True) == ["cafe", "*"]


def test_han_characters_are_words_of_their_own() -> None:
    assert tokens("cafe中文") == ["cafe", "中", "?"]


@pytest.mark.parametrize("gap", [" ", "\t", "\n", "\u3000", "\u00a0", "\u2028"])
def test_white_space_of_all_kinds_separates_words(gap: str) -> None:
    assert tokens(f"cafe{gap}cafe") == ["cafe", "cafe"]


@pytest.mark.parametrize(
    "invisible", ["\x00", "\x0b", "\x1c", "\x7f", "\x85", "\u00ad", "\u200b", "\ufeff", "\ufffd", "\ue000"]
)
def test_invisible_characters_vanish_without_separating(invisible: str) -> None:
    assert tokens(f"ca{invisible}fe") == ["cafe"]


def test_words_over_100_characters_are_unknown() -> None:
    letters = WordPiece(["a", "##a"])
    assert letters.ids("a" * 100) == [0] + [1] * 99
    assert letters.ids("a" * 101) == [UNKNOWN]


def test_capital_sigma_is_lowered_without_regard_to_its_place() -> None:
    assert split_words("ΟΔΟΣ", False) == ["οδοσ"]


def test_no_text_has_no_tokens() -> None:
    assert tokens("") == tokens(" \n\t") == tokens("\u200b") == []


def test_a_long_text_without_spaces_is_read() -> None:
    assert tokens("cafe!" * 100_000) == ["cafe", "!"] * 100_000


@given(st.lists(st.text(max_size=30), max_size=6))
def test_the_cache_never_changes_an_answer(texts: list[str]) -> None:
    shared = WordPiece(VOCABULARY)
    assert [shared.ids(t) for t in texts * 2] == [WordPiece(VOCABULARY).ids(t) for t in texts * 2]


@given(st.text(), st.text())
def test_texts_with_a_space_between_them_are_tokenised_apart(left: str, right: str) -> None:
    one = WordPiece(VOCABULARY)
    assert one.ids(f"{left} {right}") == one.ids(left) + one.ids(right)


def test_the_shipped_vocabulary_gives_the_ids_of_the_reference() -> None:
    """Ids of the uncased BERT vocabulary, as published with the model."""
    table = load_table()
    reference = WordPiece(table.tokens[: table.reference_size])
    assert table.reference_size == 30522
    assert reference.ids("Hello, World!") == [7592, 1010, 2088, 999]
    assert [table.tokens[i] for i in reference.ids("embeddings")] == ["em", "##bed", "##ding", "##s"]
