"""What is a topic called? By the terms that its members use much more than the rest of the namespace does."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence

from simonides.topics.tree import Tree

TERMS = 3
PRIOR = 2.0  # members that would have to use a term for it to count half: rare words name nothing
ONCE_MAX = 4  # members looked at; from here a term has to be used twice
STEM_MIN, ENDING_MAX = 4, 3  # letters that forms of one word share at least, and differ in at most
SEPARATOR = " · "


def labels(tree: Tree, leaf_terms: Sequence[Mapping[str, int]], sizes: Sequence[int]) -> dict[int, str]:
    """A label per key, from the root's children down; a topic does not repeat what its parent is called.

    leaf_terms: per leaf, how many of the members looked at use a term. sizes: how many were looked at.
    A term scores share · log(share / share in the namespace), the pointwise part of the Kullback–Leibler divergence.
    """
    counts: list[list[Counter[str]]] = [[Counter(terms) for terms in leaf_terms]]
    totals = [list(sizes)]
    for level in tree.levels[-2::-1]:
        starts = level.starts.tolist()
        spans = list(itertools.pairwise(starts))
        counts.append([_sum(counts[-1][low:high]) for low, high in spans])
        totals.append([sum(totals[-1][low:high]) for low, high in spans])
    counts.reverse()
    totals.reverse()
    everywhere, everyone = counts[0][0], max(1, totals[0][0])
    out: dict[int, str] = {}
    taken: list[frozenset[str]] = [frozenset()]
    for depth in range(1, len(tree.levels)):
        below = []
        for n, parent in enumerate(tree.parents(depth).tolist()):
            used = taken[parent]
            terms = _distinctive(counts[depth][n], totals[depth][n], everywhere, everyone, used)
            below.append(used | frozenset(terms))
            out.setdefault(int(tree.levels[depth].keys[n]), SEPARATOR.join(terms))
        taken = below
    return out


def _sum(parts: Sequence[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total


def _distinctive(
    terms: Mapping[str, int], size: int, everywhere: Mapping[str, int], everyone: int, used: frozenset[str]
) -> list[str]:
    scored = []
    least = 2 if size >= ONCE_MAX else 1
    for term, count in terms.items():
        share = count / (size + PRIOR)
        gain = share * math.log(share * everyone / everywhere[term])
        if count >= least and gain > 0:
            scored.append((-gain, term))
    chosen: list[str] = []
    for _, term in sorted(scored):
        if not any(_alike(term, other) for other in (*chosen, *used)):
            chosen.append(term)
            if len(chosen) == TERMS:
                break
    return chosen


def _alike(one: str, other: str) -> bool:
    """Whether two words are forms of one, as far as their letters tell.

    >>> _alike("returns", "returned"), _alike("set", "setting"), _alike("train", "trade")
    (True, False, False)
    """
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    common = sum(1 for _ in pairs)
    return one == other or (common >= STEM_MIN and common >= max(len(one), len(other)) - ENDING_MAX)
