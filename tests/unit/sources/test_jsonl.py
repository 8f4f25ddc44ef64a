"""One JSON object per line becomes one draft; a broken line is reported and the rest goes on."""

from __future__ import annotations

from pathlib import Path

from simonides.model.thought import Draft
from simonides.sources import Problem, read_source


def write(folder: Path, *rows: str | bytes) -> Path:
    path = folder / "notes.jsonl"
    path.write_bytes(b"".join((row if isinstance(row, bytes) else row.encode()) + b"\n" for row in rows))
    return path


def drafts(path: Path) -> list[Draft]:
    return [found for found in read_source(path) if isinstance(found, Draft)]


def problems(path: Path) -> list[Problem]:
    return [found for found in read_source(path, kind="jsonl") if isinstance(found, Problem)]


def test_the_fields_of_a_draft_are_taken_and_unknown_ones_go_to_metadata(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '{"content": "Pump 4 leaks", "thought_id": "n1", "speaker": "Ola", "session": "s1", "priority": "P1",'
        ' "occurred_at": "2026-02-03T10:00:00+01:00", "concepts": ["pump", "leak"], "pinned": true,'
        ' "metadata": {"room": "B2"}, "ticket": 7, "text": "not the content", "confidence": 0.5}',
    )
    [draft] = drafts(path)
    assert draft == Draft(
        content="Pump 4 leaks",
        thought_id="n1",
        speaker="Ola",
        session="s1",
        priority="P1",
        occurred_at="2026-02-03T10:00:00+01:00",
        concepts=("pump", "leak"),
        pinned=True,
        metadata={"ticket": 7, "text": "not the content", "room": "B2"},
        confidence=0.5,
        source="notes.jsonl",
        source_type="jsonl",
    )


def test_text_and_id_are_other_names_for_content_and_thought_id(tmp_path: Path) -> None:
    [draft] = drafts(write(tmp_path, '{"text": "  kept as is \\u0000", "id": "x"}'))
    assert (draft.content, draft.thought_id, draft.metadata) == ("  kept as is \x00", "x", None)


def test_what_list_json_prints_can_be_read_back(tmp_path: Path) -> None:
    """Fields that belong to the engine are passed over, null ones are not given."""
    [draft] = drafts(
        write(
            tmp_path,
            '{"content": "a", "thought_id": "t", "namespace": "ana", "revision": 3, "content_hash": "ff",'
            ' "access_count": 1, "embedding": "present", "position": 2, "essence": null, "metadata": {},'
            ' "last_accessed_at": null, "confirmation_count": 0, "source": "mail", "source_type": null}',
        )
    )
    assert draft == Draft(content="a", thought_id="t", metadata={}, source="mail", source_type="jsonl")


def test_broken_lines_are_reported_with_their_number_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '{"content": "one"}',
        '{"content": "two"',
        "[1, 2]",
        b'{"content": "\xff"}',
        '{"speaker": "Ana"}',
        '{"content": 5}',
        '{"content": "  "}',
        '{"content": "x", "priority": "P9"}',
        '{"content": "x", "occurred_at": "2026-13-45"}',
        '{"content": "x", "occurred_at": true}',
        '{"content": "x", "concepts": "red"}',
        '{"content": "x", "concepts": [1]}',
        '{"content": "x", "pinned": "yes"}',
        '{"content": "x", "created_cycle": 1.5}',
        '{"content": "last \\ud83d"}',
    )
    assert [(str(p.place), p.message, p.kept) for p in problems(path)] == [
        ("notes.jsonl: line 2", "not JSON: Expecting ',' delimiter at column 19", False),
        ("notes.jsonl: line 3", "the record is not a JSON object", False),
        ("notes.jsonl: line 4", "not UTF-8: byte 0xff at offset 13", False),
        ("notes.jsonl: line 5", 'the record has no text under "content"', False),
        ("notes.jsonl: line 6", '"content" is a number; expected text', False),
        ("notes.jsonl: line 7", 'the record has no text under "content"', False),
        ("notes.jsonl: line 8", "\"priority\" is 'P9'; expected one of P1, P2, P3, P4", False),
        (
            "notes.jsonl: line 9",
            "\"occurred_at\" is '2026-13-45'; expected ISO-8601 text or seconds since 1970",
            False,
        ),
        (
            "notes.jsonl: line 10",
            '"occurred_at" is true or false; expected ISO-8601 text or seconds since 1970',
            False,
        ),
        ("notes.jsonl: line 11", '"concepts" is text; expected a list of texts', False),
        ("notes.jsonl: line 12", '"concepts" expects a list of texts', False),
        ("notes.jsonl: line 13", '"pinned" is text; expected true or false', False),
        ("notes.jsonl: line 14", '"created_cycle" is a number; expected a whole number', False),
        ("notes.jsonl: line 15", "half a surrogate pair was replaced by U+FFFD", True),
    ]
    assert [draft.content for draft in drafts(path)] == ["one", "last \ufffd"]


def test_a_record_without_an_id_keeps_its_id_when_lines_are_added(tmp_path: Path) -> None:
    row = '{"content": "ok", "speaker": "Ana"}'
    before = [draft.thought_id for draft in drafts(write(tmp_path, row, row))]
    after = [draft.thought_id for draft in drafts(write(tmp_path, '{"content": "new"}', row, row, row))]
    assert len({*before, *after}) == 4
    assert after[1:3] == before


def test_the_id_hangs_on_session_speaker_time_and_content(tmp_path: Path) -> None:
    rows = [
        '{"content": "ok"}',
        '{"content": "ok", "speaker": "Ana"}',
        '{"content": "ok", "session": "Ana"}',
        '{"content": "ok", "occurred_at": 5}',
        '{"content": "ok.", "occurred_at": 5}',
    ]
    assert len({draft.thought_id for draft in drafts(write(tmp_path, *rows))}) == 5
