"""Which words, and runs of words, does a text hold as people read them? In any script; and rows of numbers from words.

A *unit* is a word, or one sign of a script without spaces. A keyword is one word, or two to four such signs; a
keyphrase is two to four words, or five to eight signs. Which of them say something is decided by counting, not by
lists: a run that the whole namespace uses as much as these few thoughts do says nothing about them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import numpy.typing as npt

from simonides.text.chunks import chunks, is_unspaced
from simonides.text.folding import clean, exact_form
from simonides.topics.codes import unit_rows

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.engine import Engine

DIMENSION = 512
PORTION = 2_000  # texts read at a time
WORDS_IN_PHRASE = (2, 4)
SIGNS_IN_WORD = (2, 4)
SIGNS_IN_PHRASE = (5, 8)
CHARS_MAX = 4_000  # of a text that are looked at
PRIOR = 2.0  # thoughts that would have to use a run for it to count half
COMMON = 0.2  # a word in this share of the namespace neither begins nor ends a phrase
COMMON_FROM = 30  # texts of a namespace, for that share to say anything
FEW = 3  # keywords that a theme should have
TELLING = 4.0  # times as usual in the theme as elsewhere: beyond the first few, a keyword must be
UNDER = 0.05  # what a run is worth that is as usual elsewhere: in a namespace of one theme nothing stands out
Floats = npt.NDArray[np.float32]
Run = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Background:
    """How many of some texts of a namespace hold a run. voices: names of those who say a good part of them."""

    counts: Mapping[Run, int]
    texts: int
    voices: frozenset[str] = frozenset()

    def share(self, run: Run) -> float:
        return (self.counts.get(run, 0) + 1.0) / (self.texts + PRIOR)

    def common(self, unit: str) -> bool:
        return unit in self.voices or (self.texts >= COMMON_FROM and self.counts.get((unit,), 0) >= COMMON * self.texts)


def background(texts: Sequence[str], speakers: Sequence[str | None] = ()) -> Background:
    """Counts runs over texts. speakers: who said each; between two people a name is a greeting and tells nothing."""
    counts: Counter[Run] = Counter()
    for text in texts:
        counts.update(set(runs(text)))
    said = Counter(speaker for speaker in speakers if speaker)
    often = [speaker for speaker, count in said.items() if count >= COMMON * len(texts)]
    return Background(counts, len(texts), frozenset(unit for name in often for run in runs(name) for unit in run))


def runs(text: str) -> dict[Run, str]:
    """Run of units, case-folded → as it is written where it first occurs.

    >>> sorted(runs("Blue pot"))
    [('blue',), ('blue', 'pot'), ('pot',)]
    """
    found: dict[Run, str] = {}
    for stretch in _stretches(clean(text[:CHARS_MAX])):
        if isinstance(stretch, str):
            _signs(stretch, found)
        else:
            _words(stretch, found)
    return found


def _words(words: list[str], found: dict[Run, str]) -> None:
    folded = [exact_form(word) for word in words]
    for size in range(1, WORDS_IN_PHRASE[1] + 1):
        for start in range(len(words) - size + 1):
            found.setdefault(tuple(folded[start : start + size]), " ".join(words[start : start + size]))


def _signs(text: str, found: dict[Run, str]) -> None:
    for size in range(SIGNS_IN_WORD[0], SIGNS_IN_PHRASE[1] + 1):
        for start in range(len(text) - size + 1):
            part = text[start : start + size]
            found.setdefault(tuple(part), part)


def _stretches(text: str) -> list[list[str] | str]:
    """Words that follow each other with only blanks between, and runs of scripts without spaces."""
    out: list[list[str] | str] = []
    end = 0
    for chunk in chunks(text):
        at = text.index(chunk, end)
        if is_unspaced(chunk):
            out.append(chunk)
        elif out and isinstance(out[-1], list) and text[end:at].isspace():
            out[-1].append(chunk)
        else:
            out.append([chunk])
        end = at + len(chunk)
    return out


def distinctive(
    texts: Sequence[str], usual: Background, stop_words: frozenset[str], keywords: int, keyphrases: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(keywords, keyphrases) of texts that belong together, best first.

    A run scores share · (log(share / share in the namespace) + 0.05), a phrase times its words. What only one of the
    texts says is left out, unless there is little else: then words come in that others of the namespace say too.
    """
    spelled: dict[Run, str] = {}
    counts: Counter[Run] = Counter()
    for text in texts:
        own = runs(text)
        counts.update(own.keys())
        for run, written in own.items():
            spelled.setdefault(run, written)
    least = 2 if len(texts) > 2 else 1
    words: list[tuple[float, Run]] = []
    weak: list[tuple[float, Run]] = []
    spare: list[tuple[float, Run]] = []
    phrases: list[tuple[float, Run]] = []
    for run, count in counts.items():
        signs = is_unspaced(run[0])
        once = count < least
        if (once and usual.counts.get(run, 0) < 2) or not _says_something(run, usual, stop_words, signs):
            continue
        share = count / (len(texts) + PRIOR)
        gain = share * (math.log(max(1.0, share / usual.share(run))) + UNDER)
        if _is_word(run, signs):
            kind = spare if once else words if share >= TELLING * usual.share(run) else weak
            kind.append((-gain * (math.sqrt(len(run)) if signs else 1.0), run))
        elif not once and (not signs or SIGNS_IN_PHRASE[0] <= len(run)):
            phrases.append((-gain * len(run), run))
    chosen = _apart(sorted(words), keywords, [])
    for less in (weak, spare):
        if len(chosen) < min(FEW, keywords):
            chosen = _apart(sorted(less), min(FEW, keywords), chosen)
    said = _apart(sorted(phrases), keyphrases, [])
    return tuple(spelled[run] for run in chosen), tuple(spelled[run] for run in said)


