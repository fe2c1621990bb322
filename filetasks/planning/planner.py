"""Cases of a shop by seed: the same shop and seed give the same cases in the same order, however many are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import islice
from random import Random
from typing import NamedTuple

from drr.env.entities import Order, Product, User
from drr.env.errors import Misuse
from drr.env.shop import SearchRequest, Shop
from drr.env.themes import themes_of
from drr.filetasks.case import BoughtItem, Coupling, FileForm, NamedThing, TaskCase
from drr.filetasks.planning import compared, files, refill, returning, space, warranty
from drr.filetasks.planning.scene import AnswerPart, CaseScene, FileSlot, PageSlot, written
from drr.filetasks.planning.things import is_of, thing_of, words
from drr.filetasks.truth import Intent, TaskFact
from drr.wording.states import STATES

_USERS = 2_000
"""Shoppers looked at; a sample's first ones are those of a smaller sample."""
_ORDERS = 40
"""Of one shopper's, the newest: what an order history shows."""
_LEAST_ORDERS = 3


class IntentKind(NamedTuple):
    intent: Intent
    core: Callable[[CaseScene], AnswerPart]
    more: tuple[Callable[[CaseScene], AnswerPart], ...]
    days: tuple[int, int]
    """From the purchase to the question."""
    rival: bool
    """Whether a candidate is weighed."""
    likes: Callable[[str], bool]
    """Whether it is asked of what is called so."""


def _lasts(noun: str) -> bool:
    return not is_of("consumable", noun)


def _is_weighed(noun: str) -> bool:
    return _lasts(noun) and (is_of("warranted", noun) or is_of("bulky", noun))


INTENTS: tuple[IntentKind, ...] = (
    IntentKind("replace_under_warranty", warranty.CORE, warranty.MORE, (800, 1900), False, lambda noun: is_of("warranted", noun) and _lasts(noun)),
    IntentKind("refill", refill.CORE, refill.MORE, (40, 130), False, lambda noun: is_of("consumable", noun)),
    IntentKind("fit_into_space", space.CORE, space.MORE, (200, 1500), True, lambda noun: is_of("bulky", noun) and _lasts(noun)),
    IntentKind("compare_with_owned", compared.CORE, compared.MORE, (300, 1600), True, _is_weighed),
    IntentKind("return_or_keep", returning.CORE, returning.MORE, (18, 55), False, _lasts),
)  # fmt: skip


def cases(shop: Shop, seed: int, order: int | None = None) -> Iterator[TaskCase]:
    """Intents come in the order of the seed `order`, where it is another one. Without end, as a product of a shopper may be asked about in other ways; `Misuse` where the shop has nobody to ask."""
    users = shop.store.sample_users(_USERS, seed=seed, min_orders=_LEAST_ORDERS)
    users = users or shop.store.sample_users(_USERS, seed=seed)
    if not users:
        raise Misuse(f"{shop.spec}: no shopper has an order, so there is nobody to write a task of")
    number = misses = 0
    while misses < len(users) * len(INTENTS):
        for user_id in users:
            kind = _kind(seed if order is None else order, number)
            case = _case(shop, user_id, kind, seed, number, strict=misses < len(users))
            misses = misses + 1 if case is None else 0
            if case is not None:
                number += 1
                yield case
    raise Misuse(f"{shop.spec}: no order is of a product that a task can be written of")


def first_cases(shop: Shop, seed: int, count: int) -> list[TaskCase]:
    return list(islice(cases(shop, seed), count))


def _kind(seed: int, number: int) -> IntentKind:
    """Each of the five once in every five."""
    block, place = divmod(number, len(INTENTS))
    order = list(range(len(INTENTS)))
    Random(f"{seed}/intents/{block}").shuffle(order)
    return INTENTS[order[place]]


