"""How did a namespace look at an instant? Today's catalogue, postings and vectors with what has changed put back.

What did not change since is shared. Ended versions that were current then come back: where their text is still that of
the thought, with their own fields in the place of today's; where it is not, as passages made again and appended, which
no index knows and every question compares. So looking back costs what has changed since, and nothing when it is not
asked for. Text statistics are those of then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from simonides.backend.history_port import ClosedVersion, PassageNow, PassageUntil, PastPassage
from simonides.backend.rows import Analysed, CatalogueRow
from simonides.errors import InvalidQueryError
from simonides.index.catalogue import Catalogue, catch_up
from simonides.index.lexicon import CatalogueView, Lexicon
from simonides.index.links import link_all
from simonides.index.postings import Postings
from simonides.index.shelf import Shelf, View
from simonides.index.topics import TopicTable
from simonides.text.passages import split

if TYPE_CHECKING:
    from simonides.backend.lexicon_port import LexiconReader
    from simonides.backend.port import Past
    from simonides.index.vectors import VectorTable

CHANGED_MAX = 100_000  # ended versions of one namespace that are put back
PAST_PID = 1 << 48  # above every stored passage
Analyse = Callable[[str, str | None, str | None], Analysed]
T = TypeVar("T", PassageNow, PassageUntil)


@dataclass(frozen=True, slots=True)
class Revived:
    """A passage of an ended version, made again."""

    row: CatalogueRow
    text: Analysed
    stocked: PastPassage


def look_back(
    past: Past, shelf: Shelf, view: View, at: int, analyse: Analyse, *, first_pid: int = PAST_PID
) -> LookedBack:
    """A namespace at an instant. past: of the same read transaction as the view. first_pid: of passages that are made.

    Raises InvalidQueryError when more than CHANGED_MAX versions of then have ended since.
    """
    closed = past.history.closed(view.state.ns, at, CHANGED_MAX + 1)
    if len(closed) > CHANGED_MAX:
        raise InvalidQueryError(
            f"more than {CHANGED_MAX} memories of that time have changed since", hint="ask for a later time"
        )
    later = past.history.later(view.state.ns, at)
    touched = sorted({*later.tolist(), *(version.row.tid for version in closed)})
    now = _by_tid(past.history.passages_now(touched))
    until = _by_tid(past.history.passages_until([version.row.tid for version in closed]))
    known: list[CatalogueRow] = []
    made: list[Revived] = []
    for version in closed:
        mine, rows = now.get(version.row.tid, []), _ended_after(until.get(version.row.tid, []), version.seq)
        if mine and not rows and (mine[0].content_hash, mine[0].essence) == (version.row.content_hash, version.essence):
            known += [_as_of(version.row, passage) for passage in mine]
        else:
            made += _make(version, rows, first_pid + len(made), analyse)
    kept = {row.pid for row in known}
    dead = np.array([p.pid for rows in now.values() for p in rows if p.pid not in kept], np.int64)
    catalogue = catch_up(view.catalogue.apart(), [*known, *(m.row for m in made)], dead, view.state.seq)
    catalogue.neighbours = link_all(catalogue)
    then = Shelf(view.state.ns, 0)
    then.lexicon = PastLexicon(shelf.lexicon, view.catalogue, catalogue, made)
    lost = sum(m.stocked.vector is None for m in made) if view.vectors is not None else 0
    there = View(view.state, catalogue, _vectors(view, catalogue, made))
    return LookedBack(then, there, [m.stocked for m in made], lost)


@dataclass(frozen=True, slots=True)
class LookedBack:
    """The shelf and the view of an instant, what was made again, and how much of it has no vector any more."""

    shelf: Shelf
    view: View
    made: list[PastPassage]
    without_vector: int


def _by_tid(rows: Sequence[T]) -> dict[int, list[T]]:
    found: dict[int, list[T]] = defaultdict(list)
    for row in rows:
        found[row.tid].append(row)
    return found


def _ended_after(rows: Sequence[PassageUntil], seq: int) -> list[PassageUntil]:
    """The passages of the version of a seq: those that the first change after it ended."""
    until = min((row.until for row in rows if row.until > seq), default=None)
    return [row for row in rows if row.until == until]


def _as_of(row: CatalogueRow, passage: PassageNow) -> CatalogueRow:
    """A stored passage with the fields of an ended version."""
    return row._replace(pid=passage.pid, words=passage.words, essence_words=passage.essence_words, asks=passage.asks)


def _make(version: ClosedVersion, rows: Sequence[PassageUntil], pid: int, analyse: Analyse) -> list[Revived]:
    """The passages of an ended version: where they were, or where they would be today when that is not known."""
    places = [(row.start, row.stop, row.vector) for row in rows]
    places = places or [(span.start, span.end, None) for span in split(version.content)]
    made = []
    for part, (start, stop, vector) in enumerate(places):
        text = analyse(version.content[start:stop], version.essence if part == 0 else None, version.speaker)
        row = version.row._replace(pid=pid + part, words=text.words, essence_words=text.essence_words, asks=text.asks)
        columns = (text.content, text.essence, text.content_more, text.essence_more)
        said = version.content[start:stop]
        stocked = PastPassage(pid + part, version.row.tid, part, start, stop, text.tokens, said, columns, vector)
        made.append(Revived(row, text, stocked))
    return made


def _vectors(view: View, catalogue: Catalogue, made: Sequence[Revived]) -> VectorTable | TopicTable | None:
    """Today's vectors and, compared exhaustively, those of then. Ordinals of what was appended follow the others."""
    if view.vectors is None:
        return None
    table = view.vectors.tail if isinstance(view.vectors, TopicTable) else view.vectors
    first = view.catalogue.size
    found = [(first + n, m.stocked.vector) for n, m in enumerate(made) if m.stocked.vector is not None]
    fitting = [(n, vector) for n, vector in found if len(vector) == 4 * table.dimension]
    rows = np.frombuffer(b"".join(vector for _, vector in fitting), np.float32).reshape(len(fitting), table.dimension)
    ordinals = np.array([n for n, _ in fitting], np.int64)
    then = table.apart().extend(ordinals, rows, catalogue.size, table.seq)
    return replace(view.vectors, tail=then) if isinstance(view.vectors, TopicTable) else then


