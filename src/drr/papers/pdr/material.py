"""The drafts of context items for one person, in streams: those that express an attribute, and those that express none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cached_property
from hashlib import blake2b
from heapq import nsmallest
from random import Random
from typing import NamedTuple

from drr.env.entities import KeptReview, Product
from drr.env.profile import BY_KEY, themes_of
from drr.env.records.shopper import order_words, page_words, product_name, review_words
from drr.env.text import WIDTH, Run, tokens, word_sequences
from drr.eval.stats.question import grouped
from drr.papers.pdr.context import ItemKind
from drr.papers.pdr.context_check import outright_runs
from drr.papers.pdr.person import Attribute, Person, private_data_kinds
from drr.papers.pdr.records import PurchasedProduct, ShopperHistory, derive_attributes
from drr.papers.pdr.words import key_of, talk, texts_of
from drr.wording.currency import DOLLARS, Currency

POOL = 3000
_SHORT, _LONG = 260, 900


class ContextProduct(NamedTuple):
    """A product as it appears in items. Its page is checked once for texts that no context may contain, not for each item."""

    product_id: str
    name: str
    store: str | None
    themes: frozenset[str]
    short: str
    long: str

    @classmethod
    def of(cls, product: Product, currency: Currency) -> ContextProduct:
        pages = (page_words(product, most, currency) for most in (_SHORT, _LONG))
        about = frozenset(themes_of(product.title))
        return cls(product.product_id, product_name(product), product.store, about, *pages)


class ProductSample:
    """A seeded sample of a shop's products, the same on every backend. Pages with personal data are left out."""

    def __init__(
        self,
        products: Iterable[Product],
        seed: int,
        persons: Iterable[Person] = (),
        most: int = POOL,
        currency: Currency = DOLLARS,
    ) -> None:
        self.currency = currency

        def key(product: Product) -> bytes:
            return blake2b(f"{seed}\n{product.product_id}".encode(), digest_size=12).digest()

        outright = {run for person in persons for one in person.attributes for run in outright_runs(one)}
        wares = (ContextProduct.of(one, currency) for one in nsmallest(most, products, key=key))
        self.every = [ware for ware in wares if not private_data_kinds(f"{ware.name}\n{ware.long}")]
        self.says: dict[str, frozenset[Run]] = {}
        """Runs of words on each product's page that state some person's attribute outright."""
        for ware in self.every:
            words = tokens(f"{ware.name}\n{ware.long}")
            found = outright.intersection([*word_sequences(words, WIDTH), *word_sequences(words, WIDTH - 1)])
            self.says[ware.product_id] = frozenset(found)

    @cached_property
    def by_theme(self) -> dict[str, list[ContextProduct]]:
        return {key: [ware for ware in self.every if key in ware.themes] for key in BY_KEY}


_WINDOW = 730
"""Number of days before `as_of` over which undated items are spread."""


class ItemDraft(NamedTuple):
    date: str
    kind: ItemKind
    text: str
    expresses: tuple[str, ...]
    quoted: tuple[ContextProduct, ...] = ()
    """Products whose pages the item quotes."""


_THING = frozenset({"pets", "children", "care", "needs", "themes", "brands", "replenishment", "goods"})
"""Blocks that talk about a product can express. Others, such as rhythm and price level, show only in orders."""
_THEMED = frozenset({"pets", "children", "care", "needs", "themes"})


