"""What does a conversation add to a ranking? Turns around a turn, who speaks, what is asked, when it was.

Every part is a term or a factor of the one scoring rule and does nothing on rows without a session, a speaker or a
time. Constants were chosen on the even half of the evaluation sets (benchmarks/RESULTS.md has what each is worth).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.clock import DAY, to_datetime, to_instant
from simonides.index.catalogue import UNKNOWN
from simonides.index.context import REACH, step_weight
from simonides.text.dates import named_times

if TYPE_CHECKING:
    from simonides.read.candidates import Pool, Space
    from simonides.read.fuse import Ranking

VECTOR_SHARE = 0.5  # of c(step): how far the neighbours' cosines count
QUESTION_MALUS = 0.15  # a turn that only asks is rarely the answer
SPEAKER_BOOST = 0.15  # the question names exactly one speaker and the turn is theirs
TIME_BOOST = 0.5  # the turn is from the time that the question names
TELLING_DAYS = 7.0  # people tell afterwards: the boost fades this fast after the named time
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]
_SPREAD = np.repeat([VECTOR_SHARE * step_weight(step) for step in range(1, REACH + 1)], 2)
_WORD = re.compile(r"\w+")


def named_speakers(query: str, speakers: Mapping[int, str]) -> list[int]:
    """The speakers whose whole name is among the words of a question, ascending."""
    words = set(_WORD.findall(query.casefold()))
    return sorted(
        number for number, name in speakers.items() if (own := set(_WORD.findall(name.casefold()))) and own <= words
    )


def without_names(query: str, names: Mapping[int, str]) -> str:
    """A question without the names of speakers: in a vector they only say whose turns look like it.

    The question itself when nothing else is left.

    >>> without_names("What did Ana buy?", {1: "Ana"})
    'What did buy?'
    """
    words = {word for name in names.values() for word in _WORD.findall(name.casefold())}
    kept = [part for part in re.split(r"(\s+)", query) if not _is_name(part, words)]
    rest = re.sub(r"\s+", " ", "".join(kept)).strip()
    return rest if _WORD.search(rest) else query


def _is_name(part: str, words: set[str]) -> bool:
    own = [word for word in _WORD.findall(part.casefold()) if word != "s"]
    return bool(own) and all(word in words for word in own)


def smooth_vectors(pool: Pool) -> Pool:
    """The vector column with the turns around each turn: (cos + Σ share · cosᵢ) / (1 + Σ share) within a session."""
    column = pool.columns.get("vector")
    if column is None:
        return pool
    values = smoothed(
        pool, column.values, lambda space, rows: space.vector.approximately(rows) if space.vector else None
    )
    return pool.with_column("vector", column._replace(values=values))


def smoothed(pool: Pool, cosines: Floats, look: Callable[[Space, Ints], Floats | None]) -> Floats:
    """Cosines (m,) with those of the turns around each turn; `look` gives the cosines of other ordinals."""
    if all(space.catalogue.context is None for space in pool.spaces):
        return cosines
    values = cosines.copy()
    in_session = pool.take("session") > 0
    for n, space in enumerate(pool.spaces):
        context = space.catalogue.context
        mine = np.flatnonzero((pool.space == n) & in_session)
        if context is None or not len(mine):
            continue
        links = context.links[pool.rows[mine]]
        around = look(space, links.ravel())
        if around is None:
            continue
        near = np.fmax(around.reshape(links.shape), 0.0)
        own = np.fmax(values[mine], 0.0)
        # Column by column: a matrix product would round differently for other pools.
        for share, column in zip(_SPREAD.tolist(), near.T, strict=True):
            own = own + share * column
        values[mine] = own / (1.0 + _SPREAD.sum())
    return values


def adjust(ranking: Ranking, factors: Mapping[str, Floats]) -> Ranking:
    """The factors of `factors_of`, in their order."""
    for name, factor in factors.items():
        ranking = ranking.multiply(name, factor)
    return ranking


def factors_of(pool: Pool, query: str, speakers: Sequence[Mapping[int, str]]) -> dict[str, Floats]:
    """What scores are multiplied by, (m,) each: question turns, the named speaker, the named time."""
    factors: dict[str, Floats] = {}
    if any(space.catalogue.context is not None for space in pool.spaces):
        factors["asking"] = 1.0 - QUESTION_MALUS * _asking(pool)
    if any(speakers):
        factors["speaker"] = 1.0 + SPEAKER_BOOST * _spoken(pool, query, speakers)
    if named_times(query):
        factors["time"] = 1.0 + TIME_BOOST * _timely(pool, query)
    return factors


def _asking(pool: Pool) -> Floats:
    return np.where(pool.take("session") > 0, pool.take("asks"), 0.0).astype(np.float64)


def _spoken(pool: Pool, query: str, speakers: Sequence[Mapping[int, str]]) -> Floats:
    out = np.zeros(pool.size)
    for n, names in enumerate(speakers):
        named = named_speakers(query, names)
        if len(named) == 1:
            out[(pool.space == n) & (pool.take("speaker") == named[0])] = 1.0
    return out


def _timely(pool: Pool, query: str) -> Floats:
    """(m,) 1 within a time that the question names, fading after it; 0 for rows without a time."""
    out = np.zeros(pool.size)
    times = named_times(query)
    if not times:
        return out
    moments = pool.take("occurred_at")
    for moment in np.unique(moments[moments != UNKNOWN]).tolist():
        when = to_datetime(moment)
        share = max((_closeness(span, moment) for t in times for span in t.spans(when)), default=0.0)
        out[moments == moment] = share
    return out


def _closeness(span: tuple[datetime, datetime], moment: int) -> float:
    start, stop = to_instant(span[0]), to_instant(span[1])
    if moment < start:
        return 0.0
    return 1.0 if moment < stop else math.exp(-(moment - stop) / DAY / TELLING_DAYS)
