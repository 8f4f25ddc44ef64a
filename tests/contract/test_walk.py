"""A walk through a topic tree as a question sees it: width, depth, time, cost; topics as a filter, a map, a label."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from topic_scenes import COUNT, QUESTION, QUICK, SUBJECTS, D, drafts, rows, stored

import simonides
from simonides import Budget
from simonides.errors import ConfigError, InvalidQueryError, InvalidThoughtError
from simonides.model.thought import Draft
from simonides.read.legs import topic_beam
from simonides.topics.tree import Shape
from simonides.upkeep import probe


@pytest.fixture
def tree(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[simonides.Store]:
    """600 memories on eight subjects with a tree that is really walked."""
    monkeypatch.setattr(topic_beam, "EXACT_MAX", 0)
    monkeypatch.setattr(topic_beam, "TREE_FROM", 0)
    monkeypatch.setattr(probe, "TREE_FROM", 0)
    with simonides.open(path, embedder=False, config=QUICK) as store:
        store.remember_many(drafts(COUNT))
        store.topics.rebalance()
        yield store


def ask(store: simonides.Store, verb: str, **options: Any) -> simonides.HybridSearchResult:
    if verb == "search_hybrid":
        return store.search_hybrid("", QUESTION, **options)
    asked: simonides.HybridSearchResult = getattr(store, verb)("", query_vector=QUESTION, **options)
    return asked


@pytest.mark.parametrize("verb", ["recall", "retrieve", "search_hybrid"])
def test_the_width_of_a_call_is_the_width_of_the_walk(tree: simonides.Store, verb: str) -> None:
    shape, height = Shape(), stored(tree).tree.height
    narrow, wide = ask(tree, verb, beam_width=5), ask(tree, verb, beam_width=1_000)
    assert 0 < narrow.vectors_scored <= 5 * shape.leaf_hard
    assert 0 < narrow.centroids_scored <= height * 5 * shape.fan_out
    assert wide.vectors_scored == COUNT
    assert narrow.vectors_looked_up >= len(narrow.hits)
    exact = sorted(range(COUNT), key=lambda n: -(rows(COUNT)[n] @ np.array(QUESTION)))
    assert wide.hits[0].thought_id == f"n{exact[0]:04}"


def test_search_similar_takes_a_width_and_a_depth_too(tree: simonides.Store) -> None:
    everything = tree.search_similar(QUESTION, 10, beam_width=1_000)
    exact = np.sort(rows(COUNT) @ np.array(QUESTION))[::-1][:10]
    assert np.allclose([cosine for _, cosine in everything], exact, atol=1e-6)
    assert tree.search_similar(QUESTION, 10, beam_width=1_000, max_depth=99) == everything
    entry = tree.log.list(1)[0]
    assert entry.profile["vectors_scored"] == COUNT


def test_a_depth_of_nought_scores_the_children_of_the_root_only_and_goes_on_greedily(tree: simonides.Store) -> None:
    """The rounds are 0 … max_depth: the beam acts in those, then every topic it kept goes to its best child."""
    tree.remember_many(drafts(2_000, 3, COUNT))
    tree.topics.rebalance()
    shape = stored(tree).tree
    assert shape.height >= 2
    first = ask(tree, "retrieve", beam_width=4, max_depth=0)
    assert first.vectors_scored <= 4 * shape.shape.leaf_hard
    every, last = (
        ask(tree, "retrieve", beam_width=4, max_depth=depth) for depth in (shape.height + 5, shape.height - 1)
    )
    assert (last.results, last.vectors_scored) == (every.results, every.vectors_scored)


@pytest.mark.parametrize("options", [{"beam_width": 0}, {"beam_width": True}, {"max_depth": -1}, {"max_depth": 1.5}])
def test_a_width_or_depth_that_is_none_is_refused(tree: simonides.Store, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidQueryError, match=next(iter(options))):
        tree.search_similar(QUESTION, **options)


def test_settings_give_the_width_when_the_call_does_not(tree: simonides.Store, path: Path) -> None:
    settings = {**QUICK, "topics": {"beam_width": 5}}
    with simonides.open(path, embedder=False, config=settings) as other:
        assert ask(other, "retrieve").vectors_scored == ask(tree, "retrieve", beam_width=5).vectors_scored
        assert ask(other, "retrieve", beam_width=1_000).vectors_scored == COUNT
    for wrong in ({"beam_width": 0}, {"max_depth": -1}, {"recall_goal": 1.5}, {"beam_width_max": 0}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            simonides.open(":memory:", config={"topics": wrong})


def test_the_answer_and_the_log_name_the_tree_and_a_replay_notices_another_one(tree: simonides.Store) -> None:
    answer = ask(tree, "retrieve", beam_width=5)
    assert answer.trees == {"default": stored(tree).head.epoch}
    profile = tree.log.list(1)[0].profile
    assert profile["vectors_scored"] == answer.vectors_scored
    assert profile["centroids_scored"] == answer.centroids_scored
    same = tree.replay(answer.query_id)
    assert same.identical
    assert same.answer is not None
    assert same.answer.vectors_scored == answer.vectors_scored
    assert json.loads(json.dumps(answer.to_dict()))["trees"] == dict(answer.trees)
    tree.topics.rebalance()
    assert "tree" in {difference.kind for difference in tree.replay(answer.query_id).differences}


def test_without_a_tree_every_vector_is_scored_and_no_tree_is_named(path: Path) -> None:
    with simonides.open(path, embedder=False, config=QUICK) as store:
        store.remember_many(drafts(50))
        answer = ask(store, "retrieve", beam_width=1)
        assert (answer.vectors_scored, answer.centroids_scored, dict(answer.trees)) == (50, 0, {})


def test_a_small_tree_is_a_map_and_all_its_vectors_are_compared(path: Path) -> None:
    with simonides.open(path, embedder=False, config=QUICK) as store:
        store.remember_many(drafts(COUNT))
        before = ask(store, "retrieve")
        store.topics.rebalance()
        after = ask(store, "retrieve", beam_width=1)
        assert after.results == before.results
        checked = store.topics.check(goal=0.5)
        assert (checked.recall, checked.scored, checked.beam) == (1.0, 1.0, 32)
        assert (after.vectors_scored, after.centroids_scored) == (COUNT, 0)


# ------------------------------------------------------------------ time


def test_a_walk_that_runs_out_of_time_gives_what_it_compared_by_then(
    tree: simonides.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the test says "time is up" at the n-th look; every walk ends, and the answer says so."""
    whole = ask(tree, "retrieve", budget=Budget(max_ms=1e9), beam_width=1_000)
    assert (whole.truncated, whole.vectors_scored) == (False, COUNT)
    monkeypatch.setattr(topic_beam, "PORTION", 50)
    seen = []
    for after in range(1, 20):
        looks = [0]

        def late(trail: Any, max_ms: float | None, what: str, looks: list[int] = looks, after: int = after) -> bool:
            if max_ms is None or what != "topics":
                return False
            looks[0] += 1
            if looks[0] >= after:
                trail.out_of_time = True
            return bool(trail.out_of_time)

        monkeypatch.setattr("simonides.read.trail.Trail.late", late)
        answer = ask(tree, "retrieve", budget=Budget(max_ms=1e9), beam_width=1_000)
        seen.append(answer.vectors_scored)
        assert answer.hits
        assert answer.truncated == (answer.vectors_scored < COUNT or looks[0] >= after)
    assert seen[0] <= 50  # the first portion is always compared
    assert seen == sorted(seen)
    assert seen[-1] == COUNT


