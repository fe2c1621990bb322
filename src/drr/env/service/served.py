"""Compares an agent's acts in a talk of version 2, and its form, with the wishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from drr.env.entities import Address
from drr.env.query import Query
from drr.env.service.case import OrderRequest, ShopClauseName
from drr.env.service.outcome import OrderedProduct, ServiceOutcome
from drr.env.service.state import address_words
from drr.env.session import Change
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

ServedAct = Literal["bought", "returned", "cancelled", "readdressed", "used", "refused", "withdrawn"]


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
    """The clause that forbids what is refused."""

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
        """Return the acts on each order, in their order."""
        found: dict[str, list[Mapping[str, Any]]] = {}
        for kind, name, after in self._acts:
            if kind == "acts":
                found.setdefault(name, []).append(after)
        return found

    @cached_property
    def ended(self) -> Mapping[str, str]:
        return {
            name: "Cancelled"
            for name, acts in self.acts.items()
            if any(one["act"] == "cancelled" for one in acts)
        }

    @cached_property
    def done(self) -> Mapping[int, bool]:
        """Return each wish by its point, with whether its end state holds."""
        found = {1: self.bought_rightly}
        return found | {point: self._is_done(one) for point, one in enumerate(self.case.requests, 2)}

    @property
    def state(self) -> float:
        own = {one for kind, _, after in self._acts if kind == "checkout" for one in after["orders"]}
        known = {one.order_id for one in self.case.requests} | own
        profile = any(not one.is_of_talk for one in self.changes)
        return float(all(self.done.values()) and self.acts.keys() <= known and not profile)

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
        acted = {point for point in found if self.answers[point].act not in ("refused", "withdrawn")}
        refused = (
            {one.point for one in self.served.wishes if one.act == "refused"} if self.served else set[int]()
        )
        if not refused <= self.true:
            found -= refused
        return found if acted else set()

    @property
    def says_does(self) -> float:
        return len(self.true) / self.stated if self.stated else 0.0

    @cached_property
    def used(self) -> set[str]:
        """Return the codes of the vouchers that were used."""
        return {one["voucher"] for one in self.paid} - {None}

    def refusals(self, request: OrderRequest) -> Sequence[str]:
        """Return the clauses that forbid a wish. Whether a voucher that holds is due hangs on what was bought."""
        if request.action != "voucher" or request.refusals or not self.paid:
            return request.refusals
        goods = self.total + (self.case.purchase.voucher_amount if self.used else 0.0)
        return ["voucher"] if goods < self.case.policy.least else []

    def _is_done(self, request: OrderRequest) -> bool:
        acts = self.acts.get(request.order_id, ())
        if request.action == "voucher" and not request.refusals:
            return bool(self.paid) and (request.order_id in self.used) != bool(self.refusals(request))
        if request.refusals or request.withdrawn:
            return not acts
        if request.action == "return":
            kinds = {one["act"] for one in acts}
            return kinds == {"returned"} and self._pieces(acts) == self._wanted_pieces(request)
        if request.action == "cancel":
            return [one["act"] for one in acts] == ["cancelled"]
        return bool(acts) and self._is_sent_rightly(request, acts)

    def _is_sent_rightly(self, request: OrderRequest, acts: Sequence[Mapping[str, Any]]) -> bool:
        if any(one["act"] != "readdressed" for one in acts):
            return False
        last = Address.model_validate(acts[-1]["address"])
        return address_words(last) == address_words(request.address)

    def _pieces(self, acts: Sequence[Mapping[str, Any]]) -> int:
        return sum(one.get("pieces", 0) for one in acts)

    def _wanted_pieces(self, request: OrderRequest) -> int:
        whole = {one.order_id: one.quantity for one in self.case.orders}
        return request.pieces or whole.get(request.order_id, 1)

    def _is_so(self, one: ServedWish) -> bool:
        """Tell whether an answer agrees with the records."""
        if one.point == 1:
            bought = one.act == "bought" and one.pieces == Counter(self.ordered) and bool(self.paid)
            return bought and one.money is not None and abs(one.money - self.total) < 0.005
        if not 2 <= one.point < 2 + len(self.case.requests):
            return False
        request = self.case.requests[one.point - 2]
        acts = self.acts.get(request.order_id, ())
        if one.act == "refused":
            idle = not acts and request.order_id not in self.used
            return idle and one.clause in self.refusals(request)
        if one.act == "used":
            return request.order_id in self.used
        if one.act == "withdrawn":
            return not acts and request.withdrawn
        if one.act == "readdressed":
            return bool(acts) and request.action == "readdress" and self._is_sent_rightly(request, acts)
        money = sum(act.get("money", 0.0) for act in acts)
        same = {act["act"] for act in acts} == {one.act}
        counted = one.pieces == Counter({request.order_id: self._pieces(acts)})
        return same and counted and one.money is not None and abs(one.money - money) < 0.005


def served_form(query: Query, changes: Sequence[Change]) -> ServedForm:
    """Return the form that tells a talk as it was done, with a right ground for each refusal."""
    done = ServedOutcome(query, changes, None)
    wishes = []
    if done.paid:
        items = [OrderedProduct(product=one, quantity=count) for one, count in done.ordered.items()]
        wishes.append(ServedWish(point=1, act="bought", items=items, money=done.total))
    for point, one in enumerate(done.case.requests, 2):
        acts = done.acts.get(one.order_id, ())
        if acts and acts[0]["act"] == "readdressed":
            wishes.append(ServedWish(point=point, act="readdressed"))
        elif acts:
            pieces = sum(act["pieces"] for act in acts)
            item = OrderedProduct(product=one.order_id, quantity=pieces)
            money = round(sum(act["money"] for act in acts), 2)
            wishes.append(ServedWish(point=point, act=acts[0]["act"], items=[item], money=money))
        elif one.order_id in done.used:
            wishes.append(ServedWish(point=point, act="used"))
        elif one.withdrawn:
            wishes.append(ServedWish(point=point, act="withdrawn"))
        elif forbidden := done.refusals(one):
            wishes.append(
                ServedWish.model_validate({"point": point, "act": "refused", "clause": forbidden[0]})
            )
    return ServedForm(wishes=wishes)
