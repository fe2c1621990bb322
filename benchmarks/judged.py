"""Judged queries of eight kinds over the sample shop: what is relevant follows from how the generator made the products.

A third of them, by a fixed hash, is held out: no weight, word or rule of the search was chosen by looking at those.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from statistics import median

from drr.data_ingest.sample import SamplePlan
from drr.data_ingest.sample_products import ProductType, Vocabulary, load_vocabulary, make_products
from drr.env.entities import Product

KINDS = ("category", "brand", "use", "attribute", "typo", "synonym", "question", "price")
PER_KIND = 48
FEWEST = 3
"""Relevant products that a query has at least."""
_SYNONYMS = Path(__file__).parent / "judged_synonyms.toml"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Judged:
    kind: str
    query: str
    relevant: frozenset[str]

    @property
    def held(self) -> bool:
        return sha256(self.query.encode()).digest()[0] % 3 == 0


@dataclass(frozen=True)
class Truth:
    """The products of a shop made from a sample, and what the generator made each of."""

    products: Sequence[Product]
    kind_of: Mapping[str, ProductType]
    vocabulary: Vocabulary

    @classmethod
    def of(cls, products: Sequence[Product], plan: SamplePlan) -> Truth:
        vocabulary = load_vocabulary()
        made = make_products(vocabulary, plan.products, plan.reviews, plan.seed)
        kind_of = {made.parent(k): vocabulary.types[made.type_of[k]] for k in range(len(made))}
        return cls(products, kind_of, vocabulary)

    @cached_property
    def by_type(self) -> dict[str, list[Product]]:
        members: dict[str, list[Product]] = {}
        for product in self.products:
            members.setdefault(self.kind_of[product.product_id].name, []).append(product)
        return members

    @cached_property
    def by_leaf(self) -> dict[str, list[Product]]:
        """Map the last step of the path to its products. A file that states no paths at all has none, as nobody can ask for one."""
        stated = {
            words.category for words in self.vocabulary.categories if words.rates["no_categories"] < 0.5
        }
        members: dict[str, list[Product]] = {}
        for product in self.products:
            kind = self.kind_of[product.product_id]
            if kind.category in stated:
                members.setdefault(kind.path[-1], []).append(product)
        return members

    @cached_property
    def by_brand(self) -> dict[str, list[Product]]:
        """Map each brand to its products, as the title, the details or the store say. The generator puts it at the title's head."""
        members: dict[str, list[Product]] = {}
        for product in self.products:
            for brand in _brands(product, self.vocabulary):
                members.setdefault(brand, []).append(product)
        return members


def judged(truth: Truth) -> list[Judged]:
    """List at most `PER_KIND` of each kind, spread evenly over what there is."""
    made = {
        "category": _categories(truth),
        "brand": _brand_names(truth),
        "use": _uses(truth),
        "attribute": _attributes(truth),
        "typo": _typos(truth),
        "synonym": _synonyms(truth),
        "question": _questions(truth),
        "price": _prices(truth),
    }
    found: list[Judged] = []
    for kind in KINDS:
        rows = {query: ids for query, ids in made[kind] if len(ids) >= FEWEST}
        step = max(1.0, len(rows) / PER_KIND)
        names = list(rows)
        chosen = [names[int(k * step)] for k in range(min(PER_KIND, len(names)))]
        found += [Judged(kind, query, frozenset(rows[query])) for query in chosen]
    return found


_Rows = Iterator[tuple[str, list[str]]]


def _ids(products: Sequence[Product]) -> list[str]:
    return [product.product_id for product in products]


def _categories(truth: Truth) -> _Rows:
    for leaf, members in sorted(truth.by_leaf.items()):
        yield leaf, _ids(members)


def _brand_names(truth: Truth) -> _Rows:
    for brand, members in sorted(truth.by_brand.items()):
        yield brand, _ids(members)


def _brands(product: Product, vocabulary: Vocabulary) -> set[str]:
    named = {product.store, product.details.get("Brand")}
    known = {brand for words in vocabulary.categories for brand in words.brands}
    title = product.title.removeprefix("\u3010Upgraded\u3011").replace("\u00a0", " ").replace("\u200b", "")
    named |= {brand for brand in known if title.startswith(f"{brand} ")}
    return {name for name in named if isinstance(name, str)}


