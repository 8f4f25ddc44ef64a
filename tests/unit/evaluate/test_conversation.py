"""The questions of the demo find their answers in the conversation that was written for it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import simonides
from simonides.sources import import_into

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "conversation"
TURNS = [json.loads(line) for line in (FOLDER / "petrel.jsonl").read_text("utf-8").splitlines()]
QUESTIONS: list[dict[str, Any]] = tomllib.loads((FOLDER / "questions.toml").read_text("utf-8"))["question"]


@pytest.fixture(scope="module")
def talk() -> Iterator[simonides.Store]:
    with simonides.open(":memory:") as store:
        report = import_into(store, FOLDER / "petrel.jsonl")
        assert (report.added, report.problem_count) == (184, 0)
        yield store


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["text"])
def test_the_answer_is_among_the_first(talk: simonides.Store, question: dict[str, Any]) -> None:
    found = [thought_id for thought_id, _ in talk.recall(question["text"], top_k=question["within"]).results]
    assert set(question["answers"]) & set(found), found


def test_the_conversation_has_fourteen_sessions_of_two_people_in_the_order_of_time() -> None:
    assert {turn["speaker"] for turn in TURNS} == {"Nora", "Teo"}
    assert len({turn["session"] for turn in TURNS}) == 14
    assert all(before["occurred_at"] < after["occurred_at"] for before, after in pairwise(TURNS))
    assert len({turn["thought_id"] for turn in TURNS}) == 184


def test_every_answer_that_is_named_is_a_turn() -> None:
    ids = {turn["thought_id"] for turn in TURNS}
    assert all(ids.issuperset(question["answers"]) for question in QUESTIONS)
