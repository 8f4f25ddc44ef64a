import pytest

from simonides.text.analysis import Analyzer
from simonides.text.query import EXACT_WEIGHT, QUERY_CHARS_MAX, READ_TERMS_MAX, read_query
from simonides.text.reading import (
    DROPPED_NAMED_MAX,
    And,
    Column,
    Not,
    Or,
    Phrase,
    QueryTerm,
    Reading,
    Term,
    keep_rarest,
)
from simonides.text.stopwords import stop_words

ENGLISH = Analyzer()


def reading_of(query: str, analyzer: Analyzer = ENGLISH) -> Reading:
    return read_query(query, analyzer, stop_words=stop_words())


def word(text: str) -> Term:
    return Term(text, (text,))


def test_the_exact_form_has_a_small_weight_of_its_own():
    assert reading_of("running").terms == (QueryTerm("running", ("run",), (("run", 1.0), ("=running", EXACT_WEIGHT))),)
    heavier = read_query("running", ENGLISH, stop_words=frozenset(), exact_weight=0.5)
    assert heavier.terms[0].forms == (("run", 1.0), ("=running", 0.5))


def test_parts_of_a_compound_have_no_exact_form():
    whole, *parts = reading_of("flush_retry").terms
    assert whole.forms == (("flush_5f_retry", 1.0), ("=flush_5f_retry", EXACT_WEIGHT))
    assert [part.forms for part in parts] == [(("flush", 1.0),), (("retri", 1.0),)]


def test_equivalent_bases_share_the_weight_of_one():
    (term,) = reading_of("running", Analyzer(["english", "german"])).terms
    assert term.forms == (("run", 0.5), ("running", 0.5), ("=running", EXACT_WEIGHT))


def test_syllable_pairs_of_a_korean_word_share_a_half():
    (term,) = reading_of("서울에서").terms
    assert [weight for _, weight in term.forms] == pytest.approx([1.0, 0.5 / 3, 0.5 / 3, 0.5 / 3, EXACT_WEIGHT])


def test_operators_bind_as_in_fts5():
    ant, bee, cow, dog, eel = map(word, ("ant", "bee", "cow", "dog", "eel"))
    assert reading_of("ant OR bee AND cow NOT dog").tree == Or((ant, And((bee, Not(cow, dog)))))
    assert reading_of("ant bee NOT cow dog OR eel").tree == Or((Not(And((ant, bee)), And((cow, dog))), eel))
    assert reading_of("ant NOT bee NOT cow").tree == Not(ant, Or((bee, cow)))
    assert reading_of("(ant OR bee) AND NOT cow").tree == Not(Or((ant, bee)), cow)


def test_a_filter_restricts_its_operand_only():
    assert reading_of("content:ant bee").tree == And((Column("content", word("ant")), word("bee")))
    phrase = Phrase("ant bee", (("ant", "bee"),), ("ant", "bee"))
    assert reading_of('essence:("ant bee" OR cow)').tree == Column("essence", Or((phrase, word("cow"))))


def test_stop_words_beside_other_words_are_not_required():
    assert reading_of('what is "ant bee"').tree == Phrase("ant bee", (("ant", "bee"),), ("ant", "bee"))
    assert reading_of("what* AND the").tree == And((Phrase("what", (("what",),), ("what",), True), word("the")))


def test_what_not_excludes_is_kept_from_every_leg():
    assert reading_of("ant NOT bee").veto == word("bee")
    assert reading_of("NOT bee").veto == word("bee")
    assert reading_of("(ant NOT bee) AND (cow NOT dog)").veto == Or((word("bee"), word("dog")))
    assert reading_of("(ant NOT bee) OR cow").veto is None
    assert reading_of("content:(ant NOT bee)").veto == Column("content", word("bee"))


def test_a_purely_negative_query_matches_nothing():
    reading = reading_of("NOT bilal")
    assert (reading.kind, reading.match, reading.terms, reading.fallback) == ("expert", None, (), None)


def test_a_retry_reads_the_same_text_bare():
    reading = reading_of("ant AND java")
    assert reading.fallback is not None
    assert reading.fallback.kind == "bare"
    assert [term.text for term in reading.fallback.terms] == ["ant", "and", "java"]


def test_a_query_with_too_many_words_names_what_it_leaves_out():
    reading = reading_of(" ".join(f"w{n}" for n in range(READ_TERMS_MAX + 500)))
    assert len(reading.terms) == READ_TERMS_MAX
    assert (len(reading.dropped), reading.dropped_count) == (DROPPED_NAMED_MAX, 500)
    assert reading.dropped[0].text == f"w{READ_TERMS_MAX}"


def test_a_query_that_is_too_long_says_so():
    reading = reading_of("ant " * QUERY_CHARS_MAX)
    assert [term.text for term in reading.terms] == ["ant"]
    assert reading.dropped_count == 1
    assert str(QUERY_CHARS_MAX) in reading.dropped[0].reason


def test_the_rarest_terms_that_occur_are_kept():
    reading = reading_of("the common rare missing middling")
    frequency = {"the": 1, "common": 90, "rare": 2, "middl": 40}
    kept = keep_rarest(reading, frequency, 2)
    assert [term.text for term in kept.terms] == ["rare", "middling"]
    assert [dropped.text for dropped in kept.dropped] == ["the", "common", "missing"]
    assert kept.dropped_count == 3
    assert keep_rarest(reading, frequency, 5) is reading


def test_the_fallback_is_cut_down_too():
    kept = keep_rarest(reading_of("ant AND bee"), {"ant": 3, "bee": 1}, 1)
    assert [term.text for term in kept.terms] == ["bee"]
    assert kept.fallback is not None
    assert [term.text for term in kept.fallback.terms] == ["bee"]
    assert kept.match is not None


@pytest.mark.parametrize(
    "query",
    [
        "(" * 33 + "ant AND bee" + ")" * 33,
        " OR ".join(["ant"] * 257),
        "ant) AND (bee",
        'a "b c" d "',
        "ant NOT (NOT bee)",
    ],
)
def test_what_cannot_be_read_is_read_bare_and_marked(query):
    reading = reading_of(query)
    assert (reading.kind, reading.malformed) == ("bare", True)
    assert "ant" in [term.text for term in reading.terms] or "b" in [term.text for term in reading.terms]
