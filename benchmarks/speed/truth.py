"""Which ten rows are nearest to a question? Exact cosines, block by block, so that any size fits into memory."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.corpus import Rows, Vectors

WANTED = 10


def nearest(corpus: Rows, questions: Vectors) -> list[list[str]]:
    """Ids of the ten best rows per question, best first. questions: (q, dimension) float32 unit rows."""
    count = len(questions)
    best = np.full((count, WANTED), -2.0, np.float32)
    names = np.full((count, WANTED), "", object)
    for ids, vectors in corpus.vector_blocks():
        scores = np.concatenate([best, questions @ vectors.T], axis=1)
        labels = np.concatenate([names, np.broadcast_to(np.array(ids, object), (count, len(ids)))], axis=1)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :WANTED]
        best, names = np.take_along_axis(scores, order, 1), np.take_along_axis(labels, order, 1)
    return [[name for name in row if name] for row in names.tolist()]


def found_share(answers: list[list[str]], truth: list[list[str]]) -> float:
    """Recall: the share of the true ids that the answers hold."""
    wanted = sum(len(row) for row in truth[: len(answers)])
    found = sum(len(set(row).intersection(answer)) for answer, row in zip(answers, truth, strict=False))
    return found / max(1, wanted)
