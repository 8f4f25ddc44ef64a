"""Whatever the text: no error, the same tokens for the same word, FTS5 and a naive evaluation agree."""

import unicodedata

import apsw
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from simonides.text.analysis import Analysis, Analyzer
from simonides.text.graphemes import cut, graphemes
from simonides.text.passages import split
from simonides.text.query import read_query
from simonides.text.reading import And, Column, Node, Not, Or, Phrase, Term
from simonides.text.stopwords import stop_words
from simonides.text.tokens import EXACT_MARK, PLAIN_MARK, WORD_CHARS_MAX, decode, encode

ANALYZER = Analyzer()
STOP = stop_words()
ODD = "\0\ud83d\udc00\u200b\u200d\ufeff\u00ad\u0301\u0e33ﾞ한글京都カﾅสวัก្កİıßﬁÅｗ1٣½²"
ANY_TEXT = st.one_of(st.text(st.characters()), st.text(st.sampled_from(ODD + "aZ .-_/\\:@,+#'\"()*")))
PIECES = [
    "ant",
    "bees",
    "C++",
    "q3.md",
    "fooBar",
    "été",
    "京都",
    "1,234",
    "the",
    "AND",
    "OR",
    "NOT",
    "(",
    ")",
    '"',
    "*",
]
PIECES += [
    "content:",
    "essence:",
    " ",
    " ",
    " ",
    "-",
    "'",
    "don't",
    "AND NOT",
    '"ant bees"',
    "be*",
    "foo_bar",
    "서울에서",
]
QUERY = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
OPERANDS = [
    "ant",
    "bees",
    "C++",
    "q3.md",
    "fooBar",
    "foo_bar",
    "été",
    "ete",
    "京都",
    "京",
    "1,234",
    "the",
    "don't",
    "서울",
]
OPERANDS += [
    '"ant bees"',
    '"ete foo"',
    '"foo bar"',
    '"京 都"',
    '"q3 md"',
    "be*",
    "fo*",
    "été*",
    '"foo b"*',
    "plans/q3*",
]
FILTERED = st.builds("{}{}".format, st.sampled_from(["", "", "", "content:", "essence:"]), st.sampled_from(OPERANDS))
EXPERT = st.recursive(
    FILTERED,
    lambda inner: st.builds(
        "{}{} {} {}{}".format,
        st.sampled_from(["", "(", "NOT "]),
        inner,
        st.sampled_from(["AND", "OR", "NOT", "AND NOT", ""]),
        inner,
        st.sampled_from(["", ")"]),
    ),
    max_leaves=6,
).map(lambda query: query + ")" * (query.count("(") - query.count(")")))


def reading_of(query: str):
    return read_query(query, ANALYZER, stop_words=STOP)


# ---- analysis -------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(ANY_TEXT)
def test_tokens_are_safe_ascii_and_add_up(text):
    analysis = ANALYZER.analyse(text)
    for token in (*analysis.words, *analysis.more, *analysis.counts):
        bare = token.removeprefix(EXACT_MARK)
        assert bare
        assert set(bare) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")
        assert len(token) <= 9 * WORD_CHARS_MAX + 2
    assert analysis.length == len(analysis.sequence)
    assert set(analysis.sequence) <= analysis.counts.keys()
    bases = [term for term in analysis.counts if not term.startswith(EXACT_MARK)]
    assert [token for token in analysis.more if not token.startswith(PLAIN_MARK)] == bases
    assert all(frequency > 0 for frequency in analysis.counts.values())


@settings(deadline=None)
@given(ANY_TEXT)
def test_composed_and_decomposed_texts_have_the_same_tokens(text):
    composed = ANALYZER.analyse(unicodedata.normalize("NFC", text))
    assert ANALYZER.analyse(unicodedata.normalize("NFD", text)) == composed == ANALYZER.analyse(text)


@settings(deadline=None)
@given(ANY_TEXT)
def test_analysis_does_not_depend_on_what_was_analysed_before(text):
    assert Analyzer().analyse(text) == ANALYZER.analyse(text)


