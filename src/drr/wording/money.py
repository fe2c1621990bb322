"""Reads and writes amounts of US dollars, and those of a shop that sells in another currency."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, cached_property

from drr.wording.currencies import (
    NO_CENTS,
    all_names,
    codes_of,
    decimal_mark,
    decimals_of,
    is_well_grouped,
    names_of,
    signs_of,
    symbols,
    with_cents,
)
from drr.wording.figures import (
    HEDGES,
    NUMBER_WORDS,
    SMALL,
    SPOKEN,
    TENS,
    WHOLE,
    Hedges,
    Quantity,
    written_number,
)
from drr.wording.vocabulary import Wordbook, any_word_pattern, first_letters, vocabulary

_NO_LETTERS = "".join(
    rf"(?-i:(?<!(?<![A-Za-z]){'(?!USD?)' if many > 1 else ''}[A-Z]{{{many}}}{escape}))"
    for many in (1, 2, 3)
    for escape in ("", r"\\")
)
"""The condition before a dollar sign: one to three capitals make it another country's, `C$`, `HK$`, unless they are those of the US."""


_CODE = 3
"""Letters in a currency's code."""
_CENTS = 2
"""Decimal places of an amount to the cent."""


class MoneyReader:
    """Reads amounts in every form: `$40`, `40 dollars`, `40$`, `26¢`, `32c/ft`, `58 cents`, `five dollars and two cents`."""

    def __init__(self, words: Wordbook, hedges: Hedges) -> None:
        self._words, self._hedges = words, hedges

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The pattern of an amount, compiled when the first is read: that takes as long as half a start."""
        words, hedges = self._words, self._hedges
        codes = [one for one in words["foreign"] if len(one) == _CODE]
        no_code = rf"(?-i:(?<!\b(?:{'|'.join(codes)})\s))" if codes else ""
        signs = "|".join(
            rf"\b{re.escape(sign)}" if sign[0].isalpha() else rf"{no_code}{_NO_LETTERS}{re.escape(sign)}"
            for sign in words["before"]
        )
        foreign = rf"(?!(?:\.\d{{1,4}})?k?\s?\(?(?-i:{words.either('foreign')})\b)"
        figure, whole = rf"{WHOLE}(?:\.\d{{1,4}})?", rf"(?:{SPOKEN}|\d{{1,3}})"
        cents = rf"\s?(?:{words.either('cents')})(?!\w)"
        tens = rf"(?:{any_word_pattern(TENS)})(?:[\s-](?:{any_word_pattern(SMALL)}))?"
        firsts = first_letters((*hedges.firsts, *words["before"], *NUMBER_WORDS))
        return re.compile(
            rf"(?=[\d{firsts}])(?P<approx>{hedges.near})?(?:(?:{signs})\s?(?P<value>{figure}|\.\d{{1,4}})(?P<k>(?:{words.either('thousands')})\b)?"
            rf"(?![\d,]{{0,24}}\d){foreign}(?P<plus>\+)?|(?<![\w$.,])(?:"
            rf"(?:(?P<words>{figure})\s?|(?P<spoken>{SPOKEN}|an?(?=\s))[\s-])(?:{words.either('after')})(?!\w){foreign}"
            rf"(?:\s(?P<tens>{tens})(?!{cents}|\s?[a-z]*-))?(?:\sand\s(?P<odd>{whole}|a(?=\s)){cents})?"
            rf"|(?P<cents>{SPOKEN}|\d{{1,3}}(?:\.\d{{1,2}})?)(?:-?{cents}|(?<=\d)c(?=\s?/|\s(?:a|an|per|each)\b))))",
            re.I,
        )

    def amounts(self, text: str, start: int = 0, end: int | None = None) -> Iterator[Quantity]:
        for match in self.expression.finditer(text, start, len(text) if end is None else end):
            yield _amount(match)

    def at(self, text: str, position: int) -> Quantity | None:
        """Return the amount that begins at a position, or `None`."""
        match = self.expression.match(text, position)
        return None if match is None else _amount(match)


def _amount(match: re.Match[str]) -> Quantity:
    whole = match["value"] or match["words"] or match["spoken"] or match["cents"]
    odd = match["odd"] or match["tens"]
    value, places = _plain_number(whole), len(whole.partition(".")[2])
    if match["cents"]:
        value, places = value / 100, places + _CENTS
    elif odd:
        value, places = value + _plain_number(odd) / 100, _CENTS
    start, end = match.span()
    sign, value = start + len(match["approx"] or ""), value * (1000 if match["k"] else 1)
    approx, written = bool(match["approx"] or match["plus"]), match.string[sign:end]
    hedged = approx or bool(match["k"]) or HEDGES.ahead(match.string, sign)
    in_words = not any(map(str.isdigit, written))
    return Quantity(
        value, "money", value, places, hedged, written, start, end, end, approx=approx, in_words=in_words
    )


def _plain_number(written: str) -> float:
    return 1.0 if written.casefold() in ("a", "an") else written_number(written)


MONEY = MoneyReader(vocabulary("money"), HEDGES)
_ANY = re.compile(rf"\d|{vocabulary('money').either('after', 'cents')}", re.I)
"""A digit or the name of a currency, one of which every amount has."""


def amounts(text: str, start: int = 0, end: int | None = None) -> list[Quantity]:
    """Return every amount in a part of the text, in order."""
    last = len(text) if end is None else end
    return [] if _ANY.search(text, start, last) is None else list(MONEY.amounts(text, start, last))


def dollar_amounts(text: str) -> list[Quantity]:
    """Return every amount of a dollar and more, also in words. A smaller one is the cost of a piece and never a purchase's limit."""
    return [one for one in amounts(text) if one.value >= 1]


