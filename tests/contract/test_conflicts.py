"""`store.conflicts`: what is proposed, what a decision does, and what a proposal must never do."""

from __future__ import annotations

from typing import Any

import pytest
from store_driver import HandClock

from simonides import (
    ConflictKind,
    Disagreement,
    InvalidQueryError,
    InvalidThoughtError,
    NamespaceError,
    RevisionConflictError,
    Thought,
    ThoughtNotFoundError,
)


def pairs(store: Any, status: str = "proposed") -> list[tuple[str, str]]:
    return [(c.older.thought_id, c.newer.thought_id) for c in store.conflicts.list(status)]


@pytest.fixture
def codes(store: Any, clock: HandClock) -> Any:
    """Two codes of Ana, one of Ben, and what has nothing to do with them."""
    for name, text in (
        ("old", "Ana's locker code is 4471"),
        ("ben", "Ben's locker code is 4472"),
        ("tea", "Ana likes green tea"),
        ("new", "Ana's locker code is 4472"),
    ):
        store.remember(text, thought_id=name)
        clock.advance(60)
    return store


def test_a_scan_proposes_what_disagrees_with_its_evidence(codes: Any) -> None:
    done = codes.conflicts.scan()
    assert (done.thoughts, done.proposed, done.withdrawn, done.done) == (4, 1, 0, True)
    (found,) = codes.conflicts.list()
    assert (found.older.thought_id, found.newer.thought_id) == ("old", "new")
    assert (found.found.kind, found.found.slot) == (ConflictKind.CONTRADICTS, "number")
    assert (found.found.older, found.found.newer) == ("4471", "4472")
    assert 0.6 <= found.found.confidence < 1
    assert found.status == "proposed"
    assert found.decided_at is found.decided_by is None
    assert codes.conflicts.get(found.conflict_id) == found
    assert codes.conflicts.counts() == {"proposed": 1, "confirmed": 0, "rejected": 0}
    assert found.to_dict()["older"]["content"] == "Ana's locker code is 4471"


def test_a_proposal_changes_no_ranking_and_hides_nothing(codes: Any) -> None:
    def answers() -> list[Any]:
        asked = [codes.recall(q, superseded=w) for q in ("Ana's locker code", "4471") for w in ("demote", "exclude")]
        asked += [codes.search_hybrid("locker code"), codes.retrieve("locker code")]
        return [
            [(h.thought.thought_id, h.score, h.superseded_by, h.conflicts) for h in answer.hits] for answer in asked
        ]

    before = answers()
    codes.conflicts.scan()
    assert answers() == before
    assert codes.edges() == []
    assert codes.count_thoughts(lifecycle_status="ACTIVE") == 4


def test_a_second_scan_looks_at_what_is_new_only(codes: Any) -> None:
    codes.conflicts.scan()
    assert codes.conflicts.scan().thoughts == 0
    codes.remember("Ana's locker code is 4479", thought_id="newest")
    done = codes.conflicts.scan()
    assert (done.thoughts, done.proposed) == (1, 2)
    assert pairs(codes) == [("old", "new"), ("old", "newest"), ("new", "newest")]


def test_a_scan_in_pieces_comes_to_the_same(codes: Any) -> None:
    steps = [codes.conflicts.scan(limit=1) for _ in range(4)]
    assert [step.thoughts for step in steps] == [1, 1, 1, 1]
    assert [step.done for step in steps] == [False, False, False, True]
    assert pairs(codes) == [("old", "new")]


def test_confirming_links_the_newer_to_the_older(codes: Any) -> None:
    codes.conflicts.scan()
    (found,) = codes.conflicts.list()
    told = codes.conflicts.confirm(found.conflict_id, reason="asked Ana")
    assert (told.status, told.decided_by, told.reason) == ("confirmed", "caller", "asked Ana")
    (edge,) = codes.edges()
    assert (edge.from_id, edge.to_id, edge.edge_type) == ("new", "old", "CONTRADICTS")
    assert edge.metadata["conflict"] == found.conflict_id
    assert codes.conflicts.list() == []
    assert pairs(codes, "confirmed") == [("old", "new")]
    hits = {h.thought.thought_id: h.conflicts for h in codes.recall("Ana's locker code").hits}
    assert (hits["old"], hits["new"], hits["ben"]) == (("new",), ("old",), ())
    assert codes.conflicts.confirm(found.conflict_id).decided_at == told.decided_at  # again: nothing happens
    assert len(codes.edges()) == 1


