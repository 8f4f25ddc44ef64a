"""`python -m benchmarks.quality.peer --data DIR [--vectors wordllama] [--sets locomo,…] [--write]`

The peer package with its default settings beside `search_hybrid`, on the same texts and the same vectors, in one run.
"""

from __future__ import annotations

import argparse
import logging
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.quality.asking import DEPTH, Ranker, Tally, given, kept
from benchmarks.quality.peer_store import peer
from benchmarks.quality.results import short, table, write_section
from benchmarks.quality.vectors import model, of_questions, of_texts
from simonides.embedders import Embedder
from simonides.evaluate.collection import EvalSet
from simonides.evaluate.sets import SETS, load_set
from simonides.store import Store

RECOMMENDED = {"default_fts_weight": 0.8, "default_vector_weight": 0.2, "default_graph_weight": 0.1}
WAYS: dict[str, dict[str, float]] = {
    "search_hybrid, default weights": {},
    "search_hybrid, recommended, without graph": {**RECOMMENDED, "default_graph_weight": 0.0},
    "search_hybrid, recommended": RECOMMENDED,
}
PEER = "engrava, default settings"
HEAD = ("set", "system", "n", "nDCG@10", "even", "odd", "R@10", "R@10 even", "R@10 odd", "CPU ms")


def compare(eval_set: EvalSet, embedder: Embedder) -> dict[str, Tally]:
    """Every system over a set; each collection gets a store of its own."""
    tallies = {name: Tally() for name in (PEER, *WAYS)}
    count = len(eval_set.collections)
    for number, collection in enumerate(eval_set.collections):
        texts = of_texts(embedder, collection)
        questions = of_questions(embedder, [question.text for question in collection.questions])
        with peer(collection, texts) as other:
            tallies[PEER].ask(lambda q, v, o=other: o.rank(q, v, DEPTH), collection, questions, (number, count))
        for name, search in WAYS.items():
            with given(collection, texts, **search) as store:
                tallies[name].ask(_hybrid(store), collection, questions, (number, count))
    return tallies


def _hybrid(store: Store) -> Ranker:
    def rank(question: str, vector: np.ndarray) -> list[str]:
        answer = store.search_hybrid(question, vector if vector.any() else None, top_k=DEPTH)
        return [name for name, _ in answer.results]

    return rank


def rows(name: str, tallies: dict[str, Tally]) -> list[list[str]]:
    """Lines of the table for one set."""
    lines = []
    for system, tally in tallies.items():
        parts = [tally.mean(part) for part in ("all", "even", "odd")]
        lines.append(
            [name, system, str(len(tally.scores))]
            + [short(scores.ndcg_10) for scores in parts]
            + [short(scores.recall_10) for scores in parts]
            + [f"{tally.milliseconds:.1f}"]
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with one folder per set")
    parser.add_argument("--vectors", default="wordllama", help="wordllama, builtin, minilm, …")
    parser.add_argument("--sets", default="hotpotqa100,cranfield,scifact,locomo,qmsum")
    parser.add_argument("--keep", type=Path, help="a folder for what is done, to go on after an interruption")
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    embedder = model(chosen.vectors)
    found: dict[str, list[list[str]]] = {}
    for name in chosen.sets.split(","):
        make = partial(compare, load_set(name, chosen.data), embedder)
        found[name] = rows(name, kept(chosen.keep, f"{name}-peer-{chosen.vectors}", make))
        print("\n".join(" | ".join(line) for line in found[name]), flush=True)
    lines = [line for name in SETS if name in found for line in found[name]]
    text = table(HEAD, lines, texts=2)
    print(f"\n{text}")
    if chosen.write:
        title = "Beside the peer" if chosen.vectors == "wordllama" else f"Beside the peer, {chosen.vectors} vectors"
        write_section(title, f"{_about(chosen.vectors)}\n\n{text}\n\n{_settings()}")


def _about(vectors: str) -> str:
    return (
        f"`python -m benchmarks.quality.peer --data DIR --vectors {vectors} --write`\n\n"
        "engrava from PyPI and `search_hybrid`, ten hits each, in one run: the same texts (turns: `Speaker: text`),\n"
        f"the same {vectors} vectors of texts and questions. Settings were chosen on the even part."
    )


def _settings() -> str:
    keys = ", ".join(f"{name}={value}" for name, value in RECOMMENDED.items())
    return f"Recommended: `SearchConfig({keys})`, everything else as it is by default."


if __name__ == "__main__":
    main()
