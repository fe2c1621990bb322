"""Reads and writes amounts of US dollars, and those of a shop that sells in another currency."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from drr.wording.figures import (
    HEDGES,
    NUMBER_WORDS,
    SMALL,
    SPOKEN,
    TENS,
    WHOLE,
    Hedges,
    money_slack,
    number,
    written_number,
)
from drr.wording.vocabulary import Wordbook, any_word_pattern, first_letters, vocabulary


@dataclass(frozen=True, slots=True)
class MoneyAmount:
    value: float
    start: int
    """The position where the amount begins, with its hedge if it has one."""
    end: int
    whole: bool
    """True if the amount is written without cents."""
    approx: bool
    finer: float | None = None
    """Half of the last place shown, if that is less than a cent: `11.7 cents`."""

    @property
    def tolerance(self) -> float:
        if self.finer is not None and not self.approx:
            return self.finer
        return money_slack(whole=self.whole or self.approx)

    def equals(self, other: float) -> bool:
        return abs(self.value - other) <= self.tolerance


_NO_LETTERS = "".join(
    rf"(?-i:(?<!(?<![A-Za-z]){'(?!USD?)' if many > 1 else ''}[A-Z]{{{many}}}{escape}))"
    for many in (1, 2, 3)
    for escape in ("", r"\\")
)
"""The condition before a dollar sign: one to three capitals make it another country's, `C$`, `HK$`, unless they are those of the US."""


_CODE = 3
"""Letters in a currency's code."""


class MoneyReader:
    def __init__(self, words: Wordbook, hedges: Hedges) -> None:
        codes = [one for one in words["foreign"] if len(one) == _CODE]
        no_code = rf"(?-i:(?<!\b(?:{'|'.join(codes)})\s))" if codes else ""
        signs = "|".join(
            rf"\b{re.escape(sign)}" if sign[0].isalpha() else rf"{no_code}{_NO_LETTERS}{re.escape(sign)}"
            for sign in words["before"]
        )
        foreign = rf"(?!(?:\.\d{{1,4}})?k?\s?\(?(?-i:{words.either('foreign')})\b)"
        figure = rf"{WHOLE}(?:\.\d{{1,4}})?"
        firsts = first_letters((*hedges.firsts, *words["before"]))
        self.expression = re.compile(
            rf"(?=[\d{firsts}])(?:(?P<approx>{hedges.near})?(?P<sign>{signs})\s?(?P<value>{figure})(?P<k>(?:{words.either('thousands')})\b)?"
            rf"(?![\d,]{{0,24}}\d){foreign}(?P<plus>\+)?"
            rf"|(?<![\w$.,])(?P<words>{figure})\s?(?:{words.either('after')})\b)",
            re.I,
        )

    def amounts(self, text: str, start: int = 0, end: int | None = None) -> Iterator[MoneyAmount]:
        for match in self.expression.finditer(text, start, len(text) if end is None else end):
            yield _amount(match)

    def at(self, text: str, position: int) -> MoneyAmount | None:
        """Return the amount that begins at a position, or `None`."""
        match = self.expression.match(text, position)
        return None if match is None else _amount(match)


def _amount(match: re.Match[str]) -> MoneyAmount:
    written = match["value"] or match["words"]
    places = len(written.partition(".")[2])
    return MoneyAmount(
        number(written) * (1000 if match["k"] else 1),
        match.start(),
        match.end(),
        "." not in written,
        bool(match["approx"] or match["plus"]),
        0.5 * 10**-places + 1e-9 if places > _CENTS else None,
    )


_CENTS = 2
"""Decimal places of an amount to the cent."""


def sign_first(text: str) -> str:
    """Write `40$` as `$40`."""
    return re.sub(r"(?<![\w$.,])(\d[\d,.]{0,12})\$(?![\w$])", r"$\1", text)


class SpokenMoneyReader:
    """Reads amounts without a dollar sign: `26¢`, `32c/ft`, `58 cents`, `forty-one dollars`, `five dollars and two cents`."""

    def __init__(self, words: Wordbook, hedges: Hedges) -> None:
        cents, whole = words.either("cents"), rf"(?:{SPOKEN}|\d{{1,3}})"
        firsts = first_letters((*hedges.firsts, *NUMBER_WORDS))
        self.expression = re.compile(
            rf"(?=[\d{firsts}])(?P<approx>{hedges.near})?(?<![\w$.,])(?:(?P<dollars>{SPOKEN}|an?(?=\s))[\s-](?:{words.either('after')})\b"
            rf"(?:\s(?P<tens>(?:{any_word_pattern(TENS)})(?:[\s-](?:{any_word_pattern(SMALL)}))?)(?!\s?(?:{words.either('cents')}|[a-z]*-)))?"
            rf"(?:\sand\s(?P<odd>{whole}|a(?=\s))\s?(?:{cents})(?!\w))?"
            rf"|(?P<cents>{SPOKEN}|\d{{1,3}}(?:\.\d{{1,2}})?)(?:[\s-]?(?:{cents})(?!\w)|(?<=\d)c(?=\s?/|\s(?:a|an|per|each)\b)))",
            re.I,
        )

    def amounts(self, text: str) -> Iterator[MoneyAmount]:
        for match in self.expression.finditer(text):
            approx = bool(match["approx"])
            if match["dollars"]:
                odd = _plain(match["odd"] or match["tens"]) / 100 if match["odd"] or match["tens"] else 0.0
                value = _plain(match["dollars"]) + odd
                yield MoneyAmount(value, *match.span(), not odd, approx)
            else:
                places = len(match["cents"].partition(".")[2])
                finer = 0.5 * 10 ** -(places + 2) + 1e-9 if places else None
                yield MoneyAmount(_plain(match["cents"]) / 100, *match.span(), False, approx, finer)


