"""The products of the sample shop: which there are, and their rows in the meta files."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from drr.data_ingest.sample_vocabulary import CategoryWords, ProductType, Vocabulary
from numpy.typing import NDArray

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
BASE_SHARE = 0.22
"""Of all purchases: not out of an interest but out of what everybody needs."""
VARIANTS = 4
_SINCE_SHARE = 0.53
"""Of all reviews: dated 2019 or later, which is what the ingest counts."""
_PACK = re.compile(r"(\d+) (?:Count|Pack|Pairs|Rolls|Pads)$")
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


@dataclass(frozen=True)
class Products:
    """The products as columns, those of one type side by side."""

    type_of: NDArray[np.int32]
    first: NDArray[np.int64]
    """Where each type's products begin; one more than there are types."""
    cumulative: NDArray[np.float64]
    """Running sum of how popular each is."""
    appeal: NDArray[np.float64]
    """How much better than another it is liked."""
    asins: list[str]
    """The parent's, then `VARIANTS - 1` others, for each product in turn."""
    category_of: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.type_of)

    def parent(self, product: int) -> str:
        return self.asins[product * VARIANTS]


def type_demand(vocabulary: Vocabulary) -> NDArray[np.float64]:
    """Each type's share of all purchases."""
    types = vocabulary.types
    weight = {interest.name: interest.weight for interest in vocabulary.interests}
    total = sum(weight.values())
    demand = np.full(len(types), BASE_SHARE / len(types))
    members: dict[str, list[int]] = {name: [] for name in weight}
    for position, kind in enumerate(types):
        for interest in kind.interests:
            members[interest].append(position)
    for name, positions in members.items():
        for position in positions:
            demand[position] += (1 - BASE_SHARE) * weight[name] / total / len(positions)
    return np.asarray(demand / demand.sum(), np.float64)


def make_products(vocabulary: Vocabulary, count: int, reviews: int, seed: int) -> Products:
    rng = np.random.default_rng([seed, 1])
    types = vocabulary.types
    share = type_demand(vocabulary)
    if count >= len(types):
        per_type = 1 + _apportion(share, count - len(types))
    else:
        per_type = np.zeros(len(types), np.int64)
        per_type[np.argsort(-share, kind="stable")[:count]] = 1
    first = np.concatenate([[0], np.cumsum(per_type)])
    type_of = np.repeat(np.arange(len(types), dtype=np.int32), per_type)
    spread = popularity_spread(_SINCE_SHARE * reviews / count)
    weights = np.exp(spread * rng.standard_normal(count))
    for position in range(len(types)):
        part = slice(first[position], first[position + 1])
        if per_type[position]:
            weights[part] *= share[position] / weights[part].sum()
    category_names = [words.category for words in vocabulary.categories]
    category_of_type = np.array([category_names.index(kind.category) for kind in types], np.int32)
    return Products(
        type_of=type_of,
        first=first,
        cumulative=np.cumsum(weights),
        appeal=0.5 * rng.standard_normal(count),
        asins=_asins(count * VARIANTS, seed),
        category_of=category_of_type[type_of],
    )


def popularity_spread(mean: float) -> float:
    """The widest log-normal spread that still leaves about three of four products five reviews of this mean number."""
    best = 0.2
    for step in range(4, 33):
        spread = step / 20
        z = (math.log(max(mean, 0.1) / 4.5) - spread * spread / 2) / math.hypot(spread, 0.35)
        if 0.5 * (1 + math.erf(z / math.sqrt(2))) >= 0.76:
            best = spread
    return best


def _apportion(share: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    exact = share * total
    counts = np.floor(exact).astype(np.int64)
    rest = total - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:rest]] += 1
    return counts


