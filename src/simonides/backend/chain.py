"""How is the journal chained, and what does a digest cover? The same rule for every backend.

    digest = SHA-256(salt ‖ canonical JSON of the payload)
    hash   = SHA-256(hash of the row before ‖ canonical JSON of the row without its hash)

The salt lives with the payload and is erased with it, so the chain still verifies and tells nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.backend.rows import JournalEntry, NewVersion

GENESIS = bytes(32)


def new_salt() -> bytes:
    """16 random bytes that keep a digest from being guessed once its payload is erased."""
    return os.urandom(16)


def content_hash(text: str) -> bytes:
    """SHA-256 of the UTF-8 bytes of a content, (32,) bytes."""
    return hashlib.sha256(text.encode()).digest()


def digest(payload: Mapping[str, object], salt: bytes) -> bytes:
    """The salted digest of a payload; bytes values count as hexadecimal."""
    return hashlib.sha256(salt + _canonical(payload)).digest()


def version_payload(thought_id: str, revision: int, version: NewVersion) -> dict[str, object]:
    """What the digest of a version covers: every stored field."""
    fields = version._asdict()
    return {"thought_id": thought_id, "revision": revision, **fields}


def link(before: bytes, seq: int, entry: JournalEntry) -> bytes:
    """The hash of a journal row after the row with hash `before`."""
    row = {
        "seq": seq,
        "at": entry.at,
        "ns": entry.ns,
        "actor": entry.actor,
        "reason": entry.reason,
        "kind": entry.kind,
        "subject_id": entry.subject_id,
        "revision": entry.revision,
        "digest": entry.digest,
    }
    return hashlib.sha256(before + _canonical(row)).digest()


def seal_name(last_seq: int) -> str:
    """What the journal calls the segment that ends with a seq."""
    return f"segment:{last_seq}"


def seal_payload(last_seq: int, chain_hash: bytes, kept: bytes | None) -> dict[str, object]:
    """What the digest of a row about a seal covers; no salt, there is nothing to hide."""
    return {"last_seq": last_seq, "hash": chain_hash, "kept": kept}


def kept_digest(rows: Iterable[tuple[object, ...]]) -> bytes:
    """SHA-256 over the canonical form of what a pruning keeps, row after row."""
    found = hashlib.sha256()
    for row in rows:
        found.update(_canonical({str(n): value for n, value in enumerate(row)}))
    return found.digest()


def _canonical(value: Mapping[str, object]) -> bytes:
    return _ENCODER.encode(value).encode()


def _hex(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} has no canonical form")


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=_hex)
