"""`python -m benchmarks.quality.reflections --data DIR [--sets locomo,…] [--write] [--keep FOLDER]`

Do reflections cost evidence, and what are they good for? Every set with consolidation off and on, for `recall`,
`retrieve` and `search_hybrid`; then questions whose answer is a whole part of a conversation.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.quality.asking import DEPTH, PARTS, Ranker, Tally, kept, own
from benchmarks.quality.results import change, short, table, write_section
from simonides import Consolidated, HybridSearchResult, Reflection
from simonides.embedders import Embedder, resolve
from simonides.evaluate import sets
from simonides.evaluate.collection import Collection, EvalSet, Question, is_even
from simonides.evaluate.sets import SETS, load_set
from simonides.store import Store

VERBS = ("recall", "retrieve", "search_hybrid", "search_hybrid without")
STATES = ("off", "on")
SHOWN = 3  # reflections beside an answer
WIDE = 5  # relevant turns from which a question asks for a theme


def ways(store: Store) -> dict[str, Ranker]:
    """Each verb as a ranker of what is no reflection's: reflections take their places, and answer nothing."""
    return {
        "recall": lambda text, _: _ids(store.recall(text, top_k=DEPTH)),
        "retrieve": lambda text, _: _ids(store.retrieve(text)),
        "search_hybrid": lambda text, _: _ids(store.search_hybrid(text, top_k=DEPTH)),
        "search_hybrid without": lambda text, _: _ids(
            store.search_hybrid(text, top_k=DEPTH, include_reflections=False)
        ),
    }


def _ids(answer: HybridSearchResult) -> list[str]:
    return [name for name, _ in answer.results]


@dataclass
class Compared:
    """What a set made of each verb with consolidation off and on, and what consolidation made of the set."""

    tallies: dict[str, dict[str, Tally]]
    facts: dict[str, float]

    def to_kept(self) -> dict[str, Tally]:
        """One name per verb and state, as `kept` stores them."""
        return {f"{verb}/{state}": tally for verb, of in self.tallies.items() for state, tally in of.items()}


def compared(eval_set: EvalSet, embedder: Embedder, verbs: Sequence[str], keep: Path | None) -> Compared:
    """Every verb on every store of a set, before and after its one consolidation."""
    facts: dict[str, float] = {}

    def make() -> dict[str, Tally]:
        tallies = {verb: {state: Tally() for state in STATES} for verb in verbs}
        reports = []
        count = len(eval_set.collections)
        for number, collection in enumerate(eval_set.collections):
            unused = np.zeros((len(collection.questions), 1), np.float32)
            with own(collection, embedder) as store:
                for state in STATES:
                    if state == "on":
                        reports.append(store.consolidate())
                    for verb in verbs:
                        tallies[verb][state].ask(ways(store)[verb], collection, unused, (number, count))
        facts.update(_facts(reports))
        return Compared(tallies, facts).to_kept()

    stored = kept(keep, f"reflections-{eval_set.name}", make)
    tallies = {verb: {state: stored[f"{verb}/{state}"] for state in STATES} for verb in verbs}
    return Compared(tallies, _kept_facts(keep, eval_set.name, facts))


def _facts(reports: Sequence[Consolidated]) -> dict[str, float]:
    sums = {key: sum(getattr(r, key) for r in reports) for key in ("thoughts", "created", "grouped")}
    return {"stores": len(reports), **sums, "bound": float(np.mean([r.bound for r in reports]))}


def _kept_facts(keep: Path | None, name: str, facts: dict[str, float]) -> dict[str, float]:
    """The facts of this run, written beside what is kept; of an earlier one when there is nothing new."""
    if keep is None:
        return facts
    file = keep / f"reflections-{name}-facts.json"
    if facts:
        file.write_text(json.dumps(facts), "utf-8")
    return dict(json.loads(file.read_text("utf-8")))


@dataclass
class Reach:
    """Of theme questions: the share of the relevant turns that was reached, precision, and characters shown."""

    found: list[float] = field(default_factory=list)
    precise: list[float] = field(default_factory=list)
    any: list[float] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)

    def add(self, turns: set[str], relevant: set[str], characters: int) -> None:
        hits = len(turns & relevant)
        self.found.append(hits / len(relevant))
        self.precise.append(hits / len(turns) if turns else 0.0)
        self.any.append(float(hits > 0))
        self.characters.append(characters)

    def cells(self) -> list[str]:
        means = [float(np.mean(values)) for values in (self.found, self.precise, self.any)]
        return [str(len(self.found)), *map(short, means), f"{np.mean(self.characters):.0f}"]


ANSWERS = ("the best 3 turns", "the best 10 turns", "the best reflection", "the best 3 reflections")
Reached = dict[str, dict[str, Reach]]  # part → what was shown → reach


def themes(collections: Sequence[Collection], embedder: Embedder, parts: Sequence[str]) -> Reached:
    """What an answer leads to: turns themselves, or the sources of reflections; of all stores and of a half."""
    reached: Reached = {part: {name: Reach() for name in ANSWERS} for part in parts}
    for number, collection in enumerate(collections):
        half = "even" if is_even(number, 0, len(collections)) else "odd"
        wanted = [part for part in parts if part in ("all", half)]
        if not wanted:
            continue
        with own(collection, embedder) as store:
            store.consolidate()
            for question in collection.questions:
                relevant = set(question.relevant)
                answer = store.recall(question.text, top_k=DEPTH)
                for name, turns, characters in _shown(answer):
                    for part in wanted:
                        reached[part][name].add(turns, relevant, characters)
    return reached


