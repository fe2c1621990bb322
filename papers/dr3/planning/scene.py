"""The scene that the intents draw from. It is who and what a case is about, and the small forms of its facts."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from drr.papers.dr3.case import MADE, FileForm, HeldMake, NamedThing
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.planning.kinds import Range, ThingKind, kind_of
from drr.papers.dr3.reckoning import comes_out_even
from drr.papers.dr3.values import long_date

TABLE: tuple[FileForm, ...] = ("order_history", "budget", "comparison", "measurements")
PICTURE: tuple[FileForm, ...] = ("till_slip", "photo", "label", "sketch")


@dataclass(frozen=True)
class FileSlot:
    """A fact of a file before it has one. A date is written as its carrier writes dates."""

    attribute: str
    subject: str
    value: str | date
    text: str
    """Text with `{value}`; at most twelve words with the value in it."""
    label: str
    sentence: str
    """Words of the shopper or the seller, with `{value}`."""
    carriers: tuple[FileForm, ...]


@dataclass(frozen=True)
class PageSlot:
    """A fact of pages."""

    attribute: str
    subject: str
    value: str
    text: str


@dataclass(frozen=True)
class AnswerPart:
    """One part of an answer before its facts have ids."""

    key: str
    """Key of `reckoning.PARTS`, whose rule combines the facts."""
    slots: tuple[FileSlot, ...]
    page: PageSlot


@cache
def _rows() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the rows of `parts.toml`: under `file` by attribute, under `page` by part."""
    with (Path(__file__).parent / "parts.toml").open("rb") as file:
        return tomllib.load(file)


@dataclass(frozen=True, kw_only=True)
class CaseScene:
    """Everything is drawn from `rng`, so a seed gives a case."""

    rng: Random
    owned: NamedThing
    rival: NamedThing | None
    seller: str
    state: str | None
    place: str
    bought: date
    today: date
    paid: str
    opened: date
    """First use of a supply, some days after the purchase."""
    since: date
    """First day of the month from which the terms for the purchase hold."""
    shipped: bool
    """Sent by a carrier, so that no till printed a slip."""
    earlier_make: HeldMake | None = None

    @property
    def kind(self) -> ThingKind:
        return kind_of(self.owned.noun)

    @property
    def rival_kind(self) -> ThingKind:
        assert self.rival is not None
        return kind_of(self.rival.noun)

    @property
    def called(self) -> str:
        """Name what is owned, as files call it. Its maker's name is added where another maker's stands beside it."""
        return self.owned.called if self.rival is None else self.owned.name

    @property
    def _words(self) -> dict[str, object]:
        rival = self.rival
        return {
            "name": self.owned.name,
            "brand": self.owned.brand,
            "called": self.called,
            "Called": capital(self.called),
            "rival": rival.name if rival else "",
            "rival_brand": rival.brand if rival else "",
            "seller": self.seller,
            "place": self.place,
            "sold": f", sold from {self.since:%B %Y}",
            "month": f"{self.since:%m/%Y}",
        }

    def attribute(self, key: str, **words: object) -> str:
        """Return the attribute of the page that decides a part."""
        return str(_rows()["page"][key]["attribute"]).format(**self._words, **words)

    def part(self, key: str, *slots: FileSlot, **words: object) -> AnswerPart:
        """Make a part of facts of files and that of a page."""
        row, known = _rows()["page"][key], {**self._words, **words}
        known["subject"] = subject = row.get("subject", "{name}").format(**known)
        texts = (row[name].format(**known) for name in ("value", "text"))
        return AnswerPart(key, slots, PageSlot(self.attribute(key, **words), subject, *texts))

    def file(
        self, attribute: str, value: str | date, *first: FileForm, subject: str = "", **words: object
    ) -> FileSlot:
        """Make a fact of a file, with carriers that stand `first` and those of its row. Papers that do not come with things of the sort are none."""
        row, known = _rows()["file"][attribute], {**self._words, **words, "value": "{value}"}
        known["subject"] = subject = subject or row.get("subject", "{name}").format(**known)
        kind = self.rival_kind if self.rival is not None and subject == self.rival.name else self.kind
        without = [*([] if kind.manual else ["manual"]), *([] if kind.plate else ["warranty"])]

        def drawn(ways: str | list[str]) -> str:
            return (ways if isinstance(ways, str) else self.rng.choice(ways)).format(**known)

        return FileSlot(
            attribute.format(**known),
            subject,
            value,
            row["text"].format(**known),
            drawn(row["label"]),
            drawn(row["said"]),
            tuple(form for form in (*first, *row["carriers"]) if form not in without),
        )

    @property
    def _till(self) -> tuple[FileForm, ...]:
        return () if self.shipped else ("receipt", "till_slip")

    @property
    def day_of_purchase(self) -> FileSlot:
        return self.file("purchase date", self.bought, *self._till)

    @property
    def price_paid(self) -> FileSlot:
        return self.file("price paid", self.paid, *self._till)

    def slot_of_make(self) -> FileSlot:
        """Return the slot of when what is asked about was made."""
        assert self.earlier_make is not None
        forms: tuple[FileForm, ...] = ("photo", "label", "notes", "mail")
        whose = f"regular pack of the {self.owned.called} that I have"
        if self.rival is not None:
            forms, whose = (
                ("saved_page", "comparison", "mail", "notes"),
                f"{self.earlier_make.subject} that I could get",
            )
        return self.file(
            MADE, self.earlier_make.value, *forms, subject=self.earlier_make.subject, whose=whose
        )

    def term(self, key: str, **words: object) -> int:
        """Choose a term of sale, as people know them."""
        return self.rng.choice(stock().statement(self.attribute(key, **words))[0].among)

    def share(self, key: str) -> int | None:
        """Choose a share of what was paid, one that comes out even; `None` where there is none."""
        paid, among = dollars(self.paid), stock().statement(self.attribute(key))[0].among
        even = [one for one in among if comes_out_even(paid, one)]
        return self.rng.choice(even) if even else None

    def amount(self, within: Range) -> float:
        """A figure that no one would guess, as it is never round."""
        low, high = round(within[0] * 10), round(within[1] * 10)
        while True:
            figure = self.rng.randint(low, high) / 10
            if figure != round(figure):
                return figure

    def beside(self, value: float, less: Range, more: Range) -> float:
        """Another figure, below or above, not so near that it could be an error of measuring."""
        low, high = less if self.rng.random() < 0.5 else more
        return round(value + self.rng.uniform(low, high), 1)


def slashed(day: date) -> str:
    return f"{day:%m/%d/%Y}"


def written(value: str | date, form: FileForm) -> str:
    if isinstance(value, str):
        return value
    return value.isoformat() if form in TABLE else slashed(value) if form == "till_slip" else long_date(value)


def dollars(text: str) -> float:
    return float(text.strip("$").replace(",", ""))


def capital(text: str) -> str:
    """The first letter alone: `LED lamp` keeps its other capitals."""
    return text[:1].upper() + text[1:]
