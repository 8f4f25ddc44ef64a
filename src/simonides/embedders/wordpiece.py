"""Which tokens does a text consist of? WordPiece as in uncased BERT, in plain Python with a cache of chunks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

UNKNOWN = -1
"""The id given to a word that cannot be spelled with the vocabulary."""
UNKNOWN_SYMBOL = -2
"""The id given to a symbol without letters or digits that is not in the vocabulary: an emoji, an arrow."""

_WORD_CHARACTERS_MAX = 100  # longer words are unknown, as in the reference tokenizer
_CACHED_CHUNKS_MAX = 200_000  # about 40 MB; the cache is emptied when it is full
_CACHED_CHUNK_CHARACTERS_MAX = 40  # longer chunks (links, data) hardly ever come back

# The blocks the reference tokenizer calls Chinese: each such character is a word of its own.
_HAN = (
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
    "\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f"
)
_ASCII_WORDS = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_HAN_CHARACTER = re.compile(f"([{_HAN}])")
# Control characters vanish before the split at white space, so that "a\x00b" is one word.
_CONTROLS: dict[int, None] = dict.fromkeys([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)])


class WordPiece:
    """Splits text into ids of a vocabulary, longest match first.

    vocabulary: tokens in the order of their ids; a token that starts with `##` continues a word.
    symbols_apart: whether every symbol is a word of its own (`great😀` is two); the reference tokenizer leaves
    symbols outside ASCII inside their word. Special tokens have no meaning in text. Threads may share one object.
    """

    __slots__ = ("_cache", "_continuations", "_longest", "_starts", "_symbols_apart")

    def __init__(self, vocabulary: Iterable[str], *, symbols_apart: bool = False) -> None:
        self._symbols_apart = symbols_apart
        self._starts: dict[str, int] = {}
        self._continuations: dict[str, int] = {}
        for number, token in enumerate(vocabulary):
            if token.startswith("##") and len(token) > 2:
                self._continuations[token[2:]] = number
            elif not (token.startswith("[") and len(token) > 1):
                self._starts[token] = number
        self._longest = max(map(len, (*self._starts, *self._continuations)), default=0)
        self._cache: dict[str, tuple[int, ...]] = {}

    def ids(self, text: str) -> list[int]:
        """Token ids in reading order; a word that cannot be spelled is one `UNKNOWN` or `UNKNOWN_SYMBOL`."""
        if not text.isprintable():
            text = text.translate(_CONTROLS)
        cache = self._cache
        out: list[int] = []
        for chunk in text.split():
            pieces = cache.get(chunk)
            if pieces is None:
                pieces = self._chunk(chunk)
                if len(chunk) <= _CACHED_CHUNK_CHARACTERS_MAX:
                    if len(cache) >= _CACHED_CHUNKS_MAX:
                        cache.clear()
                    cache[chunk] = pieces
            out += pieces
        return out

    def _chunk(self, chunk: str) -> tuple[int, ...]:
        """Ids of a stretch of text without white space."""
        out: list[int] = []
        for word in split_words(chunk, self._symbols_apart):
            out += self._word(word)
        return tuple(out)

    def _word(self, word: str) -> Sequence[int]:
        """Ids of one normalised word, longest piece first."""
        if len(word) > _WORD_CHARACTERS_MAX:
            return _unknown(word)
        out: list[int] = []
        start, size, table = 0, len(word), self._starts
        while start < size:
            end = min(size, start + self._longest)
            while end > start and word[start:end] not in table:
                end -= 1
            if end == start:
                return _unknown(word)
            out.append(table[word[start:end]])
            start, table = end, self._continuations
        return out


def _unknown(word: str) -> tuple[int, ...]:
    return (UNKNOWN,) if any(map(str.isalnum, word)) else (UNKNOWN_SYMBOL,)


def split_words(chunk: str, symbols_apart: bool) -> list[str]:
    """Normalise text without control characters and split it into words and punctuation marks.

    Accents and invisible characters are dropped, letters lowered, Han characters set apart; then every
    punctuation mark (ASCII symbols too) stands alone, and other symbols do if they are wanted apart.
    """
    if chunk.isascii():
        return _ASCII_WORDS.findall(chunk.lower())
    kept = "".join(
        " " if character.isspace() else character
        for character in unicodedata.normalize("NFD", _HAN_CHARACTER.sub(r" \1 ", chunk))
        if character != "\ufffd" and not _is_dropped(character)
    )
    words: list[str] = []
    word = ""
    for character in kept.replace("\u03a3", "\u03c3").lower():
        if character == " " or _stands_alone(character, symbols_apart):
            if word:
                words.append(word)
            word = ""
            if character != " ":
                words.append(character)
        else:
            word += character
    return [*words, word] if word else words


def _is_dropped(character: str) -> bool:
    """Accents (Mn), control, format and private characters; an unassigned one stays and makes its word unknown."""
    return unicodedata.category(character) in ("Mn", "Cc", "Cf", "Co", "Cs")


def _stands_alone(character: str, symbols_apart: bool) -> bool:
    """Punctuation and the symbols of ASCII; every symbol and enclosing mark if `symbols_apart`."""
    if character.isascii():
        return not character.isalnum() and "!" <= character <= "~"
    category = unicodedata.category(character)
    return category[0] == "P" or (symbols_apart and (category[0] == "S" or category == "Me"))
