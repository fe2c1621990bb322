"""Writes the words of one invented listing: title, features, description, price, details, pictures.

Every function draws from the given generator in a fixed order: the same seed gives the same bytes.
"""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass
from typing import TypedDict

from drr.data_ingest.sample_products import ALPHABET, GeneralWords, ProductType
from drr.env.json_object import JsonObject

_PACK = re.compile(r"(\d+) (?:Count|Pack|Pairs|Rolls|Pads)$")
_DESCRIPTION_HEADS = ("Product Description", "Description", "Feature", "From the Manufacturer")
_SIGNS = (" \U0001f426", " \u2728", " \U0001f49a", " \u2705")


@dataclass(frozen=True)
class Item:
    """The properties drawn for a product before any of its text is written."""

    kind: ProductType
    brand: str
    style: str
    color: str
    attributes: dict[str, str]
    step: float
    """The product's position in its range of sizes, 0 to 1."""

    @property
    def size(self) -> str:
        return next(iter(self.attributes.values()), "")

    @property
    def slots(self) -> dict[str, str]:
        return {**self.attributes, "brand": self.brand, "color": self.color}


def draw_item(rng: random.Random, kind: ProductType, brand: str) -> Item:
    attributes: dict[str, str] = {}
    step = 0.5
    for place, (field, values) in enumerate(kind.attributes.items()):
        at = rng.randrange(len(values))
        attributes[field] = values[at]
        if place == 0 and len(values) > 1:
            step = at / (len(values) - 1)
    color = rng.choice(kind.colors) if kind.colors else ""
    return Item(kind, brand, rng.choice(kind.styles), color, attributes, step)


def title_of(rng: random.Random, item: Item) -> str:
    kind = item.kind
    hooks = rng.sample(kind.hooks, min(len(kind.hooks), rng.choice((1, 2, 2, 3))))
    others = [_value_for_title(*one) for one in list(item.attributes.items())[1:3] if rng.random() < 0.4]
    end = " - " if rng.random() < 0.3 else ", "
    text = ", ".join([f"{item.brand} {item.style} {kind.name}", *hooks, *others])
    if item.size:
        text += f"{end}{item.size}"
    if item.color:
        text += f" ({item.color})" if rng.random() < 0.6 else f", {item.color}"
    return text


def _value_for_title(field: str, value: str) -> str:
    """Return an attribute's value for a title, where no field name stands beside it."""
    if field in ("Hair Type", "Skin Type"):
        return f"for {value.title()} {field.split()[0]}"
    if field == "Compatible With":
        return f"for {value}"
    return value[:1].upper() + value[1:]


def with_unusual_character(rng: random.Random, title: str) -> str:
    """Add an unusual character, such as an invisible space, to one title in twenty."""
    draw = rng.random()
    if not title or draw > 0.05:
        return title
    if draw < 0.003:
        return title.replace(" ", " \u200b", 1)
    if draw < 0.02:
        return f"\u3010Upgraded\u3011{title}"
    if draw < 0.03:
        return title.replace(" ", "\u00a0", 1)
    return title.replace(" - ", " \u2013 ").replace(", ", " \u2014 ", 1)


def features_of(rng: random.Random, item: Item, general: GeneralWords) -> list[str]:
    chosen = rng.sample(item.kind.features, min(len(item.kind.features), rng.randint(4, 7)))
    lines = [sentence.format_map(item.slots) for sentence in chosen]
    lines += rng.sample(general["features"], rng.randint(0, 2))
    return _typeset(rng, lines, general["bracketed"])


def _typeset(rng: random.Random, lines: list[str], heads: list[str]) -> list[str]:
    """Format the lines as from a word processor for a third of the sellers: curly quotes, unusual brackets, odd spaces."""
    draw = rng.random()
    if draw < 0.22:
        return [
            line.replace("'", "\u2019").replace(": ", " \u2013 ", 1) + ("\u2122" if place == 0 else "")
            for place, line in enumerate(lines)
        ]
    if draw < 0.30:
        return [f"\u3010{head}\u3011{line}" for head, line in zip(heads, lines, strict=False)]
    if draw < 0.34:
        return [line.replace(" ", "\u00a0", 1) for line in lines]
    if draw < 0.36:
        return [f"\u2714\ufe0f {line}" for line in lines]
    return lines


def description_of(rng: random.Random, item: Item, title: str, general: GeneralWords) -> list[str]:
    kind = item.kind
    lines = rng.sample(kind.features, min(rng.randint(2, 5), len(kind.features)))
    body = " ".join(line.format_map(item.slots) for line in lines)
    opening = rng.choice(general["openings"]).format(brand=item.brand, name=kind.plain, title=title)
    pieces = [f"{opening} {body}", *rng.sample(general["closings"], rng.randint(0, 2))]
    draw = rng.random()
    if draw < 0.12:
        pieces.insert(0, rng.choice(_DESCRIPTION_HEADS))
    elif draw < 0.13:
        pieces[0] = f"<p><b>{kind.name}</b><br>{pieces[0]}&nbsp;</p>"
    elif draw < 0.17:
        pieces[0] += rng.choice(_SIGNS)
    return pieces


