"""Reads amounts in any currency, with its code or sign on either side and figures as any country writes them.

`currencies.json` has the codes, signs and names; `python -m benchmarks.locales` makes it from Unicode CLDR.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import category

FILE = Path(__file__).with_name("currencies.json")
_LARGEST = 1e15
_SHORT = 3
"""Most letters of a sign that may be another word: `den`, `mtn`."""
_AMOUNT = re.compile(
    r"(?P<before>[^\d+\u2212-]{0,16})(?:(?P<minus>[\u2212-])\s*)?(?P<between>[^\d+\u2212-]{0,16})"
    r"(?P<number>\d(?:[\d.,'’\u066b\u066c\s]*\d)?)(?P<after>\D{0,16})"
)
_BARE = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,2})?")
"""The commonest form, read without the rest."""
NO_CENTS = r"(?:[.,:][\u2013\u2014\u2212-]{1,2}|/[\u2013=-])"
"""A regular expression for the end of an amount without cents: `12,-`, `12.–`, `12:-`, `12/-`."""
_TAIL = re.compile(rf"{NO_CENTS}|[.,:]?[\u2013\u2014\u2212-]{{0,2}}")
_WHOLE = re.compile(r"\d+|\d{1,3}(?P<mark>[.,'’\u066c\s])\d{3}(?:(?P=mark)\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")
"""Digits, in groups of three or of India."""
_ARABIC = str.maketrans("\u066b\u066c", ".,")


def key_of(sign: str) -> str:
    """Return a sign as it is looked up: without blanks, points and marks of direction, in small letters. `12k` is no sum in kyat."""
    key = re.sub(r"[\s.\u200b\u200e\u200f\u061c]", "", sign)
    return key.casefold() if len(key) > 1 else key


@cache
def _known() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found


def codes_of(sign: str) -> tuple[str, ...]:
    """Return the currencies that a code, sign or name can stand for; empty if it stands for none."""
    known, key = _known(), key_of(sign)
    if key.upper() in known["codes"]:
        return (key.upper(),)
    return tuple(known["signs"].get(key) or known["names"].get(key, ()))


def is_code(word: str) -> bool:
    """Tell whether CLDR has a currency of this code, of today or of the past."""
    known = _known()
    return word in known["codes"] or word in known["others"]


def known_code(code: Any) -> str:
    """Return a currency's code. Raises `ValueError` for a word that is none."""
    if not is_code(code):
        raise ValueError(f"{str(code)[:20]!r} is no code of a currency that CLDR has, such as EUR")
    return str(code)