def _asins(count: int, seed: int) -> list[str]:
    """`B0` and eight more, all different."""
    rng = np.random.default_rng([seed, 2])
    space = 36**8
    taken = np.unique(rng.integers(0, space, size=count + 64 + count // 100))
    while len(taken) < count:
        taken = np.unique(np.concatenate([taken, rng.integers(0, space, size=count)]))
    numbers = rng.permutation(taken)[:count]
    letters = np.frombuffer(ALPHABET.encode(), np.uint8)
    text = np.empty((count, 10), np.uint8)
    text[:, 0], text[:, 1] = ord("B"), ord("0")
    for place in range(8):
        numbers, digit = np.divmod(numbers, 36)
        text[:, 2 + place] = letters[digit]
    return [str(value) for value in text.view("S10").ravel().astype("U10")]


@dataclass(frozen=True)
class Heard:
    """What the reviews came to, by product."""

    count: NDArray[np.int64]
    stars: NDArray[np.float64]


def meta_rows(
    vocabulary: Vocabulary, position: int, products: Products, heard: Heard, seed: int
) -> Iterator[dict[str, Any]]:
    """The meta rows of one category, in an order that has nothing to do with that of the reviews."""
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


@dataclass
class _MetaWriter:
    vocabulary: Vocabulary
    words: CategoryWords
    rng: random.Random
    total: int
    rare: dict[int, str]
    """Rows that are odd in a certain way whatever the dice say, so that a small shop has one of each kind too."""

    def __post_init__(self) -> None:
        general = self.vocabulary.general
        coined = [a + b for a in general["brand_starts"] for b in general["brand_ends"]]
        self.brands = list(self.words.brands) + self.rng.sample(coined, min(len(coined), self.total // 40))
        self.mains = list(self.words.main_categories)
        self.main_weights = list(self.words.main_categories.values())

    def row(self, number: int, asin: str, kind: ProductType, reviews: int, stars: float) -> dict[str, Any]:
        rng, rates, general = self.rng, self.words.rates, self.vocabulary.general
        brand = rng.choice(self.brands)
        picked, step = self._attributes(kind)
        color = rng.choice(kind.colors) if kind.colors else ""
        slots = {**picked, "brand": brand, "color": color}
        style = rng.choice(kind.styles)
        title = self._title(kind, brand, style, picked, color)
        features = [
            sentence.format_map(slots)
            for sentence in rng.sample(kind.features, min(len(kind.features), rng.randint(4, 7)))
        ]
        features += rng.sample(general["features"], rng.randint(0, 2))
        features = self._typeset(features)
        description = self._description(kind, slots, title)
        price = self._price(kind, step)
        store: str | None = brand
        if rng.random() < 0.05:
            store = rng.choice(general["other_stores"])
        main: str | None = rng.choices(self.mains, self.main_weights)[0]
        categories = [self.words.human, *kind.path]
        details = self._details(kind, brand, style, picked, color, main or self.words.human)
        if rng.random() < rates["null_store"]:
            store = None
        if rng.random() < rates["null_main"]:
            main = None
        if rng.random() < rates["no_features"]:
            features = []
        if rng.random() < rates["no_description"]:
            description = []
        if rng.random() < rates["no_categories"]:
            categories = []
        if rng.random() < rates["null_price"]:
            price = None
        title = self._decorated(title)
        row: dict[str, Any] = {
            "main_category": main,
            "title": title,
            "average_rating": round(stars / reviews, 1)
            if reviews and stars
            else round(rng.uniform(3.4, 4.9), 1),
            "rating_number": max(1, reviews)
            + int(reviews * rng.paretovariate(1.3) * 0.4)
            + int(rng.random() < 0.5),
            "features": features,
            "description": description,
            "price": price,
            "images": self._images(),
            "videos": self._videos(brand) if rng.random() < 0.3 else [],
            "store": store,
            "categories": categories,
            "details": details,
            "parent_asin": asin,
            "bought_together": None,
        }
        odd = self._oddity(number)
        if odd is not None:
            self._make_odd(row, odd, kind)
        return row

    def _oddity(self, number: int) -> str | None:
        """The rare kinds of row, at their real rate and each at least once in a data set."""
        draw = self.rng.random()
        if number in self.rare:
            return self.rare[number]
        for name, rate in _ODDITIES:
            if draw < rate:
                return name
            draw -= rate
        return None

    def _make_odd(self, row: dict[str, Any], odd: str, kind: ProductType) -> None:
        general, details = self.vocabulary.general, row["details"]
        brand = row["store"] or "Generic"
        match odd:
            case "dash":
                row["price"] = "—"
            case "from":
                row["price"] = f"from {kind.price[1]:.2f}"
            case "free":
                row["price"] = 0.0
            case "no title":
                row["title"] = ""
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
                    "avatar": f"https://m.media.example/images/I/{self._image_id()}._SY600_.jpg",
                    "name": brand,
                    "about": [f"{brand} writes about {kind.plain}."],
                }

    def _attributes(self, kind: ProductType) -> tuple[dict[str, str], float]:
        """The values, and how far up its range of sizes the product is (0..1)."""
        picked: dict[str, str] = {}
        step = 0.5
        for place, (field, values) in enumerate(kind.attributes.items()):
            at = self.rng.randrange(len(values))
            picked[field] = values[at]
            if place == 0 and len(values) > 1:
                step = at / (len(values) - 1)
        return picked, step

    def _title(self, kind: ProductType, brand: str, style: str, picked: dict[str, str], color: str) -> str:
        rng = self.rng
        size = next(iter(picked.values()), "")
        hooks = rng.sample(kind.hooks, min(len(kind.hooks), rng.choice((1, 2, 2, 3))))
        head = f"{brand} {style} {kind.name}"
        others = [_alone(*one) for one in list(picked.items())[1:3] if rng.random() < 0.4]
        tail = [*hooks, *others]
        end = " - " if rng.random() < 0.3 else ", "
        text = ", ".join([head, *tail])
        if size:
            text += f"{end}{size}"
        if color:
            text += f" ({color})" if rng.random() < 0.6 else f", {color}"
        return text

    def _decorated(self, title: str) -> str:
        draw = self.rng.random()
        if not title or draw > 0.05:
            return title
        if draw < 0.003:
            return title.replace(" ", " \u200b", 1)
        if draw < 0.02:
            return f"\u3010Upgraded\u3011{title}"
        if draw < 0.03:
            return title.replace(" ", "\u00a0", 1)
        return title.replace(" - ", " \u2013 ").replace(", ", " \u2014 ", 1)

    def _typeset(self, lines: list[str]) -> list[str]:
        """A third of the sellers write in a word processor: curly quotes, brackets of another alphabet, odd spaces."""
        draw = self.rng.random()
        if draw < 0.22:
            return [
                line.replace("'", "\u2019").replace(": ", " \u2013 ", 1) + ("\u2122" if place == 0 else "")
                for place, line in enumerate(lines)
            ]
        if draw < 0.30:
            heads = self.vocabulary.general["bracketed"]
            return [f"\u3010{head}\u3011{line}" for head, line in zip(heads, lines, strict=False)]
        if draw < 0.34:
            return [line.replace(" ", "\u00a0", 1) for line in lines]
        if draw < 0.36:
            return [f"\u2714\ufe0f {line}" for line in lines]
        return lines

    def _description(self, kind: ProductType, slots: dict[str, str], title: str) -> list[str]:
        rng, general = self.rng, self.vocabulary.general
        lines = rng.sample(kind.features, min(rng.randint(2, 5), len(kind.features)))
        body = " ".join(line.format_map(slots) for line in lines)
        opening = rng.choice(general["openings"]).format(brand=slots["brand"], name=kind.plain, title=title)
        pieces = [f"{opening} {body}", *rng.sample(general["closings"], rng.randint(0, 2))]
        draw = rng.random()
        if draw < 0.12:
            pieces.insert(
                0, rng.choice(("Product Description", "Description", "Feature", "From the Manufacturer"))
            )
        elif draw < 0.13:
            pieces[0] = f"<p><b>{kind.name}</b><br>{pieces[0]}&nbsp;</p>"
        elif draw < 0.17:
            pieces[0] += rng.choice((" \U0001f426", " \u2728", " \U0001f49a", " \u2705"))
        return pieces

    def _price(self, kind: ProductType, step: float) -> Any:
        low, middle, high = kind.price
        draw = min(max(0.62 * step + 0.38 * self.rng.random() + self.rng.gauss(0, 0.06), 0.0), 1.0)
        if draw < 0.5:
            value = low * (middle / low) ** ((draw - 0.05) / 0.45)
        else:
            value = middle * (high / middle) ** ((draw - 0.5) / 0.42)
        if self.rng.random() < 0.012:
            value *= self.rng.choice((0.4, 3.5))
        ending = self.rng.choices((0.99, 0.95, 0.49, 0.0), (70, 12, 6, 12))[0]
        price = round(max(math.floor(value) + ending, 0.99), 2)
        return int(price) if price == int(price) and self.rng.random() < 0.3 else price

    def _details(
        self, kind: ProductType, brand: str, style: str, picked: dict[str, str], color: str, shelf: str
    ) -> dict[str, Any]:
        rng, general = self.rng, self.vocabulary.general
        details: dict[str, Any] = {}
        if rng.random() < 0.85:
            details["Brand"] = brand
        details.update(picked)
        if color:
            details["Color"] = color
        length, width, height = (round(rng.uniform(2, 24), 1) for _ in range(3))
        measured = any("inch" in value or "feet" in value for value in picked.values())
        if not measured and rng.random() < 0.5:
            name = rng.choice(("Item Dimensions LxWxH", "Item Dimensions  LxWxH", "Product Dimensions"))
            details[name] = f"{length} x {width} x {height} inches"
        if "Item Weight" not in details and rng.random() < 0.5:
            details["Item Weight"] = f"{round(kind.weight * math.exp(rng.gauss(0, 0.3)), 2)} pounds"
        if rng.random() < 0.6:
            details["Manufacturer"] = brand if rng.random() < 0.8 else f"{brand} LLC"
        if rng.random() < 0.35:
            details["Item model number"] = f"{brand[:2].upper()}-{rng.randint(100, 99999)}"
        if rng.random() < 0.25:
            details["UPC"] = " ".join(
                str(rng.randrange(10**11, 10**12)) for _ in range(rng.choice((1, 1, 1, 2)))
            )
        if rng.random() < 0.25:
            pack = _PACK.match(next(iter(picked.values()), ""))
            details[rng.choice(("Number of Items", "Number Of Items"))] = pack[1] if pack else "1"
        if rng.random() < 0.15:
            details[rng.choice(("Special Feature", "Special features", "Special Features"))] = style
        if rng.random() < 0.1:
            field, values = rng.choice(list(general["odd_details"].items()))
            details[field] = rng.choice(values)
        if rng.random() < 0.3:
            details["Is Discontinued By Manufacturer"] = "No"
        if rng.random() < 0.45:
            month = rng.choice(general["months"])
            details["Date First Available"] = f"{month} {rng.randint(1, 28)}, {rng.randint(2008, 2019)}"
        if rng.random() < self.words.rates["rank"]:
            details["Best Sellers Rank"] = {
                shelf: int(math.exp(rng.uniform(5, 13))),
                kind.path[-1]: int(math.exp(rng.uniform(1, 8))),
            }
        if self.words.rates["no_categories"] > 0.5:
            kept = rng.sample(list(details), min(len(details), rng.randint(2, 5)))
            size = next(iter(picked), None)
            details = {field: value for field, value in details.items() if field in kept or field == size}
        return details

    def _image_id(self) -> str:
        return "".join(self.rng.choices(ALPHABET, k=8)) + "L"

    def _images(self) -> list[dict[str, Any]]:
        rng = self.rng
        if rng.random() < 0.003:
            return []
        images = []
        for place in range(min(14, 2 + int(rng.expovariate(0.22)))):
            base = f"https://m.media.example/images/I/{self._image_id()}"
            images.append(
                {
                    "thumb": f"{base}._SS40_.jpg",
                    "large": f"{base}.jpg",
                    "variant": "MAIN" if place == 0 else f"PT{place:02d}",
                    "hi_res": None if rng.random() < 0.1 else f"{base}._SL1500_.jpg",
                }
            )
        return images

    def _videos(self, brand: str) -> list[dict[str, str]]:
        rng = self.rng
        return [
            {
                "title": rng.choice(
                    ("Watch this before you buy", f"{brand} in use", "Honest review", "How it works")
                ),
                "url": f"https://www.video.example/vdp/{rng.getrandbits(96):024x}",
                "user_id": rng.choice(("", f"/shop/{brand.lower().replace(' ', '')}", "")),
            }
            for _ in range(rng.randint(1, 4))
        ]


def _alone(field: str, value: str) -> str:
    """An attribute's value as a title says it, where no field's name stands beside it."""
    if field in ("Hair Type", "Skin Type"):
        return f"for {value.title()} {field.split()[0]}"
    if field == "Compatible With":
        return f"for {value}"
    return value[:1].upper() + value[1:]


def meta_line(row: dict[str, Any]) -> bytes:
    return json.dumps(row).encode() + b"\n"
