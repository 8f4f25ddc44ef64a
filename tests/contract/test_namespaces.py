"""Namespaces and sealed handles: one owner's rows and numbers never reach another."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from store_driver import Opener, ids

from simonides import NamespaceError, ThoughtNotFoundError


def test_a_handle_acts_in_its_namespace_unless_another_is_named(opener: Opener) -> None:
    store = opener(namespace="ana")
    store.remember("the blue pot", thought_id="1")
    store.remember("the red pot", thought_id="2", namespace="ben")
    assert store.namespace == "ana"
    assert ids(store.recall("pot")) == ["1"]
    assert ids(store.recall("pot", namespace="ben")) == ["2"]
    assert sorted(ids(store.recall("pot", namespace=["ana", "ben"]))) == ["1", "2"]
    assert ids(store.list_thoughts(namespace="ben")) == ["2"]
    assert store.namespaces() == ["ana", "ben"]
    ben = store.in_namespace("ben")
    assert ids(ben.recall("pot")) == ["2"]
    assert ben.remember("more", thought_id="3").namespace == "ben"


def test_one_id_may_live_in_two_namespaces(store: Any) -> None:
    store.remember("hers", thought_id="x", namespace="ana")
    store.remember("his", thought_id="x", namespace="ben")
    store.update_thought("x", content="his own", namespace="ben")
    store.delete_thought("x", namespace="ben")
    assert store.get_thought("x", namespace="ana").content == "hers"
    assert store.get_thought("x", namespace="ben") is None
    with pytest.raises(ThoughtNotFoundError):
        store.update_thought("x", content="nobody's")


def test_an_answer_over_two_namespaces_keeps_equal_ids_apart(store: Any) -> None:
    store.remember("the blue pot", thought_id="x", namespace="ana")
    store.remember("the blue pot", thought_id="x", namespace="ben")
    for answer in (
        store.search_hybrid("blue pot", namespace=["ana", "ben"]),
        store.search_hybrid("blue pot", namespace=["ben", "ana", "ben"]),
    ):
        assert sorted(h.thought.namespace for h in answer.hits) == ["ana", "ben"]


def test_a_sealed_handle_reaches_nothing_else(opener: Opener) -> None:
    store = opener()
    store.remember("a secret", thought_id="s", namespace="ben")
    sealed = store.in_namespace("ana", sealed=True)
    sealed.remember("hers", thought_id="h")
    asks = [
        lambda: sealed.remember("x", namespace="ben"),
        lambda: sealed.remember_many(["x"], namespace="ben"),
        lambda: sealed.create_thought(content="x", namespace="ben"),
        lambda: sealed.update_thought("s", content="x", namespace="ben"),
        lambda: sealed.archive_thought("s", namespace="ben"),
        lambda: sealed.restore_thought("s", namespace="ben"),
        lambda: sealed.delete_thought("s", namespace="ben"),
        lambda: sealed.link("h", "s", namespace="ben"),
        lambda: sealed.unlink("h", "s", namespace="ben"),
        lambda: sealed.embed_pending(namespace="ben"),
        lambda: sealed.recall("secret", namespace="ben"),
        lambda: sealed.recall("secret", namespace=["ana", "ben"]),
        lambda: sealed.retrieve("secret", namespace="ben"),
        lambda: sealed.search_hybrid("secret", namespace="ben"),
        lambda: sealed.search_fts("secret", namespace="ben"),
        lambda: sealed.search_similar([1.0] * 64, namespace="ben"),
        lambda: sealed.get_thought("s", namespace="ben"),
        lambda: sealed.get_thoughts(["s"], namespace="ben"),
        lambda: sealed.list_thoughts(namespace="ben"),
        lambda: sealed.count_thoughts(namespace="ben"),
        lambda: sealed.edges(namespace="ben"),
        lambda: sealed.changes(namespace="ben"),
        lambda: sealed.stats(namespace="ben"),
        lambda: sealed.in_namespace("ben"),
    ]
    for ask in asks:
        with pytest.raises(NamespaceError) as caught:
            ask()
        assert "secret" not in str(caught.value)
        assert caught.value.code == "namespace_invalid"
    assert sealed.namespaces() == ["ana"]
    assert sealed.in_namespace("ana").sealed
    assert ids(sealed.list_thoughts(namespace="ana")) == ["h"]
    assert store.get_thought("s", namespace="ben").content == "a secret"


def test_a_store_may_be_opened_sealed(opener: Opener) -> None:
    store = opener(namespace="ana", sealed=True)
    assert store.sealed
    assert store.remember("x").namespace == "ana"
    with pytest.raises(NamespaceError):
        store.count_thoughts(namespace="default")


@pytest.mark.parametrize(
    "name",
    ["main", "a:b", "équipe", "OR", "x" * 300, "f2c59d63-0000-4000-8000-00000000000a", " ", "__root__", "%", "*", "'"],
)
def test_any_name_without_control_characters_works_in_both_legs(store: Any, name: str) -> None:
    store.remember("the blue pot", thought_id="p", namespace=name)
    assert ids(store.search_fts("blue", namespace=name)) == ["p"]
    assert store.search_hybrid("blue pot", namespace=name).backends_used >= {"fts5", "vector"}
    assert store.namespaces() == [name]
    assert store.count_thoughts() == 0


def test_composed_and_decomposed_names_are_one_namespace(store: Any) -> None:
    store.remember("x", thought_id="x", namespace=unicodedata.normalize("NFD", "équipe"))
    assert store.get_thought("x", namespace=unicodedata.normalize("NFC", "équipe")).thought_id == "x"
    assert store.namespaces() == [unicodedata.normalize("NFC", "équipe")]


@pytest.mark.parametrize("name", ["", "a\x00b", "a\n", "x" * 301, "\ud83d", 5, b"x", ("a",)])
def test_other_names_are_refused_with_the_rule(opener: Opener, name: Any) -> None:
    store = opener()
    for ask in (
        lambda: store.remember("x", namespace=name),
        lambda: store.list_thoughts(namespace=name),
        lambda: store.in_namespace(name),
        lambda: opener("other.db", namespace=name),
    ):
        with pytest.raises(NamespaceError, match="1 to 300 characters without control"):
            ask()
    assert store.namespaces() == []


def test_scores_in_a_namespace_do_not_depend_on_what_others_hold(opener: Opener) -> None:
    store = opener(namespace="ana")
    for n, text in enumerate(("the blue pot", "the red kettle", "a pot of tea")):
        store.remember(text, thought_id=str(n))
    before = [store.search_fts("blue pot"), store.recall("blue pot").results, store.search_hybrid("blue pot").results]
    store.remember_many([f"blue pot number {n}" for n in range(50)], namespace="ben")
    after = [store.search_fts("blue pot"), store.recall("blue pot").results, store.search_hybrid("blue pot").results]
    assert before == after


def test_an_empty_list_of_namespaces_is_refused(store: Any) -> None:
    from simonides import InvalidQueryError

    with pytest.raises(InvalidQueryError, match="empty list"):
        store.recall("x", namespace=[])


def test_an_expert_query_finds_a_thought_once_when_another_owner_wrote_the_same_before(store: Any) -> None:
    for name in ("ana", "ben", "ana", "ben"):
        store.remember(f"the blue code of {name}", namespace=name)
    found = ids(store.search_fts('"blue code"', namespace="ben"))
    assert len(found) == len(set(found)) == 2
