"""Defines the form in which a model gives a report, its placeholders, and the question's limits of cost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from drr.agents.forms.passages import KnownProduct, Passages, text_between_placeholders, without_markup
from drr.env.query import Constraints
from drr.wording.currency import DOLLARS, Currency
from drr.wording.stated_figures import VERDICTS, HeldFigures
from pydantic import BaseModel, ConfigDict, Field


@dataclass(frozen=True)
class CostLimits:
    demands: Constraints
    currency: Currency = DOLLARS

    @cached_property
    def total(self) -> Decimal | None:
        """Return the highest cost of everything together, as the question says or as months times a monthly amount."""
        if self.demands.total_max is None and self.demands.month_max is not None:
            return _cents(self.demands.month_max * (self.demands.months or 1))
        return _cents(self.demands.total_max)

    @cached_property
    def floor(self) -> Decimal | None:
        return _cents(self.demands.total_min)

    @cached_property
    def item(self) -> Decimal | None:
        """Return the highest cost of one product."""
        return _cents(self.demands.item_max)

    def outside(self, product: KnownProduct) -> str | None:
        """Return which limit a product exceeds by itself, in words; `None` for none."""
        least = _cents(self.demands.item_min)
        if product.price is None:
            return None
        if self.item is not None and product.price > self.item:
            return f"over your limit of {self.currency.text(self.item)} for one thing"
        if least is not None and product.price < least:
            return f"below your minimum of {self.currency.text(least)} for one thing"
        if self.total is not None and product.price > self.total:
            return f"over your limit of {self.currency.text(self.total)}"
        return None

    def misjudged(self, text: str, costs: Sequence[Decimal | None], *, together: bool) -> bool:
        """Tell whether a sentence says that a limit is kept or exceeded although the costs do not show it.

        `together` is true for products bought together, on which a limit for one product says nothing.
        """
        limits = [limit for limit in (self.total, self.item) if limit is not None]
        if len(limits) != 1:
            return False
        verdict = VERDICTS.verdict(text, float(limits[0]))
        if verdict not in ("fits", "breaks"):
            return False
        over = [cost > limits[0] for cost in costs if cost is not None]
        if not over or len(over) < len(costs) or (together and self.total is None):
            return True
        return any(over) if verdict == "fits" else not all(over)


def _cents(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value)).quantize(Decimal("0.01"))


SINGLE = ("product", "price", "rating", "ratings", "bought")
"""Kinds of placeholders that name one product."""
MOST = 24
"""Maximum number of pieces of one product in a purchase."""
_SLOT = re.compile(r"\{\s*([A-Za-z_]{1,20})\s*(?::([^{}]{0,200}))?\}")
_TERM = re.compile(r"\s*([^\s*×]+)\s*(?:[*×x]\s*(\d{1,3}))?\s*")


@dataclass(frozen=True)
class Placeholder:
    """A placeholder of the form with the products that it names; `wrong` says why it cannot be filled."""

    kind: str
    products: tuple[tuple[KnownProduct, int], ...] = ()
    wrong: str = ""


@dataclass
class ReadingTerms:
    """The passages, question and limits against which every sentence of a report is read."""

    passages: Passages
    asked: str
    """The question, whose figures a report may repeat."""
    limits: CostLimits
    planned: Decimal | None = None
    """The cost of everything in the buying plan; `None` where a price is unknown."""

    @cached_property
    def asked_figures(self) -> HeldFigures:
        return HeldFigures([self.asked])


def total_price(terms: Sequence[tuple[KnownProduct, int]]) -> Decimal:
    """Return the sum of the known prices, each times its quantity."""
    return sum((one.price * many for one, many in terms if one.price is not None), Decimal(0))


def written_out(terms: Sequence[tuple[KnownProduct, int]]) -> str:
    """Return a sum in words with its parts: `$64.50 (2 × $20.00 + $24.50)`."""
    priced = [(product.price, many) for product, many in terms if product.price is not None]
    text = terms[0][0].currency.text
    parts = " + ".join(text(price) if many == 1 else f"{many} × {text(price)}" for price, many in priced)
    total = text(total_price(terms))
    return f"{total} ({parts})" if len(priced) > 1 or priced[0][1] > 1 else total


def parts_of(text: str, setting: ReadingTerms) -> Iterator[str | Placeholder]:
    """Yield the words and the placeholders of a text in order; braces of no placeholder are dropped."""
    end = 0
    for match in _SLOT.finditer(text):
        if words := text_between_placeholders(text[end : match.start()]):
            yield words
        yield _slot(match[1].casefold(), match[2] or "", setting)
        end = match.end()
    if words := text_between_placeholders(text[end:]):
        yield words


def _slot(kind: str, inside: str, setting: ReadingTerms) -> Placeholder:
    if kind == "limit":
        if setting.limits.total is None:
            return Placeholder(kind, wrong="{limit}: the question sets no limit on the whole cost")
        return Placeholder(kind)
    if kind not in (*SINGLE, "sum"):
        return Placeholder(kind, wrong=f"{{{kind}}} is no placeholder")
    terms, wrong = _terms(inside, setting.passages)
    if not wrong and kind != "sum" and (len(terms) != 1 or terms[0][1] != 1):
        wrong = f"{{{kind}:...}} takes one id"
    if wrong:
        return Placeholder(kind, wrong=wrong)
    product = terms[0][0]
    if kind == "sum" and (unknown := [one.product_id for one, _ in terms if one.price is None]):
        return Placeholder(kind, tuple(terms), f"the price of {unknown[0]} is unknown, so there is no sum")
    if kind == "bought" and product.product_id not in setting.passages.orders:
        return Placeholder(kind, tuple(terms), f"no passage shows that {product.product_id} was bought")
    return Placeholder(kind, tuple(terms))


def _terms(inside: str, passages: Passages) -> tuple[list[tuple[KnownProduct, int]], str]:
    """Read `ID, ID*2` and return products with quantities, and an error text that is empty for none."""
    found: list[tuple[KnownProduct, int]] = []
    for one in re.split(r"[,+]", inside):
        match = _TERM.fullmatch(one)
        product = passages.product(match[1]) if match else None
        if match is None or product is None:
            return found, f"no tool showed a product {without_markup(one, 40).strip()!r}"
        many = int(match[2] or 1)
        if not 1 <= many <= MOST:
            return found, f"{many} times {product.product_id}: give 1 to {MOST}"
        found.append((product, many))
    if len({product.product_id for product, _ in found}) < len(found):
        return found, "a product stands twice in one sum; give it once, with its number of times"
    return found, ""


def placeholder_text(slot: Placeholder, slots: Sequence[Placeholder], setting: ReadingTerms) -> str:
    """Return the text of a placeholder. A figure of a product that the sentence does not name is followed by that product's name."""
    if slot.kind == "limit":
        return f"your limit of {setting.limits.currency.text(setting.limits.total or Decimal(0))}"
    if slot.kind == "sum":
        limit = setting.limits.total
        beyond = limit is not None and total_price(slot.products) > limit
        return written_out(slot.products) + (" (over your limit)" if beyond else "")
    product = slot.products[0][0]
    named = any(one.kind == "product" and one.products[0][0] == product for one in slots)
    whose = "" if named else f" ({product.short_name})"
    match slot.kind:
        case "price":
            over = "" if setting.limits.outside(product) is None else " (outside your limit)"
            return product.shown_price() + whose + over
        case "rating":
            return product.shown_rating() + whose
        case "ratings":
            return product.shown_ratings() + " ratings" + whose
        case "bought":
            return f"on {setting.passages.orders[product.product_id].date}"
    return product.short_name


