import pytest

from simonides.errors import ConfigError
from simonides.text.stems import CODES, algorithm_version, language_names, stemmer


def test_names_and_codes_are_accepted_once_each():
    assert language_names(["English", "en", "de"]) == ("english", "german")
    assert language_names(None) == language_names([]) == ()


def test_every_code_names_a_known_language():
    assert {language_names(code) for code in CODES} == {(name,) for name in CODES.values()}


@pytest.mark.parametrize("name", ["", "xx", "porter"])
def test_other_names_are_refused(name):
    with pytest.raises(ConfigError):
        language_names(name)


def test_stems_are_those_of_snowball():
    assert [stemmer("english")(word) for word in ("running", "ponies", "budget")] == ["run", "poni", "budget"]
    assert stemmer("russian")("кошками") == "кошк"


def test_the_version_is_a_release_line():
    assert algorithm_version().count(".") == 1
