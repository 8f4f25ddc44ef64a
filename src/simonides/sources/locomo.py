"""How does a LoCoMo file become drafts? Each sample is a dialogue of numbered sessions with a date and time each."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from simonides.model.thought import Draft, Json
from simonides.sources.chat import Findings, as_object, as_text, read_array
from simonides.sources.record import Place, Problem, Record, SourceKind

_SESSION = re.compile(r"session_(\d{1,6})")
_DATE = re.compile(r"\s*(\d{1,2}):(\d\d)\s*([ap])m\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})\s*", re.IGNORECASE)
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip


def read_locomo(path: Path, name: str) -> Findings:
    """The turns of `locomo10.json`, sample by sample, session by session.

    A turn's id is `<sample>/<dia_id>` and its session `<sample>/session_<n>`, so that all samples fit into one
    namespace. An image's caption follows the text as `[shares …]`.
    """
    return read_array(path, name, "sample", read_sample)


def read_sample(value: dict[str, Json], place: Place) -> Findings:
    """The turns of one sample."""
    conversation = value.get("conversation")
    if not isinstance(conversation, dict):
        yield Problem(place, 'there is no "conversation"')
        return
    sample = as_text(value.get("sample_id")) or place.position.replace(" ", "-")
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        session = f"session_{number}"
        here = place.within(session)
        turns = conversation.get(session)
        if not isinstance(turns, list):
            yield Problem(here, "the session is not a list of turns")
            continue
        stated = conversation.get(f"{session}_date_time")
        at = session_instant(as_text(stated))
        if at is None and stated:
            yield Problem(here, f"the date {str(stated)[:40]!r} was left out", kept=True)
        for position, turn in enumerate(turns, 1):
            yield _turn(turn, f"{sample}/", session, at, here.within(f"turn {position}"))


def _turn(turn: Json, prefix: str, session: str, at: datetime | None, place: Place) -> Record | Problem:
    fields = as_object(turn)
    speaker, key, text = (as_text(fields.get(name)) for name in ("speaker", "dia_id", "text"))
    if fields.get("blip_caption"):
        shared = f"[shares {as_text(fields['blip_caption'])}]"
        text = f"{text} {shared}" if text else shared
    if not speaker or not key or not text.strip():
        return Problem(place, "the turn needs a speaker, a dia_id and a text")
    draft = Draft(
        content=text,
        thought_id=prefix + key,
        metadata={"dia_id": key, "sample": prefix[:-1]},
        speaker=speaker,
        session=prefix + session,
        occurred_at=at,
        source=place.file,
        source_type=SourceKind.LOCOMO.value,
    )
    return Record(place, draft)


def session_instant(text: str) -> datetime | None:
    """The instant of a session's date, read as UTC; None when it cannot be read.

    >>> session_instant("1:56 pm on 8 May, 2023").isoformat()
    '2023-05-08T13:56:00+00:00'
    """
    found = _DATE.fullmatch(text)
    if not found or found[5].lower() not in _MONTHS:
        return None
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0)
    month = _MONTHS.index(found[5].lower()) + 1
    try:
        return datetime(int(found[6]), month, int(found[4]), hour, int(found[2]), tzinfo=UTC)
    except ValueError:
        return None
