"""How good is one ranking? Recall at 5 and 10, nDCG at 10, reciprocal rank; and their means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

DEPTH = 100
"""Places that are looked at for the reciprocal rank."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Four measures, each in [0, 1]."""

    recall_5: float
    recall_10: float
    ndcg_10: float
    mrr: float


def measure(ranked: Sequence[str], relevant: Mapping[str, int]) -> Scores:
    """The measures of one question. ranked: ids, best first. relevant: id → grade; grades of 0 or less do not count.

    Gain is the grade itself, discount log2(place + 1); the ideal ranking lists all relevant ids by grade
    (Järvelin and Kekäläinen 2002, first form). Raises ValueError when nothing is relevant.

    >>> measure(["x", "a"], {"a": 1})
    Scores(recall_5=1.0, recall_10=1.0, ndcg_10=0.6309297535714575, mrr=0.5)
    """
    wanted = {key: grade for key, grade in relevant.items() if grade > 0}
    if not wanted:
        raise ValueError("a question without a relevant id cannot be measured")
    grades = [wanted.get(key, 0) for key in ranked[:DEPTH]]
    ideal = sorted(wanted.values(), reverse=True)
    return Scores(
        recall_5=sum(grade > 0 for grade in grades[:5]) / len(wanted),
        recall_10=sum(grade > 0 for grade in grades[:10]) / len(wanted),
        ndcg_10=_gain(grades[:10]) / _gain(ideal[:10]),
        mrr=next((1 / place for place, grade in enumerate(grades, 1) if grade), 0.0),
    )


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(place + 1) for place, grade in enumerate(grades, 1))


def mean(scores: Iterable[Scores]) -> Scores:
    """The mean of each measure; zeros for no scores.

    >>> mean([Scores(1, 1, 1, 1), Scores(0, 1, 0, 0.5)])
    Scores(recall_5=0.5, recall_10=1.0, ndcg_10=0.5, mrr=0.75)
    """
    rows = list(scores)
    count = max(1, len(rows))
    return Scores(
        recall_5=sum(row.recall_5 for row in rows) / count,
        recall_10=sum(row.recall_10 for row in rows) / count,
        ndcg_10=sum(row.ndcg_10 for row in rows) / count,
        mrr=sum(row.mrr for row in rows) / count,
    )
