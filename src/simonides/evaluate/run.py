"""How does every system do on a set? Fill one store per collection, ask every question of every system, measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import simonides
from simonides.clock import stopwatch
from simonides.config import Config, EmbeddingConfig
from simonides.errors import EmbeddingError
from simonides.evaluate.collection import Collection, EvalSet, Item, is_even
from simonides.evaluate.metrics import DEPTH, Scores, mean, measure
from simonides.evaluate.systems import BASELINES, Ranker, baseline, of_store
from simonides.model.thought import Draft, Json

if TYPE_CHECKING:
    from simonides.embedders import Embedder
    from simonides.store import Store

Progress = Callable[[int, int | None], None]
PARTS = ("all", "even", "odd")
_NO_HURRY_S = 86_400.0  # evaluation waits for a slow model instead of measuring without vectors
_STORED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one system made of one question."""

    system: str
    question_id: str
    category: str | None
    even: bool
    scores: Scores
    seconds: float


@dataclass(frozen=True, slots=True)
class Row:
    """The means of one system over a part of a set. part: all, even, odd or a category."""

    set_name: str
    system: str
    part: str
    questions: int
    scores: Scores
    milliseconds: float

    def to_dict(self) -> dict[str, Json]:
        """JSON values; measures rounded to four places."""
        return {
            "set": self.set_name,
            "system": self.system,
            "part": self.part,
            "questions": self.questions,
            "recall_5": round(self.scores.recall_5, 4),
            "recall_10": round(self.scores.recall_10, 4),
            "ndcg_10": round(self.scores.ndcg_10, 4),
            "mrr": round(self.scores.mrr, 4),
            "ms_per_question": round(self.milliseconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Setting:
    """How to evaluate. depth: how many ids a system is asked for. embedder None: without vectors."""

    systems: tuple[str, ...]
    embedder: Embedder | None
    depth: int = DEPTH


def evaluate(eval_set: EvalSet, setting: Setting, progress: Progress | None = None) -> list[Outcome]:
    """Every question of a set through every system.

    progress(done, total): steps are texts stored and questions asked. Raises EmbeddingError when the vectors of a
    collection could not be made.
    """
    outcomes: list[Outcome] = []
    own = [name for name in setting.systems if name not in BASELINES]
    _, texts, questions, _ = eval_set.counts
    steps = Steps(progress, questions * len(setting.systems) + (texts if own else 0))
    for number, collection in enumerate(eval_set.collections):
        asking = _Asking(collection, number, len(eval_set.collections), setting.depth, steps)
        for name in setting.systems:
            if name in BASELINES:
                with baseline(collection, stems=name == "fts5_porter") as ranker:
                    outcomes += asking.of(name, ranker)
        if own:
            with filled(collection, setting.embedder, steps) as store:
                for name in own:
                    outcomes += asking.of(name, of_store(store, name))
    return outcomes


@contextmanager
def filled(collection: Collection, embedder: Embedder | None, steps: Steps) -> Iterator[Store]:
    """A store in memory that holds a collection: a turn's content without its speaker, who is a field."""
    config = Config(embedding=EmbeddingConfig(query_deadline_s=_NO_HURRY_S, write_deadline_s=_NO_HURRY_S))
    with simonides.open(":memory:", config=config, embedder=False if embedder is None else embedder) as store:
        for start in range(0, len(collection.items), _STORED_AT_ONCE):
            items = collection.items[start : start + _STORED_AT_ONCE]
            store.remember_many([_draft(item) for item in items])
            steps.add(len(items))
        pending = store.stats().pending_embeddings
        if embedder is not None and pending:
            raise EmbeddingError(f"{pending} vectors of {collection.name} could not be made")
        yield store


def _draft(item: Item) -> Draft:
    return Draft(
        content=item.text,
        thought_id=item.item_id,
        speaker=item.speaker,
        session=item.session,
        occurred_at=item.occurred_at,
    )


@dataclass(slots=True)
class Steps:
    """Counts what is done and says so."""

    progress: Progress | None
    total: int
    done: int = 0

    def add(self, count: int) -> None:
        """Some more is done."""
        self.done += count
        if self.progress is not None:
            self.progress(self.done, self.total)


@dataclass(frozen=True, slots=True)
class _Asking:
    """The questions of one collection, and which half of the set they are in."""

    collection: Collection
    number: int
    collections: int
    depth: int
    steps: Steps

    def of(self, system: str, ranker: Ranker) -> Iterator[Outcome]:
        """What a system makes of each question."""
        for position, question in enumerate(self.collection.questions):
            started = stopwatch()
            ranked = ranker(question.text, self.depth)
            seconds = stopwatch() - started
            even = is_even(self.number, position, self.collections)
            scores = measure(ranked, question.relevant)
            yield Outcome(system, question.question_id, question.category, even, scores, seconds)
            self.steps.add(1)


def rows(set_name: str, outcomes: Sequence[Outcome], part: str = "all") -> list[Row]:
    """One row per system over a part: all, even, odd, or the name of a category. Systems in the order they came."""
    chosen = [outcome for outcome in outcomes if _belongs(outcome, part)]
    table = []
    for system in dict.fromkeys(outcome.system for outcome in chosen):
        own = [outcome for outcome in chosen if outcome.system == system]
        times = sorted(outcome.seconds for outcome in own)
        means = mean(outcome.scores for outcome in own)
        table.append(Row(set_name, system, part, len(own), means, 1_000 * times[len(times) // 2]))
    return table


def _belongs(outcome: Outcome, part: str) -> bool:
    if part in PARTS:
        return part == "all" or outcome.even == (part == "even")
    return outcome.category == part


def categories(outcomes: Sequence[Outcome]) -> list[str]:
    """The categories that occur, in alphabetical order."""
    return sorted({outcome.category for outcome in outcomes if outcome.category})


def table(rows_: Sequence[Row]) -> str:
    """The rows as a Markdown table with three decimals, the best nDCG@10 of each set and part in bold."""
    best: dict[tuple[str, str], float] = {}
    for row in rows_:
        key = (row.set_name, row.part)
        best[key] = max(best.get(key, 0.0), row.scores.ndcg_10)
    lines = [
        "| set | system | part | n | R@5 | R@10 | nDCG@10 | MRR | ms |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows_:
        scores = row.scores
        ndcg = _decimals(scores.ndcg_10)
        if scores.ndcg_10 == best[row.set_name, row.part]:
            ndcg = f"**{ndcg}**"
        cells = [row.set_name, row.system, row.part, str(row.questions), _decimals(scores.recall_5)]
        cells += [_decimals(scores.recall_10), ndcg, _decimals(scores.mrr), f"{row.milliseconds:.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _decimals(value: float) -> str:
    """Three decimals without the leading zero: .396

    >>> _decimals(0.3961), _decimals(1.0)
    ('.396', '1.000')
    """
    return f"{value:.3f}".removeprefix("0")
