"""`link`, `unlink`, `edges`, and the FOLLOWS edges of a session."""

from __future__ import annotations

from typing import Any

import pytest
from store_driver import HandClock, ids

from simonides import Draft, EdgeType, InvalidQueryError, InvalidThoughtError, ThoughtNotFoundError


def triples(store: Any, thought_id: str | None = None) -> list[tuple[str, str, str]]:
    return sorted((e.from_id, e.to_id, e.edge_type.value) for e in store.edges(thought_id))


@pytest.fixture
def abc(store: Any) -> Any:
    store.remember_many([Draft(content=n, thought_id=n) for n in "abc"])
    return store


def test_an_edge_comes_back_as_it_was_given(abc: Any, clock: HandClock) -> None:
    made = abc.link(
        "a", "b", "DEPENDS_ON", weight=0.25, valid_from="2026-01-01", valid_until="2027-01-01T00:00:00Z",
        source="diary", metadata={"why": ["x", None]}, reason="told",
    )  # fmt: skip
    assert abc.edges("a") == abc.edges("b") == abc.edges() == [made]
    assert abc.edges("c") == abc.edges("nobody") == []
    assert made.to_dict() == {
        "edge_id": made.edge_id, "namespace": "default", "from_id": "a", "to_id": "b", "edge_type": "DEPENDS_ON",
        "weight": 0.25, "metadata": {"why": ["x", None]}, "source": "diary", "created_at": "2026-03-01T12:00:00+00:00",
        "valid_from": "2026-01-01T00:00:00+00:00", "valid_until": "2027-01-01T00:00:00+00:00",
    }  # fmt: skip
    assert (abc.changes()[-1].kind, abc.changes()[-1].reason) == ("edge.written", "told")


def test_the_same_ends_and_type_again_change_the_edge(abc: Any) -> None:
    first = abc.link("a", "b", weight=0.25)
    second = abc.link("a", "b", EdgeType.ASSOCIATED, weight=0.75)
    assert second.edge_id == first.edge_id
    assert [e.weight for e in abc.edges()] == [0.75]
    abc.link("b", "a")
    abc.link("a", "b", "SUPPORTS")
    assert len(abc.edges()) == 3


def test_edges_come_strongest_first_and_up_to_a_limit(abc: Any) -> None:
    abc.link("a", "b", weight=0.5)
    abc.link("a", "c", weight=0.75)
    abc.link("b", "c", weight=0.25)
    assert [e.weight for e in abc.edges()] == [0.75, 0.5, 0.25]
    assert [e.weight for e in abc.edges(limit=1)] == [0.75]


def test_edges_of_one_type_are_cut_after_the_others_are_left_out(abc: Any) -> None:
    """Two stronger edges of other types do not use up the limit."""
    abc.link("a", "b", weight=1.0)
    abc.link("a", "c", "SUPPORTS", weight=0.9)
    abc.link("b", "a", "CONTRADICTS", weight=0.2)
    abc.link("b", "c", EdgeType.CONTRADICTS, weight=0.1)
    kinds = [(e.from_id, e.to_id) for e in abc.edges("a", edge_type="CONTRADICTS", limit=1)]
    assert kinds == [("b", "a")]
    assert [(e.from_id, e.to_id) for e in abc.edges(edge_type=EdgeType.CONTRADICTS)] == [("b", "a"), ("b", "c")]
    assert abc.edges(edge_type="BRIDGE") == []
    with pytest.raises(InvalidQueryError, match="edge_type is 'HATES'"):
        abc.edges(edge_type="HATES")


def test_a_thought_may_be_linked_to_itself(abc: Any) -> None:
    abc.link("a", "a")
    assert triples(abc, "a") == [("a", "a", "ASSOCIATED")]


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan"), float("inf"), None, "1", True])
def test_a_weight_lies_between_zero_and_one(abc: Any, weight: Any) -> None:
    with pytest.raises(InvalidThoughtError, match="weight"):
        abc.link("a", "b", weight=weight)
    assert abc.edges() == []