def price_of(rng: random.Random, item: Item) -> float | int:
    """Draw a price. Larger sizes cost more; a few prices are far off, as in the real files."""
    low, middle, high = item.kind.price
    draw = min(max(0.62 * item.step + 0.38 * rng.random() + rng.gauss(0, 0.06), 0.0), 1.0)
    if draw < 0.5:
        value = low * (middle / low) ** ((draw - 0.05) / 0.45)
    else:
        value = middle * (high / middle) ** ((draw - 0.5) / 0.42)
    if rng.random() < 0.012:
        value *= rng.choice((0.4, 3.5))
    ending = rng.choices((0.99, 0.95, 0.49, 0.0), (70, 12, 6, 12))[0]
    price = round(max(math.floor(value) + ending, 0.99), 2)
    return int(price) if price == int(price) and rng.random() < 0.3 else price


def details_of(
    rng: random.Random, item: Item, shelf: str, general: GeneralWords, rates: dict[str, float]
) -> JsonObject:
    """Draw the details that sellers list; hardly two products have the same."""
    details: JsonObject = {}
    if rng.random() < rates.get("brand", 0.85):
        details["Brand"] = item.brand
    details.update(item.attributes)
    if item.color:
        details["Color"] = item.color
    _measure(rng, item, details)
    _number(rng, item, details)
    _remark(rng, item, details, general)
    if rng.random() < rates["rank"]:
        details["Best Sellers Rank"] = {
            shelf: int(math.exp(rng.uniform(5, 13))),
            item.kind.path[-1]: int(math.exp(rng.uniform(1, 8))),
        }
    if rates["no_categories"] <= 0.5:
        return details
    kept = {
        *rng.sample(list(details), min(len(details), rng.randint(2, 5))),
        next(iter(item.attributes), None),
    }
    return {field: value for field, value in details.items() if field in kept}


def _measure(rng: random.Random, item: Item, details: JsonObject) -> None:
    length, width, height = (round(rng.uniform(2, 24), 1) for _ in range(3))
    measured = any("inch" in value or "feet" in value for value in item.attributes.values())
    if not measured and rng.random() < 0.5:
        name = rng.choice(("Item Dimensions LxWxH", "Item Dimensions  LxWxH", "Product Dimensions"))
        details[name] = f"{length} x {width} x {height} inches"
    if "Item Weight" not in details and rng.random() < 0.5:
        details["Item Weight"] = f"{round(item.kind.weight * math.exp(rng.gauss(0, 0.3)), 2)} pounds"


def _number(rng: random.Random, item: Item, details: JsonObject) -> None:
    """Add the maker, model number, product codes and number of items, each to a share of the products."""
    if rng.random() < 0.6:
        details["Manufacturer"] = item.brand if rng.random() < 0.8 else f"{item.brand} LLC"
    if rng.random() < 0.35:
        details["Item model number"] = f"{item.brand[:2].upper()}-{rng.randint(100, 99999)}"
    if rng.random() < 0.25:
        codes = range(rng.choice((1, 1, 1, 2)))
        details["UPC"] = " ".join(str(rng.randrange(10**11, 10**12)) for _ in codes)
    if rng.random() < 0.25:
        pack = _PACK.match(item.size)
        details[rng.choice(("Number of Items", "Number Of Items"))] = pack[1] if pack else "1"


def _remark(rng: random.Random, item: Item, details: JsonObject, general: GeneralWords) -> None:
    if rng.random() < 0.15:
        details[rng.choice(("Special Feature", "Special features", "Special Features"))] = item.style
    if rng.random() < 0.1:
        field, values = rng.choice(list(general["odd_details"].items()))
        details[field] = rng.choice(values)
    if rng.random() < 0.3:
        details["Is Discontinued By Manufacturer"] = "No"
    if rng.random() < 0.45:
        month = rng.choice(general["months"])
        details["Date First Available"] = f"{month} {rng.randint(1, 28)}, {rng.randint(2008, 2019)}"


def image_id(rng: random.Random) -> str:
    return "".join(rng.choices(ALPHABET, k=8)) + "L"


class ImageRow(TypedDict):
    thumb: str
    large: str
    variant: str
    hi_res: str | None


def images_of(rng: random.Random) -> list[ImageRow]:
    if rng.random() < 0.003:
        return []
    images: list[ImageRow] = []
    for place in range(min(14, 2 + int(rng.expovariate(0.22)))):
        base = f"https://m.media.example/images/I/{image_id(rng)}"
        images.append(
            {
                "thumb": f"{base}._SS40_.jpg",
                "large": f"{base}.jpg",
                "variant": "MAIN" if place == 0 else f"PT{place:02d}",
                "hi_res": None if rng.random() < 0.1 else f"{base}._SL1500_.jpg",
            }
        )
    return images


def videos_of(rng: random.Random, brand: str) -> list[dict[str, str]]:
    titles = ("Watch this before you buy", f"{brand} in use", "Honest review", "How it works")
    return [
        {
            "title": rng.choice(titles),
            "url": f"https://www.video.example/vdp/{rng.getrandbits(96):024x}",
            "user_id": rng.choice(("", f"/shop/{brand.lower().replace(' ', '')}", "")),
        }
        for _ in range(rng.randint(1, 4))
    ]
