"""How good is one way to ask, over a set? Means of nDCG@10 and recall@10 over all, the even and the odd part."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import simonides
from benchmarks.quality.vectors import written
from simonides.config import Config, EmbeddingConfig
from simonides.embedders import Embedder
from simonides.evaluate.collection import Collection, is_even
from simonides.evaluate.metrics import Scores, mean, measure
from simonides.store import Store

DEPTH = 10  # what a caller sees
PARTS = ("all", "even", "odd")
Ranker = Callable[[str, np.ndarray], list[str]]


@dataclass(slots=True)
class Tally:
    """What one way to ask made of every question of a set, in the order asked."""

    scores: list[tuple[bool, Scores]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def ask(self, rank: Ranker, collection: Collection, vectors: np.ndarray, place: tuple[int, int]) -> None:
        """Every question of a collection. place: its number, and how many there are."""
        for number, question in enumerate(collection.questions):
            begun = time.process_time()  # other work on the machine does not count
            found = rank(question.text, vectors[number])
            self.seconds.append(time.process_time() - begun)
            even = is_even(place[0], number, place[1])
            self.scores.append((even, measure(found, question.relevant)))

    def mean(self, part: str = "all") -> Scores:
        """The means over all, even or odd."""
        return mean(self.of(part))

    def of(self, part: str = "all") -> list[Scores]:
        """What the questions of a part scored."""
        return [scores for even, scores in self.scores if part == "all" or even == (part == "even")]

    @property
    def milliseconds(self) -> float:
        """The median processor time per question."""
        return 1e3 * sorted(self.seconds)[len(self.seconds) // 2]


def kept(folder: Path | None, name: str, make: Callable[[], dict[str, Tally]]) -> dict[str, Tally]:
    """What `make` gives, or what it gave before when the folder has it. A long run can go on where it was cut."""
    file = None if folder is None else folder / f"{name}.json"
    if file is not None and file.exists():
        stored = json.loads(file.read_text("utf-8"))
        return {
            way: Tally([(even, Scores(**scores)) for even, scores in tally["scores"]], tally["seconds"])
            for way, tally in stored.items()
        }
    made = make()
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = {
            way: {"scores": [(even, asdict(scores)) for even, scores in tally.scores], "seconds": tally.seconds}
            for way, tally in made.items()
        }
        file.write_text(json.dumps(rows), "utf-8")
    return made


@contextmanager
def given(collection: Collection, vectors: np.ndarray, **search: float) -> Iterator[Store]:
    """A store that holds the texts as another system would, with vectors made elsewhere.

    search: keys of `[search]`. Turns keep their session and speaker, so FOLLOWS edges join them.
    """
    with simonides.open(":memory:", embedder=False, config={"search": search}) as store:
        store.remember_many(
            [
                simonides.Draft(
                    content=written(item),
                    thought_id=item.item_id,
                    speaker=item.speaker,
                    session=item.session,
                    occurred_at=item.occurred_at,
                    vector=row if row.any() else None,
                )
                for item, row in zip(collection.items, vectors, strict=True)
            ]
        )
        yield store


@contextmanager
def own(collection: Collection, embedder: Embedder, path: str | Path = ":memory:") -> Iterator[Store]:
    """A store that holds the texts as `remember` wants them: who speaks and when are fields; it embeds itself."""
    patient = Config(embedding=EmbeddingConfig(query_deadline_s=1e5, write_deadline_s=1e5))
    with simonides.open(path, embedder=embedder, config=patient) as store:
        store.remember_many(
            [
                simonides.Draft(
                    content=item.text,
                    thought_id=item.item_id,
                    speaker=item.speaker,
                    session=item.session,
                    occurred_at=item.occurred_at,
                )
                for item in collection.items
            ]
        )
        yield store