@pytest.mark.parametrize(
    "options", [{"edge_type": "LIKES"}, {"source": 5}, {"source": "a\x00"}, {"valid_from": "soon"}]
)
def test_a_bad_edge_is_refused(abc: Any, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidThoughtError, match=next(iter(options))):
        abc.link("a", "b", **options)
    assert abc.edges() == []


def test_an_edge_needs_both_ends(abc: Any) -> None:
    for ends in (("a", "x"), ("x", "a")):
        with pytest.raises(ThoughtNotFoundError, match="'x'"):
            abc.link(*ends)
    abc.delete_thought("c")
    with pytest.raises(ThoughtNotFoundError):
        abc.link("a", "c")


def test_unlink_says_whether_there_was_an_edge(abc: Any) -> None:
    abc.link("a", "b")
    assert abc.unlink("b", "a") is False
    assert abc.unlink("a", "b", "SUPPORTS") is False
    assert abc.unlink("a", "nobody") is False
    assert abc.unlink("a", "b", reason="wrong") is True
    assert abc.unlink("a", "b") is False
    assert abc.edges() == []
    assert (abc.changes()[-1].kind, abc.changes()[-1].reason) == ("edge.removed", "wrong")


def test_linking_works_on_a_thought_with_more_edges_than_a_page(plain: Any) -> None:
    plain.remember_many([Draft(content=str(n), thought_id=f"t{n:04}") for n in range(1_010)])
    for n in range(1, 1_005):
        plain.link("t0000", f"t{n:04}")
    made = plain.link("t0000", "t1005", weight=0.1)
    assert (made.to_id, made.weight) == ("t1005", 0.1)


def test_turns_of_a_session_follow_each_other_in_order_of_arrival(store: Any) -> None:
    for n in range(3):
        turn = store.remember(f"turn {n}", thought_id=f"t{n}", session="s")
        assert (turn.session, turn.position) == ("s", n)
    store.remember("elsewhere", thought_id="u0", session="other")
    assert triples(store) == [("t1", "t0", "FOLLOWS"), ("t2", "t1", "FOLLOWS")]
    assert store.stats().sessions == 2


def test_turns_of_one_batch_follow_each_other_too(store: Any) -> None:
    drafts = [Draft(content=n, thought_id=n, session=s) for n, s in zip("abcd", "xyxy", strict=True)]
    assert [t.position for t in store.remember_many(drafts)] == [0, 0, 1, 1]
    assert triples(store) == [("c", "a", "FOLLOWS"), ("d", "b", "FOLLOWS")]


def test_a_turn_that_comes_again_is_not_a_second_turn(store: Any) -> None:
    for _ in range(2):
        for n in range(3):
            store.remember(f"turn {n}", thought_id=f"t{n}", session="s")
    assert [t.position for t in store.list_thoughts(filters={"session": "s"})] == [0, 1, 2]
    assert len(store.edges()) == 2


def test_a_session_goes_on_after_its_last_turn_was_deleted(store: Any) -> None:
    store.remember("one", thought_id="a", session="s")
    store.remember("two", thought_id="b", session="s")
    store.delete_thought("b")
    assert store.remember("three", thought_id="c", session="s").position == 2
    assert all(edge[1] != "b" for edge in triples(store))
    assert store.verify().ok


def test_sessions_and_speakers_can_be_filtered(store: Any) -> None:
    store.remember("one", thought_id="a", session="s", speaker="Ana")
    store.remember("two", thought_id="b", session="s", speaker="Ben")
    store.remember("three", thought_id="c")
    assert ids(store.list_thoughts(filters={"session": "s", "speaker": "Ben"})) == ["b"]
    assert ids(store.list_thoughts(filters={"speaker": {"$exists": False}})) == ["c"]
    assert ids(store.list_thoughts(filters={"position": {"$gte": 1}})) == ["b"]