def money(amount: Decimal | float) -> str:
    return f"${amount:,.2f}"


_DIGITS = r"\d(?:[\d.,'\u2019\u00a0\u202f]{0,14}\d)?"
_SPACE = r"[^\S\n]"
"""A space within a line: the number of the next item is none of the amount's."""
_ENDED = rf"(?=[*_]{{0,3}}{_SPACE}?(?:[.,;:!?()\[\]|\n]|\Z))"
"""The end of a phrase or a cell. `5 złotych pierścionków` are golden rings."""
_PLAIN = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,2})?")


_STARS = re.compile(r"(?<![\w.,\[/])([0-5]),(\d{1,2})(?=\s{0,9}(?:/\s?5(?!\d)|stars?\b|[★⭐]|\|))")


Place = tuple[int, int]
FOREIGN = "\N{CURRENCY SIGN}"
"""The sign of no country. It stands for each letter of another currency's sign or name, so that no reader takes the amount beside it."""


@cache
def _signed() -> re.Pattern[str]:
    """Return the expression of a sign or a name of dollars beside a number. It may also stand alone as a label."""
    words = vocabulary("money")
    sign = rf"(?<![=&?])(?:(?:(?<![A-Za-z])[A-Za-z]{{1,3}}|\bUS\s)?\\?[{re.escape(symbols())}]|(?<![^\W\d_])USD(?![^\W\d_]))"
    figure, dollars = r"\d(?:[\d.,]{0,14}\d)?", words.either("after")
    return re.compile(
        rf"(?P<sign>{sign})(?=\s?\.?\d)(?:\s?\.?{figure}\s?\(?(?P<code>{words.either('foreign')}|USD)\b)?"
        rf"|(?:(?<![\w.,]){figure}|\b(?i:{SPOKEN}))[\s-]?(?P<name>{sign}|(?i:{dollars}))(?![\w$])"
        rf"|(?:\((?:in\s)?|(?:\||(?m:^)[>+-]?)[ *_]{{0,8}}|(?i:\b(?:price|cost)\s(?:in\s)?))(?P<alone>{sign}|(?i:{dollars}))(?=\)|[ *_]{{0,8}}[|:\n])"
    )


def without_foreign(text: str, currency: str) -> str:
    """Return the text with other currencies' signs blotted out, such as `$12.50` in a shop of euros. The length stays."""
    letters = list(text)
    for match in _signed().finditer(text):
        if any(one and currency not in _codes_of(one) for one in match.groups()):
            for low, high in (match.span(name) for name in match.groupdict() if match[name]):
                letters[low:high] = FOREIGN * (high - low)
    return "".join(letters)


@cache
def _named() -> re.Pattern[str]:
    """Return the expression of a currency's code, name or sign beside no number."""
    word = rf"(?<![\w/=&?.@])(?:[A-Z]{{{_CODE}}}|(?i:{any_word_pattern(all_names())}))(?![\w@])"
    return re.compile(rf"(?<!\d)(?<!\d\s)(?:{word}|[{re.escape(symbols())}])(?!\s?\.?\d)")


