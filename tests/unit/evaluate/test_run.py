"""Every system answers the same questions of the same texts, and the table says how well."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import simonides
from simonides.embedders import HashingEmbedder
from simonides.errors import ConfigError, EmbeddingError
from simonides.evaluate.collection import Collection, EvalSet, Item, Question
from simonides.evaluate.metrics import Scores
from simonides.evaluate.run import Outcome, Setting, Steps, categories, evaluate, filled, rows, table
from simonides.evaluate.systems import SYSTEMS, baseline, choose, of_store

ITEMS = (
    Item("t1", "The canoe is red.", "Ana", "s1"),
    Item("t2", "My bicycle has a flat tyre.", "Ben", "s1"),
    Item("t3", "Dinner is at seven.", "Ana", "s2"),
)
QUESTIONS = (
    Question("q1", "Which colour has that canoe?", {"t1": 1}, "facts"),
    Question("q2", "When do we have dinner?", {"t3": 1}, "times"),
    Question("q3", "What happened to our bicycle?", {"t2": 1}, "facts"),
)
TINY = EvalSet("tiny", (Collection("c", ITEMS, QUESTIONS),))


def test_every_system_finds_the_only_turn_that_shares_a_word() -> None:
    told: list[tuple[int, int | None]] = []
    outcomes = evaluate(TINY, Setting(tuple(SYSTEMS), HashingEmbedder(256)), lambda *step: told.append(step))
    by_words = [row for row in rows("tiny", outcomes) if row.system != "vector"]  # hashed vectors mean nothing
    assert [(r.system, r.questions, r.scores.mrr) for r in by_words] == [(s, 3, 1.0) for s in SYSTEMS if s != "vector"]
    # three texts are stored, and seven systems are asked three questions each
    assert (told[0][1], told[-1]) == (24, (24, 24))
    assert all(before[0] < after[0] for before, after in pairwise(told))


def test_without_an_embedder_the_text_systems_still_answer() -> None:
    outcomes = evaluate(TINY, Setting(("text", "recall"), None))
    assert [row.scores.ndcg_10 for row in rows("tiny", outcomes)] == [1.0, 1.0]


def test_a_turn_is_stored_without_its_speaker_in_the_text_and_the_baseline_has_it() -> None:
    with filled(TINY.collections[0], None, Steps(None, 0)) as store:
        thought = store.get_thought("t2")
        assert thought is not None
        assert (thought.content, thought.speaker, thought.session) == ("My bicycle has a flat tyre.", "Ben", "s1")
    with baseline(TINY.collections[0], stems=False) as ranker:
        assert ranker("ben", 10) == ["t2"]


def test_stems_find_other_forms_and_stop_words_do_not_count() -> None:
    with baseline(TINY.collections[0], stems=True) as ranker:
        assert ranker("the bicycles", 10) == ["t2"]
        assert ranker("the", 10) == ["t1"]
        assert ranker("?!", 10) == []


def test_the_depth_is_how_many_ids_a_system_may_give() -> None:
    with simonides.open(":memory:", embedder="hashing:64") as store:
        store.remember_many([f"red kite number {n}" for n in range(5)])
        for name in ("text", "vector", "rrf", "five_signal", "recall"):
            assert len(of_store(store, name)("red kite", 2)) == 2


class Broken(HashingEmbedder):
    def embed_documents(self, texts: object) -> np.ndarray:
        raise RuntimeError("out of order")


def test_a_model_that_fails_is_not_measured_without_its_vectors() -> None:
    with pytest.raises(EmbeddingError, match="3 vectors of c could not be made"):
        evaluate(TINY, Setting(("recall",), Broken(16)))


def outcome(system: str, mrr: float, even: bool, category: str | None, seconds: float) -> Outcome:
    return Outcome(system, "q", category, even, Scores(0.0, 0.5, mrr, mrr), seconds)


OUTCOMES = [
    outcome("a", 1.0, True, "x", 0.001),
    outcome("a", 0.5, False, "y", 0.003),
    outcome("a", 0.0, True, "x", 0.002),
    outcome("b", 0.25, True, None, 0.001),
]


def test_rows_are_means_over_a_part_with_the_median_time() -> None:
    first, second = rows("s", OUTCOMES)
    assert (first.system, first.questions, first.scores.mrr, first.milliseconds) == ("a", 3, 0.5, 2.0)
    assert (second.system, second.questions, second.scores.mrr) == ("b", 1, 0.25)
    assert [(r.system, r.scores.mrr) for r in rows("s", OUTCOMES, "even")] == [("a", 0.5), ("b", 0.25)]
    assert [(r.system, r.questions) for r in rows("s", OUTCOMES, "odd")] == [("a", 1)]
    assert [(r.system, r.questions) for r in rows("s", OUTCOMES, "x")] == [("a", 2)]
    assert categories(OUTCOMES) == ["x", "y"]


def test_the_table_is_markdown_with_the_best_in_bold() -> None:
    lines = table(rows("s", OUTCOMES)).splitlines()
    assert lines[0] == "| set | system | part | n | R@5 | R@10 | nDCG@10 | MRR | ms |"
    assert lines[2] == "| s | a | all | 3 | .000 | .500 | **.500** | .500 | 2.0 |"
    assert lines[3] == "| s | b | all | 1 | .000 | .500 | .250 | .250 | 1.0 |"


def test_a_row_as_json_has_four_decimals() -> None:
    row = rows("s", [replace(OUTCOMES[0], scores=Scores(1 / 3, 1.0, 2 / 3, 0.1))])[0]
    assert row.to_dict() == {
        "set": "s",
        "system": "a",
        "part": "all",
        "questions": 1,
        "recall_5": 0.3333,
        "recall_10": 1.0,
        "ndcg_10": 0.6667,
        "mrr": 0.1,
        "ms_per_question": 1.0,
    }


def test_systems_are_chosen_by_name_in_the_order_of_reports() -> None:
    assert choose(None) == tuple(SYSTEMS)
    assert choose("recall, fts5") == ("fts5", "recall")
    for wrong in ("bm42", "recall,bm42", "", ","):
        with pytest.raises(ConfigError, match=r"no such system.*fts5, fts5_porter, text"):
            choose(wrong)
