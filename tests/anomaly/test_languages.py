"""Field cases 14 and 16: scripts without spaces, composed and decomposed letters."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from store_driver import Opener, ids

COMPOSED = unicodedata.normalize("NFC", "L'hôtel du Châtelet")
DECOMPOSED = unicodedata.normalize("NFD", "L'hôtel du Châtelet")


@pytest.mark.parametrize(
    ("query", "found"), [("京都", "meeting"), ("办公室", "meeting"), ("室", "meeting"), ("gateway", "deploy")]
)
def test_a_word_inside_a_run_without_spaces_is_found(opener: Opener, query: str, found: str) -> None:
    """Case 14."""
    store = opener(embedder=False)
    store.remember("会议改到星期三下午在京都办公室", thought_id="meeting")
    store.remember("部署web-gateway完成并已验证", thought_id="deploy")
    assert ids(store.search_fts(query)) == [found]
    assert ids(store.recall(query)) == [found]


def test_a_thai_word_inside_a_run_is_found(plain: Any) -> None:
    """Case 14."""
    plain.remember("ประชุมที่กรุงเทพวันพุธ", thought_id="bangkok")
    plain.remember("เชียงใหม่", thought_id="chiangmai")
    assert ids(plain.search_fts("กรุงเทพ")) == ["bangkok"]


@pytest.mark.parametrize("stored", [COMPOSED, DECOMPOSED], ids=["composed", "decomposed"])
@pytest.mark.parametrize("query", ["ho\u0302tel", "hôtel", "hotel", "HOTEL", "châtelet", "cha\u0302telet"], ids=ascii)
def test_composed_decomposed_and_plain_letters_find_each_other(opener: Opener, stored: str, query: str) -> None:
    """Case 16."""
    store = opener(embedder=False)
    store.remember(stored, thought_id="h")
    store.remember("a house by the sea", thought_id="other")
    assert ids(store.search_fts(query)) == ["h"]
    assert ids(store.recall(query)) == ["h"]


@pytest.mark.parametrize(
    ("stored", "query"), [("in der Straße", "strasse"), ("Goethestraße 5", "goethestrasse"), ("Trần Văn", "tran")]
)
def test_letters_fold_to_what_people_type(plain: Any, stored: str, query: str) -> None:
    plain.remember(stored, thought_id="x")
    plain.remember("something else", thought_id="y")
    assert ids(plain.search_fts(query)) == ["x"]


def test_the_exact_form_ranks_above_the_folded_one(plain: Any) -> None:
    plain.remember("résumé of the talk", thought_id="accent")
    plain.remember("resume of the talk", thought_id="plain")
    assert ids(plain.search_fts("résumé"))[0] == "accent"
    assert ids(plain.search_fts("resume"))[0] == "plain"
