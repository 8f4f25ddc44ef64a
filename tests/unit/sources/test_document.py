"""A Markdown or text file is cut at headings, then at paragraphs, and never inside code."""

from __future__ import annotations

from pathlib import Path

import pytest

from simonides.model.thought import Draft
from simonides.sources import Problem, SourceKind, read_source
from simonides.sources import document as document_module
from simonides.sources.document import sections


def cut(text: str, kind: SourceKind = SourceKind.MARKDOWN) -> list[tuple[tuple[str, ...], int, str]]:
    return [(s.path, s.start + 1, s.text) for s in sections(text.split("\n"), kind)]


def test_each_heading_opens_a_memory_and_the_path_is_kept() -> None:
    text = "before\n\n# Guide\nIntro.\n\n## Install\nRun it.\n\n### Windows ##\nClick.\n\n## Use\nCall it.\n"
    assert cut(text) == [
        ((), 1, "before"),
        (("Guide",), 3, "# Guide\nIntro."),
        (("Guide", "Install"), 6, "## Install\nRun it."),
        (("Guide", "Install", "Windows"), 9, "### Windows ##\nClick."),
        (("Guide", "Use"), 12, "## Use\nCall it."),
    ]


def test_underlined_headings_count_and_rules_and_lists_do_not() -> None:
    text = "Title\n=====\ntext\n\nSub\n---\n- item\n---\n\n---\n\n| a | b |\n---\n"
    assert cut(text) == [
        (("Title",), 1, "Title\n=====\ntext"),
        (("Title", "Sub"), 5, "Sub\n---\n- item\n---\n\n---\n\n| a | b |\n---"),
    ]


def test_a_heading_alone_goes_into_the_path_of_a_deeper_one_and_stays_otherwise() -> None:
    assert cut("# A\n\n## B\n\ntext\n\n## C\n\n# D") == [
        (("A", "B"), 3, "## B\n\ntext"),
        (("A", "C"), 7, "## C"),
        (("D",), 9, "# D"),
    ]


def test_signs_inside_code_are_not_headings_and_code_is_not_split() -> None:
    code = "```python\n# not a heading\n\nx = 1\n~~~\n```"
    assert cut(f"# A\n{code}\n\nafter") == [(("A",), 1, f"# A\n{code}\n\nafter")]
    assert cut("~~~~\n~~~\n# no\n~~~~\n# Yes") == [
        ((), 1, "~~~~\n~~~\n# no\n~~~~"),
        (("Yes",), 5, "# Yes"),
    ]


def test_code_that_is_never_closed_runs_to_the_end() -> None:
    assert cut("a\n\n```\n# b\n\nc") == [((), 1, "a\n\n```\n# b\n\nc")]


def test_long_sections_are_split_between_paragraphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_module, "SECTION_CHARACTERS_AIM", 20)
    text = "# T\n\naaaa aaaa\n\nbbbb bbbb bbbb\n\ncc\n\ndddddddddddddddddddddddddddddd\n\nee"
    assert cut(text) == [
        (("T",), 1, "# T\n\naaaa aaaa"),
        (("T",), 5, "bbbb bbbb bbbb\n\ncc"),
        (("T",), 9, "dddddddddddddddddddddddddddddd"),
        (("T",), 11, "ee"),
    ]


def test_code_stays_with_the_words_before_it_for_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_module, "SECTION_CHARACTERS_AIM", 20)
    text = "Do this:\n\n```\n0123456789\n012345\n```"
    assert cut(text) == [((), 1, text)]


def test_indented_lines_belong_to_what_stands_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_module, "SECTION_CHARACTERS_AIM", 12)
    text = "- item one\n\n    more of it\n\n    x = 1\n\nnext"
    assert cut(text) == [((), 1, "- item one\n\n    more of it\n\n    x = 1"), ((), 7, "next")]


def test_metadata_at_the_top_of_a_file_is_no_heading() -> None:
    assert cut("---\ntitle: x\n---\n# A\nb") == [((), 1, "---\ntitle: x\n---"), (("A",), 4, "# A\nb")]