class PersonMaterial:
    """All drafts for one person's context. The streams are endless, except orders, reviews and texts of attributes."""

    def __init__(
        self,
        person: Person,
        history: ShopperHistory | None,
        reviews: Sequence[KeptReview],
        wares: ProductSample,
        rng: Random,
    ) -> None:
        self.wares = wares
        self._person, self._history, self._rng = person, history, rng
        self._lines: Sequence[PurchasedProduct] = history.lines if history is not None else ()
        self._reviews = {review.order_id: review for review in reviews}
        self._today = date.fromisoformat(person.as_of or "2024-01-01")
        themed = ((key_of(one).replace("-", "_"), one) for one in person.attributes if one.block in _THEMED)
        self._themes = {theme: one.id for theme, one in themed if theme in BY_KEY}
        named = (one for one in person.attributes if one.block == "brands")
        self._brands = {name: one.id for one in named for name in one.names}
        self._thing = {one.id for one in person.attributes if one.block in _THING}

    # -- what orders and reviews show

    @cached_property
    def _shown(self) -> Mapping[str, Sequence[str]]:
        """Map each order to the attributes that it shows: by the rules, and by the person's evidence."""
        known, found = {one.id for one in self._person.attributes}, set[tuple[str, str]]()
        for one in derive_attributes(self._history) if self._history is not None else ():
            if one.attribute.id in known:
                found |= {(order_id, one.attribute.id) for order_id in one.orders}
        for attribute in self._person.attributes:
            named = (ground.order_id for ground in attribute.evidence)
            found |= {(order_id, attribute.id) for order_id in named if order_id is not None}
        return grouped(sorted(found))

    def _shows(self, line: PurchasedProduct) -> tuple[str, ...]:
        return tuple(self._shown.get(line.order.order_id, ()))

    def orders(self) -> list[ItemDraft]:
        """Return purchases and returns, in random order."""
        lines, found = list(self._lines), []
        self._rng.shuffle(lines)
        for line in lines:
            kind: ItemKind = "return" if line.order.order_status == "Returned" else "purchase"
            words = order_words(line.order, line.product, self.wares.currency)
            found.append(ItemDraft(line.day.isoformat(), kind, words, self._shows(line)))
        return found

    def reviews(self) -> list[ItemDraft]:
        """Return the person's own reviews, if the shop keeps them."""
        written = [line for line in self._lines if line.order.order_id in self._reviews]
        self._rng.shuffle(written)
        found = []
        for line in written:
            review = self._reviews[line.order.order_id]
            if review.text.strip():
                known = (key for key in self._shows(line) if key in self._thing or self._quotes(key, review))
                words = review_words(review, line.product)
                found.append(ItemDraft(line.day.isoformat(), "review", words, tuple(known)))
        return found

    def _quotes(self, key: str, review: KeptReview) -> bool:
        grounds = (ground for one in self._person.attributes if one.id == key for ground in one.evidence)
        return any(one.quote is not None and one.order_id == review.order_id for one in grounds)

    # -- what texts of traits show

    def traits(self, attribute: Attribute) -> list[ItemDraft]:
        texts = texts_of(attribute)
        if texts is None:
            return []
        filled = dict.fromkeys(("kind", "brand", "state"), attribute.names[0] if attribute.names else "")
        shown, drafts = (attribute.id,), []
        for turn in texts.asked:
            first, second = (text.format_map(filled) for text in turn)
            drafts.append(ItemDraft(self._day(), "dialogue", _spoken((first, second)), shown))
        drafts += [ItemDraft(self._day(), "note", note.format_map(filled), shown) for note in texts.notes]
        self._rng.shuffle(drafts)
        return drafts

    def talk_of_theme(self, attribute: Attribute, count: int) -> list[ItemDraft]:
        """Return dialogues and notes about products of the attribute's theme."""
        theme = key_of(attribute).replace("-", "_")
        wares = self.wares.by_theme.get(theme, []) if attribute.block in _THEMED else []
        drawn = enumerate(self._rng.sample(wares, min(count, len(wares))))
        return [self._browsed(ware) if at % 2 else self._wished([ware]) for at, ware in drawn]

    # -- streams without an end

    def dialogues(self, *, own: bool) -> Iterator[ItemDraft]:
        """Yield dialogues without end.

        With `own` they are about products of the person's themes and purchases, and end if there is no such product.
        Otherwise they are about gifts for other people, or about the shop itself.
        """
        wares, lines = self._wares(own=own), self._bought if own else []
        while True:
            draw = self._rng.random()
            if own and lines and draw < 0.35:
                yield self._asked(self._rng.choice(lines))
            elif not own and (not wares or draw < 0.15):
                yield ItemDraft(self._day(), "dialogue", _spoken(self._rng.choice(talk().small_ask)), ())
            elif not wares:
                return
            elif draw < 0.7 and len(wares) > 1:
                yield self._compared(*self._rng.sample(wares, 2), own=own)
            else:
                ware = self._rng.choice(wares)
                yield self._browsed(ware) if own else self._given(ware)

    def notes(self, *, own: bool) -> Iterator[ItemDraft]:
        wares = self._wares(own=own)
        while True:
            if not own and (not wares or self._rng.random() < 0.2):
                yield self._small()
            elif not wares:
                return
            else:
                yield self._wished(self._rng.choices(wares, k=self._rng.randint(1, 3)), own=own)

    def short(self, *, own: bool) -> ItemDraft:
        """Return a note of one line."""
        wares = self._wares(own=own)
        if wares and self._rng.random() < 0.8:
            return self._wished([self._rng.choice(wares)], own=own)
        return self._small()

    def _wares(self, *, own: bool) -> list[ContextProduct]:
        return self._own_wares if own else self._other_wares

    @cached_property
    def _own_wares(self) -> list[ContextProduct]:
        return [ware for key in sorted(self._themes) for ware in self.wares.by_theme[key]]

    @cached_property
    def _other_wares(self) -> list[ContextProduct]:
        strange = (ware for ware in self.wares.every if ware.themes.isdisjoint(self._themes))
        return [ware for ware in strange if ware.store not in self._brands]

    @cached_property
    def _bought(self) -> list[PurchasedProduct]:
        lines = self._history.kept if self._history is not None else []
        return [line for line in lines if not self._thing.isdisjoint(self._shows(line))]

    # -- talk about products

    def _asked(self, line: PurchasedProduct) -> ItemDraft:
        """Return a dialogue about a purchase, some days after it and before today."""
        ware, latest = ContextProduct.of(line.product, self.wares.currency), (self._today - line.day).days - 1
        day = line.day + timedelta(days=self._rng.randint(0, max(0, min(latest, 120))))
        shown = tuple(key for key in self._shows(line) if key in self._thing)
        return self._dialogue(talk().own, ware.long, shown, ware, day=day.isoformat())

    def _browsed(self, ware: ContextProduct) -> ItemDraft:
        return self._dialogue(talk().browse, ware.long, self._about(ware), ware)

    def _given(self, ware: ContextProduct) -> ItemDraft:
        """Return a dialogue about a gift for somebody else, which says nothing of the person."""
        return self._dialogue(talk().gift, ware.long, (), ware)

    def _compared(self, one: ContextProduct, other: ContextProduct, *, own: bool) -> ItemDraft:
        facts = f"{one.name}: {one.long} {other.name}: {other.long}"
        return self._dialogue(talk().compare, facts, self._about(one, other) if own else (), one, other)

    def _dialogue(
        self,
        ways: Sequence[str],
        facts: str,
        shown: tuple[str, ...],
        *wares: ContextProduct,
        day: str | None = None,
    ) -> ItemDraft:
        asked = self._rng.choice(ways).format(what=wares[0].name, other=wares[-1].name)
        day, words = day or self._day(), talk()
        turns = [(asked, self._rng.choice(words.answer).format(facts=facts))]
        if self._rng.random() < 0.5:
            turns.append(self._rng.choice(words.thanks))
        return ItemDraft(day, "dialogue", _spoken(*turns), shown, wares)

    def _wished(self, wares: Sequence[ContextProduct], *, own: bool = True) -> ItemDraft:
        what = "; ".join(f"{ware.name} ({ware.short})" if at else ware.name for at, ware in enumerate(wares))
        text = self._rng.choice(talk().wish if own else talk().for_others).format(what=what)
        return ItemDraft(self._day(), "note", text, self._about(*wares) if own else (), tuple(wares))

    def _small(self) -> ItemDraft:
        return ItemDraft(self._day(), "note", self._rng.choice(talk().small), ())

    def _about(self, *wares: ContextProduct) -> tuple[str, ...]:
        found = {self._themes[key] for ware in wares for key in ware.themes if key in self._themes}
        found |= {self._brands[ware.store] for ware in wares if ware.store and ware.store in self._brands}
        return tuple(sorted(found))

    def _day(self) -> str:
        return (self._today - timedelta(days=self._rng.randint(1, _WINDOW))).isoformat()


def _spoken(*turns: tuple[str, str]) -> str:
    return "\n".join(f"Shopper: {shopper}\nAssistant: {assistant}" for shopper, assistant in turns)