def names_another(text: str, currency: str) -> bool:
    """Tell whether a text names another currency outside of amounts, as in `All prices in euros`. A bare amount may then be of either."""
    found = map(codes_of, _named().findall(text))
    return any(codes and currency not in codes for codes in found)


def names_currency(text: str) -> bool:
    """Tell whether a currency stands in a text, beside whatever number: `sechzig Euro`."""
    return any(map(codes_of, _named().findall(text)))


def _codes_of(sign: str) -> tuple[str, ...]:
    """Return the currencies of a sign with what letters stand before it: `R$`, `\\$`, `USD$`. A buck is a dollar."""
    plain = sign.replace("\\", "")
    return (
        codes_of(plain)
        or codes_of(plain[:_CODE].upper())
        or codes_of(plain[-1] if plain[-1] in symbols() else "dollars")
    )


def _pattern_of_sign(sign: str) -> str:
    """Return the expression of a sign, with points between its letters or without."""
    letters = map(re.escape, sign)
    return "(?i:" + r"\.?".join(letters) + ")" if len(sign) > 1 else re.escape(sign)


def in_dollars(
    text: str, currency: str, decimal: str = "?", *, by_blanks: bool = False
) -> tuple[str, list[tuple[int, int]]]:
    """Write `52,76 €` as `$52.76`, and return also where each character of the result stood.

    An amount with two readings stays as it is: `3 € 5`, and `1.299 €` where neither `decimal` nor another amount of the text tells the decimal mark.
    Where amounts have a decimal comma, stars may have one too: `4,7/5`. `by_blanks` tells that the shop's language groups digits by
    blanks, and `1 299 zł` then has one reading.
    """
    names = "|".join(map(_pattern_of_sign, (currency, *signs_of(currency))))
    spelled = rf"(?i:{any_word_pattern(names_of(currency))})(?!\w)" if names_of(currency) else "(?!)"
    if by_blanks:
        grouped = rf"(?<!\w{_SPACE})(?<![\w.,/=&?])\d{{1,3}}(?:{_SPACE}\d{{3}})+(?=(?:,\d\d)?{_SPACE}?(?:{names})(?!\w))"
        text = re.sub(grouped, lambda found: re.sub(_SPACE, "\u00a0", found[0]), text)
    amount = re.compile(
        rf"(?<![\w.,/=&?])(?<!\d{_SPACE})(?:(?:{names})\.?{_SPACE}?(?P<behind>{_DIGITS})(?P<no_cents>{NO_CENTS})?(?!\w|[.,]?\d|{_SPACE}\d{{3}}(?!\d))"
        rf"|(?P<before>{_DIGITS})(?:(?P<none>{NO_CENTS})?{_SPACE}?(?:(?:{names})(?!\w|{_SPACE}?\d)|{spelled}{_ENDED})"
        rf"|(?<=[.,]\d\d){_SPACE}?{spelled}|(?P<alone>[,/]-){_ENDED}))|(?<=\()(?P<own>{names})(?=\))"
    )
    found = list[tuple[Place, str, bool]]()
    for match in amount.finditer(text):
        written = match["behind"] or match["before"] or ""
        digits = with_cents(written, match["no_cents"] or match["none"] or match["alone"] or "")
        found.append((match.span(), digits, digits != written))
    known = {decimal_mark(digits) for _, digits, _ in found} - {"", "?"}
    one_mark = next(iter(known)) if len(known) == 1 else decimal if decimals_of(currency) else ""
    if one_mark == ",":
        text = _STARS.sub(r"\1.\2", text)
    parts, stood, last = list[str](), list[tuple[int, int]](), 0
    for (start, end), digits, whole in found:
        mark = decimal_mark(digits).replace("?", one_mark)
        if not digits:  # the currency alone, in brackets behind a label
            parts += text[last:start], "$"
            stood += [*((k, k + 1) for k in range(last, start)), (start, end)]
            last = end
            continue
        plain = "".join("." if c == mark else c if c.isdigit() else "," for c in digits)
        if not _PLAIN.fullmatch(plain) and is_well_grouped(plain.partition(".")[0]):
            plain = plain.replace(",", "")
        if whole and is_well_grouped(plain[:-3]):
            plain = plain[:-3]
        if mark != "?" and _PLAIN.fullmatch(plain):
            parts += text[last:start], f"${plain}"
            stood += [*((k, k + 1) for k in range(last, start)), *[(start, end)] * (len(plain) + 1)]
            last = end
    return "".join((*parts, text[last:])), [*stood, *((k, k + 1) for k in range(last, len(text) + 1))]
