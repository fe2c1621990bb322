"""Writes the rows of the sample shop's meta files, in the official form. Oddities occur at their real rates."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import numpy as np
from drr.data_ingest.sample_listing import (
    description_of,
    details_of,
    draw_item,
    features_of,
    image_id,
    images_of,
    price_of,
    title_of,
    videos_of,
    with_unusual_character,
)
from drr.data_ingest.sample_products import CategoryWords, Products, ProductType, ReviewTotals, Vocabulary
from drr.env.json_object import JsonObject

_ODD_VALUES: dict[str, dict[str, str | float]] = {
    "dash": {"price": "—"},
    "free": {"price": 0.0},
    "no title": {"title": ""},
}
_ODDITIES = (
    ("dash", 0.002),
    ("from", 0.0005),
    ("free", 0.0002),
    ("no title", 0.00006),
    ("no details", 0.002),
    ("long value", 0.0001),
    ("mojibake", 0.001),
    ("subtitle", 0.0006),
    ("author", 0.00004),
    ("wide details", 0.0008),
)


def meta_rows(
    vocabulary: Vocabulary, position: int, products: Products, heard: ReviewTotals, seed: int
) -> Iterator[JsonObject]:
    """Yield the meta rows of one category, in an order unrelated to that of the reviews."""
    words = vocabulary.categories[position]
    rng = random.Random(f"{seed}:meta:{words.category}")
    members = np.flatnonzero(products.category_of == position).tolist()
    rng.shuffle(members)
    rare = {
        5 + place: name
        for place, (name, _) in enumerate(_ODDITIES)
        if place % len(vocabulary.categories) == position
    }
    writer = _MetaWriter(vocabulary, words, rng, len(members), rare if len(members) >= 30 else {})
    types = vocabulary.types
    for number, product in enumerate(members):
        yield writer.row(
            number,
            products.parent(product),
            types[products.type_of[product]],
            int(heard.count[product]),
            float(heard.stars[product]),
        )


class _MetaWriter:
    """A writer of meta rows. Its `rare` rows are odd in a fixed way, so that even a small shop has each kind of oddity."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        words: CategoryWords,
        rng: random.Random,
        total: int,
        rare: dict[int, str],
    ) -> None:
        self.words, self.rng, self.rare, self.general = words, rng, rare, vocabulary.general
        self.planted = vocabulary.planted
        coined = [a + b for a in self.general["brand_starts"] for b in self.general["brand_ends"]]
        self.brands = list(words.brands) + rng.sample(coined, min(len(coined), total // 40))
        self.mains = list(words.main_categories)
        self.main_weights = list(words.main_categories.values())

    def row(self, number: int, asin: str, kind: ProductType, reviews: int, stars: float) -> JsonObject:
        rng, general = self.rng, self.general
        item = draw_item(rng, kind, rng.choice(self.brands))
        title = title_of(rng, item)
        features = features_of(rng, item, general)
        description = description_of(rng, item, title, general)
        price: float | int | None = price_of(rng, item)
        elsewhere = rng.random() < self.words.rates.get("other_store", 0.05)
        store = rng.choice(general["other_stores"]) if elsewhere else item.brand
        main = rng.choices(self.mains, self.main_weights)[0]
        details = details_of(rng, item, main or self.words.human, general, self.words.rates)
        row: JsonObject = {
            "main_category": main,
            "title": title,
            "average_rating": None,
            "rating_number": None,
            "features": features,
            "description": description,
            "price": price,
            "images": None,
            "videos": None,
            "store": store,
            "categories": [self.words.human, *kind.path],
            "details": details,
            "parent_asin": asin,
            "bought_together": None,
        }
        self._leave_out(row)
        row["title"] = with_unusual_character(rng, title)
        row |= self._rated(reviews, stars)
        row["images"] = images_of(rng)
        row["videos"] = videos_of(rng, item.brand) if rng.random() < 0.3 else []
        odd = self._oddity(number)
        if odd is not None:
            self._make_odd(row, odd, kind)
        if self.planted is not None:
            self.planted(row, item)
        return row

    def _leave_out(self, row: JsonObject) -> None:
        """Leave out fields that the real files often lack, as often as they do."""
        for rate, field, nothing in (
            ("null_store", "store", None),
            ("null_main", "main_category", None),
            ("no_features", "features", []),
            ("no_description", "description", []),
            ("no_categories", "categories", []),
            ("null_price", "price", None),
        ):
            if self.rng.random() < self.words.rates[rate]:
                row[field] = nothing

    def _rated(self, reviews: int, stars: float) -> JsonObject:
        """Return the average stars of the reviews, and more ratings than reviews, because a rating needs no text."""
        rng = self.rng
        average = stars / reviews if reviews and stars else rng.uniform(3.4, 4.9)
        silent = int(reviews * rng.paretovariate(1.3) * 0.4)
        return {
            "average_rating": round(average, 1),
            "rating_number": max(1, reviews) + silent + int(rng.random() < 0.5),
        }

    def _oddity(self, number: int) -> str | None:
        """Return the oddity of a row, if any. Each kind occurs at its real rate and at least once in a data set."""
        draw = self.rng.random()
        if number in self.rare:
            return self.rare[number]
        for name, rate in _ODDITIES:
            if draw < rate:
                return name
            draw -= rate
        return None

    def _make_odd(self, row: JsonObject, odd: str, kind: ProductType) -> None:
        general, details = self.general, row["details"]
        brand = row["store"] or "Generic"
        row |= _ODD_VALUES.get(odd, {})
        match odd:
            case "from":
                row["price"] = f"from {kind.price[1]:.2f}"
            case "no details":
                row["details"] = {}
            case "wide details":
                details |= {
                    f"{field} {place}": "Yes" for field in general["wide_details"] for place in range(1, 7)
                }
            case "long value":
                long = ", ".join(self.rng.choices(general["long_values"], k=150))
                details["Compatible Devices"] = long[:4077]
            case "mojibake":
                row["description"].append("Nothing we\u00d5d rather pack for the beach\u00d1or the porch.")
            case "subtitle":
                row["subtitle"] = self.rng.choice(general["subtitles"])
            case "author":
                row["author"] = {
                    "avatar": f"https://m.media.example/images/I/{image_id(self.rng)}._SY600_.jpg",
                    "name": brand,
                    "about": [f"{brand} writes about {kind.plain}."],
                }


def meta_line(row: JsonObject) -> bytes:
    return json.dumps(row).encode() + b"\n"
