"""Derives attributes of a user from orders by rule, each with the orders as evidence."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from hashlib import blake2b
from statistics import median, quantiles
from typing import NamedTuple

from drr.env.entities import Order, Product, User
from drr.env.errors import DrrError
from drr.env.profile import BY_KEY, themes_of
from drr.env.shop import Store
from drr.env.text import folded_text
from drr.eval.stats.question import grouped
from drr.papers.pdr.person import Attribute, Ground
from drr.wording.currency import DOLLARS, Currency
from drr.wording.states import CODES, STATES

_ORDERS_READ = 2000
"""Limit on the newest orders read; older orders of a busier user change no rule's result."""


@dataclass(frozen=True)
class PurchasedProduct:
    """One order with its product."""

    order: Order
    product: Product

    @cached_property
    def day(self) -> date:
        return date.fromisoformat(self.order.order_date[:10])

    @cached_property
    def themes(self) -> list[str]:
        return themes_of(self.product.title)

    @cached_property
    def kind(self) -> str | None:
        return kind_of(self.product)


@dataclass(frozen=True)
class ShopperHistory:
    user: User
    as_of: str
    lines: Sequence[PurchasedProduct]
    """Orders that were not cancelled, oldest first."""
    currency: Currency = DOLLARS

    @cached_property
    def kept(self) -> list[PurchasedProduct]:
        return [line for line in self.lines if line.order.order_status != "Returned"]

    @cached_property
    def returned(self) -> list[PurchasedProduct]:
        return [line for line in self.lines if line.order.order_status == "Returned"]

    @property
    def state(self) -> str | None:
        """Return the name of the user's state of the U.S.; `None` elsewhere."""
        return STATES.get(CODES.get(self.user.address.state.casefold(), ""))


def history_of(store: Store, user_id: str, as_of: str, currency: Currency = DOLLARS) -> ShopperHistory:
    user = store.user(user_id)
    if user is None:
        raise DrrError(
            f"no user {user_id!r} in this shop; `drr shop info` counts them, ids are 28 characters"
        )
    orders = store.orders(user_id, until=as_of, limit=_ORDERS_READ).items
    known = {one.product_id: one for one in store.products(list({order.product_id for order in orders}))}
    lines = [
        PurchasedProduct(order, known[order.product_id])
        for order in reversed(orders)
        if order.order_status != "Cancelled" and order.product_id in known
    ]
    return ShopperHistory(user, as_of, lines, currency)


def kind_of(product: Product) -> str | None:
    """Return the last step of the category path in plain words: "Hip & Joint Care" is `hip and joint care`."""
    if len(product.categories) < 3:  # a higher step is a department, e.g. "Birds", and no kind of product
        return None
    words = product.categories[-1].replace("&", " and ").replace(",", " ").split()
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words) or None


SHOWN = 8
"""Limit on the orders named as evidence, the newest; the others follow from the same rule."""
STRONG, SHARE, LIFT = 3, 0.08, 2.5
"""Thresholds at which a theme is a trait: number of purchases, share of all purchases, multiple of the themes' average."""
_SPOKEN: dict[str, tuple[str, str]] = {
    "dogs": ("pets", "shares the household with a dog"),
    "cats": ("pets", "shares the household with a cat"),
    "fish": ("pets", "keeps fish in a tank"),
    "small_pets": ("pets", "keeps small caged animals"),
    "baby": ("children", "has a baby or toddler to look after"),
    "senior_care": ("care", "looks after an older person's daily life"),
    "allergy_air": ("needs", "needs indoor air free of dust and pollen"),
    "sleep": ("needs", "needs help to sleep well at night"),
    "recovery": ("needs", "needs relief for muscles and joints after effort"),
}
"""Themes about the household or a need, with block and statement; all other themes are interests."""
_WORD = re.compile(r"[a-z0-9]+")
_NO_BRAND = frozenset({"generic", "unbranded", "unknown", "no brand"})
_SEASONS = ("winter", "spring", "summer", "autumn")


class Derived(NamedTuple):
    attribute: Attribute
    orders: frozenset[str]
    """Ids of all orders that show the attribute."""


def derive_attributes(history: ShopperHistory) -> list[Derived]:
    """Derive attributes by every rule, in the order of `RULES`. A user without orders has a place at most."""
    found: dict[str, Derived] = {}
    for one in (one for rule in RULES for one in rule(history)):
        name = one.attribute.id
        while name in found:  # two brands may be spelled alike
            name += "x"
        found[name] = one._replace(attribute=one.attribute.model_copy(update={"id": name}))
    return list(found.values())