def test_confirming_as_a_replacement_and_the_other_way_round(codes: Any) -> None:
    codes.conflicts.scan()
    (found,) = codes.conflicts.list()
    codes.conflicts.confirm(found.conflict_id, kind="SUPERSEDES")
    left = [h.thought.thought_id for h in codes.recall("Ana's locker code", superseded="exclude").hits]
    assert "new" in left
    assert "old" not in left
    codes.conflicts.confirm(found.conflict_id, newer="old")
    assert [(e.from_id, e.to_id, e.edge_type) for e in codes.edges()] == [("old", "new", "SUPERSEDES")]
    with pytest.raises(InvalidQueryError, match="newer is 'ben'"):
        codes.conflicts.confirm(found.conflict_id, newer="ben")
    with pytest.raises(InvalidThoughtError, match="kind"):
        codes.conflicts.confirm(found.conflict_id, kind="ASSOCIATED")


def test_a_rejected_pair_does_not_come_back_until_a_text_changes(codes: Any) -> None:
    codes.conflicts.scan()
    (found,) = codes.conflicts.list()
    codes.conflicts.reject(found.conflict_id, reason="two lockers")
    assert codes.conflicts.scan(again=True).proposed == 0
    codes.update_thought("new", priority="P1")  # a new revision, the same text
    assert codes.conflicts.scan().proposed == 0
    assert codes.conflicts.list() == []
    codes.update_thought("new", content="Ana's locker code is 4475")
    assert codes.conflicts.scan().proposed == 1
    (again,) = codes.conflicts.list()
    assert (again.conflict_id != found.conflict_id, again.found.newer) == (True, "4475")


def test_rejecting_what_was_confirmed_takes_the_link_away(codes: Any) -> None:
    codes.conflicts.scan()
    (found,) = codes.conflicts.list()
    codes.conflicts.confirm(found.conflict_id)
    codes.conflicts.reject(found.conflict_id)
    assert codes.edges() == []
    assert [c.kind for c in codes.changes()][-4:] == [
        "edge.written", "conflict.confirmed", "edge.removed", "conflict.rejected",
    ]  # fmt: skip


def test_a_proposal_about_a_text_that_changed_is_neither_shown_nor_confirmed(codes: Any) -> None:
    codes.conflicts.scan()
    (found,) = codes.conflicts.list()
    codes.update_thought("old", content="Ana's locker is blue")
    assert codes.conflicts.list() == []
    with pytest.raises(RevisionConflictError, match="has changed since"):
        codes.conflicts.confirm(found.conflict_id)
    assert codes.conflicts.scan().withdrawn == 1
    with pytest.raises(ThoughtNotFoundError):
        codes.conflicts.reject(found.conflict_id)


def test_decisions_are_journaled_with_actor_and_reason_and_without_text(codes: Any) -> None:
    codes.conflicts.scan()
    (found,) = codes.conflicts.list()
    codes.conflicts.confirm(found.conflict_id, reason="asked")
    told = [c for c in codes.changes() if c.subject_id == found.conflict_id]
    assert [(c.kind, c.actor, c.reason) for c in told] == [
        ("conflict.proposed", "caller", "scan"),
        ("conflict.confirmed", "caller", "asked"),
    ]
    assert codes.verify().problems == ()


def test_other_namespaces_and_subjects_are_never_compared(store: Any) -> None:
    store.remember("The limit is 5", namespace="ana", metadata={"subject": "lift"})
    store.remember("The limit is 6", namespace="ben", metadata={"subject": "lift"})
    store.remember("The limit is 7", namespace="ana", metadata={"subject": "loan"})
    for name in ("ana", "ben"):
        assert store.conflicts.scan(namespace=name).proposed == 0
    guest = store.in_namespace("ben", sealed=True)
    with pytest.raises(NamespaceError):
        guest.conflicts.list(namespace="ana")
    assert guest.conflicts.counts()["proposed"] == 0


def test_memories_of_one_subject_meet_though_they_share_no_word(opener: Any) -> None:
    store = opener(config={"conflicts": {"subject_field": "about.key"}, "store": {"synchronous": "NORMAL"}})
    store.remember("blue", thought_id="a", metadata={"about": {"key": "colour"}})
    store.remember("green", thought_id="b", metadata={"about": {"key": "colour"}})
    store.remember("red", thought_id="c", metadata={"about": {"key": "door"}})
    store.conflicts.scan()
    assert pairs(store) == [("a", "b")]


def test_what_is_linked_archived_or_replaced_is_left_alone(codes: Any) -> None:
    codes.link("new", "old", "SUPERSEDES")
    codes.remember("Ana's locker code is 4479", thought_id="newest")
    codes.remember("Ana's locker code is 4480", thought_id="shelved")
    codes.archive_thought("shelved")
    codes.conflicts.scan()
    assert pairs(codes) == [("new", "newest")]  # old is replaced already
    codes.archive_thought("newest")
    assert codes.conflicts.list() == []
    codes.restore_thought("newest")
    assert pairs(codes) == [("new", "newest")]


