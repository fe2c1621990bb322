"""A case: what one task is about before any file, page or word of its question is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from drr.env.entities import Product
from drr.papers.dr3.truth import Intent, TaskFact

FileForm = Literal[
    "order_history", "receipt", "invoice", "delivery_note", "till_slip", "warranty", "manual", "photo", "label", "sketch",
    "budget", "comparison", "measurements", "mail", "saved_page", "notes",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class BoughtItem:
    """One line of a shopper's order history; where the shop knows no price, one is made up."""

    order_id: str
    day: date
    title: str
    quantity: int
    status: str
    price: str
    """`$41.99`, of one."""


@dataclass(frozen=True, kw_only=True)
class FileEntry:
    """A fact as a file says it."""

    fact: str
    attribute: str
    label: str
    """Beside the value on a form: `Serial no.`"""
    value: str
    sentence: str
    """A sentence of the shopper's with the value in it."""


@dataclass(frozen=True, kw_only=True)
class PlannedFile:
    """A file of the drawer before it is written."""

    name: str
    form: FileForm
    entries: tuple[FileEntry, ...]


@dataclass(frozen=True, kw_only=True)
class Coupling:
    """One part of the answer: facts that only together decide it."""

    key: str
    facts: tuple[str, ...]
    """Those of files may be facts of another part too."""
    how: str
    """Rule that combines them, with the result."""


@dataclass(frozen=True, kw_only=True)
class NamedThing:
    """A product in the words of people."""

    brand: str
    noun: str
    """`smoke detector`."""
    model: str
    """A name of our own."""
    plural: bool
    edition: str = ""
    """Part of a name that tells the model from others of it: `Plus`."""

    @property
    def name(self) -> str:
        return f"{self.brand} {self.called}"

    @property
    def called(self) -> str:
        """Return what stands below the maker's name on a label or a booklet: `smoke detector Plus`."""
        return f"{self.noun} {self.edition}".rstrip()


@dataclass(frozen=True, kw_only=True)
class HeldMake:
    """A make whose date a file gives. Another make has followed since, and what is asked is not about that one."""

    subject: str
    made: date
    newer: date
    """Both the first of a month."""

    @property
    def value(self) -> str:
        return f"{self.made:%m/%Y}"


MADE = "month it was made"
"""The attribute of the fact that tells of which make a thing is."""


@dataclass(frozen=True, kw_only=True)
class TaskCase:
    """Drawn from a shopper's records. `facts` are all required; those of files stand in the drawer alone, those of pages in the
    supportive pages alone, and places are filled in as they are written."""

    task_id: str
    seed: int
    intent: Intent
    today: date
    user_id: str
    owned: Product
    """The shopper's own product that the question is about."""
    others: tuple[Product, ...] = ()
    """Candidates and companions that the case speaks of."""
    theme: str
    """A theme of `drr.env.profile`, or the product's category."""
    facts: tuple[TaskFact, ...]
    thing: NamedThing
    """`owned`, in words."""
    rival: NamedThing | None = None
    """The first of `others`, where the case weighs one."""
    seller: str
    """A shop of others, made up."""
    shopper: str
    state: str | None = None
    place: str = ""
    """Place for a candidate, in the words of question and files: `hallway alcove`."""
    bought: date
    paid: str
    earlier_make: HeldMake | None = None
    """Present where the thing in question is not of the latest make."""
    purchases: tuple[BoughtItem, ...] = ()
    """Newest first, up to `today`."""
    files: tuple[PlannedFile, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    invented: tuple[str, ...] = ()

    @property
    def known_by(self) -> date:
        """Return the day by which what pages say of makes, lists and prices must have begun. That is the day
        of purchase, and today for a candidate."""
        return self.bought if self.rival is None else self.today

    def thing_of(self, fact: TaskFact) -> NamedThing:
        """Return what a fact is about: what is owned, or the rival where the fact is of its maker's."""
        rival = self.rival
        return rival if rival is not None and fact.subject.startswith(rival.brand) else self.thing

    def of(self, source: str) -> tuple[TaskFact, ...]:
        return tuple(fact for fact in self.facts if fact.source == source)
