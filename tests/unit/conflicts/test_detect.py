"""What is proposed, what is not, and what is said of it?"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import ConflictKind
from simonides.conflicts.detect import DAY, Said, detect

CONTRADICTS, SUPERSEDES = ConflictKind.CONTRADICTS, ConflictKind.SUPERSEDES


@pytest.mark.parametrize(
    ("older", "newer", "kind", "slot", "words"),
    [
        ("Ana's locker code is 4471", "Ana's locker code is 4472", CONTRADICTS, "number", ("4471", "4472")),
        ("Ana's locker code is 4471", "Ana's locker code is no longer 4471", SUPERSEDES, "negation", ("", "no")),
        ("The kiosk shuts at 18:00", "The kiosk is open until 20:00", None, None, None),
        ("The gala is on 3 June", "The gala is on 10 June", CONTRADICTS, "date", ("3 June", "10 June")),
        ("The train leaves at 8:12", "The train leaves at 8:42", CONTRADICTS, "time", ("8:12", "8:42")),
        ("The agent is at version 2.4.1", "The agent is at version 2.5.0", CONTRADICTS, "version", ("2.4.1", "2.5.0")),
        ("Our landlord is called Ruiz", "Our landlord is called Okoye", CONTRADICTS, "name", ("Ruiz", "Okoye")),
        ("Vera lives in Ghent", "Vera now lives in Bruges", SUPERSEDES, "name", ("Ghent", "Bruges")),
        ("Die Halle ist geöffnet", "Die Halle ist geschlossen", CONTRADICTS, "negation", ("", "geschlossen")),
        ("Der Kurs beginnt um 9 Uhr", "Der Kurs beginnt um 10 Uhr", CONTRADICTS, "time", ("9 Uhr", "10 Uhr")),
        ("Rosa isst Fisch", "Rosa isst keinen Fisch mehr", SUPERSEDES, "negation", ("", "keinen")),
        (
            "The code of the shed is 7719.",
            "They changed the code, it is 2046 now.",
            SUPERSEDES,
            "number",
            ("7719", "2046"),
        ),
    ],
)
def test_what_is_proposed(
    older: str, newer: str, kind: ConflictKind | None, slot: str | None, words: tuple[str, str] | None
) -> None:
    found = detect(Said(older), Said(newer))
    if kind is None:
        assert found is None
        return
    assert found is not None
    assert (found.kind, found.slot, (found.older, found.newer)) == (kind, slot, words)
    assert 0.6 <= found.confidence < 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Ana's locker code is 4471", "Ben's locker code is 4472"),  # another subject
        ("Invoice 17 is for 80 euros", "Invoice 18 is for 95 euros"),  # another thing
        ("Step 2: open the valve", "Step 3: open the valve"),  # another step
        ("The kiln was at 900 °C on 3 May", "The kiln was at 950 °C on 4 May"),  # another day
        ("Does the shop open at 9?", "The shop opens at 10"),  # a question
        ("For example, the limit is 5", "For example, the limit is 9"),  # an example
        ("If it rains, the match is at 5", "If it rains, the match is at 6"),  # a condition
        ("Ivo speaks Greek and Czech", "Ivo speaks Greek, Czech and Farsi"),  # a list that grows
        ("Ivo does not eat nuts", "Ivo does not eat eggs"),  # denied of something else
        ("Not only does Ivo sing, he dances", "Ivo sings and dances"),  # not a negation
        ("Take care of the kiln", "Don't forget to take care of the kiln"),  # not a negation either
        ("The hall seats 200 people", "The hall seats about 205 people"),  # roughly the same
        ("I can come on Monday", "I can come on Friday"),  # both may be
        ("Mo owes Lu 5 euros", "Lu owes Mo 8 euros"),  # who and whom
        ("The fee is 30 euros", "The fee is €30.00"),  # another spelling
        ("The office isn't open", "The office is closed"),  # another word
    ],
)
def test_what_is_not_proposed(one: str, two: str) -> None:
    assert detect(Said(one), Said(two)) is None
    assert detect(Said(two), Said(one)) is None


def test_i_is_somebody_else_in_another_mouth() -> None:
    has, lost = "I have two children", "I have three children"
    assert detect(Said(has, "Nora"), Said(lost, "Nora")) is not None
    assert detect(Said(has, "Nora"), Said(lost, "Teo")) is None


def test_what_happened_today_may_happen_otherwise_tomorrow() -> None:
    walked, more = "I walked 8,200 steps today", "I walked 11,450 steps today"
    assert detect(Said(walked, at=0), Said(more, at=DAY)) is None
    assert detect(Said("The limit is 5", at=0), Said("The limit is 6", at=DAY)) is not None


def test_another_subject_is_never_compared_and_one_subject_is_compared_by_its_values() -> None:
    assert detect(Said("The limit is 5", subject="a"), Said("The limit is 6", subject="b")) is None
    found = detect(Said("blue", subject="favourite colour"), Said("green", subject="favourite colour"))
    assert found is not None
    assert (found.kind, found.slot) == (SUPERSEDES, "subject")
    assert detect(Said("Dark mode", subject="theme"), Said("dark mode", subject="theme")) is None


WORDS = "Ana the code is not 4471 4472 on Monday Friday 3 May 10:00 kein nicht mehr no longer , . ? : Ben lives in Rome"
TEXTS = st.text(max_size=120) | st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_any_two_texts_can_be_compared_and_a_text_never_disagrees_with_itself(one: str, two: str) -> None:
    found = detect(Said(one), Said(two))
    assert found is None or 0 < found.confidence < 1
    if ". " not in one and "! " not in one and "? " not in one and "\n" not in one:
        assert detect(Said(one), Said(one)) is None
    assert detect(Said(one, subject="a"), Said(two, subject="b")) is None
