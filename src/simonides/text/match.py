"""What does FTS5 have to be asked for a tree, over the pre-analysed columns?

Columns: `content`, `essence` (`Analysis.words` joined by spaces), `content_more`, `essence_more` (`Analysis.more`);
declared with `tokenize="ascii tokenchars '_'"`. Tokens hold `a-z0-9_` only and are always quoted, so no operator,
column name or quote can slip in from a text.
"""

from __future__ import annotations

from collections.abc import Iterable

from simonides.text.reading import And, Column, Node, Not, Or, Phrase, QueryTerm, Term
from simonides.text.tokens import PLAIN_MARK

_EXACT, _MORE = "{content essence}", "{content_more essence_more}"


def fts5_match(tree: Node) -> str | None:
    """MATCH expression of a tree; None if no row can match. Always accepted by FTS5.

    >>> fts5_match(Or((Term("runs", ("run",)), Term("ran", ("ran",)))))
    '({content_more essence_more} : "run" OR {content_more essence_more} : "ran")'
    """
    return _compile(tree, _EXACT, _MORE)


def fts5_any(terms: Iterable[QueryTerm]) -> str | None:
    """MATCH expression for rows with any of the terms, prefixes left out; None for no terms."""
    bases = dict.fromkeys(base for term in terms if not term.prefix for base in term.bases)
    return f"{_MORE} : ({' OR '.join(map(_quoted, bases))})" if bases else None


def _compile(node: Node, exact: str, more: str) -> str | None:
    match node:
        case Term():
            return _joined((f"{more} : {_quoted(base)}" for base in node.bases), " OR ")
        case Phrase():
            star = " *" if node.prefix else ""
            marked = " ".join(PLAIN_MARK + token for token in node.plain)
            exacts = (f"{exact} : {_quoted(' '.join(reading))}{star}" for reading in node.readings)
            return _joined((*exacts, f"{more} : {_quoted(marked)}{star}"), " OR ")
        case And():
            parts = [_compile(part, exact, more) for part in node.parts]
            return None if None in parts else _joined(filter(None, parts), " AND ")
        case Or():
            return _joined(filter(None, (_compile(part, exact, more) for part in node.parts)), " OR ")
        case Not():
            keep = None if node.keep is None else _compile(node.keep, exact, more)
            drop = _compile(node.drop, exact, more)
            return f"({keep} NOT {drop})" if keep and drop else keep
        case Column():
            return _compile(node.part, node.name, f"{node.name}_more")


def _joined(parts: Iterable[str], operator: str) -> str | None:
    listed = list(dict.fromkeys(parts))
    return f"({operator.join(listed)})" if len(listed) > 1 else next(iter(listed), None)


def _quoted(tokens: str) -> str:
    return f'"{tokens}"'
