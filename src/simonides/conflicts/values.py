"""Which numbers, dates, times and codes does a text hold? One token for every way to write the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january januar jan", "february februar feb", "march märz mar", "april apr", "may mai", "june juni jun",
            "july juli jul", "august aug", "september sept sep", "october oktober oct okt", "november nov",
            "december dezember dec dez",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_DAYS: Final = {
    name + ending: number
    for number, names in enumerate(
        (
            "monday montag", "tuesday dienstag", "wednesday mittwoch", "thursday donnerstag", "friday freitag",
            "saturday samstag sonnabend", "sunday sonntag",
        )
    )
    for name in names.split()
    for ending in ("", "s")
}  # fmt: skip
_NUMBERS: Final = {
    **{
        word: value
        for value, words in enumerate(
            (
                "zero null", "one", "two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben",
                "eight acht", "nine neun", "ten zehn", "eleven elf", "twelve zwölf", "thirteen dreizehn",
                "fourteen vierzehn", "fifteen fünfzehn", "sixteen sechzehn", "seventeen siebzehn", "eighteen achtzehn",
                "nineteen neunzehn", "twenty zwanzig",
            )
        )
        for word in words.split()
    },
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dreißig": 30,
    "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80, "neunzig": 90, "hundert": 100,
}  # fmt: skip
_TIMES: Final = {"once": 1, "twice": 2, "thrice": 3, "einmal": 1, "zweimal": 2, "dreimal": 3, "viermal": 4}
_SCALES: Final = {"k": 3, "thousand": 3, "tausend": 3, "million": 6, "millions": 6, "millionen": 6, "m": 6,
                  "billion": 9, "milliarde": 9, "milliarden": 9}  # fmt: skip
_UNITS: Final = {
    word: (dimension, Decimal(factor))
    for dimension, factor, words in (
        ("s", "0.001", "ms millisecond milliseconds millisekunden"),
        ("s", "1", "s sec secs second seconds sekunde sekunden"),
        ("s", "60", "min mins minute minutes minuten"),
        ("s", "3600", "h hr hrs hour hours stunde stunden"),
        ("s", "86400", "day days tag tage tagen"),
        ("s", "604800", "week weeks woche wochen"),
        ("months", "1", "month months monat monate monaten"),
        ("months", "12", "year years jahr jahre jahren"),
        ("bytes", "0.001", "kb kib"),
        ("bytes", "1", "mb mib megabyte megabytes"),
        ("bytes", "1000", "gb gib gigabyte gigabytes"),
        ("bytes", "1000000", "tb tib terabyte terabytes"),
        ("g", "0.001", "mg milligram milligrams milligramm"),
        ("g", "1", "g gram grams gramm"),
        ("g", "1000", "kg kilo kilos kilogram kilograms kilogramm"),
        ("m", "0.001", "mm"), ("m", "0.01", "cm"), ("m", "1", "metre metres meter meters metern"),
        ("m", "1000", "km kilometre kilometres kilometer kilometers"),
        ("l", "0.001", "ml"), ("l", "1", "litre litres liter liters litern"),
        ("eur", "1", "€ eur euro euros"), ("usd", "1", "$ usd dollar dollars"), ("gbp", "1", "£ gbp pound pounds"),
        ("nok", "1", "kroner nok"), ("%", "1", "% percent prozent"), ("°c", "1", "°c celsius grad"),
    )
    for word in words.split()
}  # fmt: skip

TYPED: Final = frozenset({"number", "range", "date", "dates", "time", "weekday", "month", "version", "ratio", "phone"})


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a text. kind: word, mark, code or one of `TYPED`. key: what makes two tokens equal.

    unit: of a number, "" without. value: of a number, for rough comparison.
    """

    kind: str
    key: str
    text: str
    start: int
    unit: str = ""
    value: float | None = None


