import pytest

from simonides.text.expert import MalformedError, Sign, has_expert_sign, is_prose, signs_of


def word(text: str, *, prefix: bool = False) -> Sign:
    return Sign("word", text, prefix)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('content:"ant bee"* cow', [Sign("phrase", "ant bee", True, "content"), word("cow")]),
        ("essence:(be*)", [Sign("(", "(", False, "essence"), word("be", prefix=True), Sign(")", ")")]),
        ("ant OR bee", [word("ant"), Sign("OR", "OR"), word("bee")]),
        ("ant AND NOT bee", [word("ant"), Sign("NOT", "NOT"), word("bee")]),
        ("neur*? *foo* content: x:y", [word("neur", prefix=True), word("*foo*"), word("content:"), word("x:y")]),
        ('say ""', [word("say"), Sign("phrase", "")]),
    ],
)
def test_a_query_is_a_row_of_signs(query, expected):
    assert signs_of(query) == expected


def test_an_open_quote_is_malformed():
    with pytest.raises(MalformedError):
        signs_of('say "so')


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("DO NOT FORGET THE MILK", True),
        ("I WANT IT ALL", True),
        ("SALT AND PEPPER", False),
        ("DO NOT forget THE MILK", False),
        ("京都 AND 大阪 AND 东京", False),
        ("2024 OR 2025 OR 2026", False),
    ],
)
def test_shouting_is_prose(text, prose):
    assert is_prose(text) is prose


@pytest.mark.parametrize(
    ("query", "expert"),
    [
        ("ant AND bee", True),
        ("ant and bee", False),
        ("AND ant", False),
        ("NOT ant", True),
        ("NOT ant bee", False),
        ("NOT (ant bee)", True),
        ("(ant bee)", False),
        ("content: ant", False),
        ("my content:ant", True),
        ("mycontent:ant", False),
        ("a*b", False),
    ],
)
def test_what_makes_a_query_expert(query, expert):
    assert has_expert_sign(signs_of(query)) is expert
