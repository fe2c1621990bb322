"""Clean reports over a shop: four layouts, five ways to cite, worded in several ways. Every figure is the shop's own.

Nothing here knows the rules. A case says what it wrote (`said`), so that an error can be planted where a fact stands.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, replace

from drr.env.entities import Order, Product, User
from drr.env.shop import Shop
from drr.env.statistics import UserStatistics
from drr.eval.canaries.planted_errors import WEB
from drr.wording.states import STATES

LAYOUTS = ("prose", "bullets", "tables", "phases")
FORMS = ("numbered", "links", "numbered_links", "footnotes", "full_width")

QUOTES = {
    "https://extension.example/backyard/birds": "clean water matters more than rare seed",
    "https://homehealth.example/air": "noise at night decides which unit people keep",
    "https://petguide.example/ramps": "patience beats treats in the first three days",
    "https://toolbench.example/sockets": "six points grip a worn bolt better",
    "https://skinlab.example/serums": "a patch test comes before the first use",
    "https://pantry.example/storage": "labels save more time than boxes",
}
PARAGRAPHS = (
    "Start with the piece that carries the rest and live with it for a while before adding anything. Needs become clear in use, and a purchase that waits is rarely regretted when the season turns.",
    "Maintenance decides how long any of this lasts. A quick wipe after use and a look at the fasteners every few weeks prevent most of the failures that owners complain about in their reviews.",
    "If space is tight, measure twice and leave room for the door to open. Several buyers discovered too late that the published dimensions leave out handles, hinges and the cord at the back.",
    "There is a trade-off between comfort and upkeep here. The softer finish feels better on the first day, while the plainer one still looks the same after a few years of everyday family life.",
    "None of these choices locks you in. Each can be passed on or returned within the usual window, so the order of buying matters more than finding the perfect item at the first attempt.",
    "Think about who else uses the room. What suits one person can bother another, and a short talk beforehand costs nothing compared with boxes that travel back and forth across the country.",
)


@dataclass
class Case:
    """One report with what is known around it."""

    report: str
    query: str
    user: User
    layout: str
    form: str
    products: list[Product]
    returned: frozenset[str]
    said: dict[str, list[str]] = field(default_factory=dict)
    """What stands in the report: kind of fact -> the exact words."""
    extra: dict[str, object] = field(default_factory=dict)

    def with_report(self, report: str) -> Case:
        return replace(self, report=report)


class Citer:
    """Turns sources into markers and a list, in one of the five ways."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.sources: dict[str, str] = {}

    def __call__(self, url: str, title: str) -> str:
        self.sources.setdefault(url, title)
        number = list(self.sources).index(url) + 1
        if self.form == "links":
            return f" ([{title}]({url}))"
        if self.form == "numbered_links":
            return f" [[{number}]]({url})"
        if self.form == "footnotes":
            return f"[^{number}]"
        if self.form == "full_width":
            return f"【{number}】"
        return f" [{number}]"

    def listing(self) -> str:
        rows = list(enumerate(self.sources.items(), 1))
        if self.form in ("links", "numbered_links"):
            return ""
        if self.form == "footnotes":
            return "\n\n" + "\n".join(f"[^{n}]: {title}: {url}" for n, (url, title) in rows)
        if self.form == "full_width":
            return "\n\n## References\n\n" + "\n".join(f"{n}. [{title}]({url})" for n, (url, title) in rows)
        return "\n\n### Sources\n\n" + "\n".join(f"[{n}] {title}: {url}" for n, (url, title) in rows)


def short_title(product: Product) -> str:
    """Shorten a title as people do: up to the first comma or parenthesis."""
    return re.split(r"\s*[,(]", product.title)[0].strip().replace("|", "/").replace("[", "").replace("]", "")


MEASURE = re.compile(
    r"\b\d+(?:\.\d+)?[ -](?:inch(?:es)?|pounds|ounces|feet|Count|count|pieces|Pieces|sheets|watts|lumens|quarts|gallons)\b"
)


def feature_of(product: Product) -> str | None:
    """A feature with a measure in it, in the listing's words."""
    for feature in product.features:
        if MEASURE.search(feature) and len(feature) < 90 and "|" not in feature:
            return feature.rstrip(".")
    return None


def material_of(product: Product) -> str | None:
    value = product.details.get("ReportData")
    return value if isinstance(value, str) and re.fullmatch(r"[A-Za-z ]{3,30}", value) else None