def scan(text: str) -> list[Token]:
    """The tokens of a text in order; what is none of them (dots, dashes) is left out.

    >>> [token.key for token in scan("Rent: 1,150 euros, due on 3 May at 2 pm")][2:]
    ['1150eur', ',', 'due', 'on', '3.5.', 'at', '14:00']
    """
    tokens: list[Token] = []
    at = 0
    while found := _NEXT.search(text, at):
        at = found.start()
        plain = _PLAIN.match(text, at)
        if plain is not None and plain[0].lower() not in _OPENING:
            token, at = _word(_WORD.match(text, at) or plain)
            tokens.append(token)
            continue
        for pattern, read in _RULES:
            match = pattern.match(text, at)
            got = None if match is None else read(match)
            if got is not None:
                tokens.append(got[0])
                at = got[1]
                break
        else:
            at = found.end()
    return tokens


Read = tuple[Token, int]


def _token(kind: str, key: str, match: re.Match[str]) -> Read:
    return Token(kind, key, match[0].strip(" ,"), match.start()), match.end()


def _date(match: re.Match[str], day: str, month: int, year: str | None) -> Read | None:
    if not (1 <= int(day) <= 31 and 1 <= month <= 12):
        return None
    return _token("date", f"{int(day)}.{month}." + (year or ""), match)


def _iso(match: re.Match[str]) -> Read | None:
    return _date(match, match[3], int(match[2]), match[1])


def _day_month(match: re.Match[str]) -> Read | None:
    return _date(match, match[1], _MONTHS[match[2].lower()], match[3])


def _month_day(match: re.Match[str]) -> Read | None:
    return _date(match, match[2], _MONTHS[match[1].lower()], match[3])


def _dots(match: re.Match[str]) -> Read | None:
    year = match[3]
    return _date(match, match[1], int(match[2]), f"20{year}" if year and len(year) == 2 else year)


def _span(match: re.Match[str]) -> Read:
    return _token("dates", f"{int(match[1])}-{int(match[2])}.{_MONTHS[match[3].lower()]}.", match)


def _span_after(match: re.Match[str]) -> Read:
    return _token("dates", f"{int(match[2])}-{int(match[3])}.{_MONTHS[match[1].lower()]}.", match)


def _clock(match: re.Match[str]) -> Read | None:
    hour, minute, half = int(match[1]), int(match[2] or 0), (match[3] or "").lower()
    if hour > 24 or minute > 59:
        return None
    if half.startswith("p") and hour < 12:
        hour += 12
    if half.startswith("a") and hour == 12:
        hour = 0
    return _token("time", f"{hour}:{minute:02d}", match)


def _half(match: re.Match[str]) -> Read | None:
    word = match[1].lower()
    hour = _NUMBERS.get(word) or (int(word) if word.isdecimal() else None)
    return None if not hour else _token("time", f"{hour - 1}:30", match)


def _range(match: re.Match[str]) -> Read:
    dimension, _, at = _unit(match.string, match.end())
    key = f"{_number(match[1])}-{_number(match[2])}{dimension}"
    return Token("range", key, match.string[match.start() : at], match.start(), dimension), at


def _code(match: re.Match[str]) -> Read:
    quantity = _QUANTITY.fullmatch(match[0])
    suffix = "" if quantity is None else quantity[2].lower()
    if quantity is not None and (suffix in _UNITS or suffix in _SCALES):
        return _amount(quantity[1], suffix, match[0], match.start()), match.end()
    return Token("code", match[0].lstrip("#").lower(), match[0], match.start()), match.end()


