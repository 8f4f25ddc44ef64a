import time

import pytest

from simonides.text.passages import PASSAGE_CHARS_MAX, Span, split


def pieces(text: str, limit: int) -> list[str]:
    return [text[span.start : span.end] for span in split(text, limit)]


def test_a_short_text_is_one_passage():
    assert split("") == (Span(0, 0),)
    assert split("x" * PASSAGE_CHARS_MAX) == (Span(0, PASSAGE_CHARS_MAX),)


def test_paragraphs_go_before_sentences():
    text = "Aaaa bbbb. Cccc dddd.\n\nEeee ffff. Gggg hhhh. Iiii."
    assert pieces(text, 40) == ["Aaaa bbbb. Cccc dddd.\n\n", "Eeee ffff. Gggg hhhh. Iiii."]


def test_sentences_go_before_words():
    assert pieces("One two three. Four five six seven.", 24) == ["One two three. ", "Four five six seven."]
    assert pieces("会议改到星期三。下午在京都。办公室。", 12) == ["会议改到星期三。", "下午在京都。办公室。"]


def test_words_go_before_signs():
    assert pieces("aaaa bbbb cccc dddd", 12) == ["aaaa bbbb ", "cccc dddd"]


def test_a_number_is_not_cut_at_its_comma():
    assert pieces("xxxx yyy 1,234,567 zz", 14) == ["xxxx yyy ", "1,234,567 zz"]


def test_a_text_without_any_border_is_cut_all_the_same():
    assert [len(piece) for piece in pieces("x" * 30, 8)] == [8, 8, 8, 6]
    assert [len(piece) for piece in pieces("x" * 17, 8)] == [8, 7, 2]


def test_a_family_is_not_torn():
    assert pieces("👩\u200d👩\u200d👧" * 4, 12) == ["👩\u200d👩\u200d👧" * 2] * 2


@pytest.mark.parametrize("unit", ["x", "会", "Some words here. "])
def test_five_megabytes_are_split_quickly(unit):
    text = unit * (5_000_000 // len(unit))
    began = time.process_time()
    spans = split(text)
    assert time.process_time() - began < 8
    assert spans[-1].end == len(text)
    assert max(span.end - span.start for span in spans) <= PASSAGE_CHARS_MAX
