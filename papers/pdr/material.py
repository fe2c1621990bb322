"""The items that can be made for one person, in streams: what shows a trait, and what shows none."""

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
from drr.env.text import WIDTH, Run, runs, tokens
from drr.papers.pdr.context import ItemKind
from drr.papers.pdr.context_check import outright_runs
from drr.papers.pdr.person import Attribute, Person, disclosed
from drr.papers.pdr.records import Purchased, ShopperHistory, derived
from drr.papers.pdr.words import key_of, talk, texts_of

POOL = 3000
_SHORT, _LONG = 260, 900


class Ware(NamedTuple):
    """A product as it is talked about. Its page is read for what no context may contain once, and not for each item."""

    product_id: str
    name: str
    store: str | None
    themes: frozenset[str]
    short: str
    long: str


def ware_of(product: Product) -> Ware:
    return Ware(
        product.product_id,
        product_name(product),
        product.store,
        frozenset(themes_of(product.title)),
        page_words(product, _SHORT),
        page_words(product, _LONG),
    )


class Wares:
    """The same for the same shop and seed on every backend; pages that hold personal data are left out."""

    def __init__(
        self, products: Iterable[Product], seed: int, persons: Iterable[Person] = (), most: int = POOL
    ) -> None:
        def key(product: Product) -> bytes:
            return blake2b(f"{seed}\n{product.product_id}".encode(), digest_size=12).digest()

        outright = {run for person in persons for one in person.attributes for run in outright_runs(one)}
        chosen = nsmallest(most, products, key=key)
        self.every = []
        self.says: dict[str, frozenset[Run]] = {}
        """Each product page's runs that are some person's attribute in its own words."""
        for ware in map(ware_of, chosen):
            text = f"{ware.name}\n{ware.long}"
            if not disclosed(text):
                words = tokens(text)
                self.every.append(ware)
                self.says[ware.product_id] = frozenset(
                    outright.intersection([*runs(words, WIDTH), *runs(words, WIDTH - 1)])
                )

    @cached_property
    def by_theme(self) -> dict[str, list[Ware]]:
        return {key: [ware for ware in self.every if key in ware.themes] for key in BY_KEY}


_WINDOW = 730
"""Days before `as_of` over which what has no date of its own is spread."""


class ItemDraft(NamedTuple):
    date: str
    kind: ItemKind
    text: str
    expresses: tuple[str, ...]
    quoted: tuple[Ware, ...] = ()
    """Products whose pages it quotes."""


class ProductTalk:
    """One person's, by a generator of its own."""

    def __init__(
        self, rng: Random, today: date, themes: Mapping[str, str], brands: Mapping[str, str]
    ) -> None:
        self._rng, self._today = rng, today
        self._themes, self._brands = themes, brands

    def _of_ware(self, *wares: Ware) -> tuple[str, ...]:
        found = {self._themes[key] for ware in wares for key in ware.themes if key in self._themes}
        found |= {self._brands[ware.store] for ware in wares if ware.store and ware.store in self._brands}
        return tuple(sorted(found))

    def asked(self, line: Purchased, shown: tuple[str, ...]) -> ItemDraft:
        """Some days after the purchase, and before today."""
        ware = ware_of(line.product)
        latest = (self._today - line.day).days - 1
        day = line.day + timedelta(days=self._rng.randint(0, max(0, min(latest, 120))))
        text = self._answered(self._rng.choice(talk().own).format(what=ware.name), ware.long)
        return ItemDraft(day.isoformat(), "dialogue", text, shown, (ware,))

    def browsed(self, ware: Ware) -> ItemDraft:
        asked = self._rng.choice(talk().browse).format(what=ware.name)
        return ItemDraft(
            self.day(), "dialogue", self._answered(asked, ware.long), self._of_ware(ware), (ware,)
        )

    def given(self, ware: Ware) -> ItemDraft:
        """Make a dialogue on a gift for somebody else, which says nothing of the person."""
        asked = self._rng.choice(talk().gift).format(what=ware.name)
        return ItemDraft(self.day(), "dialogue", self._answered(asked, ware.long), (), (ware,))

    def compared(self, one: Ware, other: Ware, *, own: bool) -> ItemDraft:
        asked = self._rng.choice(talk().compare).format(what=one.name, other=other.name)
        facts = f"{one.name}: {one.long} {other.name}: {other.long}"
        shown = self._of_ware(one, other) if own else ()
        return ItemDraft(self.day(), "dialogue", self._answered(asked, facts), shown, (one, other))

    def wished(self, wares: Sequence[Ware], *, own: bool = True) -> ItemDraft:
        words = talk()
        what = "; ".join(f"{ware.name} ({ware.short})" if at else ware.name for at, ware in enumerate(wares))
        text = self._rng.choice(words.wish if own else words.for_others).format(what=what)
        return ItemDraft(self.day(), "note", text, self._of_ware(*wares) if own else (), tuple(wares))

    def _answered(self, asked: str, facts: str) -> str:
        words = talk()
        first = (asked, self._rng.choice(words.answer).format(facts=facts))
        return spoken(first, self._rng.choice(words.thanks)) if self._rng.random() < 0.5 else spoken(first)

    def day(self) -> str:
        return (self._today - timedelta(days=self._rng.randint(1, _WINDOW))).isoformat()


