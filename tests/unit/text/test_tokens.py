import pytest

from simonides.text.tokens import WORD_CHARS_MAX, decode, encode


@pytest.mark.parametrize(
    ("word", "token"),
    [
        ("retry", "retry"),
        ("q3.md", "q3_2e_md"),
        ("a_b", "a_5f_b"),
        ("c++", "c_2b__2b_"),
        ("京都", "_4eac__90fd_"),
        ("é", "_e9_"),
        ("😀", "_1f600_"),
        ("A", "_41_"),
    ],
)
def test_only_lower_case_ascii_letters_and_digits_stand_for_themselves(word, token):
    assert encode(word) == token
    assert decode(token) == word


def test_a_long_word_is_cut_so_that_it_and_its_query_meet():
    assert encode("x" * 1000) == encode("x" * WORD_CHARS_MAX) == "x" * 128


def test_marks_are_taken_off_when_a_token_is_read():
    assert decode("=ord_2d_4471") == "ord-4471"
    assert decode("_p_4eac_") == "京"
