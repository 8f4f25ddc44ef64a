"""Retrieval quality of an embedder: nDCG@10 of the cosine alone and fused with BM25 (min-max, .65 text and .35 vector).

    python evaluate.py EVAL [SPEC] [--cache FILE]      SPEC as for `simonides.embedders.resolve`, or a table file

EVAL: the folder with `eval_data.py` and `reference.py`. Means are over the questions of a set; the last column is
the mean of the five sets. Choices are made on the even half (even-numbered stores of conversation sets, even-numbered
questions of the others); odd and all are reported.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SETS = ("locomo", "qmsum", "scifact", "cranfield", "hotpotqa100")
_TEXT_WEIGHT = 0.65
_DEPTH = 100
_DISCOUNT = 1 / np.log2(np.arange(2, 12))
Encode = Callable[[list[str], bool], np.ndarray]  # texts, are they questions → (n, d)


@dataclass(slots=True)
class Store:
    """One corpus with its questions. lexical: per question (position, score). even: per question, which half."""

    documents: list[str]
    questions: list[str]
    lexical: list[list[tuple[int, float]]]
    relevant: list[dict[int, int]]
    even: list[bool]


def load(folder: Path, cache: Path | None = None) -> dict[str, list[Store]]:
    """All stores of all sets, with their lexical runs (FTS5, Porter stems, stop words dropped)."""
    if cache and cache.exists():
        kept = pickle.loads(cache.read_bytes())
        return {name: [Store(*parts) for parts in stores] for name, stores in kept.items()}
    sys.path.insert(0, str(folder))
    import eval_data
    import reference

    out: dict[str, list[Store]] = {}
    for name in SETS:
        out[name] = []
        stores = eval_data.load_all(name)
        for number, data in enumerate(stores):
            db, ids = reference.fts_index(data.corpus, "porter unicode61")
            at = {doc: i for i, doc in enumerate(ids)}
            runs = [reference.fts_search(db, ids, text, stop=True) for text in data.queries.values()]
            halves = [(number if len(stores) > 1 else n) % 2 == 0 for n in range(len(data.queries))]
            out[name].append(
                Store(
                    [data.corpus[i] for i in ids],
                    list(data.queries.values()),
                    [[(at[d], s) for d, s in run] for run in runs],
                    [{at[d]: g for d, g in data.qrels[q].items()} for q in data.queries],
                    halves,
                )
            )
    if cache:
        kept = {name: [tuple(getattr(s, f) for f in s.__slots__) for s in stores] for name, stores in out.items()}
        cache.write_bytes(pickle.dumps(kept))
    return out


def measure(sets: dict[str, list[Store]], encode: Encode) -> dict[str, np.ndarray]:
    """Per set and for `mean`: ((cosine, fused) x (all, even, odd)) as a (2, 3) array."""
    out = {}
    for name, stores in sets.items():
        rows = [row for store in stores for row in _rows(store, encode)]
        table, even = np.array([r[:2] for r in rows]), np.array([r[2] for r in rows])
        out[name] = np.stack([table.mean(0), table[even].mean(0), table[~even].mean(0)], axis=1)
    out["mean"] = np.mean([out[name] for name in sets], axis=0)
    return out


def _rows(store: Store, encode: Encode) -> list[tuple[float, float, bool]]:
    documents, questions = _unit(encode(store.documents, False)), _unit(encode(store.questions, True))
    similar = questions @ documents.T
    out = []
    for n, lexical in enumerate(store.lexical):
        scores = similar[n]
        depth = _DEPTH if questions[n].any() else 0
        top = np.argsort(-scores, kind="stable")[:depth]
        fused = _minmax(lexical, [(int(d), float(scores[d])) for d in top])
        relevant = store.relevant[n]
        out.append((ndcg(top, relevant), ndcg(fused, relevant), store.even[n]))
    return out


def _minmax(lexical: list[tuple[int, float]], vector: list[tuple[int, float]]) -> list[int]:
    total: dict[int, float] = {}
    for run, weight in ((lexical, _TEXT_WEIGHT), (vector, 1 - _TEXT_WEIGHT)):
        if run:
            low, high = min(s for _, s in run), max(s for _, s in run)
            for d, s in run:
                total[d] = total.get(d, 0.0) + weight * ((s - low) / (high - low) if high > low else 1.0)
    return sorted(total, key=lambda d: -total[d])


def ndcg(ranked: list[int] | np.ndarray, relevant: dict[int, int]) -> float:
    """nDCG@10 with linear gain."""
    got = sum(relevant.get(int(d), 0) * w for d, w in zip(ranked[:10], _DISCOUNT, strict=False))
    best = sorted(relevant.values(), reverse=True)[:10]
    return float(got / sum(g * w for g, w in zip(best, _DISCOUNT, strict=False)))


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def show(title: str, result: dict[str, np.ndarray], half: int | None = None) -> None:
    """half: 0 all, 1 even, 2 odd; None prints all three."""
    for which, label in enumerate(("all", "even", "odd")):
        if half in (None, which):
            cells = "  ".join(f"{name[:8]} {r[0, which]:.3f}/{r[1, which]:.3f}" for name, r in result.items())
            print(f"{title:28s} {label:4s} {cells}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("spec", nargs="?", default="builtin")
    parser.add_argument("--cache", type=Path)
    asked = parser.parse_args()
    from simonides.embedders import StaticEmbedder, resolve

    embedder = StaticEmbedder(asked.spec) if Path(asked.spec).is_file() else resolve(asked.spec)

    def encode(texts: list[str], questions: bool) -> np.ndarray:
        return (embedder.embed_queries if questions else embedder.embed_documents)(texts)

    show(asked.spec, measure(load(asked.folder, asked.cache), encode))


if __name__ == "__main__":
    main()
