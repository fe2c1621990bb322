"""The twelve clauses of a shop's policy: the words that an agent is given, and a predicate for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from drr.env.checkable import in_category
from drr.env.entities import Address, Order, Product
from drr.env.service.case import ClauseName, OrderRequest, Reason, ServiceCase, ServicePolicy, ShopClauseName
from drr.env.service.policies import ShopPolicy
from drr.env.service.state import address_words
from drr.wording.currency import DOLLARS, Currency

if TYPE_CHECKING:
    from drr.env.service.state import ServiceState


@dataclass(frozen=True)
class Act:
    """An act that an agent is about to do. Fields that do not concern the act are empty."""

    kind: str
    """`ask`, `add`, `pay`, `cancel`, `return` or `readdress`."""
    kinds: int = 0
    lines: Mapping[str, int] = field(default_factory=dict)
    """Pieces by product, in the cart or about to be."""
    goods: float = 0.0
    total: float = 0.0
    voucher: str | None = None
    order: Order | None = None
    product: Product | None = None
    """The product of the order."""
    reason: Reason | None = None
    pieces: int = 0
    money: float = 0.0
    """Sum that comes back for the pieces."""
    address: Address | None = None


class Clause(NamedTuple):
    name: ClauseName | ShopClauseName
    acts: tuple[str, ...]
    """The kinds of acts that it concerns."""
    stops: bool
    """True where the shop's tools refuse what breaks it; the others are the agent's to keep."""
    text: str
    broken: Callable[[ServiceState, Act], bool]

    def words(self, policy: ServicePolicy | ShopPolicy, currency: Currency = DOLLARS) -> str:
        """Return the clause with the figures of a policy."""
        if isinstance(policy, ShopPolicy):
            return {**policy.clauses, **policy.staff}[self.name]
        return self.text.format(**{**policy.model_dump(), "least": currency.text(policy.least)})


def _late(state: ServiceState, act: Act) -> bool:
    policy = _policy(state)
    short = _is_in_department(act, policy.short_department)
    return act.order is None or state.age(act.order) > (policy.short_window if short else policy.window)


def _is_in_department(act: Act, department: str) -> bool:
    return act.product is not None and in_category(act.product, [department])


def _has_other_status(state: ServiceState, act: Act) -> bool:
    wanted = "Delivered" if act.kind == "return" else "Processing"
    return act.order is not None and act.order.order_status != wanted


def _is_reason_unasked(state: ServiceState, act: Act) -> bool:
    """Tell whether the reason was not asked for, or differs from the reason that the shopper gave."""
    given = {one.order_id: one.reason for one in state.case.requests}
    return "reason" not in state.asked or act.order is None or given.get(act.order.order_id) != act.reason


def _voucher_refused(state: ServiceState, act: Act) -> bool:
    purchase = state.case.purchase
    used = {one.voucher for one in state.paid} | ({purchase.voucher} if purchase.voucher_used else set())
    return act.voucher is not None and act.voucher in used


_OWED, _STOPPED = False, True
_ENDING = ("cancel", "return")
_policy: Callable[[ServiceState], ServicePolicy] = attrgetter("case.policy")
CLAUSES: tuple[Clause, ...] = (
    Clause("account", _ENDING, _STOPPED, "Only orders of the shopper's own account are touched.",
           lambda state, act: act.order is None or act.order.user_id != state.user_id),
    Clause("asking", ("ask",), _STOPPED, "One question to the shopper is about {asking} kinds of things at most.",
           lambda state, act: act.kinds > _policy(state).asking),
    Clause("quantity", ("add",), _STOPPED, "An order has at most {quantity} pieces of one product.",
           lambda state, act: any(count > _policy(state).quantity for count in act.lines.values())),
    Clause("stock", ("add",), _STOPPED, "Nothing is sold that is not in stock.",
           lambda state, act: any(count > state.stock(one) for one, count in act.lines.items())),
    Clause("voucher", ("pay",), _STOPPED, "An account uses a voucher once.", _voucher_refused),
    Clause("shipping", _ENDING, _STOPPED,
           "An order is cancelled only while it is Processing, and returned only once it is Delivered.", _has_other_status),
    Clause("confirm", ("pay",), _OWED,
           "Before checkout the shopper has confirmed the cart as it is, with the total that he pays.",
           lambda state, act: state.confirmed != (dict(act.lines), act.total)),
    Clause("reason", _ENDING, _OWED,
           "Before an order is cancelled or returned, the shopper is asked for the reason, which is passed on unchanged.", _is_reason_unasked),
    Clause("grounds", _ENDING, _OWED, 'Nothing is cancelled or returned for the reason "{ground}".',
           lambda state, act: act.reason == _policy(state).ground),
    Clause("window", ("return",), _OWED,
           'Goods come back within {window} days of the day of the order, those of the department "{short_department}" within {short_window}.',
           _late),
    Clause("hygiene", ("return",), _OWED, 'Goods of the department "{hygiene}" never come back.',
           lambda state, act: _is_in_department(act, _policy(state).hygiene)),
    Clause("least", ("pay",), _OWED, "A voucher is used only where the goods cost {least} or more.",
           lambda state, act: act.voucher is not None and act.goods < _policy(state).least),
)  # fmt: skip


FAULTY: tuple[Reason, ...] = ("damaged", "not as described")
"""Reasons for which goods always come back, for a year."""
FAULTY_DAYS = 365


def _request(state: ServiceState, act: Act) -> OrderRequest | None:
    """Return the wish about the order of an act, unless he took it back."""
    of = None if act.order is None else act.order.order_id
    return next((one for one in state.case.requests if one.order_id == of and not one.withdrawn), None)


def _forbids(name: str) -> Callable[[ServiceState, Act], bool]:
    """Return a predicate: goods and days that the policy excludes, which faulty goods are not."""

    def broken(state: ServiceState, act: Act) -> bool:
        policy, request = state.case.policy, _request(state, act)
        if not isinstance(policy, ShopPolicy) or act.order is None:
            return False
        kind, age, opened = kind_of(act.product), state.age(act.order), request is None or request.opened
        if act.reason in FAULTY and age <= FAULTY_DAYS:
            return False
        late = age > policy.days_for(kind, act.order.placed_at.date())
        return {
            "window": late,
            "hygiene": opened and kind in policy.hygiene,
            "final": kind in policy.final,
            "fee": request is not None and request.free and kind in policy.fee,
            "exchange": opened or late,
            "promise": age > policy.promise,
        }[name]

    return broken


def kind_of(product: Product | None) -> str:
    return product.categories[-1] if product is not None and product.categories else ""


def refund_of(
    state: ServiceState,
    order: Order,
    product: Product | None,
    pieces: int,
    *,
    is_return: bool,
    reason: Reason,
) -> float:
    """Return what comes back for pieces of an order, at today's price and less the fee of the policy."""
    policy, price = state.case.policy, product.price if product is not None else None
    kept = 0
    if (
        is_return
        and isinstance(policy, ShopPolicy)
        and reason not in FAULTY
        and kind_of(product) in policy.fee
    ):
        kept = policy.terms_of(order.placed_at.date()).percent
    return round(pieces * (price or 0.0) * (1 - kept / 100), 2)


