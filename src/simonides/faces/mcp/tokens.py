"""How much of a text fits a model's budget? An estimate without a tokenizer, on the high side."""

from __future__ import annotations


def estimate(text: str) -> int:
    """Tokens: one per four ASCII characters, one per character of other scripts.

    >>> estimate("four ASCII characters make one token"), estimate("δύο")
    (9, 3)
    """
    plain = sum(map(str.isascii, text))
    return -(-plain // 4) + len(text) - plain


def beginning(text: str, tokens: int) -> str:
    """The longest beginning of a text that fits.

    >>> beginning("abcdefghij", 2), beginning("abc", 2), beginning("abc", 0)
    ('abcdefgh', 'abc', '')
    """
    if len(text) <= tokens:
        return text
    quarters = 0
    for place, character in enumerate(text[: 4 * max(0, tokens)]):
        quarters += 1 if character.isascii() else 4
        if quarters > 4 * tokens:
            return text[:place]
    return text[: 4 * max(0, tokens)]
