"""`python -m benchmarks.quality.reflections --data DIR [--sets locomo,…] [--write] [--keep FOLDER]`

Do reflections cost evidence, and what are they good for? Every set with consolidation off and on, for `recall`,
`retrieve` and `search_hybrid`; then questions whose answer is a whole part of a conversation.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
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


def evidence(eval_set: EvalSet, embedder: Embedder, verb: str) -> dict[str, Tally]:
    """ "off" and "on" → what the verb made of the set."""
    tallies = {state: Tally() for state in STATES}
    count = len(eval_set.collections)
    for number, collection in enumerate(eval_set.collections):
        unused = np.zeros((len(collection.questions), 1), np.float32)
        with own(collection, embedder) as store:
            for state in STATES:
                if state == "on":
                    store.consolidate()
                tallies[state].ask(ways(store)[verb], collection, unused, (number, count))
    return tallies


def made(eval_set: EvalSet, embedder: Embedder) -> list[Consolidated]:
    """What consolidation does with the stores of a set."""
    reports = []
    for collection in eval_set.collections:
        with own(collection, embedder) as store:
            reports.append(store.consolidate(dry_run=True))
    return reports


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


def themes(collections: Sequence[tuple[Collection, bool]], embedder: Embedder) -> dict[str, Reach]:
    """What an answer leads to: turns themselves, or the sources of reflections. collections: with their half."""
    reached = {name: Reach() for name in ANSWERS}
    for collection, _ in collections:
        with own(collection, embedder) as store:
            store.consolidate()
            for question in collection.questions:
                relevant = set(question.relevant)
                answer = store.recall(question.text, top_k=DEPTH)
                for name, depth in (("the best 3 turns", 3), ("the best 10 turns", DEPTH)):
                    hits = answer.hits[:depth]
                    turns = {hit.thought_id for hit in hits}
                    reached[name].add(turns, relevant, sum(len(hit.thought.content) for hit in hits))
                for name, depth in (("the best reflection", 1), ("the best 3 reflections", SHOWN)):
                    hits = answer.reflections[:depth]
                    documents = [Reflection.of(hit.thought) for hit in hits]
                    turns = {member for document in documents if document for member in document.members}
                    reached[name].add(turns, relevant, sum(len(hit.thought.essence or "") for hit in hits))
    return reached


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


def halves(collections: Sequence[Collection], part: str) -> list[tuple[Collection, bool]]:
    found = [(c, is_even(n, 0, len(collections))) for n, c in enumerate(collections)]
    return [(c, even) for c, even in found if part == "all" or even == (part == "even")]


def report(
    found: dict[str, dict[str, dict[str, Tally]]],
    facts: dict[str, list[Consolidated]],
    reach: dict[str, dict[str, Reach]],
) -> str:
    """The section. found: set → verb → state → tally."""
    parts = [INTRODUCTION]
    for part in PARTS if found else ():
        rows = []
        for name, verbs in found.items():
            for verb, tallies in verbs.items():
                off, on = (tallies[state].mean(part) for state in STATES)
                gaps = [change(on.recall_10 - off.recall_10), change(on.ndcg_10 - off.ndcg_10)]
                values = [off.recall_10, on.recall_10, off.ndcg_10, on.ndcg_10]
                rows.append([name, verb, *map(short, values), *gaps])
        head = ["set", "verb", "R@10 off", "on", "nDCG@10 off", "on", "R@10", "nDCG@10"]
        parts.append(f"**{part}**\n\n{table(head, rows, 2)}")
    if facts:
        rows = []
        for name, reports in facts.items():
            sums = [sum(getattr(r, key) for r in reports) for key in ("thoughts", "created", "grouped")]
            bound = float(np.mean([r.bound for r in reports]))
            rows.append([name, *map(str, [len(reports), *sums]), short(bound)])
        parts.append("What consolidation made of the sets, with default settings and the built-in embedder:")
        parts.append(table(["set", "stores", "thoughts", "reflections", "thoughts in one", "mean bound"], rows))
    if reach:
        parts.append(THEMES_SAID)
        rows = [[name, way, *r.cells()] for name, ways_ in reach.items() for way, r in ways_.items()]
        head = ["questions", "shown", "n", "share of the theme", "precision", "any of it", "characters"]
        parts.append(table(head, rows, 2))
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
    parser.add_argument("--themes", default="all", choices=(*PARTS, "none"))
    parser.add_argument("--verbs", default=",".join(VERBS))
    parser.add_argument("--brief", action="store_true", help="only evidence")
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    embedder = resolve("builtin")
    assert embedder is not None
    found: dict[str, dict[str, dict[str, Tally]]] = {}
    facts = {}
    for name in filter(None, options.sets.split(",")):
        eval_set = load_set(name, options.data)
        found[name] = {}
        for verb in options.verbs.split(","):
            file = f"reflections-{name}-{verb.replace(' ', '-')}"
            make = partial(evidence, eval_set, embedder, verb)
            found[name][verb] = kept(options.keep, file, make)
        if not options.brief:
            facts[name] = made(eval_set, embedder)
    reach = {}
    if options.themes != "none":
        for title, load in THEMES.items():
            reach[title] = themes(halves(list(load(options.data)), options.themes), embedder)
    text = report(found, facts, reach)
    print(text)
    if options.write:
        write_section("Reflections", text)


if __name__ == "__main__":
    main()
