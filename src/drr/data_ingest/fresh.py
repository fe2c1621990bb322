"""Draws the words of a fresh shop and its web from a seed, using the templates of `fresh.toml`.

The sample's generator turns them into products and orders. No answer to a question can be known beforehand.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Self, cast

from drr.data_ingest.sample import SamplePlan
from drr.data_ingest.sample_products import (
    CategoryWords,
    GeneralWords,
    ProductType,
    Vocabulary,
    load_vocabulary,
)
from drr.data_ingest.shop_policy import PolicyEdition, categories_of
from drr.env.checkable import PART
from drr.env.errors import Misuse, wrong_field
from drr.env.json_object import JsonObject
from drr.env.small_files import read_toml
from drr.env.web.sandbox import Document
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

_MAKERS = 15
"""Makers of a category; more are added as its products grow."""


ORDER_AXES = ("statuses", "cities")
PLANTED_AXES = ("contradictions", "page_values", "outlets")
_LATER = ("sells", "real_kinds", *ORDER_AXES, *PLANTED_AXES)


class ShopAxes(BaseModel):
    """The size and the difficulty of a fresh shop, as a file of axes sets them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    products: int = Field(1_116, ge=10, le=500_000)
    users: int = Field(10_000, ge=1, le=10_000_000)
    reviews: int = Field(24_000, ge=1, le=30_000_000)
    """The number of review rows: orders, and one duplicate in ninety."""
    kinds: int = Field(60, ge=1, le=4_000)
    pages: int = Field(40, ge=0, le=5_000)
    questions: int = Field(20, ge=0, le=10_000)
    curriculum: bool = False
    """True if questions rise by level, with each kind of demand in turn."""
    unknown_price: float | None = Field(None, ge=0, le=1)
    """Share of products without a price; `None` for the rate of the real files."""
    unknown_brand: float = Field(0.15, ge=0, le=1)
    """Share of products whose details name no brand."""
    conflicts: float = Field(0.05, ge=0, le=1)
    """Share of products whose store is not their maker."""
    sells: str = ""
    """The type of shop, which sells its categories alone, and whose pages have its policy in dated editions."""
    real_kinds: bool = False
    """True if kinds, their prices and details are those of the sample shop, so that people have words for them."""
    statuses: float = Field(0.0, ge=0, le=1)
    """Share of orders that were returned, cancelled or are under way; drawn apart, the share of two to six pieces."""
    cities: float = Field(0.0, ge=0, le=1)
    """Share of shoppers who moved between two orders; drawn apart, the share who send gifts to others."""
    contradictions: float = Field(0.0, ge=0, le=1)
    """Share of products whose title, details, maker's page, test and old orders disagree on a value; as many more agree."""
    page_values: float = Field(0.0, ge=0, le=1)
    """Share of products with a value that only their maker's page tells, or, for one in four, nothing tells."""
    outlets: float = Field(0.0, ge=0, le=1)
    """Share of products that other shops list, at their own price and day."""

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.sells and not categories_of(self.sells):
            raise ValueError(f"there is no type of shop {self.sells!r}")
        if self.contradictions + self.page_values > 1:
            raise ValueError(
                "contradictions and page_values are shares of different products, together at most 1"
            )
        return self

    @model_serializer(mode="wrap")
    def _without_later(self, written: SerializerFunctionWrapHandler) -> JsonObject:
        """Serialise the axes; those added later are left out where they are off, so that commitments hold."""
        row: JsonObject = written(self)
        return {name: value for name, value in row.items() if value or name not in _LATER}


SIZES = {
    "small": ShopAxes(),
    "paper": ShopAxes(products=80_000, users=1_800_000, reviews=4_350_000, kinds=1_200, pages=400),
}


def read_axes(path: Path, size: str) -> ShopAxes:
    """Read a TOML file of axes; missing values are those of the size."""
    try:
        given = read_toml(path)
        return ShopAxes.model_validate({**SIZES[size].model_dump(), **given})
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror}); name a TOML file of axes") from error
    except ValidationError as error:
        known = ", ".join(ShopAxes.model_fields)
        raise Misuse(f"{path}: {wrong_field(error)}; the axes are {known}") from error
    except ValueError as error:
        raise Misuse(f"{path}: not TOML ({error}); write lines such as unknown_price = 0.3") from error


@cache
def templates() -> Mapping[str, Any]:
    """Return the templates, read once."""
    return tomllib.loads((files("drr.data_ingest") / "fresh.toml").read_text(encoding="utf-8"))


def plan_of(seed: int, axes: ShopAxes) -> SamplePlan:
    """Plan the raw files. Their seed differs from the sample's, so that no product id is that of a sample."""
    own = int.from_bytes(sha256(f"fresh:{seed}".encode()).digest()[:6], "big")
    return SamplePlan(products=axes.products, users=axes.users, reviews=axes.reviews, seed=own)


