"""What is measured? Collections of texts with questions whose answers are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Item:
    """One text that will be a thought: a turn of a conversation, or a document."""

    item_id: str
    text: str
    speaker: str | None = None
    session: str | None = None
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the ids that answer it and their grades, 1 or more."""

    question_id: str
    text: str
    relevant: Mapping[str, int]
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """What goes into one store, and the questions that are asked of it."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class EvalSet:
    """One or more collections that are reported together."""

    name: str
    collections: tuple[Collection, ...]

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Stores, texts, questions, relevant ids."""
        questions = [question for collection in self.collections for question in collection.questions]
        return (
            len(self.collections),
            sum(len(collection.items) for collection in self.collections),
            len(questions),
            sum(len(question.relevant) for question in questions),
        )


def pruned(name: str, items: Sequence[Item], questions: Sequence[Question]) -> Collection:
    """A collection without blank texts, without relevant ids that are not there, without questions left with none."""
    kept = {item.item_id: item for item in items if item.text.strip()}
    asked = []
    for question in questions:
        relevant = {key: grade for key, grade in question.relevant.items() if grade > 0 and key in kept}
        if relevant:
            asked.append(Question(question.question_id, question.text, relevant, question.category))
    return Collection(name, tuple(kept.values()), tuple(asked))


def is_even(collection_number: int, question_number: int, collections: int) -> bool:
    """Whether a question belongs to the half that may be tuned on; numbers count from 0.

    With several stores the even-numbered stores are that half, with one store the even-numbered questions.
    """
    return (collection_number if collections > 1 else question_number) % 2 == 0
