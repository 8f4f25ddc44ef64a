import apsw

from simonides.text.analysis import Analyzer
from simonides.text.match import fts5_any, fts5_match
from simonides.text.query import read_query
from simonides.text.reading import And, Column, Not, Or, Phrase, QueryTerm, Term

ANT, BEE = Term("ant", ("ant",)), Term("bees", ("bee", "bi"))
MORE = "{content_more essence_more}"


def test_a_word_is_looked_for_among_the_base_terms():
    assert fts5_match(ANT) == f'{MORE} : "ant"'
    assert fts5_match(BEE) == f'({MORE} : "bee" OR {MORE} : "bi")'


def test_a_phrase_is_looked_for_among_the_words_and_in_the_plain_reading():
    phrase = Phrase("a-b c", (("a_2d_b", "c"), ("a", "b", "c")), ("a", "b", "c"), prefix=True)
    assert fts5_match(phrase) == (
        '({content essence} : "a_2d_b c" * OR {content essence} : "a b c" * OR '
        '{content_more essence_more} : "_pa _pb _pc" *)'
    )


def test_a_column_restricts_both_of_its_columns():
    assert fts5_match(Column("essence", ANT)) == 'essence_more : "ant"'
    assert fts5_match(Column("content", Phrase("a", (("a",),), ("a",)))) == '(content : "a" OR content_more : "_pa")'


def test_without_a_positive_side_nothing_matches():
    assert fts5_match(Not(None, ANT)) is None
    assert fts5_match(And((ANT, Not(None, ANT)))) is None
    assert fts5_match(Or((ANT, Not(None, ANT)))) == f'{MORE} : "ant"'


def test_any_of_the_terms_leaves_prefixes_out():
    terms = [QueryTerm("ant", ("ant",), ()), QueryTerm("be*", ("be",), (), prefix=True)]
    assert fts5_any(terms) == f'{MORE} : ("ant")'
    assert fts5_any([]) is None


def test_the_largest_expression_that_can_be_read_is_accepted_by_fts5():
    table = apsw.Connection(":memory:")
    table.execute(
        "CREATE VIRTUAL TABLE t USING fts5(content, essence, content_more, essence_more,"
        """ tokenize="ascii tokenchars '_'")"""
    )
    words = [f"flush_retry_{n}" for n in range(256)]
    queries = [" OR ".join(words), " ".join(words) + " x*", "a NOT " + " NOT ".join(words[:200])]
    queries += ["(" * 32 + "a NOT b" + ") NOT c" * 32, '"' + "word " * 20_000 + '"']
    for query in queries:
        reading = read_query(query, Analyzer(), stop_words=frozenset())
        if reading.match is not None:
            table.execute("SELECT rowid FROM t WHERE t MATCH ?", (reading.match,)).fetchall()
        else:
            assert reading.malformed
