"""WordNet 3.0 as values: synsets with words, definition, examples and their broader synset."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

POS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


@dataclass(slots=True)
class Synset:
    """words: as written, spaces for underscores. broader: keys of hypernyms. key: (part of speech, offset)."""

    key: tuple[str, str]
    words: list[str]
    definition: str
    examples: list[str]
    broader: list[tuple[str, str]]
    narrower: list[tuple[str, str]] = field(default_factory=list)


def read(folder: Path) -> dict[tuple[str, str], Synset]:
    """All synsets by key, in file order."""
    out: dict[tuple[str, str], Synset] = {}
    for name, pos in POS.items():
        for line in (folder / f"data.{name}").read_text(encoding="latin-1").splitlines():
            if not line.startswith("  "):
                synset = _synset(line, pos)
                out[synset.key] = synset
    for synset in out.values():
        for key in synset.broader:
            out[key].narrower.append(synset.key)
    return out


def _synset(line: str, pos: str) -> Synset:
    head, _, gloss = line.partition(" | ")
    f = head.split()
    count = int(f[3], 16)
    words = [re.sub(r"\(\w+\)$", "", f[4 + 2 * i]).replace("_", " ") for i in range(count)]
    at = 5 + 2 * count
    pointers = [f[at + 4 * i : at + 4 * i + 3] for i in range(int(f[at - 1]))]
    broader = [("a" if p == "s" else p, offset) for symbol, offset, p in pointers if symbol in ("@", "@i")]
    examples = [_clean(e) for e in re.findall(r'"([^"]+)"', gloss)]
    definition = _clean(re.sub(r'"[^"]*"', "", gloss)).strip(" ;:,-")
    return Synset((pos, f[0]), words, definition, [e for e in examples if e], broader)


def _clean(text: str) -> str:
    return re.sub(r"(\s*;)+\s*$", "", re.sub(r"\s+", " ", text)).strip()


def counts(folder: Path) -> dict[str, int]:
    """How often each word was seen in WordNet's tagged texts, all senses together."""
    out: dict[str, int] = defaultdict(int)
    for line in (folder / "cntlist.rev").read_text(encoding="latin-1").splitlines():
        sense, _, count = line.split()
        out[sense.partition("%")[0].replace("_", " ")] += int(count)
    return out


def below(net: dict[tuple[str, str], Synset], word: str, definition_start: str) -> list[str]:
    """First words of every noun synset under the one that has `word` and whose definition starts so."""
    roots = [
        s for s in net.values() if s.key[0] == "n" and word in s.words and s.definition.startswith(definition_start)
    ]
    assert len(roots) == 1, (word, definition_start, len(roots))
    seen, queue, out = set(), [roots[0].key], []
    while queue:
        key = queue.pop(0)
        if key not in seen:
            seen.add(key)
            queue += net[key].narrower
            out.append(net[key].words[0])
    return out[1:]