def _derived(
    block: str, key: str, statement: str, lines: Sequence[PurchasedProduct], names: tuple[str, ...] = ()
) -> Derived:
    newest = list(reversed(lines))[:SHOWN]
    evidence = tuple(Ground(order_id=o.order.order_id, product_id=o.product.product_id) for o in newest)
    own = {"id": f"{block}-{id_slug(key)}", "block": block, "statement": statement, "basis": "records"}
    attribute = Attribute.model_validate({**own, "evidence": evidence, "names": names})
    return Derived(attribute, frozenset(line.order.order_id for line in lines))


def id_slug(key: str) -> str:
    """Return a name in any script as letters and digits for an id."""
    return "-".join(_WORD.findall(folded_text(key))) or "u" + blake2b(key.encode(), digest_size=4).hexdigest()


def place(history: ShopperHistory) -> Iterator[Derived]:
    """Yield the user's state, without street and city."""
    if history.state is not None:
        made = _derived("place", history.state, f"lives in {history.state}", (), (history.state,))
        ground = Ground(record="user.address.state")
        yield made._replace(attribute=made.attribute.model_copy(update={"evidence": (ground,)}))


def themes(history: ShopperHistory) -> Iterator[Derived]:
    """Yield pets, children, care and needs by the products bought for them, and interests.

    The strongest theme comes first. A product with several themes is evidence for a later one only if no earlier one explains it.
    """
    by_theme = grouped((key, line) for line in history.kept for key in line.themes)
    counted = sum(map(len, by_theme.values()))
    least = max(STRONG, SHARE * len(history.kept), LIFT * counted / len(BY_KEY))
    explained: set[str] = set()
    while by_theme:
        left = {
            key: [line for line in lines if line.order.order_id not in explained]
            for key, lines in by_theme.items()
        }
        key = min(left, key=lambda name: (-len(left[name]), name))
        if len(left[key]) < least:
            return
        lines = by_theme.pop(key)
        explained.update(line.order.order_id for line in lines)
        if len({line.day for line in left[key]}) >= STRONG:
            block, _, statement = spoken_theme(key)
            yield _derived(block, key, statement, lines)


def spoken_theme(theme: str) -> tuple[str, str, str]:
    """Return block, id and statement of a theme's attribute."""
    block, statement = _SPOKEN.get(theme, ("themes", f"has an interest in {BY_KEY[theme].about}"))
    return block, f"{block}-{id_slug(theme.replace('_', ' '))}", statement


def theme_of(attribute: Attribute) -> str | None:
    """Return the theme of an attribute, by its id; `None` for a rhythm, a price level and the like."""
    key = attribute.id.removeprefix(f"{attribute.block}-").replace("-", "_")
    return key if key in BY_KEY and spoken_theme(key)[1] == attribute.id else None


def rhythm(history: ShopperHistory) -> Iterator[Derived]:
    """Yield how often the user orders: the median gap between days with an order."""
    days = sorted({line.day for line in history.lines})
    if len(days) < 6:
        return
    middle = median((b - a).days for a, b in itertools.pairwise(days))
    usual = {b for a, b in itertools.pairwise(days) if 0.5 * middle <= (b - a).days <= 1.5 * middle}
    lines = [line for line in history.lines if line.day in usual] or history.lines
    yield _derived("rhythm", "orders", f"places an order {_gap_in_words(middle)} on average", lines)


def replenishment(history: ShopperHistory) -> Iterator[Derived]:
    """Yield products bought again on at least three days; of each kind only the product bought most often."""
    by_product = grouped((line.product.product_id, line) for line in history.kept if line.kind)
    dated = [(lines, sorted({line.day for line in lines})) for lines in by_product.values()]
    again = [(lines, days) for lines, days in dated if len(days) >= 3]
    kinds: set[str] = set()
    for lines, days in sorted(again, key=lambda one: (-len(one[1]), one[0][0].product.product_id)):
        gap = median((b - a).days for a, b in itertools.pairwise(days))
        kind = lines[0].kind or ""
        if not 7 <= gap <= 250 or kind in kinds or len(kinds) == 3:
            continue
        kinds.add(kind)
        yield _derived("replenishment", kind, f"reorders {kind} {_gap_in_words(gap)}", lines, (kind,))