def _is_word(run: Run, signs: bool) -> bool:
    return len(run) <= SIGNS_IN_WORD[1] if signs else len(run) == 1


def _says_something(run: Run, usual: Background, stop_words: frozenset[str], signs: bool) -> bool:
    if signs:
        return True
    if len(run) == 1 and len(run[0]) < 2:
        return False
    return not any(unit in stop_words or usual.common(unit) for unit in (run[0], run[-1]))


def _apart(scored: list[tuple[float, Run]], wanted: int, chosen: list[Run]) -> list[Run]:
    """The best, none inside another."""
    for _, run in scored:
        if len(chosen) == wanted:
            break
        if not any(_within(run, other) or _within(other, run) for other in chosen):
            chosen.append(run)
    return chosen


def _within(short: Run, long: Run) -> bool:
    return any(long[start : start + len(short)] == short for start in range(len(long) - len(short) + 1))


def vectors_of_words(engine: Engine, snapshot: Snapshot, ns: int, tids: Sequence[int]) -> Floats:
    """(n, 512) float32 unit rows for a store without an embedder: signed hashing of terms, log tf · idf."""
    terms: list[Counter[int]] = []
    for start in range(0, len(tids), PORTION):
        for stored in snapshot.thoughts(ns, tids[start : start + PORTION]):
            text = f"{stored.thought.essence or ''}\n{stored.thought.content[:CHARS_MAX]}"
            terms.append(Counter(crc32(term.encode()) for term in engine.analyzer.analyse(text).sequence))
    frequency: Counter[int] = Counter(code for counts in terms for code in counts)
    sums = np.zeros((len(tids), DIMENSION))
    for row, counts in zip(sums, terms, strict=True):
        for code, count in counts.items():
            weight = (1.0 + math.log(count)) * math.log(1.0 + len(tids) / frequency[code])
            row[code % DIMENSION] += weight if code & 0x80000000 else -weight
    out = np.zeros((len(tids), DIMENSION), np.float32)
    has = sums.any(axis=1)
    out[has] = unit_rows(sums[has])
    return out