def _digits(match: re.Match[str]) -> Read:
    text, start, at = match.string, match.start(), match.end()
    currency, digits = match[1] or "", match[2]
    if currency:
        return _amount(digits, currency, match[0], start), at
    scale = _AFTER.match(text, at)
    word = "" if scale is None else scale[1].lower()
    if scale is not None and word in _SCALES and word != "m":
        digits, at = f"{_number(digits) * 10 ** _SCALES[word]:f}", scale.end()
    times = _MULTIPLE.match(text, at)
    if times is not None:
        amount = _number(digits)
        key = f"{amount.normalize():f}times"
        return Token("number", key, text[start : times.end()], start, "times", float(amount)), times.end()
    unit, at = _unit_word(text, at)
    return _amount(
        digits, unit, text[start:at], start, whole="." not in match[2] or bool(unit) or digits != match[2]
    ), at


def _unit_word(text: str, at: int) -> tuple[str, int]:
    """The unit that follows a number; a single letter counts only when nothing stands between."""
    after = _AFTER.match(text, at)
    word = "" if after is None else re.sub(r"\s", "", after[1].lower())
    if after is None or word not in _UNITS or (word in ("s", "h", "m", "l") and after[0] != after[1]):
        return "", at
    return word, after.end()


def _unit(text: str, at: int) -> tuple[str, Decimal, int]:
    word, at = _unit_word(text, at)
    dimension, factor = _UNITS.get(word, ("", Decimal(1)))
    return dimension, factor, at


def _amount(digits: str, unit: str, surface: str, start: int, *, whole: bool = True) -> Token:
    """whole: 3.10 is a number, not the name of a version."""
    value = _number(digits)
    if unit in _SCALES and unit not in _UNITS:
        value, unit = value * 10 ** _SCALES[unit], ""
    if not unit:
        key = f"{value.normalize():f}" if whole or _grouped(digits) else digits
        return Token("number", key, surface, start, "", float(value))
    dimension, factor = _UNITS[unit]
    if dimension == "bytes" and factor == 1 and value >= 1024 and value % 1024 == 0:
        value = value / 1024 * 1000  # 1024 MB is another way to say 1 GB
    return Token(
        "number", f"{(value * factor).normalize():f}{dimension}", surface, start, dimension, float(value * factor)
    )


def _grouped(digits: str) -> bool:
    return re.fullmatch(r"[-−]?\d{1,3}([.,]\d{3})+([.,]\d{1,2})?", digits) is not None


def _number(digits: str) -> Decimal:
    """1,150 and 1.150 are eleven hundred and fifty; 2,1 and 2.1 are two and a tenth.

    >>> _number("1.150"), _number("2,1"), _number("1,150.50")
    (Decimal('1150'), Decimal('2.1'), Decimal('1150.50'))
    """
    plain = digits.replace("−", "-")
    if _grouped(plain):
        head, _, tail = plain.rpartition(max(".", ",", key=plain.rfind))
        if len(tail) != 3:
            return Decimal(head.replace(".", "").replace(",", "") + "." + tail)
        return Decimal(plain.replace(".", "").replace(",", ""))
    try:
        return Decimal(plain.replace(",", "."))
    except InvalidOperation:
        return Decimal(re.sub(r"[.,]", "", plain) or 0)


def _word(match: re.Match[str]) -> Read:
    text, surface, start, at = match.string, match[0], match.start(), match.end()
    lower = surface.lower()
    if lower in _DAYS:
        return _token("weekday", str(_DAYS[lower]), match)
    if lower in _MONTHS and len(lower) > 3 and lower != "march":
        return _token("month", str(_MONTHS[lower]), match)
    if lower in _TIMES:
        return Token("number", f"{_TIMES[lower]}times", surface, start, "times", float(_TIMES[lower])), at
    number = _spelled(lower)
    if number is None and lower in ("an", "ein", "eine", "einen", "einer") and _unit_word(text, at)[0]:
        number = 1
    if number is None:
        return _token("word", lower, match)
    times = _MULTIPLE.match(text, at)
    if times is not None:
        return Token("number", f"{number}times", text[start : times.end()], start, "times", number), times.end()
    unit, at = _unit_word(text, at)
    return _amount(str(number), unit, text[start:at], start), at