def _case(
    shop: Shop, user_id: str, kind: IntentKind, seed: int, number: int, *, strict: bool
) -> TaskCase | None:
    rng = Random(f"{seed}/case/{number}/{user_id}")
    user = shop.store.user(user_id)
    orders = shop.store.orders(user_id).items
    as_of = date.fromisoformat(shop.manifest.as_of)
    old = [order for order in orders if (as_of - order.placed_at.date()).days > kind.days[0]]
    found = _owned(shop, old or ([] if strict else orders), kind, rng, strict=strict)
    if user is None or found is None:
        return None
    order, product, thing = found
    rivals = _rivals(shop, product, thing, rng) if kind.rival else []
    if kind.rival and not rivals:
        return None
    bought = order.placed_at.date()
    latest = max(kind.days[0] + 1, min(kind.days[1], (as_of - bought).days))
    scene = CaseScene(
        rng=rng,
        owned=thing,
        rival=rivals[0][1] if rivals else None,
        seller=f"{rng.choice(words('seller_first'))} {rng.choice(words('seller_last'))}",
        state=STATES.get(user.address.state),
        bought=bought,
        today=bought + timedelta(days=rng.randrange(kind.days[0], latest)),
        paid=_paid(product, rng),
    )
    return _planned(shop, kind, scene, (user, order, product), [one for one, _ in rivals], seed, number)


def _planned(
    shop: Shop,
    kind: IntentKind,
    scene: CaseScene,
    bought: tuple[User, Order, Product],
    others: list[Product],
    seed: int,
    number: int,
) -> TaskCase:
    rng, (user, order, product) = scene.rng, bought
    count = files.file_count(rng)
    parts = _parts(kind, scene, count)
    facts: list[TaskFact] = []
    couplings: list[Coupling] = []
    slots: list[tuple[str, FileSlot]] = []
    forms = files.carried([slot for part in parts for slot in part.slots], count, rng)
    for part in parts:
        ids = []
        for slot in part.slots:
            ids.append(f"f{len(slots) + 1}")
            facts.append(_file_fact(ids[-1], slot, forms[len(slots)]))
            slots.append((ids[-1], slot))
        for page in part.pages:
            ids.append(f"p{len(couplings) + 1}")
            facts.append(_page_fact(ids[-1], page))
        couplings.append(Coupling(key=part.key, facts=tuple(ids), how=part.how))
    return TaskCase(
        task_id=f"{number + 1:03d}",
        seed=seed,
        intent=kind.intent,
        today=scene.today,
        user_id=user.user_id,
        owned=product,
        others=tuple(others),
        theme=next(iter(themes_of(product.title)), product.category),
        facts=tuple(facts),
        thing=scene.owned,
        rival=scene.rival,
        seller=scene.seller,
        shopper=f"{user.first_name} {user.last_name}",
        state=scene.state,
        bought=scene.bought,
        paid=scene.paid,
        purchases=_history(shop, user.user_id, order, scene),
        files=files.planned_files(forms, slots, scene.owned, scene.seller, rng),
        couplings=tuple(couplings),
        invented=_invented(parts),
    )


def _file_fact(fact_id: str, slot: FileSlot, form: FileForm) -> TaskFact:
    value = written(slot.value, form)
    return TaskFact(
        id=fact_id,
        subject=slot.subject,
        attribute=slot.attribute,
        value=value,
        text=slot.text.format(value=value),
        source="file",
        modality=files.modality(form),
    )


def _page_fact(fact_id: str, page: PageSlot) -> TaskFact:
    """One for a part: its number is the part's."""
    return TaskFact(
        id=fact_id,
        subject=page.subject,
        attribute=page.attribute,
        value=page.value,
        text=page.text,
        source="page",
    )


def _parts(kind: IntentKind, scene: CaseScene, count: int) -> list[AnswerPart]:
    """The core and so many more that every file has a fact of its own."""
    parts = [_drawn(kind.core, scene, set())]
    more = scene.rng.sample(kind.more, len(kind.more))
    wanted = min(len(more), scene.rng.choice((1, 1, 2)))
    while more and (len(parts) <= wanted or sum(len(part.slots) for part in parts) < count):
        parts.append(_drawn(more.pop(), scene, {one for part in parts for one in _figures(part)}))
    return parts