def test_a_judge_decides_about_every_pair_that_is_compared(codes: Any) -> None:
    seen: list[tuple[str, str, bool]] = []

    def judge(older: Thought, newer: Thought, found: Disagreement | None) -> Disagreement | None:
        seen.append((older.thought_id, newer.thought_id, found is not None))
        if {older.thought_id, newer.thought_id} == {"tea", "new"}:
            return Disagreement(ConflictKind.CONTRADICTS, 0.9, "taste", "tea", "code")
        return None

    codes.conflicts.scan(judge=judge)
    assert ("old", "new", True) in seen
    assert len(seen) == len({frozenset(pair[:2]) for pair in seen}) <= 6
    assert pairs(codes) == [("tea", "new")]
    with pytest.raises(TypeError, match="a judge returned str"):
        codes.conflicts.scan(judge=lambda a, b, found: "yes", again=True)


def test_a_confidence_below_the_limit_is_not_proposed(codes: Any) -> None:
    assert codes.conflicts.scan(min_confidence=1.0).proposed == 0
    assert codes.conflicts.scan(min_confidence=0.0, again=True).proposed == 1


def test_forgetting_a_memory_erases_its_conflicts(codes: Any) -> None:
    codes.conflicts.scan()
    codes.conflicts.reject(codes.conflicts.list()[0].conflict_id)
    codes.forget(thought_ids=["old"], reason="asked")
    assert codes.conflicts.counts() == {"proposed": 0, "confirmed": 0, "rejected": 0}
    codes.purge(namespace="default", confirm="default")
    assert codes.conflicts.scan().thoughts == 0


def test_conflicts_travel_with_an_export(codes: Any, opener: Any, tmp_path: Any) -> None:
    codes.remember("The gala is on 3 June", thought_id="g1")
    codes.remember("The gala is on 4 June", thought_id="g2")
    codes.conflicts.scan()
    first, second = codes.conflicts.list()
    codes.conflicts.confirm(first.conflict_id, reason="asked")
    codes.export(tmp_path / "a.jsonl")
    other = opener("other.db")
    report = other.import_(tmp_path / "a.jsonl")
    assert report.problems == ()
    assert pairs(other, "confirmed") == [("old", "new")]
    assert other.conflicts.get(second.conflict_id).found == second.found
    other.export(tmp_path / "b.jsonl")
    one, two = ((tmp_path / name).read_text().splitlines()[1:] for name in ("a.jsonl", "b.jsonl"))
    assert one == two
    assert other.import_(tmp_path / "a.jsonl").problems == ()
    assert len(other.conflicts.list()) == 1
    assert other.verify().problems == ()


def test_a_scan_can_be_a_job(codes: Any) -> None:
    job = codes.jobs.ask("conflicts.scan")
    assert codes.jobs.ask("conflicts.scan").job_id == job.job_id
    assert codes.conflicts.list() == []
    codes.jobs.run()
    assert pairs(codes) == [("old", "new")]


def test_pages_go_on_where_the_last_one_ended(store: Any) -> None:
    for room in ("red", "oak", "ice"):
        store.remember(f"The {room} room opens at 9:00")
        store.remember(f"The {room} room opens at 9:30")
    store.conflicts.scan()
    first = store.conflicts.list(limit=2)
    rest = store.conflicts.list(after=first[-1].conflict_id)
    assert len(first) == 2
    assert [c.conflict_id for c in first + rest] == [c.conflict_id for c in store.conflicts.list()]
    assert len(rest) == 1
    for wrong in ({"limit": 0}, {"status": "maybe"}, {"after": "nobody"}):
        with pytest.raises(InvalidQueryError):
            store.conflicts.list(**wrong)
    with pytest.raises(InvalidQueryError):
        store.conflicts.scan(limit=0)


def test_opposites_that_are_alike_are_never_merged(store: Any) -> None:
    """Case: look-alike memories with other values, and a negation beside its opposite."""
    texts = ["Ana's locker code is 4471", "Ben's locker code is 4472", "Ana's locker code is no longer 4471"]
    for text in texts:
        store.remember(text, vector=[1.0, *[0.0] * 62, 0.2])
    store.conflicts.scan()
    store.conflicts.scan(again=True)
    assert sorted(t.content for t in store.list_thoughts(lifecycle_status="ACTIVE")) == sorted(texts)
    (found,) = store.conflicts.list()
    assert (found.older.content, found.newer.content) == (texts[0], texts[2])
    assert found.found.kind is ConflictKind.SUPERSEDES


def test_a_circle_of_replacements_is_refused(store: Any) -> None:
    store.remember("one", thought_id="a")
    store.remember("two", thought_id="b", supersedes="a")
    store.remember("three", thought_id="c", supersedes="b")
    for newer, older in (("a", "c"), ("a", "b"), ("a", "a")):
        with pytest.raises(InvalidThoughtError, match="circle"):
            store.link(newer, older, "SUPERSEDES")
    with pytest.raises(InvalidThoughtError, match="circle"):
        store.remember("one again", thought_id="a", supersedes="c")
    store.link("c", "a", "SUPERSEDES")  # no circle
    assert store.get_thought("a").content == "one"
