from simonides.text.graphemes import border_at_or_before, count, cut, graphemes

FAMILY = "👩\u200d👩\u200d👧"


def test_clusters_are_what_people_see():
    assert graphemes("e\u0301a") == ["e\u0301", "a"]
    assert graphemes(FAMILY + "🇩🇪🇫🇷") == [FAMILY, "🇩🇪", "🇫🇷"]
    assert graphemes("a\r\nb") == ["a", "\r\n", "b"]
    assert count(FAMILY + "!") == 2
    assert count("") == 0


def test_a_cut_never_tears_a_cluster():
    assert cut("ab" + FAMILY, 4) == "ab"
    assert cut("🇩🇪🇫🇷🇮🇹", 5) == "🇩🇪🇫🇷"
    assert cut("a\r\nb", 2) == "a"
    assert cut("e\u0301", 1) == ""
    assert cut("京都办公", 3) == "京都办"
    assert cut("text", 0) == ""


def test_a_border_is_looked_for_from_a_known_one():
    text = "x" + "🇩🇪" * 50
    assert border_at_or_before(text, 50, start=1) == 49
    assert border_at_or_before(text, 51, start=1) == 51
    assert border_at_or_before(text, 999) == len(text)
    assert border_at_or_before(text, -3) == 0
