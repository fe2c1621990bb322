"""Plants what only some sources of a made shop tell: contradicting values, values of pages, offers of other shops.

The listing changes, pages are written, and the truth of each product is kept as one row, which no tool serves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from random import Random
from typing import Any

from drr.data_ingest.fresh import ShopAxes
from drr.data_ingest.order_draw import SoldAs
from drr.data_ingest.planted_pages import PlantedPages, TablePage
from drr.data_ingest.sample_listing import Item
from drr.env.checkable import PART
from drr.env.json_object import JsonObject
from drr.env.web.sandbox import Document

NOT_STATED = "not stated"
_UNTOLD = 0.25
"""The share of withheld values that no page tells either."""
_ODDS = (5, 4, 1)
"""Weights of the listing's own value, another value and a third one, for each source."""
_FORMER = 0.5
"""The share of products about whose values old orders say something."""
_LABORATORIES = 3
_SHOPS = 4
"""Other shops that sell goods of a category; each product is in one to three of them."""
_ROWS = 60
"""About the largest number of products on a page."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass
class Planter:
    """Changes the listings of a shop one by one, and gathers the pages, the former names and the truth."""

    seed: int
    axes: ShopAxes
    truth: list[JsonObject] = field(default_factory=list)
    sold_as: dict[str, SoldAs] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._pages = PlantedPages(self.seed)
        self._numbers = set[int]()
        self._parts = max(1, self.axes.products // self.axes.kinds // _ROWS)
        """Pages on which the products of a kind are spread, for each of their writers."""

    def __call__(self, row: JsonObject, item: Item) -> None:
        """Change a row of metadata in place, as its own draw wants it."""
        rng, axes = Random(f"planted:{self.seed}:{row['parent_asin']}"), self.axes
        listing = _Listing(row, item, rng, self._numbers)
        draw, rest = rng.random(), 1 - axes.contradictions - axes.page_values
        agreeing = min(rest, axes.contradictions)
        if draw < axes.contradictions:
            self._say(listing, differs=True)
        elif draw < axes.contradictions + agreeing:
            self._say(listing, differs=False)
        elif draw >= 1 - axes.page_values:
            self._withhold(listing)
        if rng.random() < axes.outlets:
            self._offer(listing)

    def documents(self) -> list[Document]:
        return self._pages.documents()

    def _note(self, axis: str, listing: _Listing, **facts: Any) -> None:
        item = listing.item
        self.truth.append(
            {
                "axis": axis,
                "product": listing.product_id,
                "name": listing.name,
                "kind": item.kind.name,
                "maker": item.brand,
                **facts,
            }
        )

    def _sheet(self, item: Item) -> TablePage:
        return self._pages.page("sheet", item.brand, item.kind.name, maker=item.brand, kind=item.kind.plain)

    def _say(self, listing: _Listing, *, differs: bool) -> None:
        """Let details, the maker's sheet, a test and old orders name a value each: different ones, or all the listing's."""
        rng, item = listing.rng, listing.item
        known = {one: [*dict.fromkeys(item.kind.attributes[one])] for one in listing.fields()}
        fields = [one for one, values in known.items() if len(values) > 2]
        if not fields:
            return
        what = rng.choice(fields)
        own = item.attributes[what]
        values = [own, *rng.sample([one for one in known[what] if one != own], 2)]
        stated = [(source, own) for source in ("title", "text") if listing.states(source, own)]
        names = ["details", "sheet", "older sheet", "test"] + ["order"] * (rng.random() < _FORMER)
        says = dict.fromkeys(names, own)
        while differs and len({own for _ in stated} | {*says.values()} - {says["older sheet"]}) < 2:
            says = {name: rng.choices(values, _ODDS)[0] for name in names}
        listing.details[what] = says["details"]
        sheet = self._sheet(item)
        laboratory = f"{rng.randrange(_LABORATORIES)}/{rng.randrange(self._parts)}"
        test = self._pages.page("test", item.kind.name, laboratory, kind=item.kind.name)
        sheet.put(listing.name, {**item.attributes, what: says["sheet"]})
        test.put(listing.name, {what: says["test"]})
        listed = [*stated, ("details", says["details"])]
        rows: list[JsonObject] = [{"source": source, "value": value} for source, value in listed]
        rows += [_statement("sheet", sheet, says["sheet"]), _statement("test", test, says["test"])]
        if sheet.older is not None:
            sheet.older.put(listing.name, {**item.attributes, what: says["older sheet"]})
            rows.append(_statement("sheet", sheet.older, says["older sheet"]))
        if "order" in says:
            before = date(rng.randint(2016, 2022), rng.randint(1, 12), rng.randint(1, 28))
            moment = int(datetime.combine(before, datetime.min.time(), UTC).timestamp() * 1000)
            name = f"{item.brand} {item.style} {item.kind.name} ({what}: {says['order']})"
            self.sold_as[listing.product_id] = SoldAs(moment, name)
            rows.append({"source": "order", "value": says["order"], "before": before.isoformat()})
        self._note("contradictions", listing, field=what, agrees=not differs, says=rows)

    def _withhold(self, listing: _Listing) -> None:
        """Take a value out of the listing. The maker's sheet has it, or says that it is not stated."""
        rng, item = listing.rng, listing.item
        fields = listing.fields()
        what = next((one for one in rng.sample(fields, len(fields)) if listing.without(one)), None)
        if what is None:
            return
        value = item.attributes[what] if rng.random() >= _UNTOLD else None
        sheet = self._sheet(item)
        sheet.put(listing.name, {**item.attributes, what: value or NOT_STATED})
        facts = {"field": what, "value": value, "date": sheet.day.isoformat(), "url": sheet.url}
        self._note("page_values", listing, **facts)

    def _offer(self, listing: _Listing) -> None:
        """Let one to three other shops list the product, each at its own price and day. Some have an older list too."""
        rng, item = listing.rng, listing.item
        price = listing.row["price"]
        worth = price if isinstance(price, int | float) and price > 0 else item.kind.price[1]
        offers = list[JsonObject]()
        for shop in sorted(rng.sample(range(_SHOPS), rng.randint(1, _SHOPS - 1))):
            host, part = f"{item.kind.category}/{shop}", str(rng.randrange(self._parts))
            page = self._pages.page("outlet", host, item.kind.name, part, host=host, kind=item.kind.plain)
            for one in (page, page.older):
                if one is None:
                    continue
                asked = max(0.5, round(worth * rng.uniform(0.7, 1.3), 2))
                pieces = 0 if rng.random() < 0.15 else rng.randint(1, 40)
                sent = rng.choice((0.0, 3.99, 5.99, 8.5))
                one.put(
                    listing.name,
                    {
                        "Price ($)": f"{asked:.2f}",
                        "Shipping ($)": f"{sent:.2f}",
                        "Pieces in stock": str(pieces),
                    },
                )
                day = one.day.isoformat()
                offers.append(
                    {"price": asked, "shipping": sent, "pieces": pieces, "date": day, "url": one.url}
                )
        self._note("outlets", listing, offers=offers)