def _plain(written: str) -> float:
    if written.casefold() in ("a", "an"):
        return 1.0
    return written_number(written)


MONEY = MoneyReader(vocabulary("money"), HEDGES)


def amounts(text: str, start: int = 0, end: int | None = None) -> list[MoneyAmount]:
    """Return every amount with a dollar sign in a part of the text."""
    return list(MONEY.amounts(text, start, end))


_SPOKEN = SpokenMoneyReader(vocabulary("money"), HEDGES)
_ANY = re.compile(rf"\d|{vocabulary('money').either('after', 'cents')}", re.I)
"""A digit or the name of a currency, one of which every amount has."""


def every_amount(text: str) -> list[MoneyAmount]:
    """Return every amount in a text, also those in cents and in words. If two overlap, the one with the sign is kept."""
    if _ANY.search(text) is None:
        return []
    written = amounts(text)
    ends = [one.end for one in written]
    apart = (one for one in _SPOKEN.amounts(text) if _is_apart(one, written, ends))
    return sorted([*written, *apart], key=lambda one: one.start)


def dollar_amounts(text: str) -> list[MoneyAmount]:
    """Return every amount of a dollar and more, also in words. A smaller one is the cost of a piece and never a purchase's limit."""
    return [one for one in every_amount(text) if one.value >= 1]


def _is_apart(one: MoneyAmount, written: list[MoneyAmount], ends: list[int]) -> bool:
    after = bisect_right(ends, one.start)
    return after == len(written) or written[after].start >= one.end


def money(amount: Decimal | float) -> str:
    return f"${amount:,.2f}"


SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_DIGITS = r"\d(?:[\d.,'\u2019\u00a0\u202f]{0,14}\d)?"
_SPACE = r"[^\S\n]"
"""A space within a line: the number of the next item is none of the amount's."""
_PLAIN = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,2})?")


_STARS = re.compile(r"(?<![\w.,\[/])([0-5]),(\d{1,2})(?=\s{0,9}(?:/\s?5(?!\d)|stars?\b|[★⭐]|\|))")


def decimal_mark(number: str) -> str:
    """Return the decimal mark of a number in digits: empty without one, `?` where it could be either."""
    marks = [c for c in number if c in ".,"]
    if not marks:
        return ""
    if len(marks) > 1:
        return marks[-1] if len(set(marks)) > 1 else "," if marks[0] == "." else "."
    digits = number.rpartition(marks[0])[2]
    return "?" if len(digits) == 3 and digits.isdigit() else marks[0]


def in_dollars(text: str, currency: str) -> tuple[str, list[tuple[int, int]]]:
    """Write `52,76 €` as `$52.76`, and return also where each character of the result stood.

    An amount with two readings stays as it is: `3 € 5`, and `1.299 €` where no other amount of the text tells the decimal mark.
    Where amounts have a decimal comma, stars may have one too: `4,7/5`.
    """
    names = "|".join(
        re.escape(one) for one in (currency, *(sign for sign in SIGNS if SIGNS[sign] == currency))
    )
    amount = re.compile(
        rf"(?<![\w.,/=&?])(?<!\d{_SPACE})(?:(?:{names}){_SPACE}?(?P<behind>{_DIGITS})(?!\w|[.,]?\d|{_SPACE}\d{{3}}(?!\d))"
        rf"|(?P<before>{_DIGITS}){_SPACE}?(?:{names})(?!\w|{_SPACE}?\d))|(?<=\()(?P<own>{names})(?=\))"
    )
    found = [(match.span(), match["behind"] or match["before"] or "") for match in amount.finditer(text)]
    known = {decimal_mark(digits) for _, digits in found} - {"", "?"}
    one_mark = next(iter(known)) if len(known) == 1 else "?"
    if one_mark == ",":
        text = _STARS.sub(r"\1.\2", text)
    parts, stood, last = list[str](), list[tuple[int, int]](), 0
    for (start, end), digits in found:
        mark = decimal_mark(digits).replace("?", one_mark)
        if not digits:  # the currency alone, in brackets behind a label
            parts += text[last:start], "$"
            stood += [*((k, k + 1) for k in range(last, start)), (start, end)]
            last = end
            continue
        plain = "".join("." if c == mark else c if c.isdigit() else "," for c in digits)
        if mark != "?" and _PLAIN.fullmatch(plain):
            parts += text[last:start], f"${plain}"
            stood += [*((k, k + 1) for k in range(last, start)), *[(start, end)] * (len(plain) + 1)]
            last = end
    return "".join((*parts, text[last:])), [*stood, *((k, k + 1) for k in range(last, len(text) + 1))]
