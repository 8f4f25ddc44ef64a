"""`python -m benchmarks.quality.diversity --data DIR [--sets locomo,…] [--write] [--keep FOLDER]`

What does it cost, and change, when hits that say nearly the same go behind others (`[recall] alike_factor`)?
"""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path

import simonides
from benchmarks.quality.asking import DEPTH, PARTS, Tally, kept, own
from benchmarks.quality.results import change, short, table, write_section
from simonides.config import Config, EmbeddingConfig, RecallConfig
from simonides.embedders import Embedder, resolve
from simonides.evaluate.collection import Collection, EvalSet, is_even
from simonides.evaluate.metrics import Scores, measure
from simonides.evaluate.sets import SETS, load_set

OFF = RecallConfig()
RULES = {
    "off": OFF,
    "half below .8": RecallConfig(alike_factor=0.5),
    "last below .8": RecallConfig(alike_factor=0.0),
    "half below .7": RecallConfig(alike_factor=0.5, alike_share=0.7),
    "half below .6": RecallConfig(alike_factor=0.5, alike_share=0.6),
    "last below .6": RecallConfig(alike_factor=0.0, alike_share=0.6),
}
OTHER = "another answer"  # beside each rule's tally: 1 for an answer whose ten are not those without the rule, else 0


def asked(eval_set: EvalSet, embedder: Embedder) -> dict[str, Tally]:
    """Each rule's tally over a set, and which answers it changed."""
    tallies = {name: Tally() for rule in RULES for name in (rule, f"{rule}, {OTHER}")}
    count = len(eval_set.collections)
    for number, collection in enumerate(eval_set.collections):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "s.db")
            with own(collection, embedder, path):
                pass
            plain: list[list[str]] = []
            for rule, settings in RULES.items():
                answers = _answers(path, embedder, settings, collection)
                plain = plain or answers
                for place, question in enumerate(collection.questions):
                    even = is_even(number, place, count)
                    other = float(answers[place] != plain[place])
                    tallies[rule].scores.append((even, measure(answers[place], question.relevant)))
                    tallies[f"{rule}, {OTHER}"].scores.append((even, Scores(other, other, other, other)))
    return tallies


def _answers(path: Path, embedder: Embedder, settings: RecallConfig, collection: Collection) -> list[list[str]]:
    patient = Config(embedding=EmbeddingConfig(query_deadline_s=1e5), recall=settings)
    with simonides.open(path, embedder=embedder, config=patient) as store:
        return [[name for name, _ in store.recall(q.text, top_k=DEPTH).results] for q in collection.questions]


def report(found: dict[str, dict[str, Tally]]) -> str:
    """The section: a table per part, differences to off."""
    parts = [INTRODUCTION]
    for part in PARTS:
        rows = []
        for name, tallies in found.items():
            off = tallies["off"].mean(part)
            for rule in RULES:
                mean, other = tallies[rule].mean(part), tallies[f"{rule}, {OTHER}"].mean(part)
                gaps = [change(mean.recall_10 - off.recall_10), change(mean.ndcg_10 - off.ndcg_10)]
                values = [other.recall_10, mean.recall_10, mean.ndcg_10]
                rows.append([name, rule, str(len(tallies[rule].of(part))), *map(short, values), *gaps])
        head = ["set", "rule", "n", "answers changed", "R@10", "nDCG@10", "R@10 − off", "nDCG@10 − off"]
        parts.append(f"**{part}**\n\n{table(head, rows, 2)}")
    return "\n\n".join(parts)


INTRODUCTION = """`python -m benchmarks.quality.diversity --data DIR --write`

`recall` on every set with texts that say nearly the same left where they are, and moved back: *half* keeps half of the
score of a hit that shares so much of its distinct words with a better one, *last* puts it behind everything else.
Answers changed: the share of questions whose ten hits or their order are others than with the rule off."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    embedder = resolve("builtin")
    assert embedder is not None
    found = {}
    for name in options.sets.split(","):
        make = partial(asked, load_set(name, options.data), embedder)
        found[name] = kept(options.keep, f"diversity-{name}", make)
    text = report(found)
    print(text)
    if options.write:
        write_section("Nearly the same", text)


if __name__ == "__main__":
    main()
