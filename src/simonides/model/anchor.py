"""What is kept elsewhere so that a journal can be checked against it, and what is left of parts that were pruned?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from simonides.errors import InvalidQueryError

if TYPE_CHECKING:
    from simonides.model.thought import Json

FORMAT = "simonides-anchor"
HASH_BYTES = 32


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where the chain of a store stood: `hash` says everything up to `seq`. Keep it where nobody can change it.

    store: an id that a store keeps for life, so that anchors of several are not mixed up. at: of the change.
    """

    store: str
    seq: int
    hash: str
    at: datetime

    def to_bytes(self) -> bytes:
        """The bytes to sign and to keep, always the same for the same anchor: JSON in ASCII on one line.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     _ = store.remember("The spare key is under the blue pot")
        ...     anchor = store.log.anchor()
        ...     simonides.Anchor.read(anchor.to_bytes()) == anchor, store.verify(anchor=anchor.to_bytes()).ok
        (True, True)
        """
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":")).encode()

    def to_dict(self) -> dict[str, Json]:
        return {
            "format": FORMAT,
            "store": self.store,
            "seq": self.seq,
            "hash": self.hash,
            "at": self.at.isoformat(),
        }

    @classmethod
    def read(cls, value: Anchor | str | bytes | Mapping[str, object]) -> Anchor:
        """An anchor from what `to_bytes` or `to_dict` gave. Raises InvalidQueryError for anything else."""
        if isinstance(value, Anchor):
            return value
        try:
            found = value if isinstance(value, Mapping) else json.loads(value)
            seq, known = found["seq"], str(found["hash"])
            if found["format"] != FORMAT or not isinstance(seq, int) or len(bytes.fromhex(known)) != HASH_BYTES:
                raise ValueError("not the fields of an anchor")
            return cls(str(found["store"]), seq, known, datetime.fromisoformat(str(found["at"])))
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidQueryError(f"this is no anchor: {error}", hint="`store.log.anchor()` makes one") from None


@dataclass(frozen=True, slots=True)
class Seal:
    """A stretch of the journal that was checked and closed. pruned: its rows are no longer there."""

    first_seq: int
    last_seq: int
    until: datetime
    hash: str
    pruned: bool


@dataclass(frozen=True, slots=True)
class Pruned:
    """What a pruning took away. upto_seq: the chain begins behind it. since: what was known is kept from then on."""

    upto_seq: int
    since: datetime | None
    batches: int