def _statement(source: str, page: TablePage, value: str) -> JsonObject:
    return {"source": source, "value": value, "date": page.day.isoformat(), "url": page.url}


class _Listing:
    """One row of metadata with the item behind it."""

    def __init__(self, row: JsonObject, item: Item, rng: Random, numbers: set[int]) -> None:
        self.row, self.item, self.rng, self._numbers = row, item, rng, numbers
        self.product_id: str = row["parent_asin"]
        self.details: dict[str, Any] = row["details"]
        self._name: str | None = None

    @property
    def name(self) -> str:
        """Return the name on pages. It has a model number of six digits, which is the listing's too and no other product's."""
        if self._name is None:
            item, number = self.item, self.rng.randrange(100_000, 1_000_000)
            while number in self._numbers:
                number = self.rng.randrange(100_000, 1_000_000)
            self._numbers.add(number)
            model = f"{item.brand[:2].upper()}-{number}"
            self.details["Item model number"] = model
            self._name = f"{item.brand} {item.style} {item.kind.name}, model {model}"
        return self._name

    def fields(self) -> list[str]:
        """Return the fields of the item whose values the details have."""
        own = self.item.attributes
        return [one for one, value in own.items() if self.details.get(one) == value and one != PART]

    def states(self, source: str, value: str) -> bool:
        """Tell whether the title, or the text below it, states a value."""
        texts = (
            [self.row["title"]] if source == "title" else [*self.row["features"], *self.row["description"]]
        )
        return any(map(_of(value).search, texts))

    def without(self, what: str) -> bool:
        """Take a field's value out of the listing, and tell whether that was possible. Else nothing is changed."""
        value, row = self.item.attributes[what], self.row
        named = _of(value)
        end = re.compile(
            rf"(?:, | - | – | — )(?:for )?{re.escape(value)}(?: {re.escape(what)})?(?=,| \(| -| –| —|$)", re.I
        )
        left = {
            "title": end.sub("", row["title"]),
            "features": [one for one in row["features"] if not named.search(one)],
            "description": _kept(row["description"], named),
            "details": {name: one for name, one in self.details.items() if name != what},
        }
        if any(map(named.search, _texts(left.values()))):
            return False
        row.update({name: left[name] for name in ("title", "features", "description")})
        del self.details[what]
        return True


def _of(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w)", re.I)


def _kept(pieces: Sequence[str], named: re.Pattern[str]) -> list[str]:
    """Return the pieces of a description without the sentences that name a value."""
    left = (" ".join(one for one in _SENTENCE.split(piece) if not named.search(one)) for piece in pieces)
    return [piece for piece in left if piece]


def _texts(value: Any) -> list[str]:
    """Return all texts within a JSON value, names of fields too."""
    if isinstance(value, Mapping):
        return [text for pair in value.items() for one in pair for text in _texts(one)]
    if isinstance(value, str):
        return [value]
    return [] if isinstance(value, int | float | None) else [text for one in value for text in _texts(one)]
