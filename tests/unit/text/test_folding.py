import pytest

from simonides.text.folding import clean, exact_form, folded_form, wide_form


@pytest.mark.parametrize(
    ("word", "exact", "folded"),
    [
        ("Straße", "strasse", "strasse"),
        ("Trần", "trần", "tran"),
        ("ŁÓDŹ", "łódź", "lodz"),
        ("Ærøskøbing", "ærøskøbing", "aeroskobing"),
        ("Đà", "đà", "da"),
        ("Œuvre", "œuvre", "oeuvre"),
        ("İstanbul", "i\u0307stanbul", "istanbul"),
        ("Isparta", "isparta", "isparta"),
        ("ısı", "ısı", "isi"),
        ("Ｗｅｂ", "ｗｅｂ", "web"),
        ("ﬁne", "fine", "fine"),
        ("ΣΟΦΟΣ", "σοφοσ", "σοφοσ"),
        ("σοφός", "σοφόσ", "σοφοσ"),
        ("синий", "синий", "синий"),
        ("ёлка", "ёлка", "елка"),
        ("שָׁלוֹם", "שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "مُحَمَّد", "محمد"),
        ("हिन्दी", "हिन्दी", "हिन्दी"),
        ("が", "が", "が"),
        ("서울", "서울", "서울"),
        ("x²", "x²", "x2"),
    ],
)
def test_exact_keeps_accents_and_folded_drops_them(word, exact, folded):
    assert exact_form(clean(word)) == clean(exact)
    assert folded_form(clean(word)) == clean(folded)


def test_half_width_kana_become_wide():
    assert wide_form("ｶﾞﾗｽ") == "ガラス"


def test_invisible_characters_go_and_the_zero_width_space_stays():
    assert clean("\ufeffso\u00adft\u200d me\u0301") == "soft m\u00e9"
    assert clean("a\u200bb") == "a\u200bb"