def readings_in(language: str | None, codes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the readings of a sign that fit a language and its region; all of them if none does.

    `£` is the pound of Great Britain wherever nothing tells another.
    """
    named, _, region = (language or "").replace("_", "-").partition("-")
    signs = amount_forms().get(named, {}).get("signs", {})
    of_language = [code for code, sign in signs.items() if {*codes} <= {*codes_of(sign)}]
    own = [_known()["regions"].get(region.upper())] if region else of_language
    found = tuple(code for code in codes if code in own)
    return found or tuple(code for code in codes if code == "GBP") or codes


def decimal_mark(number: str) -> str:
    """Return the decimal mark of a number in digits: empty without one, `?` where it could be either."""
    marks = [c for c in number if c in ".,"]
    if not marks:
        return ""
    if len(marks) > 1:
        return marks[-1] if len(set(marks)) > 1 else "," if marks[0] == "." else "."
    digits = number.rpartition(marks[0])[2]
    return "?" if len(digits) == 3 and digits.isdigit() else marks[0]


def signs_of(currency: str) -> list[str]:
    """Return the signs that stand for a currency, as they are looked up. `$` is no sign to look for."""
    return [sign for sign, codes in _known()["signs"].items() if currency in codes and sign != "$"]


@cache
def symbols() -> str:
    """Return all signs that are no letters: `$€£`."""
    return "".join(one for one in _known()["signs"] if len(one) == 1 and category(one) == "Sc")


def all_names() -> list[str]:
    """Return the words for any currency, and the signs that are words: `euros`."""
    known = _known()
    return [*known["names"], *(sign for sign in known["signs"] if sign.isalpha() and len(sign) > _SHORT)]


def names_of(currency: str) -> list[str]:
    """Return the words for a currency in English and in the languages of its countries: `rupees`."""
    return [name for name, codes in _known()["names"].items() if currency in codes]


def with_cents(number: str, end: str) -> str:
    """Write out the cents that an amount's end says it lacks: `1.299` and `,-` as `1.299,00`."""
    if end[-1:] in ("", *".,:") or end[0] not in ".,:/":
        return number
    if end[0] in ".,":
        return f"{number}{end[0]}00"
    return f"{number}{',' if '.' in number else '.'}00" if decimal_mark(number) == "?" else number


def decimals_of(currency: str | None) -> int:
    return int(_known()["decimals"].get(currency, 2))


def amount_forms() -> dict[str, Any]:
    """Return how each language writes an amount."""
    found: dict[str, Any] = _known()["forms"]
    return found


def month_of(name: str) -> int | None:
    """Return a month's number by its name in some language. A name that two languages give to different months has none."""
    found: int | None = _known()["months"].get(name.casefold())
    return found


class Price(NamedTuple):
    """An amount as written. `value` is `None` if it cannot be read; `mark` is its decimal mark, `?` for `1.299`."""

    value: float | None
    currencies: tuple[str, ...] = ()
    """Codes that its sign can stand for; empty without a sign."""
    negative: bool = False
    mark: str = ""


@lru_cache(1 << 16)
def amount_of(text: str, decimal: str) -> Price:
    """Read an amount. `decimal` has the marks that part a whole from three digits behind it; it decides nothing else."""
    if _BARE.fullmatch(text):
        return Price(float(text), mark="." if "." in text else "")
    found = _AMOUNT.fullmatch(text.strip())
    if found is None or (found["between"].strip() and (not found["minus"] or found["before"].strip())):
        return Price(None)
    after = found["after"].strip()
    end = _TAIL.match(after)[0]  # type: ignore[index]
    signs = [found["before"] + found["between"], after[len(end) :]]
    some = [codes_of(sign) for sign in signs if key_of(sign)]
    codes = tuple(code for code in (some or [()])[0] if all(code in one for one in some))
    value, mark = _figure(with_cents(found["number"], end), decimal)
    if (some and not codes) or value is None:
        return Price(None, codes, mark=mark)
    return Price(value, codes, bool(found["minus"]), mark)


def _figure(number: str, decimal: str) -> tuple[float | None, str]:
    """Return a figure's value and its decimal mark."""
    plain = number.translate(_ARABIC)
    mark = written = "." if "\u066b" in number else decimal_mark(plain)
    if mark == "?":
        mark = next(c for c in plain if c in ".,")
        if plain.startswith("0" + mark):
            written = mark
        elif mark not in decimal:
            mark = ""
    whole, cents = plain, ""
    if mark and mark in plain:
        whole, _, cents = plain.rpartition(mark)
    groups = _WHOLE.fullmatch(whole)
    if groups is None or groups["mark"] == (mark or "no") or not (cents or "0").isdigit():
        return None, written
    value = float(f"{re.sub(r'[^0-9]', '', _digits(whole))}.{_digits(cents) or 0}")
    return (value if value < _LARGEST else None), written


def is_well_grouped(figure: str) -> bool:
    """Tell whether a whole figure has no groups, groups of three, or those of India."""
    return _WHOLE.fullmatch(figure) is not None


def _digits(text: str) -> str:
    """Write digits of any script as 0 to 9."""
    return text if text.isascii() else "".join(str(int(c)) if c.isdecimal() else c for c in text)
