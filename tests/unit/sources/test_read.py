"""The kind of a source is seen by its content, and a wrong one is refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from simonides.errors import ConfigError
from simonides.sources import Problem, SourceKind, detect, read_source


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.json", '[{"mapping": {}}]', SourceKind.CHATGPT),
        ("a.json", '{"mapping": {}}', SourceKind.CHATGPT),
        ("a.json", '[{"chat_messages": []}]', SourceKind.CLAUDE),
        ("a.txt", "{}", SourceKind.TEXT),
        ("a.MD", "", SourceKind.MARKDOWN),
        ("a.json", '[{"conversation": {"session_1": []}}]', SourceKind.LOCOMO),
        ("a", '\ufeff{"content": "x"}\n{"content": "y"}', SourceKind.JSONL),
        ("a.log", 'broken\n{"text": "x"}', SourceKind.JSONL),
        ("a.jsonl", "broken", SourceKind.JSONL),
        ("a.json", '[{"broken": }, {"mapping": {}}]', SourceKind.CHATGPT),
    ],
)
def test_the_kind_is_seen(tmp_path: Path, name: str, text: str, kind: SourceKind) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert detect(path) is kind


def test_a_folder_with_an_export_is_that_export_and_any_other_is_text(tmp_path: Path) -> None:
    assert detect(tmp_path) is SourceKind.MARKDOWN
    (tmp_path / "conversations.json").write_text('[{"mapping": {}}]')
    assert detect(tmp_path) is SourceKind.CHATGPT
    assert list(read_source(tmp_path)) == []


@pytest.mark.parametrize("text", ["", "hello", "[1, 2, 3]", '{"a": 1}', "\x00\x01\x02", '{"a": ['])
def test_a_kind_that_cannot_be_told_is_refused_with_the_choices(tmp_path: Path, text: str) -> None:
    path = tmp_path / "thing.bin"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"cannot tell what thing.bin holds.*jsonl, markdown, text, chatgpt"):
        read_source(path).__next__()


def test_an_unknown_kind_is_refused_with_the_choices(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'pdf' is not a kind of source"):
        next(read_source(tmp_path, kind="pdf"))


@pytest.mark.parametrize("kind", [None, "jsonl", "chatgpt"])
def test_a_path_that_is_not_there_raises(tmp_path: Path, kind: str | None) -> None:
    with pytest.raises(FileNotFoundError):
        next(read_source(tmp_path / "gone.json", kind=kind))


def test_a_missing_text_file_is_a_problem_when_the_kind_is_given(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(read_source(tmp_path / "gone.md"))


@pytest.mark.parametrize("kind", ["jsonl", "chatgpt", "claude", "locomo", "markdown", "text"])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 100,
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b"{" * 100_000,
        b'[{"mapping": {"a": {"parent": "a", "message": {}}}, "current_node": "a"}]',
        b'[{"mapping": {"a": null}, "current_node": "a"}]',
        b'[{"mapping": {"a": {"parent": 5, "message": [1]}}, "current_node": "a"}]',
        b'[{"chat_messages": [null, 1, {"sender": []}], "uuid": {}}]',
        b'[{"conversation": {"session_1": [null, 5, {"speaker": 1}], "session_x": 2, "session_99999999": []}}]',
        b'{"content": "\\ud800", "metadata": {"\\udfff": 1}}',
        b'[{"mapping"' + b" " * 100_000,
        b'"' * 10_001,
        b"\n" * 10_000 + b"\r" * 10_000,
    ],
)
def test_hostile_bytes_never_raise(tmp_path: Path, kind: str, data: bytes) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(data)
    for found in read_source(path, kind=kind):
        if isinstance(found, Problem):
            str(found).encode()
        else:
            found.content.encode()
            str(found.metadata).encode()
