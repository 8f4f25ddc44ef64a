"""Where do 100,000 real sentences come from? From what is installed: manual pages, documentation, docstrings.

Every machine gives other sentences, so figures compare within one run only.
"""

from __future__ import annotations

import ast
import gzip
import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

WORDS_MIN, WORDS_MAX = 6, 40
CHARS_MAX = 400
FILE_BYTES_MAX = 2 << 20
_MACRO = re.compile(r"^['.].*$", re.MULTILINE)
_FONT = re.compile(r"\\f[A-Z]|\\[&-]|\\\(..|\\\[[^\]]*\]|\\")
_TAG = re.compile(r"<[^>]{1,200}>")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n\s*\n")
_WORD = re.compile(r"[A-Za-z]{2,}")


def sentences(count: int, seed: int = 0) -> list[str]:
    """`count` different sentences, shuffled; fewer when the machine has fewer."""
    found: dict[str, None] = {}
    for text in _texts():
        for piece in _END.split(text):
            sentence = " ".join(piece.split())
            words = _WORD.findall(sentence)
            if WORDS_MIN <= len(words) <= WORDS_MAX and len(sentence) <= CHARS_MAX:
                found.setdefault(sentence)
        if len(found) > 2 * count:
            break
    pool = list(found)
    random.Random(seed).shuffle(pool)
    return pool[:count]


def _texts() -> Iterator[str]:
    share = Path("/usr/share")
    files = sorted((share / "man").glob("man[1-8]/*"))
    files += sorted(f for f in (share / "doc").rglob("*") if f.suffix in (".txt", ".md", ".rst", ".html", ".gz"))
    paths = sysconfig.get_paths()
    modules = sorted({f for key in ("stdlib", "purelib") for f in Path(paths[key]).rglob("*.py")})
    random.Random(1).shuffle(files)
    random.Random(2).shuffle(modules)
    for n in range(max(len(files), len(modules))):
        if n < len(files):
            yield _plain(files[n])
        if n < len(modules):
            yield _docstrings(modules[n])


def _read(file: Path) -> str:
    try:
        if not file.is_file() or file.stat().st_size > FILE_BYTES_MAX:
            return ""
        raw = file.read_bytes()
        raw = gzip.decompress(raw) if file.suffix == ".gz" else raw
    except (OSError, EOFError):
        return ""
    return raw[:FILE_BYTES_MAX].decode("utf-8", "replace")


def _plain(file: Path) -> str:
    return _TAG.sub(" ", _FONT.sub("", _MACRO.sub("\n", _read(file))))


def _docstrings(file: Path) -> str:
    try:
        tree = ast.parse(_read(file))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return "\n\n".join(ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds))