class SaidSentence(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(
        description="One sentence of plain text; titles and figures of products as placeholders"
    )
    passages: list[int] = Field(
        description="Numbers of the passages that state it; empty for your own judgement"
    )


class ComparedProduct(BaseModel):
    model_config = ConfigDict(extra="forbid")

    product_id: str = Field(description="Id of a product that the passages show")
    note: str = Field(description="What tells it apart, in a few words")


class ReportSection(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str = Field(description="A few words without figures")
    sentences: list[SaidSentence]
    products: list[ComparedProduct] = Field(
        description="Rows of a table that compares products; may be empty"
    )


class PlanLine(BaseModel):
    model_config = ConfigDict(extra="forbid")

    product_id: str = Field(description="Id of a product that the passages show")
    quantity: int = Field(description="How many to buy, 1 or more")


class ReportForm(BaseModel):
    model_config = ConfigDict(extra="forbid", title="Report")

    answer: list[SaidSentence] = Field(description="The short answer: what to buy or do, and why")
    sections: list[ReportSection] = Field(description="Reasons, comparison, background, what stays open")
    plan: list[PlanLine] = Field(description="What to buy; prices and the total are filled in")

    def sentences(self) -> Iterator[SaidSentence]:
        yield from self.answer
        for section in self.sections:
            yield from section.sentences


class CheckableReport(ReportForm):
    """A report with the form by which code checks it."""

    form: str = Field(description="The block named `form`: its JSON, written as a string")
