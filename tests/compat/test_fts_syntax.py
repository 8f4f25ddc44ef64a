"""Keyword query syntax: bare words are OR-ed, expert syntax passes, punctuation never raises."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from store_driver import ids


@pytest.fixture
def family(make: Any) -> Any:
    store = make()
    store.remember("my sister's dog barks", thought_id="dog")
    store.remember("what was on my mind", thought_id="mind")
    store.remember("doing the dishes", thought_id="dishes")
    store.remember("nothing of the kind", thought_id="none")
    return store


def test_a_bare_query_finds_what_shares_any_word_and_ranks_distinctive_words_first(family: Any) -> None:
    """Only `dog` has the distinctive word; the rows that share nothing but stop words come after it."""
    assert ids(family.search_fts("what was my sister doing", top_k=10)) == ["dog", "dishes", "mind"]
    assert family.read_query("what was my sister doing").kind == "bare"


def test_rarity_alone_puts_common_words_last_without_stop_list_or_stems(make: Any) -> None:
    """Twenty rows say `the` and `is`; one says `sister`. Language None: no stop words, no stems."""
    store = make(config={"text": {"language": None, "stop_words": False}})
    for n in range(20):
        store.remember(f"the note {n} is here", thought_id=f"n{n:02}")
    store.remember("a sister sings", thought_id="sister")
    found = store.search_fts("what is the sister doing", top_k=30)
    assert found[0][0] == "sister"
    assert len(found) == 21


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ('"machine learning"', ["phrase"]),
        ("python AND NOT snake", ["py"]),
        ("python and not snake", ["both", "py", "snake"]),
        ("python OR rust", ["both", "py", "rust"]),
        ("snake NOT python", ["snake"]),
        ("neur*", ["neural", "neuron"]),
        ("content:berlin", ["content"]),
        ("essence:berlin", ["essence"]),
        ("author:berlin", ["content", "essence"]),
    ],
)
def test_expert_syntax_means_what_it_says(make: Any, query: str, wanted: list[str]) -> None:
    store = make()
    for name, text in {
        "phrase": "machine learning at work", "apart": "learning to build a machine", "py": "python code",
        "both": "python the snake", "snake": "a snake bites", "rust": "rust code", "neural": "a neural net",
        "neuron": "one neuron", "content": "berlin in spring",
    }.items():  # fmt: skip
        store.remember(text, thought_id=name)
    store.remember("a city trip", thought_id="essence", essence="berlin")
    assert sorted(ids(store.search_fts(query, top_k=20))) == wanted


@pytest.mark.parametrize(
    "query", ["http://example.com", "12:30", "see http://example.com at 12:30!", "example.com?x=1&y=2"]
)
def test_urls_and_times_are_ordinary_terms(make: Any, query: str) -> None:
    store = make()
    store.remember("meet at 12:30, notes on http://example.com", thought_id="a")
    assert store.read_query(query).kind == "bare"
    assert ids(store.search_fts(query)) == ["a"]
    assert store.fts_match_failure_count == 0


def test_a_contraction_is_split_and_still_matches(family: Any) -> None:
    reading = family.read_query("sister's")
    assert (reading.kind, reading.terms) == ("bare", ("sister", "s"))
    assert ids(family.search_fts("sister's"))[0] == "dog"
    assert ids(family.search_fts("sister’s cat"))[0] == "dog"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ('dog AND "barks', ["dog"]), ("(dog AND barks", ["dog"]), ("dog AND", ["dog"]), ("AND", []),
        ("dishes OR OR dog", ["dishes", "dog"]), ('"zebra OR', []),
    ],
)  # fmt: skip
def test_a_malformed_expression_is_logged_counted_and_retried_bare(
    family: Any, caplog: pytest.LogCaptureFixture, query: str, wanted: list[str]
) -> None:
    before = family.fts_match_failure_count
    with caplog.at_level(logging.WARNING, logger="simonides"):
        assert sorted(ids(family.search_fts(query))) == wanted
    assert family.fts_match_failure_count == before + 1
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert query not in caplog.text  # a question is personal data


def test_the_counter_can_only_be_read(family: Any) -> None:
    with pytest.raises(AttributeError):
        family.fts_match_failure_count = 5
    assert family.fts_match_failure_count == 0


def test_every_verb_reads_the_text_alike(family: Any) -> None:
    """`search_fts` exposes the keyword signal of `search_hybrid`: the same rows, in the same order."""
    for query in ("what was my sister doing", "dog OR dishes", "sister NOT dog", 'dog AND "barks'):
        pairs = family.search_fts(query)
        answer = family.search_hybrid(query, priority_weight=0)
        assert ids(answer) == ids(pairs)
        assert [hit.parts[0].value for hit in answer.hits if hit.parts[0].value] == pytest.approx(
            [score for _, score in pairs if score][: len(answer.hits)], abs=1e-12
        )