def _shown(answer: HybridSearchResult) -> Iterator[tuple[str, set[str], int]]:
    """(what is shown, the turns that it leads to, its characters)."""
    for name, depth in (("the best 3 turns", 3), ("the best 10 turns", DEPTH)):
        hits = answer.hits[:depth]
        yield name, {hit.thought_id for hit in hits}, sum(len(hit.thought.content) for hit in hits)
    for name, depth in (("the best reflection", 1), ("the best 3 reflections", SHOWN)):
        hits = answer.reflections[:depth]
        documents = [Reflection.of(hit.thought) for hit in hits]
        turns = {member for document in documents if document for member in document.members}
        yield name, turns, sum(len(hit.thought.essence or "") for hit in hits)


def sessions(data: Path) -> Iterator[Collection]:
    """LoCoMo, asked for the conversation that the evidence is in: every turn of its sessions is relevant."""
    for collection in load_set("locomo", data).collections:
        of = {item.item_id: item.session for item in collection.items}
        turns: dict[str | None, list[str]] = {}
        for item in collection.items:
            turns.setdefault(item.session, []).append(item.item_id)
        asked = []
        for question in collection.questions:
            wanted = {of[name] for name in question.relevant if name in of}
            relevant = {name: 1 for session in wanted for name in turns[session]}
            if len(wanted) == 1 and question.category != "adversarial":
                asked.append(Question(question.question_id, question.text, relevant, question.category))
        yield Collection(collection.name, collection.items, tuple(asked))


def long_answers(data: Path) -> Iterator[Collection]:
    """QMSum's questions whose answer spans many turns, also those that the evaluation set leaves out."""
    limit, sets.QMSUM_SPAN_TURNS_MAX = sets.QMSUM_SPAN_TURNS_MAX, 1_000_000
    try:
        collections = load_set("qmsum", data).collections
    finally:
        sets.QMSUM_SPAN_TURNS_MAX = limit
    for collection in collections:
        asked = tuple(q for q in collection.questions if len(q.relevant) >= WIDE)
        if asked:
            yield Collection(collection.name, collection.items, asked)


THEMES = {"LoCoMo, the session": sessions, "QMSum, long answers": long_answers}


def report(found: dict[str, Compared], reach: dict[str, Reached]) -> str:
    """The section. found: by set. reach: kinds of theme questions → part → what was reached."""
    parts = [INTRODUCTION]
    for part in PARTS if found else ():
        rows = []
        for name, of in found.items():
            for verb, tallies in of.tallies.items():
                off, on = (tallies[state].mean(part) for state in STATES)
                gaps = [change(on.recall_10 - off.recall_10), change(on.ndcg_10 - off.ndcg_10)]
                values = [off.recall_10, on.recall_10, off.ndcg_10, on.ndcg_10]
                rows.append([name, verb, str(len(tallies["on"].of(part))), *map(short, values), *gaps])
        head = ["set", "verb", "n", "R@10 off", "on", "nDCG@10 off", "on", "R@10", "nDCG@10"]
        parts.append(f"**{part}**\n\n{table(head, rows, 2)}")
    if found:
        rows = []
        for name, of in found.items():
            counts = [f"{of.facts[key]:.0f}" for key in ("stores", "thoughts", "created", "grouped")]
            rows.append([name, *counts, short(of.facts["bound"])])
        parts.append("What consolidation made of the sets, with default settings and the built-in embedder:")
        parts.append(table(["set", "stores", "thoughts", "reflections", "thoughts in one", "mean bound"], rows))
    if reach:
        parts.append(THEMES_SAID)
        rows = [
            [questions, part, way, *r.cells()]
            for questions, of_part in reach.items()
            for part, ways_ in of_part.items()
            for way, r in ways_.items()
        ]
        head = ["questions", "half", "shown", "n", "share of the theme", "precision", "any of it", "characters"]
        parts.append(table(head, rows, 3))
    return "\n\n".join(parts)


INTRODUCTION = """`python -m benchmarks.quality.reflections --data DIR --write`

Every set with consolidation off and on (`store.consolidate()`, default settings, built-in embedder). In `recall` and
`retrieve` reflections stand beside the hits; in `search_hybrid` they take places among them, up to three of ten, and
count there as answers that are not relevant ("without": `include_reflections=False`). The last two columns are
on − off; a dot is less than .0005."""

THEMES_SAID = """What reflections are good for: questions that ask for a whole part of a conversation. In LoCoMo the
theme of a question is the session that its evidence is in, in QMSum every turn of an answer that spans five or more.
A turn that is shown reaches itself; a reflection reaches its sources, one look at its document away. Characters: what
has to be read."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--themes", default="all,odd", help="parts, or nothing")
    parser.add_argument("--verbs", default=",".join(VERBS))
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    embedder = resolve("builtin")
    assert embedder is not None
    found = {}
    for name in filter(None, options.sets.split(",")):
        found[name] = compared(load_set(name, options.data), embedder, options.verbs.split(","), options.keep)
    parts = [part for part in PARTS if part in options.themes.split(",")]
    reach = {}
    for title, load in THEMES.items() if parts else ():
        reach[title] = themes(list(load(options.data)), embedder, parts)
    text = report(found, reach)
    print(text)
    if options.write:
        write_section("Reflections", text)


if __name__ == "__main__":
    main()
