"""`python -m benchmarks.quality.confidence --data DIR [--write]`

Does `answer.confidence` know when the answer is not there? Questions of one conversation are asked of their own store
and of the store of another conversation; AUROC is how often an own question has the higher confidence.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from benchmarks.quality.asking import own
from benchmarks.quality.results import short, table, write_section
from benchmarks.quality.vectors import model
from simonides.evaluate.sets import load_set
from simonides.store import Store


def auroc(own_ones: list[float], others: list[float]) -> float:
    """The chance that one of the first is above one of the second; equals count half (Mann and Whitney 1947).

    >>> auroc([3.0, 2.0], [1.0, 2.0])
    0.875
    """
    others_sorted = np.sort(np.array(others))
    below = np.searchsorted(others_sorted, own_ones, "left")
    upto = np.searchsorted(others_sorted, own_ones, "right")
    return float((below + upto).sum() / (2 * len(own_ones) * len(others)))


def confidences(store: Store, questions: list[str]) -> list[float]:
    """The confidence of each answer; 0 when there was nothing to ask with."""
    return [store.recall(question).confidence or 0.0 for question in questions]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with one folder per set")
    parser.add_argument("--vectors", default="builtin")
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    chosen = parser.parse_args()
    embedder = model(chosen.vectors)
    collections = load_set("locomo", chosen.data).collections
    found: list[tuple[str, list[float], list[float]]] = []
    with ExitStack() as stack:
        stores = [stack.enter_context(own(collection, embedder)) for collection in collections]
        for number, collection in enumerate(collections):
            questions = [question.text for question in collection.questions]
            other = stores[(number + 1) % len(stores)]
            found.append((collection.name, confidences(stores[number], questions), confidences(other, questions)))
    rows = [[name, str(len(mine)), short(auroc(mine, others))] for name, mine, others in found]
    for part, start, step in (("all", 0, 1), ("even", 0, 2), ("odd", 1, 2)):
        mine = [value for _, values, _ in found[start::step] for value in values]
        others = [value for _, _, values in found[start::step] for value in values]
        rows.append([part, str(len(mine)), short(auroc(mine, others))])
    text = table(("conversation", "questions", "AUROC"), rows)
    print(text)
    if chosen.write:
        about = f"`python -m benchmarks.quality.confidence --data DIR --vectors {chosen.vectors} --write`\n\n"
        about += "Each LoCoMo conversation's questions, asked of its own store and of the next conversation's."
        write_section("Confidence", f"{about}\n\n{text}")


if __name__ == "__main__":
    main()
