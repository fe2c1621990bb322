"""Draws what a shopper wants to buy, what he tells of it when asked, and how he changes his mind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import ceil
from random import Random
from typing import Any, NamedTuple, cast

from drr.env.checkable import Constraint, ShoppingNeed, satisfying_products
from drr.env.entities import Product
from drr.env.records.lines import priced
from drr.env.service.case import ChangeOfMind, ServicePolicy, SlotKind, WantedPurchase
from drr.env.service.looking import KIND_OF
from drr.env.service.state import stock_of, vouchers_of
from drr.querygen.checkable import shown
from drr.querygen.composing import QuestionMaker
from drr.querygen.drawing import MOST_RIGHT, NeedDraw, PointSource, need_form
from drr.querygen.shelves import by_chance
from drr.wording.dates import day_words

_REDRAWS = 60
_BY_CHANCE = 0.1
"""The highest chance at which products drawn from the kind may be those that are right."""
_RECOUNTED, _BUDGETED, _DATED, _WITH_VOUCHER, _USED = 0.3, 0.5, 0.6, 0.5, 0.3
"""Shares of purchases whose number changes, of those with a limit of money, with a day, with a voucher, and of vouchers used before."""
_CHANGED = ("price_max", "price_min", "rating_min", "ratings_min", "brand_is", "brand_not", "attribute")


class ChangedNeed(NamedTuple):
    """A need and its pieces, as first told and as wanted in the end."""

    before: ShoppingNeed
    after: ShoppingNeed
    first: int
    last: int


class DrawnWish(NamedTuple):
    """A purchase as wanted in the end, with what is told of it before and after the change of mind."""

    need: ShoppingNeed
    purchase: WantedPurchase
    budget: float | None
    slots: dict[SlotKind, list[str]]
    change: ChangeOfMind
    values: dict[str, list[str]]
    """The values in each sentence."""


class WishDraw:
    """A drawer of wishes of one user."""

    def __init__(
        self, base: QuestionMaker, words: Mapping[str, Any], rng: Random, user_id: str, policy: ServicePolicy
    ) -> None:
        self.base, self.words, self.rng, self.policy = base, words, rng, policy
        self._values = dict[str, list[str]]()
        manifest = base.shop.manifest
        self._shop, self._today = manifest.content_hash, date.fromisoformat(manifest.as_of)
        checker = base.checker
        self._of = PointSource(
            *(rng, base.words, user_id, checker.orders(user_id), checker.shelves, base.shop.store),
            base.kinds,
            cells=(),
            demands=(2, 3),
            priced=True,
            currency=manifest.money,
        )

    def drawn(self) -> DrawnWish | None:
        """Draw needs until one can be bought; `None` where none can."""
        for _ in range(_REDRAWS):
            form = need_form(self.rng, self._of.demands, None)._replace(anchored=False, given=None, much={})
            drawn = NeedDraw(self._of, form).part(refused=False)
            need = None if drawn is None else cast(ShoppingNeed, drawn.truth)
            if need is not None and not self.base.checker.blind_order(self._of.user_id, need):
                turn = self._turn(need)
                wish = turn and self._wish(turn)
                if wish is not None:
                    return wish
        return None

    def _turn(self, need: ShoppingNeed) -> ChangedNeed | None:
        """Draw how he changes his mind: another number of pieces, or another value of one demand."""
        if not any(one.kind in ("owned", "not_owned") for one in need.constraints):
            need = _with(need, [*need.constraints, Constraint(kind="not_owned")])
        rng, counts = self.rng, range(1, self.policy.quantity + 1)
        last = rng.choice(counts)
        if rng.random() < _RECOUNTED:
            return ChangedNeed(need, need, rng.choice([one for one in counts if one != last]), last)
        old = rng.choice([one for one in need.constraints if one.kind in _CHANGED] or [None])
        known = self._of.shelves.table(need.category).demands(old.kind) if old else []
        others = [one.demand for one in known if old and one.demand.name == old.name and one.demand != old]
        if not others:
            return None
        new = rng.choice(others)
        return ChangedNeed(
            need, _with(need, [new if one == old else one for one in need.constraints]), last, last
        )

    def _wish(self, turn: ChangedNeed) -> DrawnWish | None:
        """Draw the rest of a purchase. `None` where too few or too many products are right, or where chance or the first wish would find them."""
        rng, after, shelf = self.rng, turn.after, self._of.shelves.of(turn.after.category)
        found, days = self._to_be_had(after, turn.last, shelf)
        chosen = [one.product_id for one in found]
        earlier = {one.product_id for one in satisfying_products(turn.before, shelf, self._of.owned)}
        if not after.picks <= len(found) <= MOST_RIGHT or (
            turn.first == turn.last and earlier <= set(chosen)
        ):
            return None
        sold = {
            p.product_id for p in shelf if p.price and stock_of(self._shop, p.product_id).pieces >= turn.last
        }
        if by_chance(len(found), after.picks, len(sold)) > _BY_CHANCE:
            return None
        need = after.model_copy(update={"products": chosen})
        if self.base.checker.blind_order(self._of.user_id, need, sold):
            return None
        cheapest = sum(sorted(one.price or 0 for one in found)[: after.picks]) * turn.last
        budget = float(ceil(cheapest * rng.uniform(1.05, 1.4))) if rng.random() < _BUDGETED else None
        purchase = self._purchase(turn, days)
        first = self._slots(turn.before, purchase.model_copy(update={"quantity": turn.first}), budget)
        slots = self._slots(after, purchase, budget)
        changed = [kind for kind in slots if slots[kind] != first[kind]]
        if len(changed) != 1:  # two values that read alike
            return None
        now = slots[changed[0]]
        sentence = self.words["changed"].format(now=" ".join(now))
        change = ChangeOfMind(kind=changed[0], after=rng.randint(1, 4), sentence=sentence, now=now)
        values = self._values
        values[sentence] = [value for one in now for value in values[one]]
        spoken = {sentence, *now, *(one for own in first.values() for one in own)}
        values = {one: values[one] for one in sorted(spoken)}
        return DrawnWish(need, purchase, budget, first, change, values)

    def _to_be_had(
        self, need: ShoppingNeed, pieces: int, shelf: Sequence[Product]
    ) -> tuple[list[Product], int | None]:
        """Return the right products that are in stock and come in time, and the days that they have."""
        right = [one for one in satisfying_products(need, shelf, self._of.owned) if one.price]
        figures = {one.product_id: stock_of(self._shop, one.product_id) for one in right}
        found = [one for one in right if figures[one.product_id].pieces >= pieces]
        if len(found) < max(need.picks, len(right) if need.best else 0):
            return [], None
        if self.rng.random() >= _DATED:
            return found, None
        days = sorted(figures[one.product_id].days for one in found)
        limit = days[max(need.picks - 1, len(days) // 2)]
        return [one for one in found if figures[one.product_id].days <= limit], limit

    def _purchase(self, turn: ChangedNeed, days: int | None) -> WantedPurchase:
        vouchers = vouchers_of(self._shop)
        voucher = self.rng.choice(sorted(vouchers)) if self.rng.random() < _WITH_VOUCHER else None
        return WantedPurchase(
            quantity=turn.last,
            arrives_by=None if days is None else self._today + timedelta(days),
            rebuys=any(one.kind == "owned" for one in turn.after.constraints),
            voucher=voucher,
            voucher_amount=vouchers[voucher] if voucher else 0.0,
            voucher_used=voucher is not None and self.rng.random() < _USED,
        )

    def _slots(
        self, need: ShoppingNeed, purchase: WantedPurchase, budget: float | None
    ) -> dict[SlotKind, list[str]]:
        """Return what he says of each kind about his purchase."""
        words, found = self.words["slots"], dict[SlotKind, list[str]]()

        def say(kind: SlotKind, form: str, **facts: object) -> None:
            sentence = words[form].format(**facts)
            found.setdefault(kind, []).append(sentence)
            stated = [*map(str, facts.values()), words["kept"].get(form, "")]
            self._values[sentence] = [one for one in stated if one and one in sentence]

        for one in need.constraints:
            say(KIND_OF[one.kind], one.kind, value=shown(one, self._of.currency), name=one.name)
        if budget is not None:
            say("budget", "budget", value=priced(budget, self._of.currency))
        if need.best is not None:
            say("choice", need.best)
        if need.picks > 1:
            say("choice", "picks", count=f"{self.words['numbers'][need.picks]} different products")
        # "One" alone is said of much, so the word for what is counted belongs to the value.
        pieces = f"{self.words['numbers'][purchase.quantity]} piece{'s' * (purchase.quantity > 1)}"
        say("quantity", "each" if need.picks > 1 else "quantity", count=pieces)
        if purchase.arrives_by is not None:
            say("delivery", "delivery", day=day_words(purchase.arrives_by.isoformat()))
        if purchase.voucher is not None:
            say("voucher", "voucher", code=purchase.voucher)
        return found


def _with(need: ShoppingNeed, constraints: list[Constraint]) -> ShoppingNeed:
    return need.model_copy(update={"constraints": constraints})
