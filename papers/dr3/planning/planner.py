"""Cases of a shop by seed. The same shop and seed give the same cases in the same order, however many are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice
from random import Random
from typing import NamedTuple

from drr.env.entities import Order, Product, User
from drr.env.errors import Misuse
from drr.env.profile import themes_of
from drr.env.shop import SearchRequest, Shop
from drr.papers.dr3.case import Coupling, FileForm, HeldMake, NamedThing, TaskCase
from drr.papers.dr3.corpus.others import other_value
from drr.papers.dr3.corpus.statement import range_of
from drr.papers.dr3.corpus.stock import changes_with_make, stock
from drr.papers.dr3.planning import files
from drr.papers.dr3.planning.kinds import ThingKind, as_model, is_of_several, kind_of, thing_of, words
from drr.papers.dr3.planning.parts import PARTS, PartMaker
from drr.papers.dr3.planning.purchases import EVEN, SHOWN, history, paid_for, usual_price
from drr.papers.dr3.planning.scene import AnswerPart, CaseScene, FileSlot, written
from drr.papers.dr3.reckoning import nonsense, overturns, reckoned
from drr.papers.dr3.truth import Intent, TaskFact
from drr.papers.dr3.values import FactValues, is_rest, month_from
from drr.wording.states import STATES

_USERS = 2_000
"""Shoppers looked at; a sample's first ones are those of a smaller sample."""
_LEAST_ORDERS = 3
_TRIES = 40
"""Most tries of parts for one product, until the whole question makes sense."""
_OLDEST_TERMS = 22
"""Months before the purchase, at most, from which on the terms hold that it falls under: who is told of ten years ago will ask first."""
_LOW = 12
"""Inches of the highest of a sort that goes under something."""
_KNOWN_FOR = 9
"""Years since which such things were sold: pages of any age speak of earlier makes."""
_OWNED_SHARE = 0.6
"""Share of cases whose facts change with the make."""
_NEWER_SINCE, _MADE_BEFORE = (6, 20), (2, 9)
"""Months from the make after the one at hand to the question, and from the making of that to it."""


class IntentKind(NamedTuple):
    intent: Intent
    days: tuple[int, int]
    """Days from the purchase to the question."""
    rival: bool
    """True where a candidate is weighed."""
    likes: Callable[[ThingKind], bool]
    """Test of the sorts that it fits."""


def _lasts(kind: ThingKind) -> bool:
    return not kind.is_used_up


INTENTS: tuple[IntentKind, ...] = (
    IntentKind("replace_under_warranty", (800, 1900), False, lambda kind: kind.plate and _lasts(kind)),
    IntentKind("refill", (14, 75), False, lambda kind: bool(kind.unit)),
    IntentKind("fit_into_space", (200, 1500), True, lambda kind: bool(kind.stands)),
    IntentKind("compare_with_owned", (300, 1600), True, lambda kind: _lasts(kind) and bool(kind.plate or kind.pounds or kind.upkeep)),
    IntentKind("return_or_keep", (18, 55), False, _lasts),
)  # fmt: skip


