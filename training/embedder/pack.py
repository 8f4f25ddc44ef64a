"""Float rows → the packed table that ships: four bits a value, one scale a row, vocabulary inside."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np

from simonides.embedders.table import fingerprint

MODEL_ID = "simonides-static-v1"
_CLIPS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6)
_LATIN = ("LATIN", "DIGIT", "SUPERSCRIPT", "SUBSCRIPT", "MASCULINE", "FEMININE", "MODIFIER", "VULGAR")
_SYMBOLIC = ("GREEK", "MICRO")  # single letters are symbols (α, µ); words in Greek are not covered


def has_row(token: str) -> bool:
    """Whether a token gets a row: no special token, no other script than Latin, but for single Greek letters."""
    if token.startswith("[") and len(token) > 1:
        return False
    continues = token.startswith("##") and len(token) > 2
    scripts = _LATIN if continues else _LATIN + _SYMBOLIC
    return all(unicodedata.name(c, "?").startswith(scripts) for c in token[2 * continues :] if c.isalnum())


def quantise(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """4 bits a value. rows: (n, d) → (n, d) int8 in -8..7 and (n,) float16 scales, the clip of least squared error."""
    peak = np.abs(rows).max(axis=1) / 7
    peak[peak == 0] = 1
    best = np.full(len(rows), np.inf)
    scale = np.ones(len(rows), np.float16)
    for clip in _CLIPS:
        candidate = np.maximum((peak * clip).astype(np.float16), np.float16(6e-8))
        wide = candidate.astype(np.float32)[:, None]
        error = ((np.clip(np.round(rows / wide), -8, 7) * wide - rows) ** 2).sum(axis=1)
        better = error < best
        best[better], scale[better] = error[better], candidate[better]
    return np.clip(np.round(rows / scale.astype(np.float32)[:, None]), -8, 7).astype(np.int8), scale


def pack(rows: np.ndarray, tokens: list[str], reference_size: int, path: Path, model_id: str = MODEL_ID) -> str:
    """Write the table. rows: (len(tokens), d) float32; those of tokens without a row are left out.

    Returns the fingerprint.
    """
    kept = np.array([has_row(token) for token in tokens])
    values, scale = quantise(rows[kept].astype(np.float32))
    low, high = (values[:, 0::2] + 8).astype(np.uint8), (values[:, 1::2] + 8).astype(np.uint8)
    part = {
        "tokens": np.frombuffer("\n".join(tokens).encode(), np.uint8),
        "reference_size": np.array(reference_size, np.int32),
        "has_row": np.packbits(kept),
        "nibbles": low | (high << 4),
        "scale": scale,
        "dimension": np.array(rows.shape[1], np.int32),
        "model_id": np.frombuffer(model_id.encode(), np.uint8),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **part)
    return fingerprint(part)