def test_no_time_at_all_leaves_out_the_vector_leg_and_says_so(tree: simonides.Store) -> None:
    answer = tree.retrieve("trains", query_vector=QUESTION, budget=Budget(max_ms=0))
    assert all("trains" in hit.text for hit in answer.hits)
    assert (len(answer.hits) > 0, answer.truncated, answer.vectors_scored) == (True, True, 0)
    assert [problem.what for problem in answer.degraded] == ["vector"]


# ------------------------------------------------------------------ topics as a filter


def below(store: simonides.Store, name: str) -> set[str]:
    """The oracle: public ids of the members of all leaves below a topic, from the tree itself."""
    kept = stored(store)
    found = kept.tree.find(0 if name == "__root__" else int(name[1:]))
    assert found is not None
    low, high = kept.tree.span(*found)
    starts = kept.tree.leaves.starts
    pids = set(kept.tree.members[starts[low] : starts[high]].tolist())
    with store._engine.database.snapshot() as snapshot:
        tids = [row.tid for row in snapshot.passages_of(sorted(pids))]
        return set(snapshot.thought_ids(tids).values())


def test_a_topic_of_the_tree_is_a_scope_on_both_legs_and_an_inner_one_means_its_subtree(tree: simonides.Store) -> None:
    tree.remember_many(drafts(2_000, 3, COUNT))
    tree.topics.rebalance()
    topics = tree.topics.tree()
    inner = next(topic for topic in topics if topic.depth == 1 and not topic.is_leaf)
    leaf = next(topic for topic in topics if topic.is_leaf)
    for topic in (topics[0], inner, leaf):
        members = below(tree, topic.name)
        assert len(members) == topic.count
        assert {t.thought_id for t in tree.list_thoughts(filters={"topics": topic.name}, limit=5_000)} == members
        assert tree.count_thoughts(filters={"topics": {"$under": [topic.name]}}) == topic.count
        for profile in ("semantic", "keyword"):
            answer = tree.retrieve(
                "a note on trains", query_vector=QUESTION, topics=topic.name, profile=profile, budget=Budget()
            )
            assert {hit.thought_id for hit in answer.hits} <= members
        assert len(tree.search_similar(QUESTION, 10_000, -1.0, filters={"topics": topic.name})) <= topic.count
    negative = tree.count_thoughts(filters={"topics": {"$nin": [leaf.name]}})
    assert negative == 2_600 - leaf.count
    assert tree.count_thoughts(filters={"topics": "t9999999"}) == 0


