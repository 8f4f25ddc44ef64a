"""Is this text an expert query, and what is its structure?

Expert needs one of: a quoted phrase, a word with a trailing `*`, a column filter, an upper-case AND, OR or NOT between
two operands, or a lone NOT before a single operand. Binding, tightest first: words side by side, NOT, AND, OR.
The parser works on signs only; what a word means is decided by the function that makes its node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from simonides.text.reading import And, Column, Node, Not, Or

OPERANDS_MAX: Final = 256
DEPTH_MAX: Final = 32
_PROSE_WORDS: Final = 4

_SIGN = re.compile(
    r"(?P<column>(?:(?<=[\s(])|\A)(?:content|essence):(?=[\"(\w]))?"
    r"(?:\"(?P<phrase>(?:[^\"]|\"\")*)\"(?P<star>\*+)?|(?P<bracket>[()])|(?P<word>[^\s()\"]+))"
)
_TRAILING_STAR = re.compile(r"([^*].*?\w|\w)\*+[.,;:!?]*", re.DOTALL)
_CURLY = str.maketrans("“”", '""')
_OPERATORS = ("AND", "OR", "NOT")

SignKind: TypeAlias = Literal["word", "phrase", "(", ")", "AND", "OR", "NOT"]


class MalformedError(Exception):
    """The text cannot be read as an expert query; never leaves the text package."""


@dataclass(frozen=True, slots=True)
class Sign:
    """One element of a query. column: filter in front of it, or ""."""

    kind: SignKind
    text: str
    prefix: bool = False
    column: str = ""


@dataclass(frozen=True, slots=True)
class Operand:
    """What a word or phrase became. dispensable: a stop word, not needed in a row when other words stand beside it."""

    node: Node
    dispensable: bool = False


MakeOperand: TypeAlias = Callable[[Sign, bool], Operand | None]
"""(sign, is it under NOT) → its operand, or None when it holds no letter and no digit."""


_MAYBE_EXPERT = re.compile(r"[\"“”*]|\b(?:AND|OR|NOT)\b|(?:content|essence):")


def may_be_expert(text: str) -> bool:
    """A quick look: False means that the text holds nothing that could ask for the expert reading."""
    return _MAYBE_EXPERT.search(text) is not None


def is_prose(text: str) -> bool:
    """Four or more words, none with a lower-case letter, some in capitals: shouting, in which NOT is just a word."""
    words = [word for word in text.split() if any(map(str.isalnum, word))]
    if len(words) < _PROSE_WORDS or any(map(str.islower, text)):
        return False
    return any(word not in _OPERATORS and any(map(str.isupper, word)) for word in words)


def signs_of(text: str) -> list[Sign]:
    """Elements of a query, `AND NOT` joined to NOT. Raises MalformedError for an unbalanced quote."""
    text = text.translate(_CURLY)
    if text.count('"') % 2:
        raise MalformedError("a quote is not closed")
    signs: list[Sign] = []
    for match in _SIGN.finditer(text):
        sign = _sign(match)
        if sign.kind == "NOT" and signs and signs[-1].kind == "AND":
            signs.pop()
        signs.append(sign)
    return signs


def has_expert_sign(signs: Sequence[Sign]) -> bool:
    """Does any element ask for the expert reading?"""
    if any(sign.kind == "phrase" or sign.prefix or sign.column for sign in signs):
        return True
    return any(_is_operator_at(signs, at) for at, sign in enumerate(signs) if sign.kind in _OPERATORS)


def has_dangling_operator(signs: Sequence[Sign]) -> bool:
    """Is there an AND, OR or NOT that joins nothing?"""
    return any(not _is_operator_at(signs, at) for at, sign in enumerate(signs) if sign.kind in _OPERATORS)


def parse(signs: Sequence[Sign], make_operand: MakeOperand) -> Node | None:
    """Tree of an expert query; None if no operand holds a letter or digit. Raises MalformedError."""
    if sum(sign.kind in ("word", "phrase") for sign in signs) > OPERANDS_MAX:
        raise MalformedError(f"more than {OPERANDS_MAX} operands")
    depth = 0
    for sign in signs:
        depth += (sign.kind == "(") - (sign.kind == ")")
        if not 0 <= depth <= DEPTH_MAX:
            raise MalformedError("brackets do not match, or are nested too deeply")
    if depth:
        raise MalformedError("a bracket is not closed")
    return _Parser(signs, make_operand).whole()


def holds_not_or_column(signs: Sequence[Sign]) -> bool:
    """Does the query hold NOT or a column filter? Then it is never retried bare."""
    return any(sign.kind == "NOT" or sign.column for sign in signs)


def is_one_phrase(signs: Sequence[Sign]) -> bool:
    """Is the whole query a single quoted phrase, punctuation around it aside?"""
    spoken = [sign for sign in signs if any(map(str.isalnum, sign.text))]
    return len(spoken) == 1 and spoken[0].kind == "phrase"


def words_for_operators(signs: Sequence[Sign]) -> list[Sign]:
    """The elements, with a NOT in front of several words (`NOT happy about it`) as the ordinary word it is."""
    if signs and signs[0].kind == "NOT" and not _is_operator_at(signs, 0):
        return [replace(signs[0], kind="word"), *signs[1:]]
    return list(signs)


def both(parts: Sequence[Node]) -> Node:
    """All of the parts: the nodes without a positive side (`NOT x`) restrict the others."""
    kept = [part for part in parts if not (isinstance(part, Not) and part.keep is None)]
    drops = [part.drop for part in parts if isinstance(part, Not) and part.keep is None]
    keep = _one_or(And, kept)
    return Not(keep, _one_or(Or, drops) or drops[0]) if drops else keep or And(())


def _sign(match: re.Match[str]) -> Sign:
    column = (match["column"] or "").rstrip(":")
    if match["phrase"] is not None:
        return Sign("phrase", match["phrase"], match["star"] is not None, column)
    if match["bracket"]:
        return Sign("(" if match["bracket"] == "(" else ")", match["bracket"], column=column)
    word = match["word"]
    if not column:
        for operator in _OPERATORS:
            if word == operator:
                return Sign(operator, word)  # type: ignore[arg-type]  # the operators are those of Sign
    starred = _TRAILING_STAR.fullmatch(word)
    return Sign("word", starred[1] if starred else word, starred is not None, column)


def _is_operator_at(signs: Sequence[Sign], at: int) -> bool:
    after = signs[at + 1].kind if at + 1 < len(signs) else ")"
    if after not in ("word", "phrase", "("):
        return False
    if at > 0 and signs[at - 1].kind in ("word", "phrase", ")"):
        return True
    if signs[at].kind != "NOT" or (at > 0 and signs[at - 1].kind != "("):
        return False
    beyond = signs[at + 2].kind if at + 2 < len(signs) else ")"
    return after == "(" or beyond not in ("word", "phrase", "(")


class _Parser:
    """Recursive descent over signs; depth is bounded by `parse`."""

    def __init__(self, signs: Sequence[Sign], make_operand: MakeOperand) -> None:
        self._signs: Iterator[tuple[Sign | None, Sign | None]] = pairwise((None, *signs, None))
        self._make = make_operand
        self._denied = 0
        self._column = ""
        self._next: Sign | None = None
        self._step()

    def whole(self) -> Node | None:
        tree = self._or()
        if self._next is not None:
            raise MalformedError("an operator or bracket stands alone")
        return tree

    def _step(self) -> None:
        self._next = next(self._signs)[1]

    def _at(self, *kinds: SignKind) -> bool:
        return self._next is not None and self._next.kind in kinds

    def _chain(self, operator: SignKind, side: Callable[[], Node | None]) -> list[Node]:
        """Operands joined by one operator. A side that holds nothing searchable is left out."""
        found = [side()]
        while self._at(operator):
            self._step()
            found.append(side())
        return [node for node in found if node is not None]

    def _or(self) -> Node | None:
        parts = self._chain("OR", self._and)
        if len(parts) > 1 and any(isinstance(part, Not) and part.keep is None for part in parts):
            raise MalformedError("OR NOT has no meaning")
        return _one_or(Or, parts)

    def _and(self) -> Node | None:
        parts = self._chain("AND", self._not)
        return both(parts) if parts else None

    def _not(self) -> Node | None:
        keep = None if self._at("NOT") else self._side_by_side()
        drops = []
        while self._at("NOT"):
            self._step()
            self._denied += 1
            drop = self._side_by_side()
            self._denied -= 1
            if isinstance(drop, Not) and drop.keep is None:
                raise MalformedError("NOT NOT has no meaning")
            drops += [drop] if drop is not None else []
        dropped = _one_or(Or, drops)
        return keep if dropped is None else both([Not(None, dropped), *([keep] if keep is not None else [])])

    def _side_by_side(self) -> Node | None:
        if not self._at("word", "phrase", "("):
            raise MalformedError("an operator has nothing to join")
        found: list[Operand] = []
        while self._at("word", "phrase", "("):
            operand = self._operand()
            found += [operand] if operand is not None else []
        needed = [operand.node for operand in found if not operand.dispensable]
        parts = needed or [operand.node for operand in found]
        return both(parts) if parts else None

    def _operand(self) -> Operand | None:
        sign = self._next
        assert sign is not None
        self._step()
        if sign.column and self._column:
            raise MalformedError("a column filter stands inside another one")
        self._column = sign.column or self._column
        made = self._group() if sign.kind == "(" else self._make(sign, self._denied % 2 == 1)
        if not sign.column:
            return made
        self._column = ""
        return made and Operand(_in_column(sign.column, made.node))

    def _group(self) -> Operand | None:
        inner = None if self._at(")") else self._or()
        if not self._at(")"):
            raise MalformedError("a bracket is not closed")
        self._step()
        return None if inner is None else Operand(inner)


def _in_column(column: str, node: Node) -> Node:
    """The node restricted to a column; what has no positive side keeps none."""
    if isinstance(node, Not) and node.keep is None:
        return Not(None, Column(column, node.drop))
    return Column(column, node)


def _one_or(joined: type[And] | type[Or], parts: Sequence[Node]) -> Node | None:
    """The parts as one node, nested nodes of the same kind flattened; None for no parts."""
    flat: list[Node] = []
    for part in parts:
        flat += part.parts if isinstance(part, joined) else [part]
    return joined(tuple(dict.fromkeys(flat))) if len(set(flat)) > 1 else next(iter(flat), None)
