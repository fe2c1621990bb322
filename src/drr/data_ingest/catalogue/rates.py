"""Finds the one currency of a shop, and what its sources' other currencies are worth in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated

from drr.env.errors import DrrError
from drr.env.json_object import JsonObject
from drr.env.shop import NO_CURRENCY
from drr.wording.currencies import codes_of, decimals_of, is_code, known_code, readings_in
from pydantic import BaseModel, ConfigDict, Field, model_validator

Codes = tuple[str, ...]
"""The currencies that a sign can stand for; empty without a sign."""
_SHOWN = 4
"""Most currencies that a message names."""
_SAY = "say which in the mapping (--map FILE): [products] currency ="


class DatedRates(BaseModel):
    """The mapping's table of what one unit of other currencies is worth in the shop's, on a day."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[float, Field(ge=1e-9, le=1e9, strict=True)]] = Field(init=False)

    base: str
    """The shop's currency."""
    date: date

    @model_validator(mode="after")
    def _known(self) -> DatedRates:
        for code in self.worth:
            known_code(code)
        return self

    @property
    def worth(self) -> Mapping[str, float]:
        return {self.base: 1.0, **self.__pydantic_extra__}


@dataclass(frozen=True)
class ShopMoney:
    """The currency of a shop, and how prices of its sources become prices in it."""

    alone: str | None
    """The currency of a price that stands alone; `None` where no price is known."""
    worth: Mapping[str, float]
    """The value of one unit of each currency that is kept."""
    rates: DatedRates | None = None
    language: str | None = None
    untold: bool = False
    """True if there are prices, and nothing tells their currency."""
    _known: dict[Codes, float | None] = field(default_factory=dict, compare=False)

    def check(self) -> None:
        """Raise `DrrError` where the mapping must say the currency. Columns that are not read are told before."""
        if self.untold:
            raise DrrError(f'prices bear no sign of a currency; {_SAY} "USD", or another code')

    @property
    def own(self) -> str:
        """Return the shop's currency: that of its rates, else that of its prices. A rate without a day makes dollars."""
        if self.rates is not None:
            return self.rates.base
        return self.alone if self.alone and self.worth[self.alone] == 1 else "USD"

    def worth_of(self, codes: Codes) -> float | None:
        """Return what one unit of a price's currency is worth; `None` for a currency that is not kept."""
        if codes not in self._known:
            there = _among(codes or tuple(filter(None, [self.alone])), self.worth, self.language)
            self._known[codes] = self.worth[there[0]] if there else None if codes else 1.0
        return self._known[codes]

    def price(self, value: float | None, codes: Codes) -> float | None:
        """Return a price in the shop's currency."""
        worth = self.worth_of(codes)
        return value if value is None or worth in (None, 1) else round(value * worth, decimals_of(self.own))

    def recipe(self) -> JsonObject:
        """Return what the manifest keeps."""
        if self.rates is None:
            return {"currency": self.alone or NO_CURRENCY, "rate": self.worth.get(self.alone or "", 1.0)}
        kept = {"base": self.own, "date": self.rates.date.isoformat(), **self.rates.__pydantic_extra__}
        return {"currency": self.own, "rate": 1.0, "rates": kept}


def shop_money(
    found: Counter[Codes],
    stated: str | None,
    rate: float | None,
    rates: DatedRates | None,
    language: str | None,
) -> ShopMoney:
    """Find a shop's currency. `found` counts its prices by what their sign can stand for.

    Raises `DrrError` where nothing tells the currency, or a sign has several readings.
    """
    alone = None if stated is None else _only(readings_in(language, codes_of(stated) or (stated,)))
    signs = {codes: count for codes, count in found.items() if codes}
    if rates is None:
        alone = alone or _shared(signs, language)
        worth = {} if alone is None else {alone: rate or 1.0}
        return ShopMoney(alone, worth, language=language, untold=alone is None and bool(found))
    if rate is not None:
        raise DrrError("the mapping has [rates] and [products] rate; leave the second out")
    for codes in [*signs, (alone or rates.base,)]:
        if not (there := _among(codes, rates.worth, language)):
            raise DrrError(
                f"prices in {_named(codes)} have no rate; the mapping's [rates] must say it: {_named(codes)} = 1.08"
            )
        _only(there)
    return ShopMoney(alone or rates.base, rates.worth, rates, language)


def _shared(signs: Mapping[Codes, int], language: str | None) -> str | None:
    """Return the one currency that all signs can stand for; `None` without a sign."""
    readings = [readings_in(language, codes) for codes in signs]
    shared = tuple(code for code in readings[0] if all(code in one for one in readings)) if readings else ()
    if shared or not readings:
        return _only(shared) if shared else None
    counts = Counter[str]()
    for codes, count in zip(readings, signs.values(), strict=True):
        counts[_named(codes)] += count
    base, other = (name for name, _ in counts.most_common(2))
    raise DrrError(
        f"products have {len(counts)} values of currency: {', '.join([*counts][:_SHOWN])}. The mapping (--map FILE) must "
        f'say the worth of one unit, line by line: [rates] base = "{base}", date = 2026-01-31, {other} = 1.08. '
        f'To keep one of them: [products] currency = "{base}"'
    )


def _among(codes: Codes, worth: Mapping[str, float], language: str | None) -> Codes:
    there = tuple(code for code in codes if code in worth)
    return readings_in(language, there) if len(there) > 1 else there


def _only(codes: Codes) -> str:
    """Return the currency of a sign; raise `DrrError` for a sign of several, and for a word that is none."""
    if len(codes) > 1:
        more = f" and {len(codes) - _SHOWN} others" if len(codes) > _SHOWN else ""
        raise DrrError(f'prices have a sign of {_listed(codes)}{more}; {_SAY} "{codes[0]}"')
    if not is_code(codes[0]):
        raise DrrError(f'the currency is told by a word that is no code; {_SAY} "EUR", or another code')
    return codes[0]


def _listed(codes: Sequence[str]) -> str:
    return f"{', '.join(codes[:-1])} and {codes[-1]}" if len(codes) <= _SHOWN else ", ".join(codes[:_SHOWN])


def _named(codes: Codes) -> str:
    """Return a currency that a message may repeat: no other cell's content is shown."""
    return next((code for code in codes if is_code(code)), "...")