@settings(deadline=None)
@given(ANY_TEXT, st.sampled_from(["german", "turkish", ("english", "russian"), None]))
@example("ŉ ͺ ΐ", "german")
def test_a_text_is_found_by_each_of_its_own_words(text, language):
    analyzer = Analyzer(language)
    analysis = analyzer.analyse(text)
    for word in analysis.words:
        reading = read_query(decode(word), analyzer, stop_words=frozenset())
        assert any(base in analysis.counts for term in reading.terms for base in term.bases), decode(word)


@settings(deadline=None)
@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), st.text(st.characters(codec="utf-8"), max_size=40)
)
def test_a_token_begins_with_another_exactly_when_its_word_does(first, second):
    assert decode(encode(first)) == first
    assert encode(first + second).startswith(encode(first))
    assert encode(second).startswith(encode(first)) == second.startswith(first)


# ---- queries --------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(ANY_TEXT)
def test_no_text_makes_a_query_raise(text):
    reading = reading_of(text)
    assert (reading.kind == "empty") == (not ANALYZER.analyse(text).words)
    assert reading.kind == "expert" or reading.tree is None


@settings(deadline=None)
@given(st.one_of(EXPERT, QUERY))
def test_expressions_are_accepted_by_fts5_and_find_what_a_naive_evaluation_finds(query):
    reading = reading_of(query)
    if reading.tree is None:
        return
    naive = {row for row, fields in enumerate(STORED) if holds(reading.tree, fields)}
    assert fts5(reading.match) == naive
    if reading.veto is not None:
        vetoed = {row for row, fields in enumerate(STORED) if holds(reading.veto, fields)}
        assert fts5(reading.veto_match) == vetoed
        assert not vetoed & naive


TEXTS = [
    ("ant bees", "C++ q3.md"),
    ("bees ant fooBar", "the ants"),
    ("plans/q3.md and foo_bar", "don't"),
    ("京都 ant", "été"),
    ("ete foo bar", "1,234 bee"),
    ("1234 content essence AND", "京 都 C"),
    ("서울에서 foobar", "q3 md"),
    ("", "ant"),
]
STORED = [{"content": ANALYZER.analyse(content), "essence": ANALYZER.analyse(essence)} for content, essence in TEXTS]


def holds(node: Node, fields: dict[str, Analysis]) -> bool:
    """The meaning of a tree, straight from the tokens of the fields."""
    match node:
        case Term():
            return any(set(node.bases) & set(plain_free(analysis)) for analysis in fields.values())
        case Phrase():
            return any(
                any(side_by_side(reading, analysis.words, node.prefix) for reading in node.readings)
                or side_by_side(node.plain, plain_reading(analysis), node.prefix)
                for analysis in fields.values()
            )
        case And():
            return all(holds(part, fields) for part in node.parts)
        case Or():
            return any(holds(part, fields) for part in node.parts)
        case Not():
            return node.keep is not None and holds(node.keep, fields) and not holds(node.drop, fields)
        case Column():
            return holds(node.part, {node.name: fields[node.name]})


def plain_free(analysis: Analysis) -> list[str]:
    return [token for token in analysis.more if not token.startswith(PLAIN_MARK)]


def plain_reading(analysis: Analysis) -> list[str]:
    return [token.removeprefix(PLAIN_MARK) for token in analysis.more if token.startswith(PLAIN_MARK)]


def side_by_side(wanted, tokens, prefix: bool) -> bool:
    for at in range(len(tokens) - len(wanted) + 1):
        *head, last = tokens[at : at + len(wanted)]
        if head == list(wanted[:-1]) and (last.startswith(wanted[-1]) if prefix else last == wanted[-1]):
            return True
    return False


def new_table(columns: str) -> apsw.Connection:
    table = apsw.Connection(":memory:")
    table.execute(f"""CREATE VIRTUAL TABLE t USING fts5({columns}, tokenize="ascii tokenchars '_'")""")
    return table


