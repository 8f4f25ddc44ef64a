import pytest

from simonides.text.chunks import PARTS_MAX, chunks, is_grouped_number, is_unspaced, parts, segments


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word--word, wait...what", ["word", "word", "wait", "what"]),
        ("O'Hara won’t", ["O", "Hara", "won", "t"]),
        ("a,b;c|d&e", ["a", "b", "c", "d", "e"]),
        ("1,234 1,234.56 1,2,3 12345,678", ["1,234", "1,234.56", "1", "2", "3", "12345", "678"]),
        ("3.14 v1.2.3 12:30 2026-03-01 +1", ["3.14", "v1.2.3", "12:30", "2026-03-01", "1"]),
        ("std::string __init__.py ~/plans 5%", ["std::string", "init__.py", "plans", "5"]),
        ("C:\\team\\q3.md, /srv/q3.md.", ["C:\\team\\q3.md", "srv/q3.md"]),
        ("http://a.org:80/b?x=1#f", ["http://a.org:80/b", "x", "1", "f"]),
        ("C++17 g++ i++; C# F#, tag# .NET x.C#", ["C++", "17", "g++", "i++", "C#", "F#", "tag", ".NET", "x.C#"]),
        ("end .and ..so .5", ["end", ".and", "so", "5"]),
        ("部署web-gateway完成 3月", ["部署", "web-gateway", "完成", "3", "月"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("ไทย\u200bลาว", ["ไทย", "ลาว"]),
        ("alpha\0omega\ud83dtail", ["alpha", "omega", "tail"]),
        ("___ -- 🙂 \u0301", []),
    ],
)
def test_a_text_breaks_into_chunks(text, expected):
    assert chunks(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("parseHTTPHeader", ["parse", "HTTP", "Header"]),
        ("flush_retry-budget.x", ["flush", "retry", "budget", "x"]),
        ("parse2JSON", ["parse", "2", "JSON"]),
        ("PDFs", ["PDFs"]),
        ("PDFsReader", ["PDFs", "Reader"]),
        ("python3", ["python", "3"]),
        ("sha256sum", ["sha", "256", "sum"]),
        ("q3", ["q3"]),
        ("h2o", ["h2o"]),
        ("R2D2", ["R2D2"]),
        ("größeÄndern", ["größe", "Ändern"]),
        ("C++/CLI", ["C++", "CLI"]),
        ("GitHub", ["Git", "Hub"]),
        ("Word", ["Word"]),
        ("WORD", ["WORD"]),
    ],
)
def test_a_name_has_parts(word, expected):
    assert parts(word) == expected


def test_an_encoded_blob_stays_whole():
    blob = "aB" * (PARTS_MAX + 1)
    assert parts(blob) == [blob]


def test_pieces_of_a_path_that_are_compounds_are_segments():
    assert segments("C:\\team\\plans\\q3.md") == ["q3.md"]
    assert segments("me@mail.example.org") == ["mail.example.org"]
    assert segments("flush_retry") == []


def test_kinds_of_chunks_are_told_apart():
    assert is_unspaced("京都")
    assert not is_unspaced("서울")
    assert not is_unspaced("Kyoto")
    assert is_grouped_number("1,234.5")
    assert not is_grouped_number("1234.5")
