"""Small talk made by rule: facts about people, each asked for and told in several ways."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

import slots
from wordnet import Synset

_PER_FACT = 700  # fillings of each block
_OPENINGS = (
    "Hey {other}! ", "Hi {other}, ", "Thanks, {other}! ", "Wow, ", "Yeah, ", "Oh, ", "Well, ", "Haha, ", "So, ",
    "That's great, {other}! ", "Good to hear from you, {other}. ", "Sorry to hear that. ", "You know what? ",
    "By the way, ", "No way! ", "Totally. ", "I see. ", "Nice! ", "Sounds fun, {other}! ", "Absolutely! ",
    "It's been a while! ",
)  # fmt: skip
_CLOSINGS = (
    " How about you?", " What's new with you?", " What do you think?", " I can't wait!", " It was amazing.",
    " Hope you're doing well.", " Any advice?", " It means a lot to me.", " Let's talk soon!",
    " Have you ever tried that?", " I'm really happy about it.", " It's been a lot.", " Take care, {other}!",
    " We had so much fun.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Exchange:
    """One fact: questions that ask for it and turns that tell it, all with the same people and things.

    block: number of its block in dialogue.txt; facts of one block are no negatives for each other.
    """

    block: int
    questions: tuple[str, ...]
    turns: tuple[str, ...]


def exchanges(net: dict[tuple[str, str], Synset], counts: dict[str, int], seed: int) -> list[Exchange]:
    """`_PER_FACT` fillings of every block of dialogue.txt, in a fixed order."""
    rng = random.Random(seed)
    values = slots.fill(net, counts)
    out = []
    for block, (questions, turns) in enumerate(_blocks(Path(__file__).with_name("dialogue.txt").read_text())):
        for _ in range(_PER_FACT):
            filled = _filling(rng, values)
            asked = tuple(_say(q, filled) for q in questions)
            told = tuple(_say(_dressed(rng, t), filled) for t in turns)
            out.append(Exchange(block, asked, told))
    return out


def _blocks(text: str) -> list[tuple[list[str], list[str]]]:
    out = []
    for block in re.split(r"\n\s*\n", text):
        questions = [line[2:] for line in block.splitlines() if line.startswith("? ")]
        turns = [line[2:] for line in block.splitlines() if line.startswith("- ")]
        if questions and turns:
            out.append((questions, turns))
    return out


def _filling(rng: random.Random, values: dict[str, list[str]]) -> dict[str, str]:
    """One word for each slot; `other`, `name2`, `city2`, … differ from their first."""
    people = rng.sample(values["who"], 4)
    out = {slot: rng.choice(names) for slot, names in values.items()}
    out.update(zip(("name", "other", "name2", "name3"), people, strict=True))
    for slot in ("city", "dish", "drink", "topic"):
        out[f"{slot}2"] = rng.choice(values[slot])
    out["Doing"] = out["doing"].capitalize()
    return out


def _dressed(rng: random.Random, turn: str) -> str:
    """A turn as it is said: often with an opening, sometimes with a closing, mostly with its speaker."""
    if turn.startswith("{role}"):
        return turn
    opening = rng.choice(_OPENINGS) if rng.random() < 0.45 else ""
    closing = rng.choice(_CLOSINGS) if rng.random() < 0.3 else ""
    return ("{name}: " if rng.random() < 0.7 else "") + opening + turn + closing


def _say(template: str, filled: dict[str, str]) -> str:
    return template.format_map(filled)