def _drawn(make: Callable[[CaseScene], AnswerPart], scene: CaseScene, taken: set[str]) -> AnswerPart:
    """Without a figure that another part has: a value must say which fact it is of."""
    while True:
        part = make(scene)
        figures = _figures(part)
        if len(set(figures)) == len(figures) and not taken & set(figures):
            return part


def _figures(part: AnswerPart) -> list[str]:
    said = [*(str(slot.value) for slot in part.slots), *(page.value for page in part.pages)]
    return [value.strip("$").split()[0] if value[0] in "$0123456789" else value for value in said]


def _owned(
    shop: Shop, orders: list[Order], kind: IntentKind, rng: Random, *, strict: bool
) -> tuple[Order, Product, NamedThing] | None:
    """An order of something that this intent asks about; where no shopper has one (`not strict`), of anything."""
    for order in rng.sample(orders[:_ORDERS], min(len(orders), _ORDERS)):
        product = shop.store.product(order.product_id)
        thing = None if product is None else thing_of(product, rng)
        if product is not None and thing is not None and (not strict or kind.likes(thing.noun)):
            return order, product, thing
    return None


def _rivals(shop: Shop, product: Product, thing: NamedThing, rng: Random) -> list[tuple[Product, NamedThing]]:
    """Products that are called by the same last word, of other brands."""
    page = shop.catalog.search(SearchRequest(query=thing.noun, category=product.category, limit=15))
    found = []
    for one in shop.store.products(page.product_ids):
        other = thing_of(one, rng)
        if other is None or one.product_id == product.product_id or other.brand == thing.brand:
            continue
        if other.noun.split()[-1] == thing.noun.split()[-1]:
            found.append((one, other))
    rng.shuffle(found)
    return found[:3]


def _paid(product: Product, rng: Random) -> str:
    """Near the catalogue's price and never equal to it: what was paid stands in the drawer alone."""
    listed = product.price or rng.choice((9, 14, 19, 27, 34, 46, 62, 88))
    while True:
        paid = max(2.0, listed * rng.uniform(0.78, 1.15)) // 1 + rng.choice(
            (0.29, 0.49, 0.59, 0.79, 0.95, 0.99)
        )
        if paid != listed:
            return f"${paid:,.2f}"


def _history(shop: Shop, user_id: str, owned: Order, scene: CaseScene) -> tuple[BoughtItem, ...]:
    """Without other orders of the same product: which one is meant must be plain."""
    lines = []
    until = (scene.today + timedelta(days=1)).isoformat()
    orders = shop.store.orders(user_id, until=until, limit=_ORDERS).items
    if owned.order_id not in {order.order_id for order in orders}:
        orders = [*orders[: _ORDERS - 1], owned]
    products = {one.product_id: one for one in shop.store.products([order.product_id for order in orders])}
    for order in orders:
        product = products.get(order.product_id)
        own = order.order_id == owned.order_id
        if product is None or (order.product_id == owned.product_id and not own):
            continue
        price = scene.paid if own else _paid(product, Random(f"{scene.paid}/{order.order_id}"))
        day: date = order.placed_at.date()
        lines.append(
            BoughtItem(
                order_id=order.order_id,
                day=day,
                title=" ".join(product.title.split()),
                quantity=1 if own else order.quantity,
                status="Delivered" if own else order.order_status,
                price=price,
            )
        )
    return tuple(lines)


def _invented(parts: list[AnswerPart]) -> tuple[str, ...]:
    """All but the day of the purchase, which is an order's."""
    said = {slot.attribute for part in parts for slot in part.slots} - {"purchase date"}
    said |= {page.attribute for part in parts for page in part.pages} | {"shops of others", "model numbers"}
    return tuple(sorted(said))