def cases(shop: Shop, seed: int, order: int | None = None) -> Iterator[TaskCase]:
    """Intents come in the order of the seed `order`, where it is another one. Without end, as a product of a shopper may be asked about
    in other ways; an intent for which no shopper has a product gives way to the next. `Misuse` where the shop has nobody to ask."""
    users = shop.store.sample_users(_USERS, seed=seed, min_orders=_LEAST_ORDERS)
    users = users or shop.store.sample_users(_USERS, seed=seed)
    if not users:
        raise Misuse(f"{shop.spec}: no shopper has an order, so there is nobody to write a task of")
    number = misses = 0
    while misses < len(users) * len(INTENTS):
        for user_id in users:
            first = _place(seed if order is None else order, number)
            kind = INTENTS[(first + misses // len(users)) % len(INTENTS)]
            case = _case(shop, user_id, kind, seed, number)
            misses = misses + 1 if case is None else 0
            if case is not None:
                number += 1
                yield case
    raise Misuse(f"{shop.spec}: no order is of a product that a task can be written of")


def first_cases(shop: Shop, seed: int, count: int) -> list[TaskCase]:
    return list(islice(cases(shop, seed), count))


def _place(seed: int, number: int) -> int:
    """Return the place of the intent: each of the five once in every five."""
    block, place = divmod(number, len(INTENTS))
    order = list(range(len(INTENTS)))
    Random(f"{seed}/intents/{block}").shuffle(order)
    return order[place]


def _case(shop: Shop, user_id: str, kind: IntentKind, seed: int, number: int) -> TaskCase | None:
    rng = Random(f"{seed}/case/{number}/{user_id}")
    user = shop.store.user(user_id)
    orders = shop.store.orders(user_id).items
    as_of = date.fromisoformat(shop.manifest.as_of)
    old = [order for order in orders if (as_of - order.placed_at.date()).days > kind.days[0]]
    found = _owned(shop, old, kind, rng)
    if user is None or found is None:
        return None
    order, product, thing = found
    rivals = _rivals(shop, product, thing, rng) if kind.rival else []
    if kind.rival and not rivals:
        return None
    models = Random(f"{seed}/models/{number}/{user_id}")
    thing = as_model(thing, models)
    rivals = [(one, as_model(other, models)) for one, other in rivals]
    bought = order.placed_at.date()
    latest = max(kind.days[0] + 1, min(kind.days[1], (as_of - bought).days))
    today = bought + timedelta(days=rng.randrange(kind.days[0], latest))
    if today.year - _KNOWN_FOR < kind_of(thing.noun).since:
        return None
    scene = CaseScene(
        rng=rng,
        owned=thing,
        rival=rivals[0][1] if rivals else None,
        seller=f"{rng.choice(words('seller_first'))} {rng.choice(words('seller_last'))}",
        state=STATES.get(user.address.state),
        place=rng.choice(_places(rivals[0][1])) if rivals else "",
        bought=bought,
        today=today,
        paid=paid_for(product, rng, usual_price(shop, product, thing), EVEN),
        opened=bought + timedelta(days=rng.randrange(1, 9)),
        since=month_from(bought, -rng.randrange(1, _OLDEST_TERMS)),
        shipped=kind.intent == "return_or_keep" or rng.random() < 0.3,
    )
    make = _own_make(kind, scene, Random(f"{seed}/held/{number}/{user_id}"))
    scene = replace(scene, earlier_make=make)
    return _planned(shop, kind, scene, (user, order, product), [one for one, _ in rivals], seed, number)


def _own_make(kind: IntentKind, scene: CaseScene, rng: Random) -> HeldMake | None:
    """Half of what is refilled, and of candidates, is of an earlier make: the newest page then speaks of another."""
    if not (kind.rival or kind.intent == "refill") or rng.random() >= _OWNED_SHARE:
        return None
    newer = month_from(scene.today, -rng.randint(*_NEWER_SINCE))
    made = month_from(newer, -rng.randint(*_MADE_BEFORE))
    return HeldMake(subject=(scene.rival or scene.owned).name, made=made, newer=newer)


def _places(rival: NamedThing) -> tuple[str, ...]:
    kind = kind_of(rival.noun)
    stands = "low" if kind.stands == "floor" and kind.high and kind.high[1] < _LOW else kind.stands or "floor"
    return words(f"place_{'outdoor' if kind.manual == 'outdoor' else stands}")


class _Drawn(NamedTuple):
    """The parts of a case with their facts, and in which file each fact of files stands."""

    parts: list[AnswerPart]
    facts: list[TaskFact]
    couplings: list[Coupling]
    slots: list[tuple[str, FileSlot]]
    forms: list[FileForm]


def _planned(
    shop: Shop,
    kind: IntentKind,
    scene: CaseScene,
    bought: tuple[User, Order, Product],
    others: list[Product],
    seed: int,
    number: int,
) -> TaskCase | None:
    """`None` where nothing that is asked of this product makes sense together."""
    rng, (user, order, product) = scene.rng, bought
    count = files.file_count(rng)
    for _ in range(_TRIES):
        drawn = _facts(kind, scene, count)
        if drawn is None or any(nonsense(drawn.facts, scene.today)):
            continue
        if all(can_mislead(fact, drawn.facts, scene) for fact in drawn.facts if fact.source == "page"):
            break
    else:
        return None
    return TaskCase(
        task_id=f"{number + 1:03d}",
        seed=seed,
        intent=kind.intent,
        today=scene.today,
        user_id=user.user_id,
        owned=product,
        others=tuple(others),
        theme=next(iter(themes_of(product.title)), product.category),
        facts=tuple(drawn.facts),
        thing=scene.owned,
        rival=scene.rival,
        seller=scene.seller,
        shopper=f"{user.first_name} {user.last_name}",
        state=scene.state,
        place=scene.place,
        bought=scene.bought,
        paid=scene.paid,
        earlier_make=scene.earlier_make,
        purchases=history(shop, user.user_id, order, scene),
        files=files.planned_files(
            drawn.forms,
            drawn.slots,
            [scene.owned, *([scene.rival] if scene.rival else [])],
            scene.seller,
            rng,
        ),
        couplings=tuple(drawn.couplings),
        invented=_invented(drawn.parts),
    )


def _facts(kind: IntentKind, scene: CaseScene, count: int) -> _Drawn | None:
    """A fact that two parts need stands there once. `None` where no two parts can be asked, or no drawer holds their facts."""
    parts = [_of_make(part, scene) for part in _parts(kind, scene, count)]
    slots: dict[str, FileSlot] = {}
    for part in parts:
        for slot in part.slots:
            slots.setdefault(slot.attribute, slot)
    ids = {attribute: f"f{at}" for at, attribute in enumerate(slots, 1)}
    forms = files.carried(list(slots.values()), count, scene.rng)
    if len(parts) < 2 or forms is None:
        return None
    facts = [
        _file_fact(ids[slot.attribute], slot, form) for slot, form in zip(slots.values(), forms, strict=True)
    ]
    facts += [TaskFact(id=f"p{at}", source="page", **vars(part.page)) for at, part in enumerate(parts, 1)]
    values = FactValues.of(facts, scene.today)
    couplings = [
        Coupling(
            key=part.key,
            facts=(*(ids[slot.attribute] for slot in part.slots), f"p{at}"),
            how=reckoned(part.key, values).text,
        )
        for at, part in enumerate(parts, 1)
    ]
    return _Drawn(parts, facts, couplings, [(ids[name], slot) for name, slot in slots.items()], forms)


def _of_make(part: AnswerPart, scene: CaseScene) -> AnswerPart:
    """Add the month in which the thing was made, where that shows which of several figures is its own."""
    if scene.earlier_make is None or not changes_with_make(part.page.attribute):
        return part
    return replace(part, slots=(*part.slots, scene.slot_of_make()))


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


def _parts(kind: IntentKind, scene: CaseScene, count: int) -> list[AnswerPart]:
    """Choose a core and so many more parts that every file has a fact of its own. Choose fewer where the sort
    of the product has no more to ask."""
    rng = scene.rng
    parts: list[AnswerPart] = []
    for makers, wanted in zip(PARTS[kind.intent], (1, 1 + rng.choice((1, 1, 2))), strict=True):
        left = rng.sample(makers, len(makers))
        while left and (
            len(parts) < wanted or (wanted > 1 and len(_attributes(parts)) < min(count, 4) and len(parts) < 3)
        ):
            part = _drawn(left.pop(), scene, parts)
            if part is not None:
                parts.append(part)
    return parts


def _attributes(parts: list[AnswerPart]) -> set[str]:
    return {slot.attribute for part in parts for slot in part.slots}


def _drawn(make: PartMaker, scene: CaseScene, parts: list[AnswerPart]) -> AnswerPart | None:
    """Draw a part without a figure that another part has: a value must show which fact it is of. `None` where it cannot be asked."""
    had = _attributes(parts)
    taken = {one for part in parts for one in _figures(part, set())}
    for _ in range(_TRIES):
        part = make(scene)
        if part is None or part.key in {one.key for one in parts}:
            return None
        figures = _figures(part, had)
        if len(set(figures)) == len(figures) and not taken & set(figures):
            return part
    return None


def _figures(part: AnswerPart, had: set[str]) -> list[str]:
    """List the figures of all its facts but those of attributes that another part brought."""
    figures = [str(slot.value) for slot in part.slots if slot.attribute not in had]
    figures.append(part.page.value)
    return [value.strip("$").split()[0] if value[0] in "$0123456789" else value for value in figures]


def _owned(
    shop: Shop, orders: list[Order], kind: IntentKind, rng: Random
) -> tuple[Order, Product, NamedThing] | None:
    """Choose an order of something that this intent asks about, none of a day on which every shop is closed.
    Of pairs, sets and packs of several, take only what is used up: of others one speaks less well, and what
    one of them cost nobody knows."""
    for order in rng.sample(orders[:SHOWN], min(len(orders), SHOWN)):
        product = shop.store.product(order.product_id)
        thing = None if product is None else thing_of(product, rng)
        day = order.placed_at.date()
        if product is None or thing is None or (is_rest(day) and day.weekday() != 6):
            continue
        several = thing.plural or is_of_several(product)
        if kind.likes(kind_of(thing.noun)) and (kind.intent == "refill" or not several):
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
        if other.noun.split()[-1] == thing.noun.split()[-1] and kind_of(other.noun) is kind_of(thing.noun):
            found.append((one, other))
    rng.shuffle(found)
    return found[:3]


def _invented(parts: list[AnswerPart]) -> tuple[str, ...]:
    """All but the day of the purchase, which is an order's."""
    names = {slot.attribute for part in parts for slot in part.slots} - {"purchase date"}
    names |= {part.page.attribute for part in parts} | {"shops of others", "model numbers"}
    return tuple(sorted(names))


def can_mislead(fact: TaskFact, facts: list[TaskFact], scene: CaseScene) -> bool:
    """Tell whether another value that such a thing can have would turn the answer. Else no page leads astray from it."""
    rival = scene.rival
    thing = rival if rival is not None and fact.subject.startswith(rival.brand) else scene.owned
    form = stock().statement(fact.attribute)[0]
    within = range_of(form, kind_of(thing.noun))
    values = FactValues.of(facts, scene.today)

    def turned(value: str) -> bool:
        return overturns(values, fact.attribute, value)

    return other_value(fact.value, (), Random(fact.value), turned, within, form.among) is not None
