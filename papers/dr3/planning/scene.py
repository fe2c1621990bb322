"""The scene that the intents draw from. It is who and what a case is about, and the small forms of its facts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from random import Random

from drr.papers.dr3.case import MADE, FileForm, HeldMake, NamedThing
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.outcomes import comes_out_even
from drr.papers.dr3.planning.kinds import Range, ThingKind, kind_of
from drr.papers.dr3.values import long_date, months_after

__all__ = [
    "PICTURE", "TABLE", "AnswerPart", "CaseScene", "FileSlot", "PageSlot", "capital", "date_style", "dollars", "long_date",
    "months_after", "slashed", "written",
]  # fmt: skip
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
    """Of `reckoning.PARTS`, which says how the facts combine."""
    slots: tuple[FileSlot, ...]
    pages: tuple[PageSlot]


@dataclass(frozen=True, kw_only=True)
class CaseScene:
    """Everything is drawn from `rng`, so a seed gives a case."""

    rng: Random
    owned: NamedThing
    rival: NamedThing | None
    seller: str
    state: str | None
    place: str
    """Where the candidate is to go."""
    bought: date
    today: date
    paid: str
    opened: date
    """Of what is used up: some days after the purchase."""
    since: date
    """From which on what was bought falls under the terms that hold for it: the first of a month."""
    shipped: bool
    """Sent by a carrier, so that no till printed a slip."""
    held: HeldMake | None = None

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
    def sold(self) -> str:
        """Return the end of attributes that are valid for purchases from a month on."""
        return f", sold from {self.since:%B %Y}"

    def slots_of_purchase(self) -> tuple[FileSlot, FileSlot]:
        """Return the slots of when it was bought and what was paid. A shopper has papers of these two."""
        name = self.owned.name
        till: tuple[FileForm, ...] = () if self.shipped else ("receipt", "till_slip")
        return (
            FileSlot(
                attribute="purchase date",
                subject=name,
                value=self.bought,
                text=f"{name}: bought on {{value}}.",
                label="Date of purchase",
                said=f"I bought the {self.called} on {{value}}.",
                carriers=(*till, "invoice", "order_history", "mail", "delivery_note"),
            ),
            FileSlot(
                attribute="price paid",
                subject=name,
                value=self.paid,
                text=f"{name}: paid {{value}}.",
                label="Price paid",
                said=f"The {self.called} cost me {{value}} before tax.",
                carriers=(*till, "invoice", "order_history", "mail", "budget"),
            ),
        )

    def slot_of_make(self) -> FileSlot:
        """Return the slot of when what is asked about was made."""
        assert self.held is not None
        own = self.rival is None
        called = f"regular pack of the {self.owned.called}" if own else self.held.subject
        return FileSlot(
            attribute=MADE,
            subject=self.held.subject,
            value=self.held.value,
            text=f"{self.held.subject}: made in {{value}}.",
            label="Made",
            said=f"The {called} that I {'have' if own else 'could get'} was made in {{value}}, it says on the box.",
            carriers=("photo", "label", "notes", "mail")
            if own
            else ("saved_page", "comparison", "mail", "notes"),
        )

    def term(self, attribute: str) -> int:
        """Choose a term of sale, as people know them."""
        return self.rng.choice(stock().statement(attribute)[0].among)

    def share(self, attribute: str) -> int | None:
        """Choose a share of what was paid, one that comes out even; `None` where there is none."""
        paid = dollars(self.paid)
        even = [one for one in stock().statement(attribute)[0].among if comes_out_even(paid, one)]
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


def carriers(kind: ThingKind, *forms: FileForm) -> tuple[FileForm, ...]:
    """List the carriers without the papers that do not come with things of the sort."""
    without = [*([] if kind.manual else ["manual"]), *([] if kind.plate else ["warranty"])]
    return tuple(form for form in forms if form not in without)


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


def dollars(text: str) -> float:
    return float(text.strip("$").replace(",", ""))


def capital(text: str) -> str:
    """The first letter alone: `LED lamp` keeps its other capitals."""
    return text[:1].upper() + text[1:]