def test_topics_of_the_tree_and_topics_that_people_made_stand_side_by_side(tree: simonides.Store) -> None:
    leaf = next(topic for topic in tree.topics.tree() if topic.is_leaf)
    other = next(t for t in tree.list_thoughts(limit=5_000) if t.thought_id not in below(tree, leaf.name))
    tree.topics.file(other.thought_id, "deploy/staging")
    both = tree.count_thoughts(filters={"topics": {"$under": ["deploy", leaf.name]}})
    assert both == leaf.count + 1
    answer = tree.retrieve("note", topics=["deploy", leaf.name], budget=Budget())
    assert {hit.thought_id for hit in answer.hits} <= below(tree, leaf.name) | {other.thought_id}
    assert tree.replay(answer.query_id).identical


def test_what_is_in_no_leaf_yet_counts_where_its_nearest_leaf_is(tree: simonides.Store) -> None:
    fresh = drafts(8, 5, COUNT)
    tree.remember_many(fresh)
    kept = stored(tree).tree
    nearest = np.argmax(rows(8, 5) @ kept.leaves.centroids.T, axis=1)
    for draft, leaf in zip(fresh, nearest.tolist(), strict=True):
        name = f"t{int(kept.leaves.keys[leaf]):07d}"
        listed = {t.thought_id for t in tree.list_thoughts(filters={"topics": name}, limit=5_000)}
        assert listed == below(tree, name) | {
            other.thought_id for other, place in zip(fresh, nearest.tolist(), strict=True) if place == leaf
        }
        assert draft.thought_id in listed
        assert draft.thought_id in {hit for hit, _ in tree.search_similar(draft.vector, 5, filters={"topics": name})}


