"""Which ways to rank are compared? Each is a name and a function from a question to ids, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simonides.backend.sqlite.plain_fts5 import PlainFTS5
from simonides.errors import ConfigError
from simonides.model.query import Budget, Profile

if TYPE_CHECKING:
    from simonides.evaluate.collection import Collection
    from simonides.store import Store

Ranker = Callable[[str, int], list[str]]
"""From a question and a depth to ids, best first."""

SYSTEMS = {
    "fts5": "plain FTS5: the question's words OR-ed, bm25()",
    "fts5_porter": "FTS5 with Porter stems, stop words dropped",
    "text": "the text leg alone",
    "vector": "the vector leg alone",
    "rrf": "retrieve: reciprocal rank fusion",
    "five_signal": "search_hybrid: the weighted five signals",
    "recall": "recall: the default",
}
BASELINES = ("fts5", "fts5_porter")


def choose(names: str | None) -> tuple[str, ...]:
    """Names separated by commas, in the order of reports; None means all. Raises ConfigError for an unknown one."""
    if names is None:
        return tuple(SYSTEMS)
    wanted = {name.strip() for name in names.split(",") if name.strip()}
    unknown = sorted(wanted - set(SYSTEMS))
    if unknown or not wanted:
        raise ConfigError(f"{', '.join(unknown) or names!r}: no such system", hint=f"any of {', '.join(SYSTEMS)}")
    return tuple(name for name in SYSTEMS if name in wanted)


@contextmanager
def baseline(collection: Collection, *, stems: bool) -> Iterator[Ranker]:
    """FTS5 over the texts as a person would store them: a turn begins with its speaker's name."""
    ids = [item.item_id for item in collection.items]
    texts = [f"{item.speaker}: {item.text}" if item.speaker else item.text for item in collection.items]
    with PlainFTS5(texts, stems=stems) as index:
        yield lambda question, depth: [ids[place] for place in index.search(question, depth)]


def of_store(store: Store, name: str) -> Ranker:
    """One of the engine's own ways to rank, over a store that holds the collection."""
    if name == "text":
        return lambda question, depth: [key for key, _ in store.search_fts(question, top_k=depth)]
    if name == "vector":
        return lambda question, depth: _retrieved(store, question, depth, Profile("semantic"))
    if name == "rrf":
        return lambda question, depth: _retrieved(store, question, depth, Profile("hybrid"))
    if name == "five_signal":
        return lambda question, depth: [key for key, _ in store.search_hybrid(question, top_k=depth).results]
    assert name == "recall", name
    return lambda question, depth: [key for key, _ in store.recall(question, top_k=depth).results]


def _retrieved(store: Store, question: str, depth: int, profile: Profile) -> list[str]:
    answer = store.retrieve(question, profile=profile, budget=Budget(max_units=depth))
    return [key for key, _ in answer.results]
