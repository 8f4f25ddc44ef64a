"""Do two memories disagree? What differs, in which slot, and is it a slot that has one value at a time?

A difference counts when everything else is the same and the slot is what is *said*, not what it is said *of*: two
amounts of one invoice, but not of two invoices. What is not sure is left out; silence is no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from simonides.conflicts import lexicon as words
from simonides.conflicts.compare import Gap, Run, compare, same_place
from simonides.conflicts.statement import Piece, Statement, is_german, read, sentences
from simonides.conflicts.values import TYPED
from simonides.model.conflict import ConflictKind, Disagreement

DAY = 86_400_000_000  # microseconds
RUN_MAX = 6  # pieces of one slot
EXTRA = 3  # pieces more on one side of a denial
SHORT = 6  # pieces of a text that is a value rather than a sentence


@dataclass(frozen=True, slots=True)
class Said:
    """A memory as far as it matters here. at: microseconds, when it was said. subject: a key that its writer gave."""

    text: str
    speaker: str | None = None
    subject: str | None = None
    at: int | None = None


def detect(older: Said, newer: Said) -> Disagreement | None:
    """What two memories disagree about; None when nothing shows it."""
    if older.subject is not None and newer.subject is not None and older.subject != newer.subject:
        return None
    same = older.subject is not None and older.subject == newer.subject
    best: Disagreement | None = None
    german = is_german(older.text, newer.text)
    left = [read(sentence, german) for sentence in sentences(older.text)]
    right = [read(sentence, german) for sentence in sentences(newer.text)]
    for a in left:
        for b in right:
            found = _pair(a, b, older, newer, same=same) or _first_clause(a, b, german, older, newer)
            if found is not None and (best is None or found.confidence > best.confidence):
                best = found
    if best is None and same and len(left) == len(right) == 1:
        best = _by_subject(left[0], right[0], older, newer)
    return best


def _pair(a: Statement, b: Statement, older: Said, newer: Said, *, same: bool) -> Disagreement | None:
    if a.asks or b.asks or a.supposed or b.supposed or not a.pieces or not b.pieces:
        return None
    if _other_voice(a, b, older, newer) or _other_day(a, b, older, newer):
        return None
    if _far(a, b):
        return None
    gap = compare(a, b)
    if gap.shared == 0 or gap.swapped:
        return None
    if a.denies != b.denies:
        return _denied(a, b, gap, same=same)
    return _slot(a, b, gap, same=same)


def _far(a: Statement, b: Statement) -> bool:
    """Whether too much is different for one slot; cheap, and what it lets through is compared properly."""
    if a.distinct.isdisjoint(b.distinct) or len(b.distinct - a.distinct) - b.typed > RUN_MAX:
        return True
    return not b.changes and len(a.distinct - b.distinct) - a.typed > RUN_MAX


def _first_clause(a: Statement, b: Statement, german: bool, older: Said, newer: Said) -> Disagreement | None:
    """The newer one says that something changed and then goes on: what stands before the comma is compared."""
    head, comma, _ = b.text.partition(",")
    if not comma or not b.changes or "," in a.text or len(head.split()) < 3:
        return None
    part = read(head, german)
    return _pair(a, replace(part, changes=True), older, newer, same=False)


def _other_voice(a: Statement, b: Statement, older: Said, newer: Said) -> bool:
    """ "I" and "you" of two speakers are not the same person; of an unknown speaker they may be."""
    if older.speaker is None or newer.speaker is None or older.speaker == newer.speaker:
        return False
    return bool((a.surface | b.surface) & words.FIRST_PERSON)


def _other_day(a: Statement, b: Statement, older: Said, newer: Said) -> bool:
    """What happened today, or simply happened, may happen otherwise on another day."""
    if a.frames and a.frames != b.frames:
        return True
    if older.at is None or newer.at is None or abs(older.at - newer.at) < DAY // 2:
        return False
    if a.today and b.today:
        return True
    return bool(a.surface & b.surface & words.PAST) and not b.changes


# ---------------------------------------------------------------------------------------------- a negation


def _denied(a: Statement, b: Statement, gap: Gap, *, same: bool) -> Disagreement | None:
    """One denies what the other says. A few words more on one side are fine, after the verb only."""
    if gap.left and gap.right:
        return None
    for statement, runs in ((a, gap.left), (b, gap.right)):
        extra = sum(run.stop - run.start for run in runs)
        if extra and (statement.verb is None or gap.shared < 3):
            return None
        if extra > EXTRA or any(statement.verb is None or run.start < statement.verb for run in runs):
            return None
        if any(statement.pieces[n].token.kind in TYPED for run in runs for n in range(run.start, run.stop)):
            return None
    if a.verb is None and b.verb is None:
        return None
    if (gap.left or gap.right) and any(s.text.split()[0].lower() in words.POINTING for s in (a, b)):
        return None
    if gap.shared < 2 and not same and not (a.verb == b.verb == 1):
        return None
    extra = bool(gap.left or gap.right)
    newly = a.denies and bool((a.surface | b.surface) & {"paid", "bezahlt", "expired", "done", "finished"})
    kind = ConflictKind.SUPERSEDES if b.changes or newly else ConflictKind.CONTRADICTS
    confidence = 0.95 - 0.15 * extra - 0.1 * (gap.shared == 2)
    return Disagreement(kind, round(confidence, 2), "negation", _denial(a), _denial(b))


def _denial(statement: Statement) -> str:
    """The words that deny, as they were written."""
    denying = words.NEGATION | {word for word, of in words.OPPOSITES.items() if of != word}
    found = [word for word in statement.text.split() if word.strip(".,;:!").lower() in denying or "n't" in word.lower()]
    return " ".join(found)


# ---------------------------------------------------------------------------------------------- a slot


def _slot(a: Statement, b: Statement, gap: Gap, *, same: bool) -> Disagreement | None:
    """Exactly one slot differs, and it holds what is said."""
    left, right = gap.left, gap.right
    moves = b.changes and bool(b.surface & words.MOVES)
    if moves and len(right) == 1 and not left and b.surface & {"from", "von"}:
        return Disagreement(ConflictKind.SUPERSEDES, 0.75, _kind(b, right[0]), "", _written(b, right[0]))
    if moves and len(left) > len(right) == 1:
        left = [run for run in left if a.pieces[run.start].token.key not in words.STATES]
    if not left or not right:
        return None
    if b.changes and len(right) == 1 and len(left) > 1:
        left = [run for run in left if _kind(a, run) == _kind(b, right[0])]
    if len(left) != 1 or len(right) != 1:
        return None
    one, two = left[0], right[0]
    kind = _kind(a, one)
    if kind != _kind(b, two) or max(one.stop - one.start, two.stop - two.start) > RUN_MAX:
        return None
    if not same_place(a, b, one, two, gap) or (gap.moved and kind in ("word", "name")):
        return None
    if kind in ("word", "name"):
        confidence = 0.7 if moves and a.surface & words.STATES else _phrase(a, b, one, two)
    else:
        confidence = _value(a, b, one, two, kind)
    if confidence is None:
        return None
    weight = gap.shared / (gap.shared + max(one.stop - one.start, two.stop - two.start))
    confidence = confidence * (0.75 + 0.25 * min(1.0, weight * 1.5)) + 0.1 * same
    changes = b.changes or (a.surface | b.surface) & words.CHANGEABLE
    found = ConflictKind.SUPERSEDES if changes else ConflictKind.CONTRADICTS
    return Disagreement(found, round(min(0.99, confidence), 2), kind, _written(a, one), _written(b, two))


def _kind(statement: Statement, run: Run) -> str:
    pieces = statement.pieces[run.start : run.stop]
    kinds = {piece.token.kind for piece in pieces}
    if len(pieces) == 1 and pieces[0].typed:
        return pieces[0].token.kind
    if "word" in kinds or len(kinds) > 1:
        return "name" if any(piece.name for piece in pieces) else "word"
    return kinds.pop()


def _value(a: Statement, b: Statement, one: Run, two: Run, kind: str) -> float | None:
    """A number, date, time, version or code: is it said of the same thing?"""
    if one.stop - one.start > 1 or two.stop - two.start > 1:
        return None
    x, y = a.pieces[one.start], b.pieces[two.start]
    if kind == "number" and x.token.unit != y.token.unit:
        return None
    if (x.listed and _in_list(a, one.start)) or (y.listed and _in_list(b, two.start)):
        return None
    after_verb = all(s.verb is not None and run.start >= s.verb for s, run in ((a, one), (b, two)))
    if not after_verb:
        if a.verb is not None or b.verb is not None:
            return None
        if one.start < 2 or _counted(a.pieces[one.start - 1]):
            return None
    if kind in ("weekday", "date", "time", "dates", "month") and (a.surface | b.surface) & words.ABILITY:
        return None
    if kind in ("weekday", "date", "dates", "month") and _somebody(a) and not b.changes and not _state(a):
        return None
    return 0.9 if after_verb else 0.75


def _in_list(statement: Statement, place: int) -> bool:
    """Whether a piece of the same kind stands beside it."""
    beside = (place - 1, place + 1)
    kind = statement.pieces[place].token.kind
    return any(0 <= n < len(statement.pieces) and statement.pieces[n].token.kind == kind for n in beside)


def _counted(piece: Piece) -> bool:
    return piece.token.key in words.COUNTED


def _somebody(statement: Statement) -> bool:
    """Whether the subject is a person: a pronoun, or one capitalised word before the verb."""
    first = statement.text.split()[0].lower()
    if first in words.PRONOUNS:
        return True
    return (
        statement.verb is not None
        and statement.verb <= 2
        and first not in words.ARTICLES
        and not statement.pieces[0].typed
    )


def _state(statement: Statement) -> bool:
    return bool(statement.surface & {"is", "are", "ist", "sind", "hat"})


def _phrase(a: Statement, b: Statement, one: Run, two: Run) -> float | None:
    """Words: only where one value is the rule: an attribute, a verb such as "lives", words that exclude each other."""
    if (a.surface | b.surface) & words.ADVICE:
        return None
    listed = any(piece.listed for piece in (*a.pieces[one.start : one.stop], *b.pieces[two.start : two.stop]))
    if listed or one.start == 0 or two.start == 0:
        return None
    if _exclusive(a, b, one, two) and all(s.verb is None or run.start >= s.verb - 1 for s, run in ((a, one), (b, two))):
        return 0.85
    if any(s.verb is None or run.start < s.verb for s, run in ((a, one), (b, two))):
        return None
    shared = a.surface & b.surface
    if any(word.startswith("lieblings") for word in shared) or shared & words.FUNCTIONAL:
        return 0.75
    asked = _named(a, one), _named(b, two)
    return 0.75 if all(asked) and shared & words.ATTRIBUTES else None


def _named(statement: Statement, run: Run) -> bool:
    """Whether an attribute comes before its value; after it ("the Pro plan") only names count."""
    pieces = statement.pieces[: run.start]
    if any(piece.token.key in words.ATTRIBUTES or _ends(piece.token.key) for piece in pieces):
        return True
    return any(piece.name for piece in statement.pieces[run.start : run.stop])


def _ends(word: str) -> bool:
    return word.endswith(("nummer", "adresse", "leitung", "name", "passwort"))


def _exclusive(a: Statement, b: Statement, one: Run, two: Run) -> bool:
    """Two colours, two directions: words of which one at most is true."""
    if one.stop - one.start != 1 or two.stop - two.start != 1:
        return False
    pair = {a.pieces[one.start].token.key, b.pieces[two.start].token.key}
    return any(pair <= group for group in words.CLASSES)


def _written(statement: Statement, run: Run) -> str:
    return " ".join(piece.token.text for piece in statement.pieces[run.start : run.stop])


# ---------------------------------------------------------------------------------------------- a subject


def _by_subject(a: Statement, b: Statement, older: Said, newer: Said) -> Disagreement | None:
    """Two memories under one key: short ones are its values; longer ones must share half of what they say."""
    if a.asks or b.asks or a.supposed or b.supposed or _other_voice(a, b, older, newer):
        return None
    keys, other = set(a.keys), set(b.keys)
    if not keys or not other or (keys == other and a.denies == b.denies):
        return None
    if keys <= other or other <= keys:
        return None
    if len(keys) <= SHORT and len(other) <= SHORT and a.verb is None and b.verb is None:
        return Disagreement(ConflictKind.SUPERSEDES, 0.8, "subject", older.text, newer.text)
    numbers = [{p.key for p in s.pieces if p.token.kind in TYPED} for s in (a, b)]
    if len(keys & other) * 2 >= min(len(keys), len(other)) and all(numbers) and not numbers[0] >= numbers[1]:
        return Disagreement(ConflictKind.SUPERSEDES, 0.65, "subject", older.text, newer.text)
    return None
