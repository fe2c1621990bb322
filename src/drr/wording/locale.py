"""Reads what rules look for in a report of another language: `Preis: 45,90 €` as `Price: $45.90`, `20. Juli 2019` as `2019-07-20`.

A file of `locales` has a language's words; `python -m benchmarks.locales` makes them. The language is set, never guessed.
"""

from __future__ import annotations

import calendar
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from drr.wording.currency import Currency
from drr.wording.vocabulary import any_word_pattern

FOLDER = Path(__file__).parent / "locales"
Place = tuple[int, int]
Reader = Callable[[re.Match[str]], str]

_SIGN = r"(?:[^\W\d_]{0,3}[€$£¥₹₺₩฿]|[^\W\d_]{2,3}\b)"
_AMOUNT = rf"(?:{_SIGN}\s?\d[\d.,\u00a0\u202f]{{0,12}}(?<=\d)|\d[\d.,\u00a0\u202f]{{0,12}}\s?{_SIGN})"
"""An amount with a sign, or with two or three letters as a currency has: `zł`, `R$`, `Kč`, `CHF`."""


class Locale:
    """The words of one language, and where a report has them."""

    def __init__(self, words: dict[str, Any]) -> None:
        def some(*names: str) -> str:
            return any_word_pattern(word for name in names for word in words[name])

        def labels(english: str) -> str:
            return any_word_pattern(word for word, name in words["labels"].items() if name == english)

        self._months = words["months"]
        self._english = {
            word.casefold(): english for name in ("labels", "states") for word, english in words[name].items()
        }
        lead = r"(?:^|\||[;,·–—(]\s)[ \t>*_#+•:-]*(?:\d{1,3}[.)]\s[*_]*)?"
        count = r"\d{1,3}(?:[.\u00a0\u202f ]\d{3})+|\d{1,7}"
        rated = rf"(?P<count>{count})\s(?:{some('ratings')})\b"
        stars = rf"(?:(?P<label>{labels('Rating')})\s(?=[0-5][.,]\d))?(?P<stars>[0-5](?:[.,]\d{{1,2}})?)(?:\s?(?P<of>{some('of_five')}|/\s?5)(?!\w))?(?:\s?(?P<named>{some('stars')})\b)?"
        year = r"\.?\s(?:de\s)?(?P<year>\d{4})\b"
        forms: list[tuple[str, Reader]] = [
            (rf"(?<![\w.])(?P<day>\d{{1,2}})\.?\s(?:de\s)?(?P<month>{any_word_pattern(self._months)}){year}", self._date),
            (r"(?<![\w.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})\b", self._date),
            (rf"(?<![\w.])(?P<day>\d{{1,2}})\.?\s(?:de\s)?(?P<month>{any_word_pattern(list(self._months)[:12])})\b(?!\.?\s(?:de\s)?\d)", self._day),  # no short names: `1 set`
            (rf"(?:^|(?<=[.!]\s))[ >*_#•+-]*(?P<it>{some('lives')})(?=\s)", lambda _: "You live in"),
            (rf"{lead}(?P<it>{some('labels')})(?=[*_]{{0,3}}\s?(?:[:|]|[–—-]\s|\([^()\n]{{1,20}}\)\s?[:|]|$))", self._word),
            (rf"(?<![\w-])(?P<it>{labels('Order date')})(?=\s\d{{1,2}}[.\s])", lambda _: "ordered on"),
            (rf"(?<![\w-])(?P<it>{some('states')})(?![\w-])", self._word),
            (rf"(?<![\w.,]){stars}(?:\s?(?P<from>\(|[,·]\s|{some('from')})\s?{rated})?(?!\w|,\d)", self._rating),
            (rf"(?<![\w.,]){rated}", lambda found: f"{_digits(found['count'])} ratings"),
            (rf"(?:{labels('Ratings')})[*_]{{0,3}}\s?:[*_]{{0,3}}\s(?P<it>{count})(?!\w|[.,]\d)", lambda found: _digits(found["it"])),
            (rf"(?<![\w-])(?P<it>{labels('Price')})(?=\s{_AMOUNT})", lambda _: "price"),
            (rf"(?<![\w-])(?P<it>{some('now')})(?=\s(?:{_AMOUNT}|[0-5][.,]\d))", lambda _: "now"),
            (rf"{_AMOUNT}\s(?P<it>{some('now')})(?![\w-])", lambda _: "now"),
            (rf"\b(?P<it>(?:{some('order')}|{labels('Order')})(?:\sN(?:[r°ºo]|\.º)\.?)?)(?=\s#?[A-Z0-9-]*\d)", lambda _: "order"),
            (rf"\b(?P<it>{some('of')})(?=\s\d{{1,2}}(?:[.\s]|-[^\W\d]))", lambda _: "of"),
            (rf"\b(?P<it>{some('on')})(?=\s\d{{1,2}}(?:[.\s]|-[^\W\d]))", lambda _: "on"),
            (rf"\b(?P<it>{some('whole')})\b", lambda _: "in total"),
            (rf"(?<![\w-])(?P<it>{some('at')})(?=\s{_AMOUNT}\s?(?:[,.;:()\[|!?]|$))", lambda _: "at"),
            (r"(?<=\|)\s*[*_]*(?P<it>\d{1,3}(?:\.\d{3})+|\d{1,3}(?:\.\d{3})*,\d{1,2}(?:\s?\([\d.]{1,9}\))?)(?=[*_]*\s*\|)", _cell),
        ]  # fmt: skip
        low = r"(?:\$[\d,]{1,9}(?:\.\d\d?)?|\d{1,4}(?:[.,]\d\d?)?(?!\d))"
        pairs = (tuple(map(re.escape, one.split(" … "))) for one in words["range"])
        ranges = "|".join((*(rf"{one}\s{low}\s{other}" for one, other in pairs), rf"{low}\s?[-–]"))
        limit = rf"(?<![\w$.,-])(?:(?P<range>{ranges})|(?P<most>{some('most')})|(?P<least>{some('least')}))\s{{0,2}}(?=\$\d)"
        forms += [(limit, self._limit), (rf"\b(?:{some('each')})\b", lambda _: "each")]
        *self._forms, self._limits, self._each = (
            (re.compile(form, re.I | re.M), read) for form, read in forms
        )

    def english(self, text: str) -> tuple[str, list[Place]]:
        """Return the text with English words where rules look for them, and where each character stood."""
        parts, stood, last = list[str](), list[Place](), 0
        for (start, end), new in sorted(self._edits(text)):
            if start >= last:
                parts += text[last:start], new
                stood += [*((k, k + 1) for k in range(last, start)), *[(start, end)] * len(new)]
                last = end
        stood += ((k, k + 1) for k in range(last, len(text) + 1))
        return "".join((*parts, text[last:])), stood

    def limits(self, text: str) -> str:
        """Return a text whose amounts are dollars with English words where others make these the most or the least."""
        return self._limits[0].sub(self._limit, text)

    def limit_of_whole(self, text: str) -> str:
        """Return a text as `limits` does if it limits the whole alone; else the text itself."""
        found = list(self._limits[0].finditer(text))
        if len(found) != 1 or found[0]["least"] or self._each[0].search(text):
            return text
        read = self.limits(text)
        return read if read.count("$") == 1 + bool(found[0]["range"]) else text

    @staticmethod
    def _limit(match: re.Match[str]) -> str:
        if not match["range"]:
            return "up to " if match["most"] else "at least "
        low = next(word for word in re.split(r"\s|[-–]", match["range"]) if any(map(str.isdecimal, word)))
        return f"{low if low[0] == '$' else '$' + low.replace(',', '.')} to "

    def _edits(self, text: str) -> Iterator[tuple[Place, str]]:
        for form, read in self._forms:
            for match in form.finditer(text):
                place = match.span("it" if "it" in form.groupindex else 0)
                if (new := read(match)) != text[slice(*place)]:
                    yield place, new

    def _date(self, match: re.Match[str]) -> str:
        month = match["month"].casefold()
        number = int(month) if month.isdecimal() else self._months[month]
        return f"{match['year']}-{number:02d}-{int(match['day']):02d}" if number <= 12 else match[0]

    def _day(self, match: re.Match[str]) -> str:
        return f"{calendar.month_name[self._months[match['month'].casefold()]]} {int(match['day'])}"

    def _word(self, match: re.Match[str]) -> str:
        return str(self._english[match["it"].casefold()])

    def _rating(self, match: re.Match[str]) -> str:
        if not (match["label"] or match["of"] or match["named"] or match["count"]):
            return match[0]
        stars = (
            ("rating " if match["label"] else "")
            + match["stars"].replace(",", ".")
            + (" of 5" if match["of"] else "")
            + (" stars" if match["named"] else "")
        )
        if not match["count"]:
            return stars
        return f"{stars} {'(' if match['from'] == '(' else 'from '}{_digits(match['count'])} ratings"


def _digits(count: str) -> str:
    return re.sub(r"\D", "", count)


def _cell(match: re.Match[str]) -> str:
    return match["it"].replace(".", "").replace(",", ".")


@lru_cache(maxsize=8)
def locale_of(language: str | None) -> Locale | None:
    """Return the words of a language, told by its code; `None` for English and for one without a file."""
    file = FOLDER / f"{language}.json"
    return Locale(json.loads(file.read_text("utf-8"))) if file.is_file() else None


def stated_limits(text: str, money: Currency, *, of_whole: bool = False) -> str:
    """Write a text's amounts as dollars and what limits them in English: `unter 30 €` as `up to $30`."""
    words, dollars = locale_of((money.language or "").partition("-")[0]), money.stated(text)
    if words is None:
        return dollars
    return words.limit_of_whole(dollars) if of_whole else words.limits(dollars)
