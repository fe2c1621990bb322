"""Writes amounts in a shop's own currency, as people of its language write them.

`currencies.json` has the patterns, marks and signs; `python -m benchmarks.locales` makes it from Unicode CLDR.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from drr.wording.currencies import amount_forms, decimals_of, signs_of
from drr.wording.money import in_dollars, money, without_foreign


@dataclass(frozen=True)
class Currency:
    """A shop's currency, and the language that its people write amounts in."""

    code: str = "USD"
    language: str | None = None
    """A language's tag, `de` or `de-CH`; `None` where none is stated, and the code then stands behind the figure."""

    def __str__(self) -> str:
        return self.code if self.language is None else f"{self.code} {self.language}"

    def text(self, amount: Decimal | float) -> str:
        """Write an amount: `27,30 €`. Dollars are `$1,234.50` in every language, which tools and rules always read."""
        return money(amount) if self.code == "USD" else _form_of(self).text(amount)

    def as_dollars(self, text: str) -> str:
        """Write a text's amounts in this currency as `$27.30`, the form that limits and records are read in."""
        return self.read(text)[0]

    def stated(self, text: str) -> str:
        """Write amounts as dollars, and read those with two readings by the marks of the shop's language: `1.299 €`."""
        if self.code == "USD" and (self.language or "en").partition("-")[0] == "en":
            return text
        for sign in signs_of(self.code):
            if sign > _WITHOUT_SPACES and sign in text:
                text = text.replace(sign, f"{sign} ")
        form = _form_of(self)
        return in_dollars(text, self.code, form.decimal, by_blanks=form.group.isspace())[0]

    def read(self, text: str) -> tuple[str, list[tuple[int, int]] | None]:
        """Return the text with amounts as dollars, and where each of its characters stood; `None` if where it stands."""
        return (text, None) if self.code == "USD" else in_dollars(without_foreign(text, self.code), self.code)

    def from_dollars(self, text: str) -> str:
        """Write the amounts of a text that was read as dollars in this currency again."""
        if self.code == "USD":
            return text
        return _DOLLARS.sub(lambda found: self.text(Decimal(found[1].replace(",", ""))), text)

    def in_prompt(self, text: str) -> str:
        """Return a prompt's text with this currency in place of dollars."""
        return text if self.code == "USD" else self.from_dollars(text.replace("US dollars", self.code))

    @property
    def fields(self) -> dict[str, str]:
        """Return the field that names the currency beside bare numbers; without one they are dollars."""
        return {} if self.code == "USD" else {"currency": self.code}


DOLLARS = Currency()
_DOLLARS = re.compile(r"\$(\d{1,15}(?:,\d{3}){0,4}(?:\.\d{1,4})?)(?![\w.]*[\[\w])")
_WITHOUT_SPACES = "\u2e80"
"""The first sign of the scripts that write the next word right behind an amount: `3000円以下`."""
_SIGN = "\N{CURRENCY SIGN}"
"""The place of the sign in a pattern of CLDR."""


class _Form(NamedTuple):
    before: str
    after: str
    decimal: str
    group: str
    by_two: bool
    """True where only the last group has three digits, as in India."""
    decimals: int

    def text(self, amount: Decimal | float) -> str:
        whole, _, cents = f"{abs(amount):.{self.decimals}f}".partition(".")
        parts, rest = [whole[-3:]], whole[:-3]
        while rest:
            size = 2 if self.by_two else 3
            parts.append(rest[-size:])
            rest = rest[:-size]
        figure = self.group.join(reversed(parts)) + (self.decimal + cents if cents else "")
        return f"{'-' if amount < 0 else ''}{self.before}{figure}{self.after}"


@lru_cache
def _form_of(currency: Currency) -> _Form:
    forms, tag = amount_forms(), currency.language or ""
    named = tag.partition("-")[0]
    form = forms.get(tag) or forms.get(named)
    decimals = decimals_of(currency.code)
    if form is None:
        return _Form("", f" {currency.code}", ".", ",", by_two=False, decimals=decimals)
    signs = [forms[name]["signs"] for name in (tag, named, "en") if name in forms]
    sign = next((some[currency.code] for some in signs if currency.code in some), currency.code)
    by_two = "#,##,##" in form["pattern"]
    before, _, after = form["pattern"].partition("#,##,##0.00" if by_two else "#,##0.00")
    apart = " " if before == _SIGN and sign[-1].isalpha() else ""
    return _Form(
        before.replace(_SIGN, sign + apart),
        after.replace(_SIGN, sign),
        form["decimal"],
        form["group"],
        by_two,
        decimals,
    )
