"""Words for the slots of dialogue.txt: lists of our own, and branches of WordNet."""

from __future__ import annotations

import re
from pathlib import Path

from wordnet import Synset, below

# Branches of WordNet: (word of the root, start of its definition).
BRANCHES = {
    "job": ("worker", "a person who works at a specific occupation"),
    "instrument": ("musical instrument", "any of various devices"),
    "dish": ("dish", "a particular item of prepared food"),
    "ingredient": ("vegetable", "edible seeds or roots"),
    "vegetable": ("vegetable", "edible seeds or roots"),
    "drink": ("beverage", "any liquid suitable for drinking"),
    "sport": ("sport", "an active diversion requiring physical exertion"),
    "disease": ("disease", "an impairment of health"),
    "clothing": ("clothing", "a covering designed to be worn"),
    "feeling_noun": ("emotion", "any strong feeling"),
    "music": ("popular music", "any genre of music"),
}


def own() -> dict[str, list[str]]:
    """The lists of slots.txt."""
    text = re.sub(r"\n +", " ", Path(__file__).with_name("slots.txt").read_text())
    lines = (line.partition(": ") for line in text.splitlines() if not line.startswith("#"))
    return {slot: [w.strip() for w in words.split(",")] for slot, _, words in lines}


def fill(net: dict[tuple[str, str], Synset], counts: dict[str, int]) -> dict[str, list[str]]:
    """Slot → words. Branches of WordNet keep words that begin small; the frequent ones come up twice."""
    out = own()
    for slot, (word, definition) in BRANCHES.items():
        names = [w for w in below(net, word, definition) if w[0].islower() and len(w.split()) < 3]
        out[slot] = names + [w for w in names if counts.get(w)] * 3
    return out