class PastLexicon(Lexicon):
    """The postings of an instant: today's among what was there then, and those of passages that were made again."""

    def __init__(self, base: Lexicon, today: Catalogue, then: Catalogue, made: Sequence[Revived]) -> None:
        self._base = base
        self._today = today
        self._alive = None if then.live is None else then.live[: today.size]
        self._added: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for n, one in enumerate(made):
            for term, frequency in zip(one.text.terms.split(" "), one.text.frequencies, strict=False):
                if frequency:
                    self._added[term].append((today.size + n, frequency))

    def postings(
        self, reader: LexiconReader, epoch: int, catalogue: CatalogueView, terms: Sequence[str]
    ) -> dict[str, Postings]:
        found = self._base.postings(reader, epoch, self._today, terms)
        held = {term: self._then(found.get(term), term) for term in terms}
        return {term: postings for term, postings in held.items() if len(postings.ordinals)}

    def frequencies(
        self, reader: LexiconReader, epoch: int, catalogue: CatalogueView, terms: Sequence[str]
    ) -> dict[str, int]:
        found = self.postings(reader, epoch, catalogue, terms)
        return {term: len(found[term].ordinals) if term in found else 0 for term in terms}

    def _then(self, today: Postings | None, term: str) -> Postings:
        ordinals = np.empty(0, np.int32) if today is None else today.ordinals
        frequencies = np.empty(0, np.uint8) if today is None else today.frequencies
        if self._alive is not None:
            alive = self._alive[ordinals]
            ordinals, frequencies = ordinals[alive], frequencies[alive]
        added = self._added.get(term, ())
        return Postings(
            np.concatenate([ordinals, np.array([n for n, _ in added], np.int32)]),
            np.concatenate([frequencies, np.array([f for _, f in added], np.uint8)]),
        )