def _is_unagreed(state: ServiceState, act: Act) -> bool:
    if act.kind == "pay":
        return state.confirmed != (dict(act.lines), act.total)
    proposed = (act.kind, act.pieces, act.money, address_words(act.address))
    return act.order is None or state.agreed.get(act.order.order_id) != proposed


def _is_unasked(state: ServiceState, act: Act) -> bool:
    """Tell whether no wish is for this act: its order, its kind and its address."""
    request = _request(state, act)
    if request is None or request.action != act.kind:
        return True
    return address_words(request.address) != address_words(act.address)


_CHANGING = (*_ENDING, "readdress")
SHOP_CLAUSES: tuple[Clause, ...] = (
    *(one for one in CLAUSES if one.name in ("asking", "stock", "reason")),
    Clause("account", _CHANGING, _STOPPED, "", CLAUSES[0].broken),
    Clause("voucher", ("pay",), _STOPPED, "", lambda state, act: _voucher_refused(state, act) or act.voucher in state.ended_vouchers),
    Clause("voucher", ("pay",), _OWED, "", CLAUSES[-1].broken),
    Clause("sent", _CHANGING, _STOPPED, "", _has_other_status),
    Clause("confirm", ("pay", *_CHANGING), _OWED, "", _is_unagreed),
    Clause("asked", _CHANGING, _OWED, "", _is_unasked),
    Clause("window", ("return", "exchange"), _OWED, "", _forbids("window")),
    *(Clause(name, ("return",), _OWED, "", _forbids(name)) for name in ("hygiene", "final", "fee")),
    *(Clause(name, (name,), _STOPPED, "", _forbids(name)) for name in ("exchange", "promise")),
)  # fmt: skip
"""The clauses of talks of version 2, whose words are those of the shop's policy."""


def clauses_of(case: ServiceCase) -> Sequence[Clause]:
    return CLAUSES if case.version == 1 else SHOP_CLAUSES


def policy_page(policy: ServicePolicy, currency: Currency = DOLLARS) -> str:
    """Return the policy as an agent is given it, a clause a line."""
    return "\n".join(f"- {one.name}: {one.words(policy, currency)}" for one in CLAUSES)


def broken_by(state: ServiceState, act: Act) -> list[Clause]:
    """Return the clauses that an act breaks, in the order of the policy."""
    return [one for one in clauses_of(state.case) if act.kind in one.acts and one.broken(state, act)]