def spoken(*turns: tuple[str, str]) -> str:
    return "\n".join(f"Shopper: {shopper}\nAssistant: {assistant}" for shopper, assistant in turns)


_THING = frozenset({"pets", "children", "care", "needs", "themes", "brands", "replenishment", "goods"})
"""Blocks that talk about a product shows; a rhythm or a price level shows in orders only."""
_THEMED = frozenset({"pets", "children", "care", "needs", "themes"})


class PersonMaterial:
    """All that one person's context is made of; endless, but for orders, reviews and the texts of traits."""

    def __init__(
        self,
        person: Person,
        history: ShopperHistory | None,
        reviews: Sequence[KeptReview],
        wares: Wares,
        rng: Random,
    ) -> None:
        self.wares = wares
        self._person, self._history, self._rng = person, history, rng
        self._reviews = {review.order_id: review for review in reviews}
        self._today = date.fromisoformat(person.as_of or "2024-01-01")
        self._themes = {
            theme: one.id
            for one in person.attributes
            if one.block in _THEMED and (theme := key_of(one).replace("-", "_")) in BY_KEY
        }
        self._brands = {
            name: one.id for one in person.attributes if one.block == "brands" for name in one.names
        }
        self._said = ProductTalk(rng, self._today, self._themes, self._brands)
        self._thing = {one.id for one in person.attributes if one.block in _THING}

    # -- what orders and reviews show

    @cached_property
    def _shown(self) -> Mapping[str, tuple[str, ...]]:
        """Order to the attributes that it shows: by the rules, and by what the person's own evidence names."""
        known = {one.id for one in self._person.attributes}
        found: dict[str, list[str]] = {}
        if self._history is not None:
            for one in derived(self._history):
                for order_id in one.orders if one.attribute.id in known else ():
                    found.setdefault(order_id, []).append(one.attribute.id)
        for attribute in self._person.attributes:
            for ground in attribute.evidence:
                if ground.order_id is not None:
                    found.setdefault(ground.order_id, []).append(attribute.id)
        return {key: tuple(dict.fromkeys(sorted(ids))) for key, ids in found.items()}

    def orders(self) -> list[ItemDraft]:
        """Purchases and returns, in a drawn order."""
        lines = list(self._history.lines) if self._history is not None else []
        self._rng.shuffle(lines)
        found = []
        for line in lines:
            kind: ItemKind = "return" if line.order.order_status == "Returned" else "purchase"
            shown = self._shown.get(line.order.order_id, ())
            found.append(ItemDraft(line.day.isoformat(), kind, order_words(line.order, line.product), shown))
        return found

    def reviews(self) -> list[ItemDraft]:
        """The person's own, where the shop keeps them."""
        every = self._history.lines if self._history is not None else ()
        lines = [(line, self._reviews.get(line.order.order_id)) for line in every]
        written = [(line, review) for line, review in lines if review is not None]
        self._rng.shuffle(written)
        found = []
        for line, review in written:
            if review.text.strip():
                known = self._shown.get(line.order.order_id, ())
                shown = tuple(key for key in known if key in self._thing or self._quotes(key, review))
                words = review_words(review, line.product)
                found.append(ItemDraft(line.day.isoformat(), "review", words, shown))
        return found

    def _quotes(self, key: str, review: KeptReview) -> bool:
        return any(
            ground.quote is not None and ground.order_id == review.order_id
            for one in self._person.attributes
            if one.id == key
            for ground in one.evidence
        )

    # -- what texts of traits show

    def traits(self, attribute: Attribute) -> list[ItemDraft]:
        texts = texts_of(attribute)
        if texts is None:
            return []
        name = attribute.names[0] if attribute.names else ""
        filled = dict.fromkeys(("kind", "brand", "state"), name)
        day, shown, drafts = self._said.day, (attribute.id,), []
        for shopper, assistant in texts.asked:
            turn = spoken((shopper.format_map(filled), assistant.format_map(filled)))
            drafts.append(ItemDraft(day(), "dialogue", turn, shown))
        drafts += [ItemDraft(day(), "note", note.format_map(filled), shown) for note in texts.notes]
        self._rng.shuffle(drafts)
        return drafts

    def talk_of_theme(self, attribute: Attribute, count: int) -> list[ItemDraft]:
        """Dialogues and notes about products of the attribute's theme, and about what was bought for it."""
        theme = key_of(attribute).replace("-", "_")
        wares = self.wares.by_theme.get(theme, []) if attribute.block in _THEMED else []
        drawn = self._rng.sample(wares, min(count, len(wares)))
        return [
            self._said.browsed(ware) if at % 2 else self._said.wished([ware]) for at, ware in enumerate(drawn)
        ]

    # -- streams without an end

    def dialogues(self, *, own: bool) -> Iterator[ItemDraft]:
        """Yield dialogues about products of the person's themes and about what was bought. Otherwise they are
        for other people, or about the shop itself."""
        words = talk()
        wares = self._own_wares if own else self._other_wares
        lines = self._bought if own else []
        while True:
            draw = self._rng.random()
            if own and lines and draw < 0.35:
                yield self._asked(self._rng.choice(lines))
            elif not own and (not wares or draw < 0.15):
                yield ItemDraft(self._said.day(), "dialogue", spoken(self._rng.choice(words.small_ask)), ())
            elif not wares:
                return
            elif draw < 0.7 and len(wares) > 1:
                one, other = self._rng.sample(wares, 2)
                yield self._said.compared(one, other, own=own)
            else:
                ware = self._rng.choice(wares)
                yield self._said.browsed(ware) if own else self._said.given(ware)

    def notes(self, *, own: bool) -> Iterator[ItemDraft]:
        words = talk()
        wares = self._own_wares if own else self._other_wares
        while True:
            if not own and (not wares or self._rng.random() < 0.2):
                yield ItemDraft(self._said.day(), "note", self._rng.choice(words.small), ())
            elif not wares:
                return
            else:
                yield self._said.wished(self._rng.choices(wares, k=self._rng.randint(1, 3)), own=own)

    def _asked(self, line: Purchased) -> ItemDraft:
        shown = self._shown.get(line.order.order_id, ())
        return self._said.asked(line, tuple(key for key in shown if key in self._thing))

    def short(self, *, own: bool) -> ItemDraft:
        """A note of a line."""
        wares = self._own_wares if own else self._other_wares
        if wares and self._rng.random() < 0.8:
            return self._said.wished([self._rng.choice(wares)], own=own)
        return ItemDraft(self._said.day(), "note", self._rng.choice(talk().small), ())

    @cached_property
    def _own_wares(self) -> list[Ware]:
        return [ware for key in sorted(self._themes) for ware in self.wares.by_theme[key]]

    @cached_property
    def _other_wares(self) -> list[Ware]:
        return [
            ware
            for ware in self.wares.every
            if ware.themes.isdisjoint(self._themes) and ware.store not in self._brands
        ]

    @cached_property
    def _bought(self) -> list[Purchased]:
        lines = self._history.kept if self._history is not None else []
        return [
            line for line in lines if not self._thing.isdisjoint(self._shown.get(line.order.order_id, ()))
        ]
