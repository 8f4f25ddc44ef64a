"""What is a topic called? By the words that its members use much more than the rest of the namespace does.

A word scores  share · log(share / share everywhere) · √log((windows + 1) / windows with it) · what it says by itself.
The middle is the pointwise part of the Kullback–Leibler divergence. The root tells what is talked about from how people
talk: subjects come in bursts, so they are missing from most of the stretches of time ("windows") of a namespace, while
"thanks" and "wow" are in all of them, whatever the language. What words say by themselves is known for English.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.topics.tree import Tree
    from simonides.topics.words import Runs

TERMS = 4
PRIOR = 2.0  # members that would have to use a word for it to count half: rare words name nothing
WINDOW = 20  # members, in the order of their arrival, that make a stretch of time
ONCE_MAX = 4  # members looked at; from here a word has to be used twice
LEAST_SHARE, LEAST_MAX = 0.05, 6  # of the members looked at that have to use it, and the most that is asked for
PHRASE_SHARE = 0.5  # of the uses of its rarer word, from which two words make a name together
PHRASE_BONUS = 1.3
STEM_MIN, ENDING_MAX = 4, 3  # letters that forms of one word share at least, and differ in at most
SEPARATOR = " · "
MIXED = "mixed"  # the label of a topic that no word sets apart
Telling = Callable[[Iterable[str]], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Member:
    """A member that was looked at. leaf: its place on the last level. runs: its words, as `runs_of` gives them."""

    leaf: int
    runs: Runs


def labels(
    tree: Tree, members: Sequence[Member], known: Mapping[int, str] | None = None, telling: Telling | None = None
) -> dict[int, str]:
    """A label per key that has none yet, from the root's children down; none repeats what its parent is called.

    members: some of every leaf, in the order of their arrival. known: labels that stay. telling: words → 0 to 1 each.
    """
    known = known or {}
    terms = [_terms(member) for member in members]
    phrases = _phrases(members)
    counts, totals = _counted(tree, members, terms, phrases)
    says = {} if telling is None else telling(word for word in counts[0][0] if " " not in word)
    rating = _Rating(counts[0][0], max(1, totals[0][0]), _spread(members, terms, phrases), says)
    chosen: dict[int, tuple[str, ...]] = {}
    taken: list[tuple[str, ...]] = [()]
    for depth in range(1, len(tree.levels)):
        below = []
        for n, parent in enumerate(tree.parents(depth).tolist()):
            key, used = int(tree.levels[depth].keys[n]), taken[parent]
            mine = tuple(known[key].casefold().split(SEPARATOR)) if known.get(key) else None
            if mine is None:
                mine = rating.best(counts[depth][n], totals[depth][n], used)
                chosen.setdefault(key, mine)
            below.append((*used, *mine))
        taken = below
    shown = _surfaces(members, {term for some in chosen.values() for term in some})
    return {key: SEPARATOR.join(shown.get(t, t) for t in some) or MIXED for key, some in chosen.items()}


def _terms(member: Member) -> frozenset[str]:
    return frozenset(word.casefold() for run in member.runs for word in run)


def _pairs(member: Member) -> set[str]:
    return {f"{a} {b}".casefold() for run in member.runs for a, b in itertools.pairwise(run)}


def _phrases(members: Sequence[Member]) -> list[frozenset[str]]:
    """Pairs of neighbouring words per member: those that two members of the same leaf have."""
    seen: dict[int, Counter[str]] = {}
    for member in members:
        seen.setdefault(member.leaf, Counter()).update(_pairs(member))
    twice = {leaf: {pair for pair, n in counter.items() if n > 1} for leaf, counter in seen.items()}
    return [frozenset(_pairs(member) & twice[member.leaf]) for member in members]


def _counted(
    tree: Tree, members: Sequence[Member], terms: Sequence[frozenset[str]], phrases: Sequence[frozenset[str]]
) -> tuple[list[list[Counter[str]]], list[list[int]]]:
    """Per level and topic: how many members use a term, and how many there are."""
    leaves: list[Counter[str]] = [Counter() for _ in range(len(tree.leaves))]
    sizes = [0] * len(tree.leaves)
    for member, words, pairs in zip(members, terms, phrases, strict=True):
        leaves[member.leaf].update(words)
        leaves[member.leaf].update(pairs)
        sizes[member.leaf] += 1
    counts, totals = [leaves], [sizes]
    for level in tree.levels[-2::-1]:
        spans = list(itertools.pairwise(level.starts.tolist()))
        counts.append([_sum(counts[-1][low:high]) for low, high in spans])
        totals.append([sum(totals[-1][low:high]) for low, high in spans])
    return counts[::-1], totals[::-1]


def _sum(parts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total


def _spread(
    members: Sequence[Member], terms: Sequence[frozenset[str]], phrases: Sequence[frozenset[str]]
) -> dict[str, float]:
    """√log((windows + 1) / windows with it) of every term."""
    windows = -(-len(members) // WINDOW)
    inside: Counter[str] = Counter()
    for start in range(0, len(members), WINDOW):
        stop = start + WINDOW
        inside.update(frozenset().union(*terms[start:stop], *phrases[start:stop]))
    return {term: math.sqrt(math.log((windows + 1) / count)) for term, count in inside.items()}


@dataclass(frozen=True, slots=True)
class _Rating:
    """everywhere: term → members that use it, of `everyone`. spread: the factor of a term. says: of a word."""

    everywhere: Mapping[str, int]
    everyone: int
    spread: Mapping[str, float]
    says: Mapping[str, float]

    def best(self, terms: Mapping[str, int], size: int, used: tuple[str, ...]) -> tuple[str, ...]:
        """The terms that set a topic apart, without those of the topics above; with them when there are no others."""
        rated = sorted((-score, term) for term, n in terms.items() if (score := self._score(term, n, size, terms)) > 0)
        return _apart(rated, used) or _apart(rated, ())

    def _score(self, term: str, count: int, size: int, terms: Mapping[str, int]) -> float:
        if size >= ONCE_MAX and count < max(2, min(LEAST_MAX, LEAST_SHARE * size)):
            return 0.0
        words = term.split(" ")
        if len(words) > 1 and (count < 2 or count < PHRASE_SHARE * min(terms[word] for word in words)):
            return 0.0
        share = count / (size + PRIOR)
        gain = share * math.log(share * self.everyone / self.everywhere[term]) * self.spread[term]
        gain *= min(self.says.get(word, 1.0) for word in words)
        return gain * (PHRASE_BONUS if len(words) > 1 else 1.0)


def _apart(rated: Sequence[tuple[float, str]], used: tuple[str, ...]) -> tuple[str, ...]:
    chosen: list[str] = []
    for _, term in rated:
        if not any(_alike(one, other) for one in term.split() for o in (*chosen, *used) for other in o.split()):
            chosen.append(term)
            if len(chosen) == TERMS:
                break
    return tuple(chosen)


def _alike(one: str, other: str) -> bool:
    """Whether two words are forms of one, as far as their letters tell.

    >>> _alike("returns", "returned"), _alike("set", "setting"), _alike("train", "trade")
    (True, False, False)
    """
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    common = sum(1 for _ in pairs)
    return one == other or (common >= STEM_MIN and common >= max(len(one), len(other)) - ENDING_MAX)


def _surfaces(members: Sequence[Member], terms: set[str]) -> dict[str, str]:
    """How people write the terms, most often; of equally frequent ways the first by code point."""
    seen: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for member in members:
        for run in member.runs:
            for text in (*run, *(f"{a} {b}" for a, b in itertools.pairwise(run))):
                ways = seen.get(text.casefold())
                if ways is not None:
                    ways[text] += 1
    return {term: min(ways, key=lambda text: (-ways[text], text)) for term, ways in seen.items() if ways}