def invented_names(rng: Random) -> Iterator[str]:
    """Yield invented names without end, each once."""
    parts, known = templates()["names"], set[str]()
    while True:
        middles = rng.choices(parts["middles"], k=rng.choice((1, 1, 2)))
        name = "".join([rng.choice(parts["starts"]), *middles, rng.choice(parts["ends"])])
        if name not in known:
            known.add(name)
            yield name


def fresh_vocabulary(seed: int, axes: ShopAxes) -> Vocabulary:
    """Draw the vocabulary of a shop. The rates of missing fields stay as in the sample."""
    rng, base = Random(f"fresh:{seed}:words"), load_vocabulary()
    names = invented_names(rng)
    own = {words.category: words for words in base.categories}
    interests = [one.name for one in base.interests]
    areas = [
        one for one in templates()["area"] if not axes.sells or one["category"] in categories_of(axes.sells)
    ]
    chosen = _kinds(rng, areas, axes.kinds)
    categories = []
    for area, kinds in zip(areas, chosen, strict=True):
        words = own[area["category"]]
        rates = words.rates | {"brand": 1 - axes.unknown_brand, "other_store": axes.conflicts}
        if axes.unknown_price is not None:
            rates["null_price"] = axes.unknown_price
        if axes.real_kinds:
            rates["no_categories"] = 0.0
            known = [one for one in words.types if sum(one.name in other.name for other in base.types) == 1]
            drawn = rng.sample(known, min(len(known), max(4, axes.kinds // len(areas))))
            types = tuple(replace(one, path=(*one.path[:-1], one.name)) for one in drawn)
        else:
            types = _with_parts([_type(rng, area, kind, names, interests) for kind in kinds])
        makers = tuple(_maker(rng, names) for _ in range(_MAKERS))
        categories.append(replace(words, brands=makers, rates=rates, types=types))
    more = [_maker(rng, names) for _ in range(max(_MAKERS, axes.products // 20))]
    general = cast(GeneralWords, {**base.general, "brand_starts": more, "brand_ends": [""]})
    return Vocabulary(tuple(categories), base.interests, general, mute=True)


def _kinds(rng: Random, areas: Sequence[Any], count: int) -> list[list[tuple[str, str]]]:
    """Deal (modifier, thing) pairs to the areas in turn, so that no area gets all of them."""
    modifiers = templates()["kinds"]["modifiers"]
    decks = [
        rng.sample(pairs, len(pairs))
        for pairs in ([(m, t) for t in area["things"] for m in modifiers] for area in areas)
    ]
    dealt: list[list[tuple[str, str]]] = [[] for _ in areas]
    for number in range(count):
        place = number % len(areas)
        if decks[place]:
            dealt[place].append(decks[place].pop())
    return dealt


def _with_parts(types: Sequence[ProductType]) -> tuple[ProductType, ...]:
    """Let each product type of a category name series of the next type as its spare parts."""
    return tuple(
        replace(one, attributes=one.attributes | {PART: part.styles[: len(part.styles) // 2]})
        for one, part in zip(types, [*types[1:], *types[:1]], strict=True)
        if part is not one
    ) or tuple(types)


def _maker(rng: Random, names: Iterator[str]) -> str:
    form = rng.choice(templates()["names"]["makers"])
    return str(form).format(name=next(names), other=next(names))


def _type(
    rng: Random,
    area: Mapping[str, Any],
    kind: tuple[str, str],
    names: Iterator[str],
    interests: Sequence[str],
) -> ProductType:
    known, texts, fields = templates()["kinds"], templates()["texts"], templates()["fields"]
    name, thing = " ".join(kind), kind[1]
    middle = math.exp(rng.gauss(math.log(known["middle"][0]), known["middle"][1]))
    low, high = (middle * spread * rng.uniform(0.85, 1.15) for spread in known["spread"])
    return ProductType(
        category=area["category"],
        name=name,
        path=(*area["path"], plural_noun(thing), plural_noun(name)),
        interests=(rng.choice(interests),),
        price=(low, middle, high),
        weight=math.exp(rng.uniform(-1.5, 2.5)),
        styles=tuple(islice(names, known["series"])),
        hooks=tuple(rng.sample(known["hooks"], 8)),
        attributes={field: _values(rng, fields[field], names) for field in area["fields"]},
        features=tuple(
            [rng.choice(fields[field]["says"]) for field in area["fields"]] + rng.sample(texts["features"], 3)
        ),
        praise=tuple(texts["praise"]),
        gripes=tuple(texts["gripes"]),
        consumable=False,
        colors=tuple(rng.sample(known["colors"], rng.randint(3, 6))),
    )


def _values(rng: Random, field: Mapping[str, Any], names: Iterator[str]) -> tuple[str, ...]:
    """Draw the values of a field for one product type: ascending figures with their unit, or invented names."""
    count = templates()["kinds"]["values"]
    if "words" in field:
        return tuple(str(rng.choice(field["words"])).format(name=next(names)) for _ in range(count))
    low, high = map(math.log, field["range"])
    drawn = [float(f"{math.exp(rng.uniform(low, high)):.2g}") for _ in range(6 * count)]
    figures = {float(round(one)) if field.get("whole") else one for one in drawn}
    return tuple(f"{figure:g} {field['unit']}" for figure in sorted(rng.sample(sorted(figures), count)))


def fresh_pages(seed: int, vocabulary: Vocabulary, axes: ShopAxes) -> list[Document]:
    """Write the web of a shop: tables of figures, and for every third table an older edition with other figures."""
    rng = Random(f"fresh:{seed}:pages")
    names, pages = invented_names(rng), dict[str, Document]()
    while len(pages) < axes.pages:
        words = rng.choice(vocabulary.categories)
        if not words.types:
            continue
        shapes = templates()["pages"]["real" if axes.real_kinds else "page"]
        shape, slots = rng.choice(shapes), _slots(rng, words, names)
        page = _page(rng, shape, words, slots, "supportive")
        if page.title not in {one.title for one in pages.values()}:
            pages[page.url] = page
        if rng.random() < 1 / 3 and len(pages) < axes.pages:
            older = _page(rng, shape, words, {**slots, "year": slots["year"] - 3}, "distractor")
            pages[older.url] = older
    return sorted(pages.values(), key=lambda page: page.url)


def policy_pages(editions: Sequence[PolicyEdition], seed: int) -> list[Document]:
    """Write a shop's own pages: each edition of its policy, of which the last is in force."""
    host = next(invented_names(Random(f"fresh:{seed}:host"))).lower()
    return [
        Document(
            url=f"https://shop-{host}.example/terms/{one.since}",
            title=one.title,
            text=one.page,
            date=one.since.isoformat(),
            kind="supportive" if one is editions[-1] else "distractor",
        )
        for one in editions
    ]


def _slots(rng: Random, words: CategoryWords, names: Iterator[str]) -> dict[str, Any]:
    host = str(rng.choice(templates()["pages"]["hosts"])).format(name=next(names).lower())
    return {
        "maker": rng.choice(words.brands),
        "kind": rng.choice(words.types).plain,
        "month": rng.randint(1, 8),
        "year": rng.randint(2019, 2023),
        "count": rng.randint(3, 48),
        "author": f"{next(names)} {next(names)}",
        "place": next(names),
        "host": host,
    }


def _page(
    rng: Random, shape: Mapping[str, Any], words: CategoryWords, slots: Mapping[str, Any], kind: Any
) -> Document:
    month, known = slots["month"], _rows(shape["rows"], words, slots)
    slots = {**slots, "month": load_vocabulary().general["months"][month - 1]}
    title = shape["title"].format_map(slots)
    own = [
        row
        for row in known
        if row.casefold()
        in {one.casefold() for one in (slots["maker"], slots["kind"], plural_noun(slots["kind"]))}
    ]
    others = [row for row in known if row not in own]
    rows = rng.sample([*own, *rng.sample(others, 4 - len(own))], 4)
    columns = rng.sample([*shape["columns"]], 2)
    spans = [shape["columns"][column] for column in columns]
    table = [["", *columns], ["---"] * 3, *([row, *(_figure(rng, *span) for span in spans)] for row in rows)]
    lines = ["| " + " | ".join(cells) + " |" for cells in table]
    intro, after = (" ".join(one.format_map(slots) for one in shape[part]) for part in ("intro", "after"))
    slug = "-".join("".join(c if c.isalnum() else " " for c in title.lower()).split())
    return Document(
        url=f"https://{slots['host']}/{slug}",
        title=title,
        text="\n".join([intro, "", *lines, "", after]),
        date=f"{slots['year']}-{month:02d}-{rng.randint(14, 28):02d}",
        kind=kind,
    )


def _rows(what: str, words: CategoryWords, slots: Mapping[str, Any]) -> list[str]:
    """Return the row names of a table: makers, product types, or values that the type's products have."""
    if what == "makers":
        return list(words.brands)
    if what == "names":
        return [one.name for one in words.types]
    if what == "kinds" and len(words.types) > 3:
        return [plural_noun(one.name) for one in words.types]
    own = next(one for one in words.types if one.plain == slots["kind"])
    values = [value for value in own.attributes.values() if not value[0][0].isdigit()]
    return list(values[0])


def _figure(rng: Random, least: float, most: float, digits: int) -> str:
    return f"{math.exp(rng.uniform(math.log(least), math.log(most))):.{digits}f}"


def plural_noun(thing: str) -> str:
    """Return the plural of a noun."""
    return f"{thing}es" if thing.endswith(("s", "x", "ch", "sh")) else f"{thing}s"