def test_plain_text_has_paragraphs_and_no_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_module, "SECTION_CHARACTERS_AIM", 8)
    assert cut("# one\n```\n\ntwo\n\nthree", SourceKind.TEXT) == [
        ((), 1, "# one\n```"),
        ((), 4, "two"),
        ((), 6, "three"),
    ]


def test_a_draft_names_file_line_and_headings_and_repeats_none_of_its_text(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_bytes(b"\xef\xbb\xbf# Guide\r\n\r\nIntro.\r\n\r\n## Install\rRun.\r\n")
    first, second = read_source(tmp_path / "guide.md")
    assert isinstance(first, Draft)
    assert isinstance(second, Draft)
    assert (first.content, first.essence) == ("# Guide\n\nIntro.", None)
    assert first.metadata == {"file": "guide.md", "line": 1, "heading": ["Guide"]}
    assert (second.content, second.essence) == ("## Install\nRun.", "Guide")
    assert second.metadata == {"file": "guide.md", "line": 5, "heading": ["Guide", "Install"]}
    assert (second.source, second.source_type, second.session) == ("guide.md", "markdown", None)


def ids(path: Path, source: str | None = None) -> dict[str, str | None]:
    found = read_source(path, source=source)
    return {draft.content: draft.thought_id for draft in found if isinstance(draft, Draft)}


def test_an_edit_leaves_the_ids_under_other_headings_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\none\n\n# B\ntwo\n\n# B\nthree\n")
    before = ids(path)
    path.write_text("intro\n\n# A\none changed\n\n# B\ntwo\n\n# B\nthree\n")
    after = ids(path)
    assert after["# A\none changed"] == before["# A\none"]
    assert after["# B\ntwo"] == before["# B\ntwo"]
    assert after["# B\nthree"] == before["# B\nthree"]
    assert len(set(after.values())) == 4


def test_a_folder_and_its_file_give_the_same_ids_and_two_folders_do_not(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text("# Hi\nsame")
    text = "# Hi\nsame"
    assert ids(tmp_path / "one")[text] == ids(tmp_path / "one" / "README.md")[text]
    assert ids(tmp_path / "one")[text] != ids(tmp_path / "two")[text]
    assert ids(tmp_path / "one", "handbook")[text] == ids(tmp_path / "two", "handbook")[text]


def test_a_folder_is_read_in_order_without_hidden_or_foreign_files(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "c.png", ".hidden.md", "sub/d.markdown", ".git/e.md", "node_modules/f.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"in {name}")
    (tmp_path / "link.md").symlink_to(tmp_path / "b.md")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = [draft for draft in read_source(tmp_path, source="kb") if isinstance(draft, Draft)]
    assert [(d.content, d.source, d.source_type) for d in found] == [
        ("in a.txt", "kb/a.txt", "text"),
        ("in b.md", "kb/b.md", "markdown"),
        ("in sub/d.markdown", "kb/sub/d.markdown", "markdown"),
    ]
    assert found[0].essence == "kb/a.txt"


def test_files_that_are_not_text_are_reported_and_the_others_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n\xff two")
    (tmp_path / "b.md").write_bytes(b"NUL \x00 here")
    (tmp_path / "c.md").write_bytes("UTF-16 is fine".encode("utf-16"))
    (tmp_path / "d.md").write_bytes(b"")
    found = list(read_source(tmp_path))
    assert [str(p) for p in found if isinstance(p, Problem)] == [
        "a.md: line 2: not UTF-8: byte 0xff",
        "b.md: the file holds NUL bytes; it is not text",
    ]
    assert [d.content for d in found if isinstance(d, Draft)] == ["UTF-16 is fine"]


def test_a_file_over_the_limit_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_module, "DOCUMENT_BYTES_MAX", 10)
    (tmp_path / "a.txt").write_text("x" * 11)
    assert [str(found) for found in read_source(tmp_path)] == ["a.txt: the file is larger than 10 bytes"]


def test_a_file_name_that_a_store_would_refuse_is_made_presentable(tmp_path: Path) -> None:
    (tmp_path / "a\nb.md").write_text("text")
    [draft] = read_source(tmp_path)
    assert isinstance(draft, Draft)
    assert draft.source == "a\ufffdb.md"
