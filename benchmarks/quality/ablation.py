"""`python -m benchmarks.quality.ablation --data DIR [--sets locomo,…] [--write]`

What is each signal of `search_hybrid`, and each part of `recall`, worth? One at a time is taken away.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import simonides
from benchmarks.quality.asking import DEPTH, PARTS, Ranker, Tally, given, kept, own
from benchmarks.quality.peer import RECOMMENDED
from benchmarks.quality.results import change, short, table, write_section
from benchmarks.quality.vectors import model, of_questions, of_texts
from simonides.config import Config, EmbeddingConfig, RecallConfig, TextConfig
from simonides.embedders import Embedder
from simonides.evaluate.collection import EvalSet
from simonides.evaluate.sets import SETS, load_set
from simonides.read import candidates, conversation, question, second_look
from simonides.read.legs.full_text import TextRules
from simonides.read.plans import recall as everyday
from simonides.read.plans import settle
from simonides.store import Store

PATIENT = EmbeddingConfig(query_deadline_s=1e5, write_deadline_s=1e5)


@dataclass(frozen=True)
class Without:
    """Taking one thing away: per-call weights, settings, or names of modules that get another value meanwhile."""

    name: str
    weights: dict[str, float] | None = None
    config: Config | None = None
    patches: Sequence[tuple[Any, str, Any]] = ()


SIGNALS = (
    Without("everything on"),
    Without("full text", {"fts_weight": 0.0}),
    Without("vector", {"vector_weight": 0.0}),
    Without("recency", {"recency_weight": 0.0}),
    Without("priority", {"priority_weight": 0.0}),
    Without("graph", {"graph_weight": 0.0}),
)


def _recall(**settings: Any) -> Config:
    return Config(embedding=PATIENT, recall=RecallConfig(**settings))


def _text(**settings: Any) -> Config:
    return Config(embedding=PATIENT, text=TextConfig(**settings))


PARTS_OF_RECALL = (
    Without("everything on"),
    Without("full text", config=_recall(vector_weight=1.0)),
    Without("vector", config=_recall(vector_weight=0.0)),
    Without("stems", config=_text(language=None)),
    Without("stop words", config=_text(stop_words=False)),
    Without("proximity", patches=[(candidates, "proximity", lambda rows, terms: np.zeros(len(rows)))]),
    Without("words of the turns around", patches=[(settle, "TextRules", lambda *a: TextRules(a[0], a[1], False))]),
    Without("vectors of the turns around", patches=[(conversation, "_SPREAD", conversation._SPREAD * 0.0)]),
    Without("names out of the vector question", patches=[(question, "without_names", lambda text, names: text)]),
    Without("named speaker", patches=[(conversation, "SPEAKER_BOOST", 0.0)]),
    Without("question turns", patches=[(conversation, "QUESTION_MALUS", 0.0)]),
    Without("named time", patches=[(conversation, "TIME_BOOST", 0.0)]),
    Without("second look", config=_recall(second_look=False)),
    Without("its echo", patches=[(second_look, "ECHO", 0.0)]),
    Without("its hop", patches=[(second_look, "HOP", 0.0)]),
    Without("looking up what a leg missed", patches=[(everyday, "DEFAULT", replace(everyday.DEFAULT, fill=False))]),
)


def signals(eval_set: EvalSet, embedder: Embedder) -> dict[str, Tally]:
    """`search_hybrid` with the recommended settings and a time reference, then without one signal at a time."""
    tallies = {without.name: Tally() for without in SIGNALS}
    count = len(eval_set.collections)
    for number, collection in enumerate(eval_set.collections):
        texts = of_texts(embedder, collection)
        questions = of_questions(embedder, [asked.text for asked in collection.questions])
        times = [item.occurred_at for item in collection.items if item.occurred_at is not None]
        axis = {"recency_now": max(times), "recency_field": "occurred_at"} if times else {"current_cycle": 0}
        with given(collection, texts, **RECOMMENDED) as store:
            for without in SIGNALS:
                ask = _hybrid(store, {**axis, **(without.weights or {})})
                tallies[without.name].ask(ask, collection, questions, (number, count))
    return tallies


def _hybrid(store: Store, options: dict[str, Any]) -> Ranker:
    def rank(text: str, vector: np.ndarray) -> list[str]:
        answer = store.search_hybrid(text, vector if vector.any() else None, top_k=DEPTH, **options)
        return [name for name, _ in answer.results]

    return rank


def parts(eval_set: EvalSet, embedder: Embedder) -> dict[str, Tally]:
    """`recall`, then without one part at a time. A store is filled once and opened again for every variant."""
    tallies = {without.name: Tally() for without in PARTS_OF_RECALL}
    count = len(eval_set.collections)
    for number, collection in enumerate(eval_set.collections):
        unused = np.zeros((len(collection.questions), 1), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "filled.db")
            with own(collection, embedder, path=path):
                pass
            for without in PARTS_OF_RECALL:
                config = without.config or Config(embedding=PATIENT)
                with simonides.open(path, embedder=embedder, config=config) as store, _changed(without.patches):
                    tallies[without.name].ask(_everyday(store), collection, unused, (number, count))
    return tallies


def _everyday(store: Store) -> Ranker:
    return lambda text, _: [name for name, _ in store.recall(text, top_k=DEPTH).results]


@contextmanager
def _changed(patches: Sequence[tuple[Any, str, Any]]) -> Iterator[None]:
    with ExitStack() as undo:
        for module, name, value in patches:
            undo.callback(partial(setattr, module, name, getattr(module, name)))
            setattr(module, name, value)
        yield


def lines(found: dict[str, dict[str, Tally]], part: str) -> list[list[str]]:
    """One line per thing taken away: nDCG@10 of everything on, then differences, per set and on average."""
    names = [name for name in SETS if name in found]
    whole = [found[name]["everything on"].mean(part).ndcg_10 for name in names]
    out = [["everything on", *map(short, [*whole, float(np.mean(whole))])]]
    for without in next(iter(found.values())):
        if without != "everything on":
            now = [found[name][without].mean(part).ndcg_10 for name in names]
            gaps = [a - b for a, b in zip(now, whole, strict=True)]
            out.append([f"without {without}", *map(change, [*gaps, float(np.mean(gaps))])])
    return out


def report(title: str, found: dict[str, dict[str, Tally]]) -> str:
    """Three tables: all, even, odd."""
    names = [name for name in SETS if name in found]
    blocks = [f"### {title}"]
    blocks += [f"{part}:\n\n{table(('nDCG@10', *names, 'mean'), lines(found, part))}" for part in PARTS]
    return "\n\n".join(blocks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with one folder per set")
    parser.add_argument("--vectors", default="builtin")
    parser.add_argument("--sets", default="hotpotqa100,cranfield,locomo,scifact,qmsum")
    parser.add_argument("--keep", type=Path, help="a folder for what is done, to go on after an interruption")
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    chosen = parser.parse_args()
    embedder = model(chosen.vectors)
    ways: dict[str, Callable[[EvalSet, Embedder], dict[str, Tally]]] = {
        "Signals of `search_hybrid` (recommended settings)": signals,
        "Parts of `recall`": parts,
    }
    found: dict[str, dict[str, dict[str, Tally]]] = {title: {} for title in ways}
    for name in chosen.sets.split(","):
        eval_set = load_set(name, chosen.data)
        for title, way in ways.items():
            found[title][name] = kept(chosen.keep, f"{name}-{way.__name__}", partial(way, eval_set, embedder))
            print(name, title, {k: short(t.mean().ndcg_10) for k, t in found[title][name].items()}, flush=True)
    body = "\n\n".join(report(title, sets) for title, sets in found.items())
    print(body)
    if chosen.write:
        write_section("Ablation", f"{_about(chosen.vectors)}\n\n{body}")


def _about(vectors: str) -> str:
    return (
        f"`python -m benchmarks.quality.ablation --data DIR --vectors {vectors} --write`\n\n"
        "Ten hits a question. Of each thing taken away the table has the change of nDCG@10: minus means that it\n"
        f"earns its place, a dot is less than .0005. Vectors: {vectors}. In the first table recency is measured from\n"
        'the newest turn (`recency_field="occurred_at"`) where rows have times; questions of these sets do not ask\n'
        "for what is new, so it shows what recency costs when it is not wanted. All rows are P3: priority cannot help."
    )


if __name__ == "__main__":
    main()