TABLE = new_table("content, essence, content_more, essence_more")
for _row, _fields in enumerate(STORED):
    _columns = [
        " ".join(tokens) for name in ("words", "more") for tokens in (getattr(a, name) for a in _fields.values())
    ]
    TABLE.execute(
        "INSERT INTO t(rowid, content, essence, content_more, essence_more) VALUES(?, ?, ?, ?, ?)", (_row, *_columns)
    )


def fts5(match: str | None, table: apsw.Connection = TABLE) -> set[int]:
    return {row for (row,) in table.execute("SELECT rowid FROM t WHERE t MATCH ?", (match,))} if match else set()


# ---- the same grammar as FTS5 ---------------------------------------------------------------------------------------

RAW_TEXTS = ["ant", "bee", "ant bee", "bee ant cow", "cow dog", "ant cow dog", "bee dog", "antler cow", "dog bee"]
RAW = new_table("content")
for _row, _text in enumerate(RAW_TEXTS):
    RAW.execute("INSERT INTO t(rowid, content) VALUES(?, ?)", (_row, _text))
RAW_QUERY = st.recursive(
    st.sampled_from(["ant", "bee", "cow", "dog", '"ant bee"', "ant*", "AND"]),
    lambda inner: st.builds(
        "{}{} {} {}{}".format,
        st.sampled_from(["", "", "("]),
        inner,
        st.sampled_from(["AND", "OR", "NOT", ""]),
        inner,
        st.sampled_from(["", ")"]),
    ),
    max_leaves=7,
)


@settings(deadline=None)
@given(RAW_QUERY.map(lambda query: query + ")" * (query.count("(") - query.count(")"))))
@example("ant bee NOT cow dog OR bee")
@example("ant NOT bee NOT cow AND dog")
@example("ant OR bee AND cow NOT dog")
def test_what_fts5_accepts_is_read_as_fts5_reads_it(query):
    try:
        expected = fts5(query, RAW)
    except apsw.SQLError:
        return
    reading = reading_of(query)
    assert not reading.malformed
    if reading.kind == "expert":
        assert {row for row, text in enumerate(RAW_TEXTS) if holds(reading.tree, field(text))} == expected


def field(text: str) -> dict[str, Analysis]:
    return {"content": ANALYZER.analyse(text)}


# ---- graphemes and passages -----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(ANY_TEXT, st.integers(0, 30))
def test_a_cut_text_is_a_beginning_that_tears_nothing(text, chars_max):
    short = cut(text, chars_max)
    assert text.startswith(short)
    assert len(short) <= chars_max
    clusters = graphemes(text)
    assert "".join(clusters) == text
    borders = {sum(map(len, clusters[:n])) for n in range(len(clusters) + 1)}
    assert len(short) == max(border for border in borders if border <= chars_max)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["word ", "A. ", "é", "\n\n", "京", "。", "\u0301", "\n", "👩‍🚀", "\r\n", "x" * 9]),
        max_size=120,
    )
)
def test_passages_cover_the_text_and_tear_no_short_cluster(pieces):
    text = "".join(pieces)
    spans = split(text, 40)
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(text)
    assert all(0 < span.end - span.start <= 40 for span in spans) or text == ""
    clusters = graphemes(text)
    assume(max(map(len, clusters), default=0) <= 4)
    borders = {0}
    for cluster in clusters:
        borders.add(max(borders) + len(cluster))
    assert all(span.end in borders for span in spans)


@pytest.mark.parametrize("reader", [ANALYZER.analyse, reading_of, split])
def test_hostile_texts_are_read(reader):
    for text in (
        "x" * 1_000_000,
        "é" * 200_000,
        "\0" * 1000,
        "\ud800" * 1000,
        "a_" * 100_000,
        "(" * 100_000,
        "e" + "\u0301" * 99_999,
    ):
        reader(text)
