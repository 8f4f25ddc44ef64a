"""A JSON file is cut into records; what is broken costs only itself."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import BinaryIO
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.sources import jsonstream
from simonides.sources.jsonstream import Piece, elements, lines


def cut(text: bytes) -> list[object]:
    return [piece.flaw or piece.value for piece in elements(io.BytesIO(text))]


def test_an_array_is_cut_at_its_commas_and_not_inside_strings_or_brackets() -> None:
    text = b'\xef\xbb\xbf [ {"a": "x, ]}\\" {"} ,\n{"b": [1, {"c": []}]}, {}\r\n]\n'
    assert cut(text) == [{"a": 'x, ]}" {'}, {"b": [1, {"c": []}]}, {}]


def test_one_object_is_one_element() -> None:
    assert cut(b'{"a": 1}') == [{"a": 1}]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_the_size_of_what_is_read_at_once_does_not_matter(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(jsonstream, "_CHUNK", size)
    text = '[{"a": "b\\\\"}, {"c": "\\"]"}, 12, {"x": [},"\\\\"], {"d": {"e": "\\u00e9\u4f1a [ "}}, {"f": \\}]'.encode()
    assert cut(text) == [
        {"a": "b\\"},
        {"c": '"]'},
        "the record is not a JSON object",
        "not JSON: Expecting value at column 8",
        {"d": {"e": "\u00e9\u4f1a [ "}},
        "not JSON: Expecting value at column 7",
    ]


def test_a_file_that_ends_inside_a_record_gives_the_records_before() -> None:
    assert cut(b'[{"a": 1}, {"b": "un') == [{"a": 1}, "the file ends inside this record"]


def test_a_file_that_ends_between_records_is_told_apart() -> None:
    assert cut(b'[{"a": 1},') == [{"a": 1}, "the file ends too early"]


def test_text_behind_the_array_is_reported() -> None:
    more = "there is more after the end of the JSON value; it was not read"
    assert cut(b'[{"a": 1}] {"b": 2}') == [{"a": 1}, more]


def test_a_stray_bracket_is_passed_over() -> None:
    assert cut(b'[{"a": 1}, }, {"b": 2}]') == [{"a": 1}, "unexpected '}' before the record", {"b": 2}]


def test_an_empty_file_and_a_file_of_something_else_are_named() -> None:
    assert cut(b"") == ["the file is empty"]
    assert cut(b"hello") == ["the file holds no JSON array or object"]


def test_a_record_over_the_limit_is_skipped_and_the_next_one_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonstream, "RECORD_SIZE_MAX", 20)
    monkeypatch.setattr(jsonstream, "_CHUNK", 8)
    assert cut(b'[{"a": "' + b"x" * 50 + b'"}, {"b": 1}]') == ["the record is larger than 20 characters", {"b": 1}]


def test_lines_end_at_line_feeds_only_and_blank_ones_do_not_count() -> None:
    text = '\ufeff{"a": "\u2028"}\r\n\n  \n{"b": 1}'.encode()
    assert [(p.number, p.value) for p in lines(io.BytesIO(text))] == [(1, {"a": "\u2028"}), (4, {"b": 1})]


def test_a_line_over_the_limit_is_skipped_and_the_next_one_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonstream, "RECORD_SIZE_MAX", 10)
    text = b"x" * 35 + b'\n{"a":1}\n' + b"y" * 11
    assert [(p.number, p.flaw or p.value) for p in lines(io.BytesIO(text))] == [
        (1, "the line is longer than 10 bytes"),
        (2, {"a": 1}),
        (3, "the line is longer than 10 bytes"),
    ]


@pytest.mark.parametrize("split", [lines, elements])
def test_a_file_in_utf_16_is_named(split: Callable[[BinaryIO], Iterator[Piece]]) -> None:
    found = list(split(io.BytesIO('{"a": 1}\n'.encode("utf-16"))))
    assert [piece.flaw for piece in found] == ["the file is in UTF-16; save it as UTF-8"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"a": \xff}', "not UTF-8: byte 0xff at offset 6"),
        (b'{"a": }', "not JSON"),
        (b'{"a": "\x00"}', "not JSON"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "Infinity is not a number"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "nested deeper than 64 levels"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested deeper than 64 levels"),
    ],
)
@pytest.mark.parametrize("split", [lines, elements])
def test_what_cannot_be_read_says_why(data: bytes, says: str, split: Callable[[BinaryIO], Iterator[Piece]]) -> None:
    [piece] = split(io.BytesIO(data))
    assert piece.flaw
    assert says in piece.flaw


def test_an_element_that_is_not_sound_costs_only_itself() -> None:
    text = (
        b'[{"a": \xff}, {"b": "\xff"}, {"c": NaN}, {"d": ' + b"[" * 90 + b"]" * 90 + b'}, {"e": 1e999}, {"f": [}, {}]'
    )
    assert cut(text) == [
        "not UTF-8: byte 0xff at offset 6",
        "not UTF-8: byte 0xff at offset 7",
        "not JSON: NaN is not a number",
        "nested deeper than 64 levels",
        "the number 1e999 is too large",
        "not JSON: Expecting value at column 8",
        "the file ends too early",
    ]
    assert cut(b'[{"f": "x\ny"}, {"g": [}]}, {}]') == [
        "not JSON: Invalid control character at at column 9",
        "not JSON: Expecting value at column 8",
        "unexpected '}' before the record",
        {},
    ]


def test_a_record_larger_than_what_is_read_at_once_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonstream, "_CHUNK", 64)
    rows = [{"n": n, "text": "wörd " * n} for n in range(200)]
    text = json.dumps(rows, ensure_ascii=False).encode()
    assert cut(text) == rows


def test_brackets_in_strings_are_no_depth() -> None:
    assert cut(b'{"a": "' + b"[" * 500 + b'\\""}') == [{"a": "[" * 500 + '"'}]
    assert cut(b"[[" + b"[]," * 500 + b"[]]]") == [[[]] * 501]


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_is_not() -> None:
    [halved, whole] = elements(io.BytesIO(b'[{"k\\udc00": ["x\\ud83dy", {"z": "\\ude00"}]}, {"a": "\\ud83d\\ude00"}]'))
    assert halved.repaired
    assert halved.value == {"k\ufffd": ["x\ufffdy", {"z": "\ufffd"}]}
    assert not whole.repaired
    assert whole.value == {"a": "\U0001f600"}


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)
RECORDS = st.lists(st.dictionaries(TEXT, VALUES, max_size=3), max_size=6)


@given(RECORDS, st.integers(1, 40), st.booleans(), st.sampled_from([None, 2]))
def test_any_array_of_objects_is_read_as_json_reads_it(
    records: list[object], size: int, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(records, ensure_ascii=ascii_only, indent=indent).encode()
    with patch.object(jsonstream, "_CHUNK", size):
        assert cut(text) == records


@given(RECORDS, st.integers(1, 40), st.data())
def test_a_byte_that_is_changed_never_raises_and_never_costs_a_record_before_it(
    records: list[object], size: int, data: st.DataObject
) -> None:
    whole = json.dumps(records, ensure_ascii=False).encode()
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255))
    before = sum(len(json.dumps(records[: n + 1], ensure_ascii=False).encode()) <= at for n in range(len(records)))
    with patch.object(jsonstream, "_CHUNK", size):
        found = cut(whole[:at] + bytes([byte]) + whole[at + 1 :])
    assert found[:before] == records[:before]
