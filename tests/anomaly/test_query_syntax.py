"""Field cases 1, 3, 5, 7 and 9: what people type is never a syntax error, and finds what they mean."""

from __future__ import annotations

from typing import Any

import pytest
from store_driver import Opener, ids


@pytest.fixture
def words(opener: Opener) -> Any:
    """A store without vectors: what is found is found by words."""
    return opener(embedder=False)


def everywhere(store: Any, query: str) -> list[list[str]]:
    """What each verb that reads a text finds."""
    return [ids(verb(query)) for verb in (store.search_fts, store.recall, store.retrieve, store.search_hybrid)]


def test_a_ticket_key_with_a_hyphen_is_found_however_it_is_typed(words: Any) -> None:
    """Case 1."""
    words.remember("Refund for ORD-4471 approved by finance", thought_id="refund")
    words.remember("The finance team moved to the second floor", thought_id="floor")
    for query in ("ORD-4471", "what about ORD-4471 ?", "-ORD-4471"):
        assert {found[0] for found in everywhere(words, query)} == {"refund"}, query
    assert len(everywhere(words, "ORD--4471")) == 4


@pytest.mark.parametrize(
    "query", ["status: repaired", "boiler:status", 'timeout "repaired', "repaired OR", "(repaired"]
)
def test_a_colon_a_lone_quote_or_a_half_expression_is_ordinary_text(words: Any, query: str) -> None:
    """Case 3."""
    words.remember("status of the boiler: repaired", thought_id="boiler")
    assert everywhere(words, query) == [["boiler"]] * 4


def test_only_the_documented_columns_are_column_filters(words: Any) -> None:
    """Case 3."""
    words.remember("berlin in spring", thought_id="content", essence="a trip")
    words.remember("a trip without a city", thought_id="other", essence="berlin")
    assert ids(words.search_fts("content:berlin")) == ["content"]
    assert ids(words.search_fts("essence:berlin")) == ["other"]
    assert sorted(ids(words.search_fts("title:berlin"))) == ["content", "other"]


@pytest.mark.parametrize("query", ["won't take calls", "won’t take calls", "O'Hara", "O’Hara", "o'hara"])
def test_apostrophes_straight_and_curly_are_read_alike(words: Any, query: str) -> None:
    """Case 5."""
    words.remember("Ms O'Hara won't take calls before nine", thought_id="ohara")
    assert everywhere(words, query) == [["ohara"]] * 4


def test_a_lone_apostrophe_finds_nothing(words: Any) -> None:
    """Case 5."""
    words.remember("Ms O'Hara won't take calls before nine", thought_id="ohara")
    assert words.search_fts("'") == []
    assert all(hit.score == 0 for hit in words.recall("'").hits)


def test_the_rare_word_of_a_whole_question_outweighs_its_common_ones(words: Any) -> None:
    """Case 7."""
    words.remember("Courier Bilal delivers on Thursdays", thought_id="courier")
    for n in range(20):
        words.remember(f"the way to shelf {n} is to the left", thought_id=f"note{n}")
    found = everywhere(words, "so who is it that usually delivers the parcels to us?")
    assert {hits[0] for hits in found} == {"courier"}


def test_minus_is_not_an_operator_and_not_excludes(words: Any) -> None:
    """Case 9. The documented rule: a leading minus is ordinary text; NOT between operands excludes."""
    words.remember("Courier Bilal delivers on Thursdays", thought_id="bilal")
    words.remember("Courier Chen delivers on Mondays", thought_id="chen")
    assert everywhere(words, "courier NOT bilal") == [["chen"]] * 4
    assert {hits[0] for hits in everywhere(words, "courier -bilal")} == {"bilal"}
    assert {hits[0] for hits in everywhere(words, "-bilal")} == {"bilal"}
    for found in everywhere(words, "NOT bilal"):
        assert found[:1] in ([], ["bilal"])  # one word in capitals is no expression: it is read as text


def test_what_not_excludes_does_not_come_back_through_the_vector_leg(opener: Opener) -> None:
    """Case 9."""
    store = opener()
    store.remember("Courier Bilal delivers on Thursdays", thought_id="bilal")
    store.remember("Courier Chen delivers on Mondays", thought_id="chen")
    for verb in (store.recall, store.retrieve, store.search_hybrid):
        assert ids(verb("courier NOT bilal")) == ["chen"]


def test_what_not_excludes_does_not_come_back_through_a_reflection(opener: Opener) -> None:
    """Case 9."""
    store = opener(embedder=False)
    store.remember("Courier Bilal delivers on Thursdays", thought_id="bilal")
    store.remember("Every courier delivers", thought_id="all", thought_type="REFLECTION")
    store.link("all", "bilal", "CONSOLIDATED_FROM")
    assert "bilal" in ids(store.search_hybrid("courier"))
    assert "bilal" not in ids(store.search_hybrid("courier NOT bilal", top_k=10))


PUNCTUATION = ["AND", "OR OR", "()", '""', '"', "*", "foo**bar", "*foo", "a*", "^x", "+x +y", "{a b}:c", "NEAR(a b, 2)",
               "a AND NOT", "NOT", "((((", ")", "a:b:c", "content:", "essence:*", "'; DROP TABLE thoughts; --", "%s %d",
               "\\", "a\x00b", "\u200b", "\ufeff", "a" * 10_000, '"' * 999, "( " * 500]  # fmt: skip


@pytest.mark.parametrize("query", PUNCTUATION, ids=lambda text: ascii(text[:20]))
def test_no_punctuation_that_a_user_can_type_raises(plain: Any, query: str) -> None:
    plain.remember("foo bar content essence a b", thought_id="x")
    for found in everywhere(plain, query):
        assert set(found) <= {"x"}
    assert plain.read_query(query).text == query
