"""A walk through a topic tree, drawn: `python -m benchmarks.pictures.walk` writes docs/walk.svg.

The tree is of the conversation in examples/conversation, built and walked by the engine's own code. Only the shape is
smaller than the engine's, so that it fits on a page: leaves of at most 23 memories, at most 5 children, a beam of 2.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import numpy as np

import simonides
from simonides.sources.importing import import_into
from simonides.topics.beam import descend
from simonides.topics.build import divide, grown_up, settle
from simonides.topics.codes import encode
from simonides.topics.measure import places_of
from simonides.topics.tree import Shape, Tree
from simonides.upkeep.around import in_context
from simonides.upkeep.naming import names_for

ROOT = Path(__file__).resolve().parents[2]
CONVERSATION = ROOT / "examples" / "conversation" / "petrel.jsonl"
PICTURE = ROOT / "docs" / "walk.svg"
QUESTION = "Which cake goes with the olive oil from the orange trees?"
WIDTH, SHOWN = 2, 3
SHAPE = Shape(fan_out=5, leaf_soft=23, leaf_hard=46)
# The page: columns of the levels from the left, the height of a leaf's row, and how far dots lie apart.
COLUMNS = (14, 122, 396, 676)
PAGE_WIDTH, TOP, ROW, DOT = 960, 62, 34, 12
INK, KEPT, SEEN, PALE, FOUND = "#1f2933", "#1b64c4", "#9cc3f0", "#d5dae0", "#d9480f"


@dataclass(frozen=True)
class Walked:
    """seen: per level, topic → cosine, for those that were compared. kept: per level, those that went on."""

    seen: list[dict[int, float]]
    kept: list[set[int]]
    best: list[int]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", type=Path, default=PICTURE)
    given = arguments.parse_args()
    given.out.write_text(picture(), encoding="utf-8")
    print(given.out)


def picture() -> str:
    """The SVG: the memories, the tree over them, the walk, and where everything stands."""
    with simonides.open(":memory:") as store:
        import_into(store, CONVERSATION)
        engine = store._engine
        with engine.database.snapshot() as snapshot:
            info = engine.model(snapshot)
            assert info is not None
            pids, rows = snapshot.vectors_since(1, 0, info.dimension)
            pids, rows = pids[np.argsort(pids)], rows[np.argsort(pids)]
            texts = list(snapshot.topics.texts(pids.tolist()).values())
        around = in_context(engine, "default", pids, encode(rows))
        tree = grown_up(encode(rows), settle(around, divide(around, SHAPE, 0), SHAPE), SHAPE)
        with engine.database.snapshot() as snapshot:
            named = names_for(engine, snapshot, 1, replace(tree, members=pids[tree.members]))
        query = engine.embedder.embed_queries([QUESTION])[0] if engine.embedder else rows[0]
    return drawn(tree, named, walk(tree, rows, query), texts, rows @ query)


def walk(tree: Tree, rows: np.ndarray, query: np.ndarray) -> Walked:
    """The rounds one by one: what `descend` reaches when it ends after each."""
    seen: list[dict[int, float]] = []
    kept: list[set[int]] = [{0}]
    for depth in range(tree.height):
        starts = tree.levels[depth].starts.tolist()
        children = [child for topic in sorted(kept[-1]) for child in range(starts[topic], starts[topic + 1])]
        scores = tree.levels[depth + 1].centroids @ query
        seen.append({child: float(scores[child]) for child in children})
        kept.append(set(sorted(children, key=lambda child: (-scores[child], child))[:WIDTH]))
    reached = descend(tree, query, WIDTH)
    assert set(reached.leaves.tolist()) == kept[-1], "the picture shows another walk than the engine's"
    places = places_of(tree, reached)
    members = tree.members[places]
    best = members[np.argsort(-(rows[members] @ query), kind="stable")][:SHOWN]
    return Walked(seen, kept, best.tolist())


def drawn(tree: Tree, names: dict[int, str], walked: Walked, texts: list[str], cosines: np.ndarray) -> str:
    leaves = len(tree.leaves)
    height = TOP + leaves * ROW + 30 + SHOWN * 20
    middles = [[TOP + ROW * (sum(tree.span(depth, topic)) / 2) for topic in range(len(level))] for depth, level in
               enumerate(tree.levels)]  # fmt: skip
    size = f'viewBox="0 0 {PAGE_WIDTH} {height:.0f}" width="{PAGE_WIDTH}" height="{height:.0f}"'
    font = 'font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="12"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} fill="{INK}">',
        f"<title>A walk through a topic tree: {escape(QUESTION)}</title>",
        f'<rect width="{PAGE_WIDTH}" height="{height:.0f}" fill="#ffffff"/>',
        text(14, 22, QUESTION, size=15, weight="bold"),
    ]
    parts += heads(tree, walked)
    for depth in range(tree.height):
        parts += lines(tree, walked, middles, depth)
    for depth, level in enumerate(tree.levels):
        for topic in range(len(level)):
            label = "__root__" if depth == 0 else names.get(int(level.keys[topic]), "")
            parts.append(
                box(depth, middles[depth][topic], state(walked, depth, topic), label, score(walked, depth, topic))
            )
    parts += dots(tree, walked, middles[-1])
    for n, row in enumerate(walked.best):
        line = f"{n + 1}   {cosines[row]:.2f}   {short(texts[row], 128)}"
        parts.append(text(14, TOP + leaves * ROW + 34 + n * 20, line, colour=FOUND))
    return "\n".join([*parts, "</svg>", ""])


def heads(tree: Tree, walked: Walked) -> list[str]:
    said = [f"{len(scores)} topics compared, the best {WIDTH} go on" for scores in walked.seen]
    said[-1] = f"{len(walked.seen[-1])} leaves compared, {WIDTH} reached"
    starts = tree.leaves.starts
    members = sum(int(starts[leaf + 1] - starts[leaf]) for leaf in walked.kept[-1])
    found = [text(COLUMNS[depth + 1], 46, words, colour=KEPT) for depth, words in enumerate(said)]
    return [*found, text(COLUMNS[-1], 46, f"{members} of {tree.size} memories compared", colour=KEPT)]


def state(walked: Walked, depth: int, topic: int) -> str:
    if topic in walked.kept[depth]:
        return KEPT
    return SEEN if depth and topic in walked.seen[depth - 1] else PALE


def score(walked: Walked, depth: int, topic: int) -> float | None:
    return walked.seen[depth - 1].get(topic) if depth else None


def box(depth: int, middle: float, colour: str, label: str, cosine: float | None) -> str:
    left, right = COLUMNS[depth], COLUMNS[depth + 1] - 34
    fill = {KEPT: "#e7f0fd", SEEN: "#ffffff", PALE: "#f6f7f8"}[colour]
    shape = (
        f'<rect x="{left}" y="{middle - 12:.1f}" width="{right - left}" height="24" rx="4" fill="{fill}" '
        f'stroke="{colour}" stroke-width="{2 if colour == KEPT else 1}"/>'
    )
    value = "" if cosine is None else text(right - 6, middle + 4, f"{cosine:.2f}", colour=KEPT, anchor="end", size=11)
    room = int((right - left - (40 if cosine is not None else 10)) / 6.0)
    return shape + text(left + 7, middle + 4, short(label, room), colour=INK if colour != PALE else "#6b7682") + value


def lines(tree: Tree, walked: Walked, middles: list[list[float]], depth: int) -> list[str]:
    found = []
    starts = tree.levels[depth].starts.tolist()
    left, right = COLUMNS[depth + 1] - 34, COLUMNS[depth + 1]
    for topic in range(len(tree.levels[depth])):
        for child in range(starts[topic], starts[topic + 1]):
            colour = state(walked, depth + 1, child)
            y, z, bend = middles[depth][topic], middles[depth + 1][child], (left + right) / 2
            found.append(
                f'<path d="M{left} {y:.1f} C{bend} {y:.1f} {bend} {z:.1f} {right} {z:.1f}" fill="none" '
                f'stroke="{colour}" stroke-width="{2 if colour == KEPT else 1}"/>'
            )
    return found


def dots(tree: Tree, walked: Walked, middles: list[float]) -> list[str]:
    """Every member of every leaf; those of reached leaves were compared, the best are numbered."""
    found = []
    for leaf, middle in enumerate(middles):
        reached = leaf in walked.kept[-1]
        for n, row in enumerate(tree.members_of(leaf).tolist()):
            x = COLUMNS[-1] + 8 + n * DOT
            if row in walked.best:
                found.append(f'<circle cx="{x}" cy="{middle:.1f}" r="7" fill="{FOUND}"/>')
                place = str(walked.best.index(row) + 1)
                found.append(text(x, middle + 3.5, place, colour="#ffffff", anchor="middle", size=10, weight="bold"))
            else:
                found.append(f'<circle cx="{x}" cy="{middle:.1f}" r="4" fill="{KEPT if reached else PALE}"/>')
    return found


def text(
    x: float, y: float, words: str, *, colour: str = INK, size: int = 12, anchor: str = "start", weight: str = "normal"
) -> str:
    return (
        f'<text x="{x}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(words, quote=False)}</text>'
    )


def short(words: str, room: int) -> str:
    """The beginning, whole words of a label where it can be."""
    if len(words) <= room:
        return words
    parts = words[: room + 1].rpartition(" · " if " · " in words[: room + 1] else " ")
    return parts[0] if " · " in words else parts[0] + " …"


if __name__ == "__main__":
    main()