def _types(truth: Truth) -> Iterator[tuple[ProductType, list[Product]]]:
    by_name = {kind.name: kind for kind in truth.vocabulary.types}
    for name, members in sorted(truth.by_type.items()):
        yield by_name[name], members


def _uses(truth: Truth) -> _Rows:
    """The last word or two of the name, and what the thing is for: "ramp for suvs and trucks"."""
    lasts = [kind.plain.split()[-1] for kind in truth.vocabulary.types]
    for kind, members in _types(truth):
        words = kind.plain.split()
        noun = words[-1] if lasts.count(words[-1]) == 1 else " ".join(words[-2:])
        for hook in kind.hooks[:2]:
            if hook.startswith("for "):
                yield f"{noun} {hook.lower()}", _ids(members)


def _attributes(truth: Truth) -> _Rows:
    """A value of one field before the name."""
    for kind, members in _types(truth):
        for field, values in list(kind.attributes.items())[:2]:
            value = values[len(values) // 2]
            matching = [p for p in members if p.details.get(field) == value]
            yield f"{value} {kind.plain}".lower(), _ids(matching)


def _typos(truth: Truth) -> _Rows:
    """One slip of the finger in the longest word of the name, which makes a word that no product has."""
    known = {
        word
        for product in truth.products
        for text in (
            product.title,
            *product.features,
            *product.description,
            *map(str, product.details.values()),
        )
        for word in re.findall(r"[a-z]+", text.lower())
    }
    for kind, members in _types(truth):
        words = kind.plain.lower().split()
        longest = max(words, key=len)
        if len(longest) < 5 or not longest.isalpha():
            continue
        slip = next(slip for n in range(99) if (slip := _slip(longest, n)) not in known)
        yield " ".join(slip if word == longest else word for word in words), _ids(members)


def _slip(word: str, number: int) -> str:
    """A letter left out, doubled, swapped with the next or hit wrongly, by a hash of the word."""
    digest = sha256(f"{word}{number}".encode()).digest()
    at = 1 + digest[0] % (len(word) - 2)
    match digest[1] % 4:
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[:at] + word[at] + word[at:]
        case 2:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case _:
            return word[:at] + _LETTERS[digest[2] % 26] + word[at + 1 :]


def _synonyms(truth: Truth) -> _Rows:
    """Names that shoppers have for a thing and no listing of ours does."""
    rows = tomllib.loads(_SYNONYMS.read_text(encoding="utf-8"))["synonym"]
    for name, asked in rows.items():
        for query in asked:
            yield query, _ids(truth.by_type.get(name, []))


_FRAMES = (
    "I am looking for a good {name} {hook}. Which one would you recommend?",
    "Can you help me find a {style} {name} that will last and is not a waste of money?",
    "What is the best {name} for someone who has never owned one before, and why?",
    "My old {name} finally broke, so I need a new one {hook}; what should I buy?",
)


def _questions(truth: Truth) -> _Rows:
    for number, (kind, members) in enumerate(_types(truth)):
        frame = _FRAMES[number % len(_FRAMES)]
        hook = next((h.lower() for h in kind.hooks if h.startswith(("for ", "with "))), "")
        yield (
            frame.format(name=kind.plain, hook=hook, style=kind.styles[0].lower()).replace("  ", " "),
            _ids(members),
        )


_CAPS = (
    "{name} under ${cap}",
    "{name} for less than {cap} dollars",
    "cheap {name} up to ${cap}",
    "{name} ${cap} or less",
)


def _prices(truth: Truth) -> _Rows:
    for number, (kind, members) in enumerate(_types(truth)):
        known = [p for p in members if p.price is not None]
        if not known:
            continue
        cap = round(median(p.price for p in known if p.price is not None) + 1)
        asked = _CAPS[number % len(_CAPS)].format(name=kind.plain, cap=cap)
        yield asked, _ids([p for p in known if p.price is not None and p.price <= cap])
