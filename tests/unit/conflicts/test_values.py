"""Do two ways to write a value become one token, and two values two?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.conflicts.values import scan


def typed(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.key) for token in scan(text) if token.kind not in ("word", "mark")]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("60 minutes", "one hour"),
        ("14 Tage", "zwei Wochen"),
        ("24 months", "2 years"),
        ("1 GB", "1024 MB"),
        ("30s", "30 seconds"),
        ("50mg", "50 mg"),
        ("€1150", "1.150 Euro"),
        ("1,150 euros", "1150,00 €"),
        ("41k", "41,000"),
        ("1.5 million", "1,500,000"),
        ("twenty-five euros", "25 euros"),
        ("2,1 Prozent", "2.10 %"),
        ("2 am", "02:00"),
        ("2:30 pm", "14.30 Uhr"),
        ("halb acht", "7:30"),
        ("4 May 2026", "2026-05-04"),
        ("the 16th of March", "March 16"),
        ("3. Februar", "3.2."),
        ("August 3 - 14", "3 to 14 August"),
        ("vom 3. bis 14. August", "3 – 14 August"),
        ("twice", "2 times"),
        ("montags", "Monday"),
        ("#8812", "8812"),
    ],
)
def test_two_ways_to_write_a_value_are_one(one: str, two: str) -> None:
    assert typed(one) == typed(two)
    assert len(typed(one)) == 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("3.1", "3.10"),  # versions, as far as anybody can tell
        ("10.0.3.17", "10.0.3.71"),
        ("ORD-4471", "ORD-4417"),
        ("142/91", "131/84"),
        ("30 seconds", "30 minutes"),
        ("4 May", "4 June"),
        ("-20 °C", "20 °C"),
        ("0171 555 0142", "0171 555 0198"),
        ("1 TB", "1 GB"),
    ],
)
def test_two_values_are_two(one: str, two: str) -> None:
    assert typed(one) != typed(two)
    assert len(typed(one)) == len(typed(two)) == 1


def test_kinds() -> None:
    text = "On 3 June at 7:40 host db-2.internal ran v2.4.1 with 30 s on Monday, 9 to 17, from 10.0.0.1"
    assert [kind for kind, _ in typed(text)] == [
        "date", "time", "code", "version", "number", "weekday", "range", "version",
    ]  # fmt: skip


def test_may_is_a_month_with_a_day_and_march_alone_is_none() -> None:
    assert typed("4 May") == [("date", "4.5.")]
    assert typed("we march on") == []


@given(st.text(max_size=200))
def test_any_text_is_read_and_tokens_come_in_order(text: str) -> None:
    starts = [token.start for token in scan(text)]
    assert starts == sorted(starts)
    assert all(0 <= start < len(text) for start in starts)