def _spelled(word: str) -> int | None:
    if word in _NUMBERS:
        return _NUMBERS[word]
    tens, _, ones = word.partition("-")
    if ones in _NUMBERS and 1 <= _NUMBERS[ones] <= 9 and _NUMBERS.get(tens, 0) in range(20, 100, 10):
        return _NUMBERS[tens] + _NUMBERS[ones]
    return None


def _mark(match: re.Match[str]) -> Read:
    return _token("mark", match[0], match)


def _same(kind: str) -> Callable[[re.Match[str]], Read]:
    return lambda match: _token(kind, re.sub(r"\s", "", match[0].lower()), match)


_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NTH = r"(?:st|nd|rd|th)?\.?"
_TO = r"\s*(?:-|–|to|bis|until)\s*"
_YEAR = r"(?:,?\s+((?:19|20)\d\d)\b)?"
_NEXT = re.compile(r"[^\s.…!–—]")
_QUANTITY = re.compile(r"(\d+(?:[.,]\d+)?)([a-z%°]+)", re.IGNORECASE)
_AFTER = re.compile(r"\s*(°\s?c|[%€$£]|[^\W\d_]+)(?![\w'])", re.IGNORECASE)
_MULTIPLE = re.compile(r"\s+(?:times|mal)\b", re.IGNORECASE)
_PLAIN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*(?![\w/@-]|\.[\w./@-])")  # only the last of the rules takes it
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*\+?")
_OPENING: Final = frozenset({*_MONTHS, "halb", "between", "zwischen"})  # words that other rules begin with
_RULES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (r"((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)(?:T[\d:.]+Z?)?", _iso),
        (rf"(\d{{1,2}}){_NTH}{_TO}(\d{{1,2}}){_NTH}\s+(?:of\s+)?({_MONTH})\b", _span),
        (rf"({_MONTH})\s+(\d{{1,2}}){_NTH}{_TO}(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)", _span_after),
        (rf"(\d{{1,2}}){_NTH}\s+(?:of\s+)?({_MONTH})\b\.?{_YEAR}", _day_month),
        (rf"({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:){_YEAR}", _month_day),
        (r"(\d{1,2})\.(\d{1,2})\.((?:19|20)?\d\d)?(?![\d.])", _dots),
        (r"(\d{1,2}):(\d\d)\b(?:\s*(am\b|pm\b|a\.m\.|p\.m\.|uhr\b))?", _clock),
        (r"(\d{1,2})\.(\d\d)(\s+uhr)\b", _clock),
        (r"(\d{1,2})()\s*(am\b|pm\b|a\.m\.|p\.m\.|uhr\b|o'clock\b)", _clock),
        (r"halb\s+(\w+)", _half),
        (r"(?:between|zwischen)\s+(\d+(?:[.,]\d+)?)\s+(?:and|und)\s+(\d+(?:[.,]\d+)?)\b", _range),
        (r"v?\d+(?:\.\d+){2,}\b(?![\w-])|(?-i:v)\d+(?:\.\d+)*\b", _same("version")),
        (r"\d+(?:/\d+)+\b", _same("ratio")),
        (r"\+?\d{2,5}(?:[ /-]\d{2,})+\b", _same("phone")),
        (r"#?(?=[\w./@-]*\d)(?=[\w./@-]*[^\W\d])\w+(?:[-_./@]\w+)*", _code),
        (r"[\w.]+@[\w.]*\w|~?/[\w./-]*\w|\w+(?:\.\w+){2,}|\w+_\w+|[^\W\d]{2,}/[^\W\d]{2,}", _code),
        (rf"(\d+(?:[.,]\d+)?){_TO}(\d+(?:[.,]\d+)?)\b(?![.,]\d)", _range),
        (r"([€$£])?\s?((?:(?<![\w)])[-−])?\d+(?:[.,]\d+)*)", _digits),
        (r"[:=,;?\"“”„«»()]", _mark),
        (_WORD.pattern, _word),
    )
)