@pytest.mark.parametrize("key", ["t0000004", "__root__"])
def test_people_cannot_make_topics_that_are_called_like_those_of_the_tree(plain: simonides.Store, key: str) -> None:
    with pytest.raises(InvalidThoughtError, match="topic tree"):
        plain.topics.create(key)
    with pytest.raises(InvalidThoughtError, match="topic tree"):
        plain.remember("x", topics=[key])


# ------------------------------------------------------------------ labels and erasure


def test_no_label_keeps_a_word_of_what_was_forgotten(tree: simonides.Store) -> None:
    """All notes on glaciers go; the label that named them goes in the same transaction, and a job gives another."""
    named = {topic.name: topic.label for topic in tree.topics.tree()}
    assert any("glaciers" in label for label in named.values())
    gone = [draft.thought_id for n, draft in enumerate(drafts(COUNT)) if n % 8 == 4]
    tree.forget(thought_ids=gone, reason="asked for")
    labels = stored(tree).labels
    assert not any("glaciers" in label for label in labels.values())
    assert any(label for label in labels.values())  # those without such a word stay
    shown = tree.topics.tree()
    assert not any("glaciers" in topic.label for topic in shown)
    assert all(topic.label for topic in shown[1:])  # made for the look
    assert tree.jobs.run() >= 1
    assert all(stored(tree).labels[key] for key in labels if key)


def test_a_rebalance_that_an_erasure_overtakes_takes_no_words_along(tree: simonides.Store) -> None:
    gone = [draft.thought_id for n, draft in enumerate(drafts(COUNT)) if n % 8 == 4]

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "write" and done == total:  # labels are made by now
            tree.forget(thought_ids=gone, reason="asked for")

    tree.topics.rebalance(progress=progress)
    assert not any(stored(tree).labels.values())
    assert not any("glaciers" in topic.label for topic in tree.topics.tree())


# ------------------------------------------------------------------ a map for a look


def test_a_small_store_shows_a_map_that_is_kept_nowhere(path: Path) -> None:
    with simonides.open(path, embedder=False, config=QUICK) as store:
        assert store.topics.tree() == ()
        store.remember_many(drafts(300))
        before = path.read_bytes()
        shown = store.topics.tree()
        assert shown == store.topics.tree()
        assert path.read_bytes() == before
        assert (shown[0].name, shown[0].count, shown[0].kept) == ("__root__", 300, False)
        assert {word for topic in shown[1:] for word in topic.label.split(" · ")} <= {*SUBJECTS, "note"}
        store.topics.rebalance()
        kept = store.topics.tree()
        assert all(topic.kept for topic in kept)
        assert [topic.count for topic in kept] == [topic.count for topic in shown]


def test_on_a_map_a_turn_belongs_where_the_turns_around_it_do(path: Path) -> None:
    """Two sessions; what is said in between means nothing by itself, and lies with the session it was said in."""
    first, second = np.eye(D)[0], np.eye(D)[1]
    small_talk = np.eye(D)[2]
    with simonides.open(path, embedder=False, config=QUICK) as store:
        for session, subject in (("one", first), ("two", second)):
            store.remember_many(
                Draft(
                    content=f"{'thanks' if n % 3 == 2 else f'about {session}'} {n}",
                    session=session,
                    speaker="Ana" if n % 2 else "Ben",
                    thought_id=f"{session}{n}",
                    vector=(small_talk if n % 3 == 2 else subject).tolist(),
                )
                for n in range(60)
            )
        store.topics.rebalance()
        for topic in store.topics.tree()[1:]:
            inside = [t.session for t in store.list_thoughts(filters={"topics": topic.name}, limit=200)]
            assert max(inside.count("one"), inside.count("two")) >= 0.8 * len(inside)
