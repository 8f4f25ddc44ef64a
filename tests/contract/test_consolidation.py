"""Do reflections come, stay true, go and come back, and leave the evidence alone?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from store_driver import START, HandClock, Opener, ids

import simonides
from simonides import ConsolidationConfig, DreamingExtension, Reflection, Theme
from simonides.model.reflection import HEAD

THEMES = {
    "pottery": [
        "Ana made a clay bowl in the pottery class",
        "The pottery class fired the clay bowls in the kiln",
        "Ana glazed her clay bowl blue in the pottery class",
        "The kiln of the pottery class was repaired",
    ],
    "train": [
        "The night train to Lisbon was late again",
        "Ben booked a window seat on the night train to Lisbon",
        "The night train to Lisbon has no dining car",
        "Ben missed the night train to Lisbon on Friday",
    ],
}


def axis(place: int, tilt: float) -> list[float]:
    """A direction of eight, a little aside."""
    row = [0.0] * 8
    row[place] = 1.0
    row[(place + 1) % 8] = tilt
    return row


def fill(store: Any, names: Sequence[str] = tuple(THEMES)) -> Any:
    """Themes with vectors of their own: within one cosines above .95, between them at most .2."""
    for n, name in enumerate(names):
        for m, text in enumerate(THEMES[name]):
            store.remember(text, thought_id=f"{name}-{m}", vector=axis(3 * n, 0.05 * m))
    return store


def documents(store: Any) -> dict[str, Reflection]:
    found = {}
    for thought in store.list_thoughts(filters={"thought_type": "REFLECTION"}):
        document = Reflection.of(thought)
        assert document is not None
        found[thought.thought_id] = document
    return found


def sources(store: Any, thought_id: str) -> list[str]:
    return sorted(e.to_id for e in store.edges(thought_id) if e.edge_type == "CONSOLIDATED_FROM")


@pytest.fixture
def filled(opener: Opener) -> Any:
    return fill(opener(embedder=False))


# ------------------------------------------------------------------ what is written


def test_themes_become_reflections_with_default_settings(filled: Any) -> None:
    done = filled.consolidate()
    assert (done.created, done.updated, done.thoughts, done.grouped) == (2, 0, 8, 8)
    found = documents(filled)
    assert sorted(document.members for document in found.values()) == [
        tuple(f"pottery-{n}" for n in range(4)),
        tuple(f"train-{n}" for n in range(4)),
    ]
    for name, document in found.items():
        assert sources(filled, name) == list(document.members)


def test_a_reflection_says_what_its_sources_are_about_in_their_own_words(filled: Any) -> None:
    done = filled.consolidate()
    pottery = next(plan for plan in done.reflections if "pottery-0" in plan.sources)
    thought = filled.get_thought(pottery.thought_id)
    document = Reflection.of(thought)
    assert document is not None
    assert thought.thought_type.value == "REFLECTION"
    assert {"clay", "pottery", "class"} & set(document.keywords)
    assert "pottery class" in document.keyphrases
    assert {e.text for e in document.excerpts} == set(THEMES["pottery"]), "all four fit"
    assert document.span == (START.isoformat(), START.isoformat())
    assert document.composed_by == "simonides"
    assert thought.essence == pottery.essence
    assert "pottery" in thought.essence
    assert "“" in thought.essence
    assert json.loads(thought.content)["members"] == list(document.members)
    assert thought.embedding == "present"


def test_the_vector_is_the_centroid(filled: Any) -> None:
    filled.consolidate()
    rows = np.array([axis(0, 0.05 * m) for m in range(4)])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    centre = rows.sum(axis=0) / np.linalg.norm(rows.sum(axis=0))
    answer = filled.search_reflections_only("", centre.tolist(), top_k=1)
    assert answer.hits[0].score == pytest.approx(1.0, abs=1e-6)


def test_ids_of_sources_are_kept_out_of_the_text_index(filled: Any) -> None:
    filled.consolidate()
    name = next(iter(documents(filled)))
    assert ids(filled.search_fts("members keywords composed_by digest")) == []
    found = {key for key, _ in filled.search_fts("pottery", top_k=20)}
    assert name in found or len(documents(filled)) == 2
    assert all("pottery" in (filled.get_thought(key).essence or filled.get_thought(key).content) for key in found)


def test_hits_that_are_reflections_show_their_essence(filled: Any) -> None:
    filled.consolidate()
    answer = filled.recall("the pottery class", query_vector=axis(0, 0.0))
    assert answer.reflections
    hit = answer.reflections[0]
    assert hit.text == hit.passage.text == hit.thought.essence
    assert hit.thought.content.startswith(HEAD)
    filled.log.count()
    assert "pottery" in filled.explain(answer.query_id).split("(beside the evidence)")[0]


# ------------------------------------------------------------------ idempotent, incremental, deterministic


def test_a_second_run_with_nothing_new_writes_nothing(filled: Any) -> None:
    filled.consolidate()
    journal = filled.stats().journal_rows
    again = filled.consolidate()
    assert (again.created, again.updated, again.unchanged) == (0, 0, 2)
    assert filled.stats().journal_rows == journal


def test_a_new_thought_joins_the_reflection_of_its_theme(filled: Any, clock: HandClock) -> None:
    filled.consolidate()
    before = documents(filled)
    clock.advance(3600)
    filled.remember("The pottery class begins at nine", thought_id="pottery-4", vector=axis(0, 0.1))
    done = filled.consolidate()
    assert (done.created, done.updated, done.unchanged) == (0, 1, 1)
    after = documents(filled)
    assert set(after) == set(before)
    changed = next(name for name in after if after[name] != before[name])
    assert after[changed].members == (*before[changed].members, "pottery-4")
    assert sources(filled, changed) == list(after[changed].members)
    assert after[changed].span == (START.isoformat(), START.replace(hour=13).isoformat())
    assert not filled.consolidate().changed


def test_equal_stores_get_equal_reflections(opener: Opener) -> None:
    one, two = fill(opener("one.db", embedder=False)), fill(opener("two.db", embedder=False))
    assert one.consolidate().reflections == two.consolidate().reflections
    assert documents(one) == documents(two)


def test_a_dry_run_says_the_same_and_writes_nothing(filled: Any) -> None:
    journal = filled.stats().journal_rows
    said = filled.consolidate(dry_run=True)
    assert filled.stats().journal_rows == journal
    assert documents(filled) == {}
    assert filled.consolidate().reflections == said.reflections


def test_unrelated_thoughts_make_no_reflection(opener: Opener) -> None:
    store = opener(embedder=False)
    for n in range(8):
        store.remember(f"memory number {n}", vector=axis(n, 0.0))
    assert store.consolidate().created == 0


def test_equal_texts_are_one_memory(opener: Opener) -> None:
    store = opener(embedder=False)
    for n in range(6):
        store.remember("Ana likes window seats", thought_id=f"same-{n}", vector=axis(0, 0.0))
    assert store.consolidate().created == 0, "a text repeated is no theme"
    for n in range(2):
        store.remember(f"Ana likes seats, say {n}", thought_id=f"other-{n}", vector=axis(0, 0.1 * n))
    store.consolidate()
    [document] = documents(store).values()
    assert len(document.members) == 8
    assert {e.text: e.repeats for e in document.excerpts}["Ana likes window seats"] == 5


def test_without_any_vector_words_decide(opener: Opener) -> None:
    store = opener(embedder=False)
    for name, texts in THEMES.items():
        for n, text in enumerate(texts):
            store.remember(text, thought_id=f"{name}-{n}")
    store.consolidate()
    members = [set(document.members) for document in documents(store).values()]
    assert members
    assert all(len({name.split("-")[0] for name in some}) == 1 for some in members)
    assert not store.consolidate().changed


def test_a_plan_that_was_not_finished_goes_with_its_namespace(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simonides.reflect.consolidate.BATCH", 1)
    store = fill(opener(embedder=False), ["pottery"])
    plain = fill(store.in_namespace("ben"))

    def stop(done: int, total: int) -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        plain.consolidate(progress=stop)
    engine = (store._driven._opened() if hasattr(store, "_driven") else store)._engine
    with engine.database.snapshot() as snapshot:
        key = f"consolidation:{snapshot.state('ben').ns}"
        assert snapshot.meta(key) is not None
    store.purge(namespace="ben", confirm="ben")
    with engine.database.snapshot() as snapshot:
        assert snapshot.meta(key) is None


def test_namespaces_are_apart(opener: Opener) -> None:
    store = opener(embedder=False)
    fill(store, ["pottery"])
    fill(store.in_namespace("ben"), ["train"])
    assert store.consolidate().created == 1
    assert store.in_namespace("ben").count_thoughts(filters={"thought_type": "REFLECTION"}) == 0
    assert store.consolidate(namespace="ben").created == 1
    assert all("Lisbon" not in d.to_json() for d in documents(store).values())
    assert store.consolidate(namespace="nobody").thoughts == 0


# ------------------------------------------------------------------ stale, rebuilt, retired, revived


def reflection_of(store: Any, source: str) -> Any:
    found = [e.from_id for e in store.edges(source) if e.edge_type == "CONSOLIDATED_FROM"]
    return store.get_thought(found[0]) if found else None


def test_a_changed_source_makes_it_stale_until_it_is_written_again(filled: Any) -> None:
    filled.consolidate()
    filled.update_thought("pottery-0", content="Ana made a clay vase in the pottery class", vector=axis(0, 0.0))
    assert reflection_of(filled, "pottery-1").metadata == {"stale": True}
    assert reflection_of(filled, "train-1").metadata == {}
    done = filled.consolidate()
    assert (done.created, done.updated) == (0, 1)
    now = reflection_of(filled, "pottery-0")
    assert now.metadata == {}
    assert "vase" in now.content
    assert "made a clay bowl" not in now.content
    assert not filled.consolidate().changed


def test_a_source_that_strays_is_let_go(filled: Any) -> None:
    filled.consolidate()
    filled.update_thought("pottery-0", content="Something else altogether", vector=axis(6, 0.0))
    filled.consolidate()
    assert reflection_of(filled, "pottery-0") is None
    assert Reflection.of(reflection_of(filled, "pottery-1")).members == ("pottery-1", "pottery-2", "pottery-3")


def test_deleting_a_source_makes_it_stale_and_the_next_run_leaves_it_out(filled: Any) -> None:
    filled.consolidate()
    filled.delete_thought("pottery-0")
    assert reflection_of(filled, "pottery-1").metadata == {"stale": True}
    filled.consolidate()
    document = Reflection.of(reflection_of(filled, "pottery-1"))
    assert document is not None
    assert document.members == ("pottery-1", "pottery-2", "pottery-3")
    assert all("clay bowl in the pottery" not in e.text for e in document.excerpts)


def test_it_is_retired_with_its_last_source_and_comes_back_with_one(filled: Any) -> None:
    filled.consolidate()
    name = reflection_of(filled, "pottery-0").thought_id
    for n in range(4):
        filled.archive_thought(f"pottery-{n}")
    found = filled.search_reflections_only("", axis(0, 0.0), top_k=10)
    assert name not in ids(found)
    assert not filled.consolidate().changed, "nothing to say about what is archived"
    filled.restore_thought("pottery-2")
    assert name in ids(filled.search_reflections_only("", axis(0, 0.0), top_k=10))
    filled.consolidate()
    document = Reflection.of(filled.get_thought(name))
    assert document is not None
    assert document.members == ("pottery-2",)
    assert sources(filled, name) == [f"pottery-{n}" for n in range(4)], "the others may come back as well"
    for n in (0, 1, 3):
        filled.restore_thought(f"pottery-{n}")
    filled.consolidate()
    assert Reflection.of(filled.get_thought(name)).members == tuple(f"pottery-{n}" for n in range(4))


def test_an_archived_reflection_is_left_alone(filled: Any) -> None:
    filled.consolidate()
    name = reflection_of(filled, "pottery-0").thought_id
    filled.archive_thought(name)
    filled.update_thought("pottery-0", content="Ana made a clay vase", vector=axis(0, 0.0))
    done = filled.consolidate()
    assert (done.created, done.updated) == (0, 0)


def test_what_people_set_on_a_reflection_stays(filled: Any) -> None:
    filled.consolidate()
    name = reflection_of(filled, "pottery-0").thought_id
    filled.update_thought(name, priority="P1", pinned=True, metadata={"mine": 1})
    filled.delete_thought("pottery-0")
    filled.consolidate()
    thought = filled.get_thought(name)
    assert (thought.priority.value, thought.pinned, thought.metadata) == ("P1", True, {"mine": 1})


def test_words_that_people_put_on_it_leave_the_centroid(opener: Opener) -> None:
    store = opener(embedder="hashing:64")
    for n, text in enumerate(THEMES["pottery"]):
        store.remember(text, thought_id=f"pottery-{n}")
    store.consolidate(config=ConsolidationConfig(cosine_min=0.1, deviations=0.5))
    name = reflection_of(store, "pottery-0").thought_id
    before = store.search_reflections_only("clay bowl").results
    store.update_thought(name, essence="What Ana does on Thursdays")
    assert store.search_reflections_only("clay bowl").results == before
    assert name in ids(store.search_fts("Thursdays"))
    assert store.get_thought(name).embedding == "present"


def test_a_reflection_whose_text_people_made_their_own_is_theirs(filled: Any) -> None:
    filled.consolidate()
    name = reflection_of(filled, "pottery-0").thought_id
    filled.update_thought(name, content="Pottery is what Ana lives for", vector=axis(0, 0.0))
    assert filled.consolidate().created == 1, "one more, beside it"
    assert filled.get_thought(name).content == "Pottery is what Ana lives for"
    [other] = [e.from_id for e in filled.edges("pottery-1") if e.from_id != name]
    assert Reflection.of(filled.get_thought(other)).members == tuple(f"pottery-{n}" for n in range(4))
    assert not filled.consolidate().changed


def test_sources_that_change_sides_are_given_over_in_one_run(filled: Any) -> None:
    """pottery-0 now speaks of trains and train-0 of pottery: each reflection loses one and takes one from the other."""
    filled.consolidate()
    pottery, train = (reflection_of(filled, f"{name}-1").thought_id for name in THEMES)
    filled.update_thought("pottery-0", content="The night train to Lisbon was early", vector=axis(3, 0.0))
    filled.update_thought("train-0", content="The pottery class has a new kiln", vector=axis(0, 0.0))
    done = filled.consolidate()
    assert (done.created, done.updated, done.skipped) == (0, 2, 0)
    assert sources(filled, pottery) == ["pottery-1", "pottery-2", "pottery-3", "train-0"]
    assert sources(filled, train) == ["pottery-0", "train-1", "train-2", "train-3"]
    assert not filled.consolidate().changed


def test_a_reflection_whose_sources_all_expired_or_were_replaced_is_found_no_more(
    filled: Any, clock: HandClock
) -> None:
    filled.consolidate()
    name = reflection_of(filled, "pottery-0").thought_id
    for n in range(3):
        filled.update_thought(f"pottery-{n}", expires_at=START.replace(hour=13))
    filled.remember("Something else", thought_id="new", vector=axis(6, 0.0))
    filled.link("new", "pottery-3", "SUPERSEDES")
    clock.advance(7200)
    done = filled.consolidate()
    assert (done.retired, done.changed) == (1, True)
    assert [plan.action for plan in done.reflections] == ["retired"]
    assert name not in ids(filled.search_reflections_only("", axis(0, 0.0), top_k=10))
    assert not filled.consolidate().changed
    filled.update_thought("pottery-1", expires_at=None)
    filled.consolidate()
    assert name in ids(filled.search_reflections_only("", axis(0, 0.0), top_k=10))
    assert Reflection.of(filled.get_thought(name)).members == ("pottery-1",)


def test_sources_of_an_archived_reflection_are_left_to_it_also_when_others_say_the_same(filled: Any) -> None:
    filled.consolidate()
    resting = reflection_of(filled, "train-0").thought_id
    filled.archive_thought(resting)
    filled.update_thought("train-0", content=THEMES["pottery"][0], vector=axis(0, 0.0))
    done = filled.consolidate()
    assert (done.changed, done.skipped) == (False, 0)
    assert sources(filled, resting) == [f"train-{n}" for n in range(4)]


def test_an_edge_that_somebody_took_away_comes_back_with_the_source(filled: Any) -> None:
    filled.consolidate()
    name = reflection_of(filled, "pottery-0").thought_id
    filled.unlink(name, "pottery-2", "CONSOLIDATED_FROM")
    assert filled.consolidate().updated == 1
    assert sources(filled, name) == [f"pottery-{n}" for n in range(4)]
    assert not filled.consolidate().changed


def test_superseded_and_expired_thoughts_are_no_sources(filled: Any, clock: HandClock) -> None:
    filled.remember("Ana made a clay jug in the pottery class", thought_id="new", vector=axis(0, 0.0))
    filled.link("new", "pottery-0", "SUPERSEDES")
    filled.update_thought("pottery-1", expires_at=START.replace(hour=13))
    clock.advance(7200)
    filled.consolidate()
    document = Reflection.of(reflection_of(filled, "pottery-2"))
    assert document is not None
    assert document.members == ("new", "pottery-2", "pottery-3")


def test_reflections_that_people_wrote_are_not_touched(filled: Any) -> None:
    filled.remember("my own view of pottery", thought_id="own", thought_type="REFLECTION", vector=axis(0, 0.0))
    filled.link("own", "pottery-0", "CONSOLIDATED_FROM")
    before = filled.get_thought("own")
    filled.consolidate()
    filled.update_thought("pottery-0", content="Ana made a clay vase in the pottery class", vector=axis(0, 0.0))
    filled.consolidate()
    assert filled.get_thought("own") == before
    assert len(documents_of_ours(filled)) == 2


def documents_of_ours(store: Any) -> list[Reflection]:
    thoughts = store.list_thoughts(filters={"thought_type": "REFLECTION"})
    return [document for thought in thoughts if (document := Reflection.of(thought)) is not None]


# ------------------------------------------------------------------ erasure


def test_forgetting_a_source_erases_its_excerpts_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with simonides.open(path, embedder=False) as store:
        fill(store)
        store.remember("Ana keeps a zanzibarite in the pottery class", thought_id="secret", vector=axis(0, 0.1))
        store.consolidate()
        store.recall("the pottery class", query_vector=axis(0, 0.0))
        assert "zanzibarite" in store.get_thought(reflection_of(store, "secret").thought_id).content
        store.forget(thought_ids=["secret"], reason="asked to")
        store.consolidate()
        store.compact()
        assert reflection_of(store, "pottery-0") is not None, "the others are consolidated anew"
        assert store.verify().ok
    for file in path.parent.iterdir():
        assert b"zanzibarite" not in file.read_bytes(), file.name


# ------------------------------------------------------------------ composers


def test_a_composer_writes_the_essence(filled: Any) -> None:
    seen: list[Theme] = []

    def short(theme: Theme) -> str:
        seen.append(theme)
        return f"On {theme.keywords[0]}, {len(theme.sources)} times"

    done = filled.consolidate(composer=short)
    assert [plan.essence for plan in done.reflections] == [f"On {theme.keywords[0]}, 4 times" for theme in seen]
    assert all("short" in document.composed_by for document in documents(filled).values())
    assert done.problems == ()


@pytest.mark.parametrize("answer", [ValueError("no quota"), "  ", 7, None, "\ud800"])
def test_a_composer_that_fails_leaves_the_essence_that_needs_none(filled: Any, answer: Any) -> None:
    def broken(theme: Theme) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    done = filled.consolidate(composer=broken)
    assert done.created == len(done.problems) == 2
    assert all(document.composed_by == "simonides" for document in documents(filled).values())
    if isinstance(answer, Exception):
        assert "no quota" in done.problems[0]


def test_a_composer_may_change_the_store_meanwhile_and_what_no_longer_fits_is_skipped(filled: Any) -> None:
    """The sources of the first theme change while its essence is being written."""
    plain = filled._driven._opened() if hasattr(filled, "_driven") else filled

    def slow(theme: Theme) -> str:
        if theme.sources[0].thought_id == "pottery-0":
            plain.update_thought("pottery-0", content="Ana made a clay vase", vector=axis(0, 0.0))
        return "said"

    done = filled.consolidate(composer=slow)
    assert (done.created, done.skipped) == (1, 1)
    again = filled.consolidate()
    assert (again.created, again.skipped) == (1, 0)
    assert "vase" in reflection_of(filled, "pottery-0").content


# ------------------------------------------------------------------ other ways in


def test_the_extension_consolidates_with_its_own_settings(filled: Any) -> None:
    plain = filled._driven._opened() if hasattr(filled, "_driven") else filled
    none = DreamingExtension(ConsolidationConfig(sources_min=9)).run_consolidation(plain, 3)
    assert none.created == 0
    done = DreamingExtension().run_consolidation(plain, current_cycle=41)
    assert done.created == 2
    thought = filled.get_thought(done.reflections[0].thought_id)
    assert (thought.created_cycle, thought.updated_cycle) == (41, 41)
    with pytest.raises(simonides.ConfigError):
        DreamingExtension({"sources_min": 2})  # type: ignore[arg-type]  # that is the point


async def _awaited(path: Path) -> int:
    async with simonides.open_async(path, embedder=False) as store:
        for n, text in enumerate(THEMES["train"]):
            await store.remember(text, vector=axis(0, 0.05 * n))
        return (await DreamingExtension().run_consolidation(store, 1)).created


def test_the_extension_is_awaited_for_an_async_store(loop: Any, tmp_path: Path) -> None:
    assert loop.run(_awaited(tmp_path / "s.db")) == 1


def test_a_job_does_it_in_the_background(filled: Any) -> None:
    asked = filled.consolidate(background=True, current_cycle=5)
    assert asked.queued
    assert documents(filled) == {}
    assert filled.jobs.run() == 1
    assert len(documents(filled)) == 2
    assert filled.jobs.counts()["reflect.consolidate"] == {"done": 1}
    with pytest.raises(simonides.InvalidQueryError):
        filled.consolidate(background=True, dry_run=True)


def test_progress_counts_reflections(filled: Any) -> None:
    heard: list[tuple[int, int]] = []
    filled.consolidate(progress=lambda done, total: heard.append((done, total)))
    assert heard == [(2, 2)]


def test_a_read_only_store_can_be_looked_at(tmp_path: Path) -> None:
    with simonides.open(tmp_path / "s.db", embedder=False) as store:
        fill(store)
    with simonides.open(tmp_path / "s.db", embedder=False, read_only=True) as store:
        assert store.consolidate(dry_run=True).created == 2
        with pytest.raises(simonides.StoreReadOnlyError):
            store.consolidate()


def test_reflections_travel_with_an_export(filled: Any, opener: Opener, tmp_path: Path) -> None:
    filled.consolidate()
    filled.export(tmp_path / "all.jsonl")
    other = opener("other.db", embedder=False)
    other.import_(tmp_path / "all.jsonl")
    assert documents(other) == documents(filled)
    assert not other.consolidate().changed
    assert [k for k, _ in other.search_fts("pottery", top_k=20)] == [
        k for k, _ in filled.search_fts("pottery", top_k=20)
    ]


# ------------------------------------------------------------------ evidence


@pytest.mark.parametrize("verb", ["recall", "retrieve"])
def test_reflections_change_neither_hits_nor_scores(opener: Opener, verb: str) -> None:
    store = opener()
    for name, texts in THEMES.items():
        for n, text in enumerate(texts):
            store.remember(text, thought_id=f"{name}-{n}", session=name, speaker="Ana" if n % 2 else "Ben")
    questions = ["the pottery class", "Ben's night train", '"clay bowl" NOT kiln', "what did Ana say?", "dining"]
    before = [getattr(store, verb)(question).results for question in questions]
    assert store.consolidate(config=ConsolidationConfig(deviations=0.5, cosine_min=0.1)).created
    after = [getattr(store, verb)(question) for question in questions]
    assert [answer.results for answer in after] == before
    assert any(answer.reflections for answer in after)