def _gap_in_words(days: float) -> str:
    """Return a gap of days in plain words, rounded to what is certain."""
    weeks, months = round(days / 7), round(days / 30.4)
    if days < 46:
        return "about once a week" if days < 11 else f"about every {weeks} weeks"
    if months <= 10:
        return f"about every {months} months"
    rarely = "about once in two years" if months <= 30 else "every few years"
    return "about once a year" if months <= 15 else rarely


def prices(history: ShopperHistory) -> Iterator[Derived]:
    """Yield the level of the middle half of known prices, and whether that half is wide or narrow. Levels are those of dollars."""
    priced = [(line.product.price, line) for line in history.kept if line.product.price is not None]
    if len(priced) < 5:
        return
    low, middle, high = quantiles([price for price, _ in priced], n=4, method="inclusive")
    level = "low" if middle < 12 else "medium" if middle < 33 else "high"
    inside = [line for price, line in priced if low <= price <= high]
    if history.currency == DOLLARS:
        half = f"half of all purchases cost from ${low:,.0f} to ${high:,.0f}"
        yield _derived("price_level", level, f"pays {level} prices: {half}", inside)
    else:
        half = f"from {history.currency.text(low)} to {history.currency.text(high)}"
        yield _derived("price_level", "range", f"pays {half} for half of all purchases", inside)
    if low > 0 and high / low >= 4:
        dear = [line for price, line in priced if price > high]
        dear = dear or [line for price, line in priced if price == high]
        yield _derived("price_spread", "wide", "mixes cheap everyday things with a few dear ones", dear)
    elif low > 0 and high / low <= 2:
        yield _derived("price_spread", "narrow", "stays within a narrow range of prices", inside)


def brands(history: ShopperHistory) -> Iterator[Derived]:
    """Yield at most three brands, of each at least two products and four purchases that are a tenth of all."""
    every, least = history.kept, max(4, 0.1 * len(history.kept))
    named = ((line.product.store, line) for line in every if line.product.store)
    by_store = grouped((name, line) for name, line in named if name.casefold() not in _NO_BRAND)
    several = {name for name, own in by_store.items() if len({line.product.product_id for line in own}) >= 2}
    loyal = [(name, own) for name, own in by_store.items() if len(own) >= least and name in several]
    for name, lines in sorted(loyal, key=lambda item: (-len(item[1]), item[0]))[:3]:
        yield _derived("brands", name, f"comes back to the brand {name}", lines, (name,))


def returns(history: ShopperHistory) -> Iterator[Derived]:
    """Yield that the user returns often: at least two orders, and at least one in twelve."""
    back, every = len(history.returned), len(history.lines)
    if back >= 2 and back / every >= 1 / 12:
        yield _derived("returns", "often", f"sends back {back} of {every} orders", history.returned)


def seasons(history: ShopperHistory) -> Iterator[Derived]:
    """Yield the quarter of the year with 45% of the orders or more, over at least three years."""
    if len(history.lines) < 12 or len({line.day.year for line in history.lines}) < 3:
        return
    counts = Counter(_season(line.day) for line in history.lines)
    season, count = max(counts.items(), key=lambda item: (item[1], item[0]))
    if count >= 0.45 * len(history.lines):
        lines = [line for line in history.lines if _season(line.day) == season]
        yield _derived("seasons", season, f"does most of the shopping in {season}", lines)


def _season(day: date) -> str:
    return _SEASONS[day.month % 12 // 3]


def goods(history: ShopperHistory) -> Iterator[Derived]:
    """Yield durable goods that the user owns: expensive products of different kinds, bought once or twice."""
    priced = sorted(line.product.price for line in history.kept if line.product.price is not None)
    if not priced:
        return
    least, today = max(40.0, priced[int(0.7 * (len(priced) - 1))]), date.fromisoformat(history.as_of)
    times = Counter(line.product.product_id for line in history.kept)
    recent = [line for line in history.kept if (today - line.day).days <= 365 * 6]
    found = [
        line for line in recent if (line.product.price or 0) >= least and times[line.product.product_id] <= 2
    ]
    by_kind = grouped((line.kind, line) for line in found if line.kind)
    dear = {kind: max(line.product.price or 0 for line in lines) for kind, lines in by_kind.items()}
    for kind in sorted(by_kind, key=lambda one: (-dear[one], one))[:4]:
        yield _derived("goods", kind, f"owns {kind} already", by_kind[kind], (kind,))


RULES: tuple[Callable[[ShopperHistory], Iterator[Derived]], ...] = (
    place, themes, rhythm, replenishment, prices, brands, returns, seasons, goods,
)  # fmt: skip
