"""Reads dates with a month's name as languages write them, and knows languages by name.

`written_dates.json` has the forms, the months that several languages share, and the names; `python -m benchmarks.locales` makes it from Unicode CLDR.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from drr.wording.currencies import month_of

FILE = Path(__file__).with_name("written_dates.json")
_PARTS = {
    "y": r"(?P<year>\d{4})",
    "d": r"(?P<day>\d{1,2})",
    "M": r"(?P<month>\d{1,2})",
    "MMM": r"(?P<name>[^\W\d_]+)\.?",
}
_SIGN = re.compile(r"y+|d+|M+|'[^']*'|\s+|.")


def month_in(name: str, language: str | None) -> int | None:
    """Return a month's number by its name. Of a name that languages give to different months, the shop's language tells which."""
    shared: dict[str, int] = _known()["shared"].get(name.casefold(), {})
    return shared.get(language or "") or month_of(name)


def named_date(text: str, language: str | None) -> tuple[int, int, int] | None:
    """Return the year, month and day of a date such as `2024 m. sausio 5 d.`, `None` for any other text."""
    found = next(filter(None, (form.fullmatch(text) for form in _forms())), None)
    parts = found.groupdict() if found else {}
    month = month_in(parts["name"], language) if "name" in parts else int(parts.get("month", 0))
    return (int(parts["year"]), month, int(parts["day"])) if month else None


def language_named(name: str) -> str | None:
    """Return a language's code by its name in English or in itself."""
    code: str | None = _known()["languages"].get(name.casefold())
    return code


@cache
def _known() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile("".join(map(_part, _signs(form)))) for form in _known()["forms"])


def _signs(form: str) -> Iterator[str]:
    return (found[0] for found in _SIGN.finditer(form))


def _part(sign: str) -> str:
    """Return the regular expression for one sign of a form."""
    if sign[0] in "ydM":
        return _PARTS[sign[:3] if sign[0] == "M" and sign != "MM" else sign[0]]
    return r"\s+" if sign.isspace() else re.escape(sign.strip("'"))
