"""Compares an agent's acts in a talk of version 2, and its form, with the wishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from drr.env.entities import Address
from drr.env.query import Query
from drr.env.service.case import QUESTIONS, OrderRequest, ShopClauseName
from drr.env.service.outcome import OrderedProduct, ServiceOutcome
from drr.env.service.state import address_words
from drr.env.session import Change
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

ServedAct = Literal[
    "bought", "returned", "cancelled", "readdressed", "used", "refused", "withdrawn", "allowed"
]


class ServedWish(BaseModel):
    """The answer to one wish."""

    model_config = ConfigDict(extra="forbid")

    point: int
    act: ServedAct
    items: list[OrderedProduct] = Field(default_factory=list, max_length=100)
    """Products that were bought, or the order that the act concerns, each with its pieces."""
    money: FiniteFloat | None = None
    """The sum that was paid, or that comes back."""
    clause: ShopClauseName | None = None
    """The clause that forbids what is refused, or allows what he only asks about."""

    @property
    def pieces(self) -> Counter[str]:
        return Counter({one.product.rpartition("/")[2]: one.quantity for one in self.items})


class ServedForm(BaseModel):
    """The structured half of a closing report in a talk of version 2."""

    model_config = ConfigDict(extra="forbid")

    wishes: list[ServedWish] = Field(default_factory=list, max_length=100)

    @property
    def picks(self) -> list[str]:
        return [product for one in self.wishes if one.act == "bought" for product in one.pieces]


@dataclass(frozen=True)
class ServedOutcome(ServiceOutcome):
    """The acts of a talk of version 2 as the session recorded them, beside its case. The form is handed in by itself."""

    served: ServedForm | None = None

    @cached_property
    def acts(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        found: dict[str, list[Mapping[str, Any]]] = {}
        for kind, name, after in self._acts:
            if kind == "acts":
                found.setdefault(name, []).append(after)
        return found

    @cached_property
    def ended(self) -> Mapping[str, str]:
        cancelled = [name for name, acts in self.acts.items() if "cancelled" in (x["act"] for x in acts)]
        return dict.fromkeys(cancelled, "Cancelled")

    @property
    def policy(self) -> float:
        """Return 1 where no clause was broken. A changed profile is what nobody asked for."""
        return float(all(self.kept.values()) and all(one.is_of_talk for one in self.changes))

    @cached_property
    def answers(self) -> Mapping[int, ServedWish]:
        """Return the form's answer to each wish that it answers once."""
        stated = self.served.wishes if self.served else []
        counts = Counter(one.point for one in stated)
        return {one.point: one for one in stated if counts[one.point] == 1}

    @cached_property
    def true(self) -> set[int]:
        """Return the points whose answer agrees with the records."""
        return {point for point, one in self.answers.items() if self._is_so(one)}

    @property
    def stated(self) -> int:
        """Return the number of answers, each point once."""
        return len({one.point for one in self.served.wishes}) if self.served else 0

    @property
    def right(self) -> set[int]:
        """Return the points that are served and answered rightly.

        Those without an act count only beside one with an act, and refusals only where the form refuses nothing wrongly.
        """
        found = {point for point in self.true if self.done.get(point)}
        acted = any(self.answers[one].act not in ("refused", "withdrawn", "allowed") for one in found)
        refused = {one.point for one in self.served.wishes if one.act == "refused"} if self.served else set()
        if not refused <= self.true:
            found -= refused
        return found if acted else set()

    @property
    def says_does(self) -> float:
        return len(self.true) / self.stated if self.stated else 0.0

    def refusals(self, request: OrderRequest) -> Sequence[str]:
        """Return the clauses that forbid a wish. Whether a voucher that holds is due hangs on what was bought."""
        if request.action != "voucher" or request.refusals or not self.paid:
            return request.refusals
        goods = self.total + (self.case.purchase.voucher_amount if self.used else 0.0)
        return ["voucher"] if goods < self.case.policy.least else []

    def is_done(self, request: OrderRequest) -> bool:
        if request.action == "voucher" and not request.refusals:
            return bool(self.paid) and (request.order_id in self.used) != bool(self.refusals(request))
        if not request.is_due:
            return request.order_id not in self.acts
        act = self._act(request)
        whole = {one.order_id: one.quantity for one in self.case.orders}
        wanted = request.pieces or whole.get(request.order_id, 1)
        due = {"return": "returned", "cancel": "cancelled"}.get(request.action)
        if act is None or due not in (None, act.act):
            return False
        return act.act != "returned" or act.pieces[request.order_id] == wanted

    def _act(self, request: OrderRequest) -> ServedWish | None:
        """Return the act on an order; `None` where acts differ or go to another address."""
        acts = self.acts.get(request.order_id, ())
        if len({one["act"] for one in acts}) != 1:
            return None
        (*_, last), point = acts, self.case.requests.index(request) + 2
        if last["act"] == "readdressed":
            to = Address.model_validate(last["address"])
            is_his = address_words(to) == address_words(request.address)
            return ServedWish(point=point, act="readdressed") if is_his else None
        item = OrderedProduct(product=request.order_id, quantity=sum(one["pieces"] for one in acts))
        money = round(sum(one["money"] for one in acts), 2)
        return ServedWish(point=point, act=last["act"], items=[item], money=money)

    def true_answer(self, point: int) -> ServedWish | None:
        """Return the true answer to a wish; `None` where there is none."""
        if point == 1:
            items = [OrderedProduct(product=one, quantity=count) for one, count in self.ordered.items()]
            return ServedWish(point=1, act="bought", items=items, money=self.total) if self.paid else None
        request = self.case.requests[point - 2]
        if request.order_id in self.acts:
            return self._act(request)
        if request.order_id in self.used:
            return ServedWish(point=point, act="used")
        if request.withdrawn:
            return ServedWish(point=point, act="withdrawn")
        if grounds := self.refusals(request):
            return ServedWish(point=point, act="refused", clause=grounds[0])
        own = next((one for one in QUESTIONS if one == request.action), None)
        return None if own is None else ServedWish(point=point, act="allowed", clause=own)

    def _is_so(self, one: ServedWish) -> bool:
        """Tell whether an answer agrees with the records."""
        true = self.true_answer(one.point) if 1 <= one.point < 2 + len(self.case.requests) else None
        if true is None or one.act != true.act:
            return False
        if one.act == "refused":
            return one.clause in self.refusals(self.case.requests[one.point - 2])
        if true.money is None:
            return true.clause in (None, one.clause)
        return one.pieces == true.pieces and one.money is not None and abs(one.money - true.money) < 0.005


def served_form(query: Query, changes: Sequence[Change]) -> ServedForm:
    """Return the form that tells a talk as it was done, with a right ground for each refusal."""
    done = ServedOutcome(query, changes, None)
    wishes = [one for one in map(done.true_answer, done.done) if one]
    return ServedForm(wishes=wishes)
