"""Which words and phrases set some texts apart, in any script?"""

from __future__ import annotations

import math

import pytest

from simonides.reflect.words import Background, background, distinctive, runs

NONE: frozenset[str] = frozenset()


def test_runs_are_words_and_runs_of_words_between_punctuation() -> None:
    assert set(runs("Blue pot, red lid")) == {
        ("blue",), ("pot",), ("blue", "pot"), ("red",), ("lid",), ("red", "lid"),
    }  # fmt: skip
    assert runs("Blue pot")[("blue", "pot")] == "Blue pot", "as it is written"


def test_runs_of_scripts_without_spaces_are_signs() -> None:
    assert set(runs("京都の")) == {("京", "都"), ("都", "の"), ("京", "都", "の")}


def test_what_the_whole_namespace_says_says_nothing() -> None:
    theme = ["the clay pot broke", "she glazed the clay bowl", "the clay dried"]
    others = [f"the weather on day {n}" for n in range(40)]
    words, _ = distinctive(theme, background(theme + others), NONE, 3, 0)
    assert words == ("clay",), "`the` is in every text, everything else in one"


def test_a_run_scores_its_share_times_how_much_more_usual_it_is_here() -> None:
    """Three texts: a in 3, b in 2. shares 3/5 and 2/5; in the namespace (10 texts + 2) they are 4/12 and 3/12."""
    usual = Background({("aa",): 3, ("bb",): 2}, 10)
    gains = {"aa": 3 / 5 * (math.log((3 / 5) / (4 / 12)) + 0.05), "bb": 2 / 5 * (math.log((2 / 5) / (3 / 12)) + 0.05)}
    assert gains["aa"] > gains["bb"]
    assert distinctive(["aa, bb", "bb, aa", "aa"], usual, NONE, 2, 0)[0] == ("aa", "bb")


def test_phrases_neither_begin_nor_end_with_what_everybody_says() -> None:
    theme = ["she went to the pottery class", "at the pottery class again", "the pottery class was full"]
    others = [f"the house number {n} of the street" for n in range(60)]
    _, phrases = distinctive(theme, background(theme + others), NONE, 0, 3)
    assert phrases[0] == "pottery class"


@pytest.mark.parametrize(
    ("texts", "word"),
    [
        (["Die Töpferei öffnet um neun", "In der Töpferei war Ana", "Töpferei und Garten"], "Töpferei"),
        (["Гончарная мастерская открыта", "мастерская закрыта", "новая мастерская"], "мастерская"),
        (["我们在京都办公室开会", "京都的茶很好", "去京都旅行"], "京都"),
        (["ورشة الفخار مفتوحة", "زرت ورشة الفخار", "ورشة جديدة"], "ورشة"),
    ],
)
def test_keywords_come_in_any_script(texts: list[str], word: str) -> None:
    others = ["Nothing of this", "et autre chose", "Совсем другое", "完全不同的事情"]
    words, _ = distinctive(texts, background(texts + others), NONE, 3, 3)
    assert word in words


def test_what_only_one_of_many_says_is_no_keyword() -> None:
    texts = ["alpha beta", "alpha gamma", "alpha delta"]
    assert distinctive(texts, background(texts), NONE, 5, 5) == (("alpha",), ())
    usual = background([*texts, "a gamma ray", "nothing"])
    assert distinctive(texts, usual, NONE, 5, 5) == (("alpha", "gamma"), ()), "unless others say it too"


def test_beyond_the_first_few_a_keyword_is_four_times_as_usual_in_the_theme_as_elsewhere() -> None:
    """Of ten texts three are the theme. kiln, clay, glaze, oven: 3 of 5 against 4 of 12, 1.8 times; so the best three.

    With thirty other texts, of which nine say "nice": 3 of 5 against 4 of 35 is 5.25 times, against 13 of 35 1.6.
    """
    theme = [f"nice kiln clay glaze oven {n}" for n in ("alpha", "beta", "gamma")]
    few = theme + [f"other {n}" for n in range(7)]
    assert len(distinctive(theme, background(few), NONE, 8, 0)[0]) == 3
    many = theme + [f"other {n}" for n in range(21)] + [f"nice {n}" for n in range(9)]
    words, _ = distinctive(theme, background(many), NONE, 8, 0)
    assert sorted(words) == ["clay", "glaze", "kiln", "oven"]


def test_names_of_those_who_say_a_good_part_are_no_keywords() -> None:
    """Between two people a name is a greeting. Who is only spoken of may be a theme."""
    theme = [f"Ana dear, the kiln of Otto {n}" for n in ("fired", "cooled", "cracked")]
    others = [f"nothing {n}" for n in range(37)]
    speakers = ["Ben"] * 20 + ["Ana Lopes"] * 20
    usual = background(theme + others, speakers)
    assert usual.voices == {"ben", "ana", "lopes"}
    words, phrases = distinctive(theme, usual, NONE, 8, 5)
    assert {"kiln", "Otto"} <= set(words)
    assert not any("Ana" in word for word in (*words, *phrases))
