import random
import threading

import pytest

from simonides.errors import ConfigError
from simonides.text.analysis import Analysis, Analyzer
from simonides.text.tokens import EXACT_MARK, PLAIN_MARK, decode

ENGLISH = Analyzer()


def readable(tokens) -> list[str]:
    return [token[:1] * (token[0] == EXACT_MARK) + decode(token) for token in tokens]


def test_an_english_sentence_by_hand():
    analysis = ENGLISH.analyse("Running dogs run")
    assert analysis == Analysis(
        words=("running", "dogs", "run"),
        more=("run", "dog"),
        counts={"run": 2, "=running": 1, "dog": 1, "=dogs": 1, "=run": 1},
        length=3,
        sequence=("run", "dog", "run"),
    )


def test_an_identifier_counts_as_a_whole_and_by_its_parts():
    analysis = ENGLISH.analyse("flush_retry_budget was raised")
    assert readable(analysis.words) == ["flush_retry_budget", "was", "raised"]
    assert readable(analysis.sequence) == ["flush_retry_budget", "flush", "retri", "budget", "was", "rais"]
    assert analysis.length == 6
    assert readable(analysis.counts) == [
        "flush_retry_budget", "flush", "retri", "budget", "=flush_retry_budget", "was", "=was", "rais", "=raised",
    ]  # fmt: skip
    plain = [token for token in analysis.more if token.startswith(PLAIN_MARK)]
    assert readable(plain) == ["flush", "retry", "budget", "was", "raised"]


def test_the_plain_reading_is_left_out_where_it_adds_nothing():
    assert not any(token.startswith(PLAIN_MARK) for token in ENGLISH.analyse("plain words only").more)


def test_a_path_is_counted_by_its_file_name_too():
    counts = ENGLISH.analyse("C:\\team\\plans\\q3.md").counts
    assert {"c", "team", "plan", "q3", "md", "q3_2e_md"} <= counts.keys()
    assert ENGLISH.analyse("plans/q3.md").length == 4


def test_a_run_without_spaces_gives_signs_and_pairs():
    analysis = ENGLISH.analyse("在京都")
    assert readable(analysis.words) == ["在", "京", "都"]
    assert readable(analysis.sequence) == ["在京", "京都"]
    assert {decode(term): n for term, n in analysis.counts.items()} == {"在京": 1, "京都": 1, "在": 1, "京": 1, "都": 1}
    assert analysis.length == 2


def test_thai_signs_keep_their_marks():
    assert readable(ENGLISH.analyse("สวัสดี").words) == ["ส", "วั", "ส", "ดี"]


def test_a_korean_word_is_a_word_and_its_pairs_of_syllables():
    analysis = ENGLISH.analyse("서울에서 집")
    assert readable(analysis.words) == ["서울에서", "집"]
    assert readable(analysis.counts) == ["서울에서", "서울", "울에", "에서", "=서울에서", "집", "=집"]
    assert readable(analysis.sequence) == ["서울에서", "집"]


def test_grouped_thousands_meet_the_plain_number():
    assert "1234" in ENGLISH.analyse("1,234").counts
    assert readable(ENGLISH.analyse("1,234").words) == ["1,234"]


def test_names_of_languages_differ():
    assert [readable(ENGLISH.analyse(name).words) for name in ("C", "C++", "C#", ".NET")] == [
        ["c"],
        ["c++"],
        ["c#"],
        [".net"],
    ]
    assert not {"c"} & ENGLISH.analyse("C++ C#").counts.keys()


def test_accented_words_of_other_languages_meet_their_unaccented_spelling():
    french = Analyzer("fr")
    assert french.analyse("réservations").counts.keys() & french.analyse("reservation").counts.keys()
    assert Analyzer("german").analyse("Häuser").counts.keys() & Analyzer("de").analyse("haus").counts.keys()


def test_several_languages_each_give_their_stem():
    both = Analyzer(["english", "german"])
    assert {"run", "running"} <= both.analyse("running").counts.keys()
    assert both.analyse("running").length == 1


def test_without_a_language_words_are_only_folded():
    assert Analyzer(None).analyse("Running cafés").sequence == ("running", "cafes")
    assert Analyzer("english", stemming=False).analyse("Running").sequence == ("running",)


def test_the_signature_changes_when_results_would():
    signatures = {
        Analyzer().signature,
        Analyzer("german").signature,
        Analyzer(["english", "german"]).signature,
        Analyzer(None).signature,
    }
    assert len(signatures) == 4
    assert Analyzer("en").signature == Analyzer("english").signature
    assert Analyzer(None).signature == Analyzer("english", stemming=False).signature


def test_an_unknown_language_is_refused():
    with pytest.raises(ConfigError, match="klingon"):
        Analyzer("klingon")


def test_threads_can_share_an_analyzer():
    shared = Analyzer()
    texts = [f"running word{n} cafés_{n} 京都{n}" for n in range(300)]
    expected = [Analyzer().analyse(text) for text in texts]
    results: list[list[Analysis]] = [[] for _ in range(4)]

    def work(own: list[Analysis]) -> None:
        own += [shared.analyse(text) for text in texts]

    threads = [threading.Thread(target=work, args=(own,)) for own in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(own == expected for own in results)


def test_the_cache_of_words_stays_bounded(monkeypatch):
    monkeypatch.setattr("simonides.text.analysis._CACHED_CHUNKS_MAX", 10)
    small = Analyzer()
    for n in range(100):
        assert small.analyse(f"word{n}").words == (f"word{n}",)
    assert len(small._cache) <= 10


@pytest.mark.parametrize("language", ["english", "german", "turkish", ("english", "french"), None])
def test_usual_words_are_what_the_way_for_all_words_makes_of_them(language):
    """A word of a to z goes a shorter way."""
    chance = random.Random(5)
    analyzer = Analyzer(language)
    words = ["a", "running", "mueller", "strasse", "oeuvre", "aaed", "ies", "s", "ss", "yyy", "x" * 48]
    words += ["".join(chance.choices("aeiouybcdgklmnrstz", k=chance.randrange(1, 15))) for _ in range(3_000)]
    for word in words:
        assert analyzer._chunk(word) == analyzer._usual(word) == analyzer._word(word)