class Writer:
    """One report in the making."""

    def __init__(
        self, shop: Shop, user: User, products: list[Product], layout: str, form: str, rng: random.Random
    ) -> None:
        self.shop, self.user, self.products, self.layout, self.form, self.rng = (
            shop,
            user,
            products,
            layout,
            form,
            rng,
        )
        self.cite = Citer(form)
        self.said: dict[str, list[str]] = {}
        statistics = shop.store.statistics(user.user_id)
        assert statistics is not None
        self.statistics: UserStatistics = statistics
        self.total = round(sum(product.price or 0 for product in products), 2)
        self.order: Order | None = None

    def note(self, kind: str, words: str) -> str:
        self.said.setdefault(kind, []).append(words)
        return words

    def money(self, kind: str, value: float) -> str:
        return self.note(kind, f"${value:,.2f}")

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def opening(self) -> str:
        city, state = self.user.address.city, STATES[self.user.address.state]
        self.note("city", city)
        self.note("state", state)
        name = self.note("first_name", self.user.first_name)
        lead = self.pick(
            f"Hi {name},\n\nBased on your location in {city}, {state}, this plan keeps to what your climate asks for.",
            f"Since you live in {city}, {state}, delivery and weather were taken into account.",
            f"Dear {name},\n\nYour home in {city}, {state} sets the frame for these suggestions.",
            f"Here is a plan for you, made for a household in {city}, {state}, and for your budget.",
        )
        if name not in lead:
            del self.said["first_name"]
        return lead

    def history(self) -> str:
        store = self.shop.store
        url = f"user://{self.user.user_id}/statistics"
        count = self.note("order_count", f"{self.statistics.orders} orders")
        sentence = self.pick(
            f"You have placed {count} so far",
            f"Your history holds {count}",
            f"With {count} behind you, your habits are easy to read",
        )
        text = sentence + self.cite(url, "Order statistics") + "."
        if self.statistics.spend is not None:
            spend = self.money("spend", self.statistics.spend)
            text += f" In all you have spent {spend}" + self.cite(url, "Order statistics") + "."
        if self.statistics.mean_price is not None:
            mean = self.money("mean", self.statistics.mean_price)
            text += (
                f" The average price of an item in your orders is {mean}"
                + self.cite(url, "Order statistics")
                + "."
            )
        orders = [
            one for one in store.orders(self.user.user_id, limit=40).items if store.product(one.product_id)
        ]
        self.order = order = self.rng.choice(orders)
        product = store.product(order.product_id)
        assert product is not None
        address = f"user://{self.user.user_id}/orders/{order.order_id}"
        self.note("order_id", order.order_id)
        self.note("order_name", short_title(product))
        year, month, day = order.order_date[:10].split("-")
        months = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ]
        when = self.pick(order.order_date[:10], f"{months[int(month) - 1]} {int(day)}, {year}")
        self.note("order_date", when)
        status = self.note("order_status", order.order_status.lower())
        text += " " + self.pick(
            f"On {when} you bought the {short_title(product)}, and it was {status}",
            f"You ordered the {short_title(product)} on {when}; it was {status}",
            f"Your order of the {short_title(product)} from {when} was {status}",
        )
        return text + self.cite(address, f"Order {order.order_id}") + "."

    def product_words(self, product: Product) -> tuple[str, str, str]:
        """Price, rating and feature, as words."""
        price = self.money("price", product.price or 0.0)
        rating = reviews = ""
        if product.average_rating is not None:
            rating = self.note(
                "rating", self.pick(f"{product.average_rating} stars", f"{product.average_rating} out of 5")
            )
            if product.rating_number is not None:
                reviews = self.note(
                    "reviews",
                    self.pick(f"{product.rating_number:,} ratings", f"{product.rating_number:,} reviews"),
                )
        rated = f"{rating} from {reviews}" if reviews else rating
        feature = feature_of(product)
        if feature:
            self.note("feature", feature)
        return price, rated, feature or ""

    def material(self, product: Product) -> str:
        material = material_of(product)
        return self.note("material", f"made of {material.lower()}") if material else ""

    def body(self) -> str:
        return {"prose": self.prose, "bullets": self.bullets, "tables": self.tables, "phases": self.phases}[
            self.layout
        ]()

    def prose(self) -> str:
        parts = []
        for index, product in enumerate(self.products):
            price, rated, feature = self.product_words(product)
            name = self.note("name", short_title(product))
            marker = self.cite(product.product_url, product.title.replace("[", "(").replace("]", ")"))
            lead = ("The first choice is", "Add", "To that comes", "Round it off with", "Finally, take")[
                min(index, 4)
            ]
            text = f"{lead} the {name}, which costs {price}"
            text += f" and holds {rated}{marker}." if rated else f"{marker}."
            material = self.material(product)
            if material:
                text += f" The {name} is {material}{marker}."
            if feature:
                text += f" {feature}{marker}."
            parts.append(text)
        total = self.money("total", self.total)
        closing = self.pick(
            f"Together the total comes to {total}.",
            f"All in all this adds up to {total}.",
            f"The total is {total}.",
        )
        return "\n\n".join([*parts, closing])

    def bullets(self) -> str:
        lines = []
        for product in self.products:
            price, rated, feature = self.product_words(product)
            name = self.note("name", short_title(product))
            marker = self.cite(product.product_url, product.title.replace("[", "(").replace("]", ")"))
            lines.append(f"- **{name}** - {price}{marker}")
            if rated:
                lines.append(f"  - Rated {rated}")
            material = self.material(product)
            if material:
                lines.append(f"  - Body {material}")
            if feature:
                lines.append(f"  - {feature}")
        total = self.money("total", self.total)
        return "## What to buy\n\n" + "\n".join(lines) + f"\n\n**Total: {total}**"

    def tables(self) -> str:
        rows = ["| Product | Price | Rating | Ratings |", "| --- | --- | --- | --- |"]
        notes = []
        for product in self.products:
            price = self.money("price", product.price or 0.0)
            name = self.note("name", short_title(product))
            marker = self.cite(
                product.product_url, product.title.replace("[", "(").replace("]", ")").replace("|", "/")
            )
            rating = f"{product.average_rating}" if product.average_rating is not None else ""
            count = f"{product.rating_number:,}" if product.rating_number is not None else ""
            self.note("rating_cell", f"| {rating} | {count} |")
            rows.append(f"| {name}{marker} | {price} | {rating} | {count} |")
            feature = feature_of(product)
            if feature:
                notes.append(f"- {name}: {self.note('feature', feature)}{marker}")
        total = self.money("total", self.total)
        rows.append(f"| **Total** | **{total}** | | |")
        return (
            "## Comparison\n\n"
            + "\n".join(rows)
            + ("\n\nWorth knowing:\n\n" + "\n".join(notes) if notes else "")
        )

    def phases(self) -> str:
        half = max(1, len(self.products) // 2)
        groups = [self.products[:half], self.products[half:]]
        out = []
        summary = ["| Phase | What | Cost |", "|---|---|---|"]
        for number, group in enumerate(groups, 1):
            cost = round(sum(product.price or 0 for product in group), 2)
            head = self.money("heading", cost)
            out.append(
                f"### Phase {number}: {('Foundation', 'Completion')[number - 1]} (Month {number} - {head})"
            )
            for product in group:
                price, rated, feature = self.product_words(product)
                name = self.note("name", short_title(product))
                marker = self.cite(product.product_url, product.title.replace("[", "(").replace("]", ")"))
                out.append(f"**{name} - {price}**{marker}")
                facts = [
                    f"- {rated}" if rated else "",
                    f"- {self.material(product)}",
                    f"- {feature}" if feature else "",
                ]
                out.append("\n".join(one for one in facts if len(one) > 3) or "- A plain choice")
            out.append(f"**Phase {number} Total: {self.money('subtotal', cost)}**")
            summary.append(
                f"| {number} | {('Foundation', 'Completion')[number - 1]} | {self.money('cell', cost)} |"
            )
        summary.append(f"| **Total** | | **{self.money('total', self.total)}** |")
        return "\n\n".join(out) + "\n\n### Budget summary\n\n" + "\n".join(summary)

    def background(self, url: str) -> str:
        text = WEB[url]
        sentences = re.split(r"(?<=[a-z%])\. ", text)
        first = self.note("web", sentences[0].rstrip("."))
        quote = self.note("quote", QUOTES[url])
        title = url.split("//")[1].split("/")[0].split(".")[0].title() + " guide"
        return f"{first}{self.cite(url, title)}. One source puts it well: “{quote}”{self.cite(url, title)}."


def write_case(
    shop: Shop, user: User, products: list[Product], layout: str, form: str, rng: random.Random
) -> Case:
    writer = Writer(shop, user, products, layout, form, rng)
    url = rng.choice(sorted(WEB))
    paragraphs = rng.sample(PARAGRAPHS, 2)
    title = rng.choice(["# A plan for your home", "# Recommendations", "# What fits your household"])
    parts = [title, writer.opening(), writer.background(url), writer.history(), writer.body(), *paragraphs]
    report = "\n\n".join(parts) + writer.cite.listing() + "\n"
    budget = int(writer.total * rng.uniform(1.05, 1.4)) + 2
    query = rng.choice(
        [
            f"Plan a complete set-up for my home for under ${budget}.",
            f"What should I buy? My total budget is ${budget}, please stay within it.",
            f"Put together everything I need. I can spend up to ${budget} in total.",
        ]
    )
    if layout == "phases":
        query = (
            f"Plan this in two phases over the next two months and keep my total spending under ${budget}."
        )
    for paragraph in paragraphs:
        writer.note("paragraph", paragraph)
    writer.note("url", url)
    case = Case(report, query, user, layout, form, products, frozenset(writer.cite.sources), writer.said)
    case.extra = {"order": writer.order, "total": writer.total}
    return case
