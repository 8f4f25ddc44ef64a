"""What the table learns from: texts for the teacher, and pairs of texts that belong together.

Everything is drawn with fixed seeds and fixed counts from the pinned sources, so two runs give the same lists.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import dialogue
import documents
import wordnet
from wordnet import Synset

Pair = tuple[str, str, str, int]  # kind, text, text, group: pairs of one group (but 0) are no negatives

_GLOSSES, _EXAMPLES, _QUESTIONS = 24_000, 18_000, 3_000
_SENTENCES, _PARAGRAPHS, _TURNS = 20_000, 7_000, 4_000
_CHARACTERS_MAX = 400  # of a teacher text
_PAIR_CHARACTERS_MAX = 600
_TALK_SHARE = 20
_WORD = re.compile(r"[a-z]{3,}")


class Corpus:
    """The sources, read once. work: the folder `fetch.py` filled."""

    def __init__(self, work: Path) -> None:
        folder = work / "wordnet-base/usr/share/wordnet"
        self.net = wordnet.read(folder)
        self.counts = wordnet.counts(folder)
        self.paragraphs = documents.read(work)
        self.exchanges = dialogue.exchanges(self.net, self.counts, seed=11)

    def teacher_texts(self) -> dict[str, list[str]]:
        """Texts by source, each at most 400 characters, no text twice."""
        rng = random.Random(7)
        nouns = [s for s in self.net.values() if s.key[0] == "n" and len(s.definition.split()) > 3]
        forms = ("What is {}?", "What do you know about {}?", "Tell me about {}.", "Who or what is {}?")
        prose = [s for p in self.paragraphs for s in p.sentences if 7 <= len(s.split()) <= 60]
        parts = {
            "glosses": _draw(rng, [gloss(s) for s in self.net.values() if len(s.definition.split()) > 1], _GLOSSES),
            "examples": _draw(rng, [e for s in self.net.values() for e in s.examples if len(e.split()) > 2], _EXAMPLES),
            "questions": [rng.choice(forms).format(s.words[0]) for s in _draw(rng, nouns, _QUESTIONS)],
            "sentences": _draw(rng, prose, _SENTENCES),
            "paragraphs": _draw(rng, [p.text for p in self.paragraphs if len(p.text.split()) < 61], _PARAGRAPHS),
            "turns": _draw(rng, sorted({t for e in self.exchanges for t in (*e.questions, *e.turns)}), _TURNS),
        }
        seen: set[str] = set()
        out: dict[str, list[str]] = {}
        for name, texts in parts.items():
            out[name] = [t for t in dict.fromkeys(x[:_CHARACTERS_MAX] for x in texts) if t not in seen]
            seen.update(out[name])
        return out

    def words(self) -> dict[str, int]:
        """How often each word of letters occurs in WordNet's texts and in a share of the small talk."""
        out: dict[str, int] = Counter()
        for s in self.net.values():
            out.update(_WORD.findall(f"{s.definition} {' '.join(s.examples)}".lower()))
            for word in s.words:
                if _WORD.fullmatch(word):
                    out[word] += 1 + self.counts.get(word.lower(), 0)
        for e in self.exchanges[::_TALK_SHARE]:
            out.update(_WORD.findall(" ".join((*e.questions, *e.turns)).lower()))
        return out

    def pairs(self) -> list[Pair]:
        """Pairs for the contrastive step, shuffled, none twice."""
        rng = random.Random(13)
        out = [*self._wordnet_pairs(rng), *self._document_pairs(rng), *self._dialogue_pairs(rng)]
        tidy = ((k, _short(a), _short(b), g) for k, a, b, g in out)
        kept = list(dict.fromkeys(p for p in tidy if len(p[1]) > 2 and len(p[2]) > 2 and p[1] != p[2]))
        rng.shuffle(kept)
        return kept

    def _wordnet_pairs(self, rng: random.Random) -> list[Pair]:
        out: list[Pair] = []
        for s in self.net.values():
            if len(s.definition.split()) > 2:
                out += [("word-definition", w, s.definition, 0) for w in s.words[:2]]
                if s.broader:
                    out.append(("definition-broader", gloss(s), gloss(self.net[rng.choice(s.broader)]), 0))
            out += [("example-definition", e, gloss(s), 0) for e in s.examples if len(e.split()) > 3]
            if len(s.words) > 1:
                out.append(("synonyms", s.words[0], s.words[-1], 0))
        return out

    def _document_pairs(self, rng: random.Random) -> list[Pair]:
        out: list[Pair] = []
        for p in self.paragraphs:
            if len(p.heading.split()) > 1:
                out.append(("heading-body", p.heading, p.text, 0))
            half, size = len(p.sentences) // 2, len(p.sentences)
            if size > 1:
                out.append(("halves", " ".join(p.sentences[:half]), " ".join(p.sentences[half:]), 0))
            if size > 2:
                at = rng.randrange(size)
                out.append(("sentence-rest", p.sentences[at], " ".join(p.sentences[:at] + p.sentences[at + 1 :]), 0))
        return out

    def _dialogue_pairs(self, rng: random.Random) -> list[Pair]:
        out: list[Pair] = []
        for e in self.exchanges:
            question, turn = rng.choice(e.questions), rng.choice(e.turns)
            out.append(("question-turn", question, turn, e.block + 1))
            others = [t for t in e.turns if t != turn]
            if others:
                out.append(("turn-turn", turn, rng.choice(others), e.block + 1))
        return out


def gloss(s: Synset) -> str:
    """`words: definition` of a synset."""
    return f"{', '.join(s.words[:3])}: {s.definition}"


def _draw(rng: random.Random, texts: list, most: int) -> list:
    return rng.sample(texts, min(most, len(texts)))


def _short(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[:_PAIR_CHARACTERS_MAX]
