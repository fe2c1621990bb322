"""What the intents draw from: who and what a case is about, and the small forms of its facts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from drr.filetasks.case import FileForm, NamedThing

TEXT: tuple[FileForm, ...] = ("receipt", "invoice", "warranty", "manual", "mail", "saved_page", "notes")
TABLE: tuple[FileForm, ...] = ("order_history", "budget", "comparison", "measurements")
PICTURE: tuple[FileForm, ...] = ("till_slip", "photo", "label", "sketch")


@dataclass(frozen=True, kw_only=True)
class FileSlot:
    """A fact of a file before it has one. A date is written as its carrier writes dates."""

    attribute: str
    subject: str
    value: str | date
    text: str
    """With `{value}`; at most twelve words with the value in it."""
    label: str
    said: str
    """As the shopper or the seller would write it, with `{value}`."""
    carriers: tuple[FileForm, ...]


@dataclass(frozen=True, kw_only=True)
class PageSlot:
    """A fact of pages."""

    attribute: str
    subject: str
    value: str
    text: str


@dataclass(frozen=True, kw_only=True)
class AnswerPart:
    """One part of an answer before its facts have ids."""

    key: str
    slots: tuple[FileSlot, ...]
    pages: tuple[PageSlot]
    how: str


@dataclass(frozen=True, kw_only=True)
class CaseScene:
    """Everything is drawn from `rng`, so a seed gives a case."""

    rng: Random
    owned: NamedThing
    rival: NamedThing | None
    seller: str
    state: str | None
    bought: date
    today: date
    paid: str

    def slots_of_purchase(self) -> tuple[FileSlot, FileSlot]:
        """When it was bought and what was paid: the two that a shopper has papers of."""
        name = self.owned.name
        papers: tuple[FileForm, ...] = ("receipt", "invoice", "till_slip", "order_history", "mail")
        return (
            FileSlot(
                attribute="purchase date",
                subject=name,
                value=self.bought,
                text=f"{name}: bought on {{value}}.",
                label="Date of purchase",
                said=f"I bought the {self.owned.noun} on {{value}}.",
                carriers=papers,
            ),
            FileSlot(
                attribute="price paid",
                subject=name,
                value=self.paid,
                text=f"{name}: paid {{value}}.",
                label="Price paid",
                said=f"The {self.owned.noun} cost me {{value}} before tax.",
                carriers=(*papers, "budget"),
            ),
        )

    def amount(self, low: float, high: float, step: float = 0.1) -> float:
        """A figure that no one would guess, as it is never round."""
        while True:
            figure = round(low + step * self.rng.randrange(round((high - low) / step)), 1)
            if figure != round(figure):
                return figure


def long_date(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"


def slashed(day: date) -> str:
    return f"{day:%m/%d/%Y}"


def date_style(form: FileForm) -> str:
    if form in ("order_history", "budget", "comparison", "measurements"):
        return "iso"
    return "slashed" if form == "till_slip" else "long"


def written(value: str | date, form: FileForm) -> str:
    if isinstance(value, str):
        return value
    return {"iso": date.isoformat, "slashed": slashed, "long": long_date}[date_style(form)](value)


def months_after(day: date, months: int) -> date:
    """The same day so many months on, or the last of that month."""
    at = day.month - 1 + months
    first = date(day.year + at // 12, at % 12 + 1, 1)
    last = date(first.year + first.month // 12, first.month % 12 + 1, 1) - timedelta(days=1)
    return min(first.replace(day=1) + timedelta(days=day.day - 1), last)


def dollars(text: str) -> float:
    return float(text.strip("$").replace(",", ""))


def capital(text: str) -> str:
    """The first letter alone: `LED lamp` keeps its other capitals."""
    return text[:1].upper() + text[1:]
