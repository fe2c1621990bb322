"""Amounts of US dollars, as people write them and as we set them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from drr.wording.hedges import HEDGES, Hedges
from drr.wording.numbers import WHOLE, number
from drr.wording.tolerance import money_slack
from drr.wording.vocabulary import Wordbook, vocabulary


@dataclass(frozen=True, slots=True)
class MoneyAmount:
    value: float
    start: int
    """Where it is hedged, its hedge begins here."""
    end: int
    whole: bool
    """Written without cents."""
    approx: bool

    @property
    def tolerance(self) -> float:
        return money_slack(whole=self.whole or self.approx)

    def equals(self, other: float) -> bool:
        return abs(self.value - other) <= self.tolerance


class MoneyReader:
    def __init__(self, words: Wordbook, hedges: Hedges) -> None:
        signs = "|".join(
            rf"\b{re.escape(sign)}" if sign[0].isalpha() else re.escape(sign) for sign in words["before"]
        )
        figure = rf"{WHOLE}(?:\.\d{{1,2}})?"
        self.expression = re.compile(
            rf"(?P<approx>{hedges.near})?(?P<sign>{signs})\s?(?P<value>{figure})(?P<k>(?:{words.either('thousands')})\b)?"
            rf"(?![\d,]{{0,24}}\d)(?P<plus>\+)?"
            rf"|(?<![\w$.,])(?P<words>{figure})\s?(?:{words.either('after')})\b",
            re.I,
        )

    def amounts(self, text: str, start: int = 0, end: int | None = None) -> Iterator[MoneyAmount]:
        for match in self.expression.finditer(text, start, len(text) if end is None else end):
            yield _amount(match)

    def at(self, text: str, position: int) -> MoneyAmount | None:
        """The amount that begins at a place."""
        match = self.expression.match(text, position)
        return None if match is None else _amount(match)


def _amount(match: re.Match[str]) -> MoneyAmount:
    written = match["value"] or match["words"]
    return MoneyAmount(
        number(written) * (1000 if match["k"] else 1),
        match.start(),
        match.end(),
        "." not in written,
        bool(match["approx"] or match["plus"]),
    )


MONEY = MoneyReader(vocabulary("money"), HEDGES)


def amounts(text: str, start: int = 0, end: int | None = None) -> list[MoneyAmount]:
    """Every amount of a stretch of text."""
    return list(MONEY.amounts(text, start, end))


def money(amount: Decimal | float) -> str:
    return f"${amount:,.2f}"
