from simonides.text.stopwords import stop_words

EVALUATED = (
    "a an and are as at be by did do does for from had has have he her his how i in is it its me my of on or she that "
    "the their them they this to was we were what when where which who whom whose why will with would you your"
)


def test_english_holds_the_words_of_the_evaluation_and_contraction_leftovers():
    assert set(EVALUATED.split()) | {"s", "t", "d", "ll", "ve", "re", "m", "don", "didn"} <= stop_words()


def test_english_leaves_words_with_a_meaning_of_their_own():
    assert not stop_words() & {"order", "index", "new", "us", "computer", "run", "c", "r", "may", "like", "work"}


def test_languages_add_up_and_can_be_left_out():
    assert stop_words(["en", "de"]) == stop_words("english") | stop_words("german")
    assert "und" in stop_words("german")
    assert stop_words(None) == stop_words("basque") == frozenset()


def test_every_language_list_is_case_folded_and_short():
    for language in ("danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian", "russian"):
        words = stop_words(language)
        assert 50 < len(words) < 350
        assert all(word == word.lower() for word in words)
