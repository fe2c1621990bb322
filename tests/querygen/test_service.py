"""A talk's script, policy and state: writes stay in the session, refusals name their clause, and nothing is told unasked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any, get_args

import pytest
from drr.env.entities import Order
from drr.env.query import Query
from drr.env.service.case import ClauseName, Reason, ServiceCase, SlotKind
from drr.env.service.clauses import CLAUSES, Act, broken_by
from drr.env.service.outcome import ClosingForm, ServiceOutcome, gold_form
from drr.env.service.shopper import (
    EMPTY,
    NO_TOTAL,
    NOTHING,
    OTHER,
    OWNED,
    WRONG_TOTAL,
    YES,
    shopper_reply,
    wrong_words,
)
from drr.env.service.state import ServiceState, SpokenAnswer, stock_of, vouchers_of
from drr.env.session import Session
from drr.env.settings import resolve
from drr.env.shop import Shop
from drr.env.web.open import open_web
from drr.eval.metrics.service import METRICS
from drr.eval.rewards.components import reward
from drr.eval.rewards.rewarded import Rewarded
from drr.querygen.files import line_of
from drr.querygen.service import ServiceMaker
from drr.tools.base import ToolContext, ToolError, context_for
from drr.tools.registry import CART_TOOLS, call, call_sync

KINDS: tuple[SlotKind, ...] = get_args(SlotKind)
TURNS = 1_000
"""Turns of talks that are drawn; ten times as many at night."""


@pytest.fixture(scope="module")
def maker(shop: Shop) -> ServiceMaker:
    return ServiceMaker(shop, open_web(resolve({}, environ={}).settings, shop=shop))


@pytest.fixture(scope="module")
def talks(maker: ServiceMaker) -> list[Query]:
    return [maker.make(seed) for seed in range(12)]


def case_of(query: Query) -> ServiceCase:
    assert query.service is not None
    return query.service


def context(maker: ServiceMaker, query: Query) -> ToolContext:
    return context_for(Session(maker.shop, query.user_id, case=query.service), maker.web)


def played(maker: ServiceMaker, query: Query) -> ToolContext:
    """A session in which the gold path was called."""
    ctx = context(maker, query)
    assert query.checkable is not None
    for step in query.checkable.plan:
        call_sync(step.tool, step.arguments, ctx)
    return ctx


def refused(ctx: ToolContext, tool: str, **arguments: Any) -> str:
    with pytest.raises(ToolError) as found:
        call_sync(tool, arguments, ctx)
    return f"{found.value.kind}: {found.value.message}"


def bought(maker: ServiceMaker, ctx: ToolContext, pieces: int = 1) -> str:
    """Put a product into the cart that is in stock and was never ordered."""
    own = {order.product_id for order in ctx.session.shop.store.orders(ctx.session.user_id or "").items}
    known = maker.priced
    product = next(p.product_id for p in known if p.product_id not in own and ctx.service.stock(p.product_id) >= pieces)  # fmt: skip
    call_sync("add_to_cart", {"product_id": product, "quantity": pieces}, ctx)
    return product


def test_a_seed_makes_the_same_talk(maker: ServiceMaker, shop: Shop, talks: list[Query]) -> None:
    again = ServiceMaker(shop, maker.web)
    assert [line_of(again.make(seed)) for seed in range(4)] == [line_of(one) for one in talks[:4]]
    assert Query.model_validate_json(line_of(talks[0])) == talks[0]


def test_the_opening_gives_no_wish_away(talks: list[Query]) -> None:
    for query in talks:
        case = case_of(query)
        told = [one for said in (*case.slots.values(), case.change.now) for one in said]
        assert not any(one in query.query for one in told)
        assert all(f"- {clause.name}: {clause.words(case.policy)}" in query.query for clause in CLAUSES)


def test_the_gold_path_ends_right_and_a_statement_less_is_less(
    maker: ServiceMaker, talks: list[Query]
) -> None:
    for query in talks:
        changes = played(maker, query).session.changes()
        form = gold_form(query, changes)
        done = ServiceOutcome(query, changes, form)
        assert (done.state, done.says_does, done.policy) == (1, 1, 1)
        for wrong in ({"ordered": []}, {"total": 1.0}, {"arrives": None}, {"returned": ["1"]}):
            less = ServiceOutcome(query, changes, form.model_copy(update=wrong))
            assert less.state == 1 and less.says_does < 1
        assert ServiceOutcome(query, changes, None).says_does == 0
        assert ServiceOutcome(query, (), ClosingForm(ordered=[], cancelled=[], returned=[])).state == 0


def test_only_the_form_counts_and_the_figure_says_so(maker: ServiceMaker, talks: list[Query]) -> None:
    changes = played(maker, talks[0]).session.changes()
    done = Rewarded(talks[0], "I refused everything.", gold_form(talks[0], changes), (), changes)
    (told,) = (one.explanation for one in METRICS if one.name == "says_does")
    assert reward(done)["total"] == 1 and "the form's statements" in told and "prose is not read" in told


def test_the_right_things_may_come_in_several_orders(maker: ServiceMaker, talks: list[Query]) -> None:
    query = next(one for one in talks if case_of(one).purchase.quantity > 1)
    changes, parts = played(maker, query).session.changes(), []
    whole = next(one for one in changes if one.field == "talk.checkout.1")
    for number, share in enumerate((1, case_of(query).purchase.quantity - 1), 1):
        lines = dict.fromkeys(whole.after["lines"], share)
        paid = {**whole.after, "lines": lines, "total": whole.after["total"] * (number == 1)}
        parts.append(replace(whole, after={**paid, "orders": [f"{one}{number}" for one in paid["orders"]]}))
    rest = [one for one in changes if one is not whole]
    form = gold_form(query, changes)
    for found, state in ((parts, 1), (parts[:1], 0), ([*parts, parts[0]], 0)):
        done = ServiceOutcome(query, [*rest, *found], form)
        assert done.state == state and (done.says_does == 1) == bool(state)


def test_reset_undoes_what_was_done_and_no_other_session_sees_it(
    maker: ServiceMaker, talks: list[Query]
) -> None:
    query = next(one for one in talks if any(not wish.refusals for wish in case_of(one).requests))
    before, beside = context(maker, query), context(maker, query)
    ctx = played(maker, query)
    wish = next(one for one in case_of(query).requests if not one.refusals)

    def status(session: Session) -> str:
        found = call_sync("get_order_details", {"order_id": wish.order_id}, context_for(session, maker.web))
        return str(found.data["order_status"])

    assert status(ctx.session) in ("Cancelled", "Returned")
    assert status(ctx.session.without_changes()) == status(beside.session) == status(before.session)
    assert ctx.session.without_changes().changes() == [] and maker.shop.store.order(wish.order_id) is None
    listed = call_sync("get_user_orders", {"limit": 100}, ctx).data["items"]
    assert {row["order_id"] for row in listed} >= set(ctx.service.paid[0].orders) | {wish.order_id}


def test_tools_that_act_are_offered_to_a_talk_alone(maker: ServiceMaker, talks: list[Query]) -> None:
    assert set(CART_TOOLS) <= set(context(maker, talks[0]).world.tools)
    plain = context_for(Session(maker.shop, talks[0].user_id), maker.web)
    assert not set(CART_TOOLS) & set(plain.world.tools)
    assert refused(plain, "view_cart").startswith("unavailable: There is no shopper to serve here")


def test_the_shop_refuses_by_its_clauses(maker: ServiceMaker, talks: list[Query]) -> None:
    query = talks[0]
    ctx, policy = context(maker, query), case_of(query).policy
    many = list(KINDS[: policy.asking + 1])
    assert "Clause asking" in refused(ctx, "ask_shopper", question="What?", about=many)
    assert ctx.service.asked == set()
    gone = next(
        p for p in maker.priced if stock_of(maker.shop.manifest.content_hash, p.product_id).pieces == 0
    )
    assert "Clause stock" in refused(ctx, "add_to_cart", product_id=gone.product_id)
    product = bought(maker, ctx)
    assert "Clause quantity" in refused(ctx, "add_to_cart", product_id=product, quantity=policy.quantity)
    shipped = next(one for one in case_of(query).orders if one.order_status == "Delivered")
    told = refused(ctx, "cancel_order", order_id=shipped.order_id, reason="damaged")
    assert told.startswith("not_allowed: Clause shipping of the policy: An order is cancelled only while")
    other = next(u for u in maker.base.users if u != query.user_id)
    foreign = maker.base.checker.orders(other)[0].order_id
    assert "Clause account" in refused(ctx, "return_items", order_id=foreign, reason="damaged")
    code = next(iter(vouchers_of(maker.shop.manifest.content_hash)))
    call_sync("checkout", {"voucher": code}, ctx)
    bought(maker, ctx)
    assert "Clause voucher" in refused(ctx, "checkout", voucher=code)
    assert "No voucher 'FREE'" in refused(ctx, "view_cart", voucher="FREE")
    call_sync("remove_from_cart", {"product_id": next(iter(ctx.service.cart))}, ctx)
    assert refused(ctx, "checkout").startswith("invalid: The cart is empty")


async def test_acts_of_one_turn_follow_one_another(maker: ServiceMaker, talks: list[Query]) -> None:
    ctx, most = context(maker, talks[0]), case_of(talks[0]).policy.quantity
    product = bought(maker, ctx, most)
    call_sync("remove_from_cart", {"product_id": product}, ctx)
    adding = (call("add_to_cart", {"product_id": product}, ctx) for _ in range(4 * most))
    found = await asyncio.gather(*adding, return_exceptions=True)
    assert ctx.service.cart == {product: most}
    assert sum(isinstance(one, ToolError) for one in found) == 3 * most
    added = [change for change in ctx.session.changes() if change.field == f"talk.cart.{product}"]
    assert [change.after for change in added][2:] == [*range(1, most + 1)]


def act(state: ServiceState, kind: str, **fields: Any) -> set[ClauseName]:
    return {clause.name for clause in broken_by(state, Act(kind, **fields))}


def test_clauses_that_are_the_agents_to_keep(maker: ServiceMaker, talks: list[Query]) -> None:
    query = talks[0]
    case = case_of(query)
    state = ServiceState(case, maker.shop, query.user_id, asked={"reason"})
    policy, order = case.policy, next(one for one in case.orders if one.order_status == "Delivered")
    usual, short, never = (
        next(p for p in maker.priced if pick(p.categories[0]))
        for pick in (
            lambda first: first not in (policy.short_department, policy.hygiene),
            lambda first: first == policy.short_department,
            lambda first: first == policy.hygiene,
        )
    )

    def broken(days: int, product: Any, reason: Reason) -> set[ClauseName]:
        old = order.model_copy(update={"order_date": f"{state.today - timedelta(days)}T10:00:00.000"})
        return act(state, "return", order=old, product=product, reason=reason) - {"reason"}

    good = next(one for one in get_args(Reason) if one != policy.ground)
    assert broken(policy.window, usual, good) == set()
    assert broken(policy.window + 1, usual, good) == {"window"}
    assert broken(policy.short_window, short, good) == set()
    assert broken(policy.short_window + 1, short, good) == {"window"}
    assert broken(1, never, good) == {"hygiene"}
    assert broken(1, usual, policy.ground) == {"grounds"}
    wish = case.requests[0]
    named = state.order(wish.order_id)
    assert "reason" not in act(state, "cancel", order=named, reason=wish.reason)
    other = next(one for one in get_args(Reason) if one != wish.reason)
    assert "reason" in act(state, "cancel", order=named, reason=other)
    state.asked.clear()
    assert "reason" in act(state, "cancel", order=named, reason=wish.reason)
    paying = {"lines": {"B0": 1}, "total": 9.0, "voucher": "V1"}
    assert act(state, "pay", goods=policy.least - 0.01, **paying) == {"confirm", "least"}
    state.confirmed = ({"B0": 1}, 9.0)
    assert act(state, "pay", goods=policy.least, **paying) == set()
    assert act(state, "pay", goods=policy.least, **paying | {"lines": {"B0": 2}}) == {"confirm"}


def test_he_agrees_to_his_cart_and_its_total_alone(maker: ServiceMaker, talks: list[Query]) -> None:
    query = next(one for one in talks if not case_of(one).purchase.rebuys)
    ctx = context(maker, query)
    state = ctx.service
    assert shopper_reply(state, ["confirmation"], 1.0).sentences == [EMPTY]
    bought(maker, ctx)
    total = state.total()
    assert shopper_reply(state, ["confirmation"]).sentences == [NO_TOTAL]
    assert (
        shopper_reply(state, ["confirmation"], total + 0.01).sentences == [WRONG_TOTAL]
        and state.confirmed is None
    )
    agreed = shopper_reply(state, ["confirmation"], total)
    assert agreed.sentences == [YES] and agreed.agreed and state.confirmed == (state.cart, total)
    owned = ctx.session.shop.store.orders(query.user_id).items[-1].product_id
    state.cart = {owned: 1}
    assert shopper_reply(state, ["confirmation"], state.total()).sentences == [OWNED]


def agreed_to(ctx: ToolContext) -> list[str]:
    """What he says of the cart, once he has said whatever he had to say before."""
    shopper_reply(ctx.service, ["confirmation"], ctx.service.total())
    return shopper_reply(ctx.service, ["confirmation"], ctx.service.total()).sentences


def test_he_agrees_to_no_cart_that_is_not_what_he_told(maker: ServiceMaker, talks: list[Query]) -> None:
    """ "I want two different products", and one in the cart: he said "Yes, please order it"."""
    two = next(one for one in talks if case_of(one).picks == 2)
    more = next(one for one in talks if case_of(one).purchase.quantity > 1 and case_of(one).picks == 1)
    poor = next(one for one in talks if case_of(one).budget is not None)
    wrong: list[tuple[Query, SlotKind, dict[str, Any]]] = [
        (two, "choice", {}),
        (more, "quantity", {}),
        (poor, "budget", {"budget": 0.01}),
        (more, "delivery", {"arrives": True}),
    ]
    for query, kind, other in wrong:
        ctx, silent = context(maker, query), context(maker, query)
        for one in (ctx, silent):
            bought(maker, one)
            one.service.case = case_of(query).model_copy(
                update={"budget": other.get("budget", case_of(query).budget)}
            )
            if "arrives" in other:
                late = case_of(query).purchase.model_copy(update={"arrives_by": ctx.service.today})
                one.service.case = case_of(query).model_copy(update={"purchase": late})
        assert agreed_to(silent) == [YES], "he tells nothing unasked, by a no either"
        shopper_reply(ctx.service, [kind])
        assert agreed_to(ctx) == [OTHER] and ctx.service.confirmed is None
        ctx.service.case = ctx.service.case.model_copy(update={"picks": None})
        assert agreed_to(ctx) == [YES], "a talk recorded before is played as it was"


def test_a_change_of_mind_is_said_once_and_before_a_yes(maker: ServiceMaker, talks: list[Query]) -> None:
    for query in talks:
        change = case_of(query).change
        old = case_of(query).slots[change.kind]
        ctx = context(maker, query)
        assert shopper_reply(ctx.service, [change.kind]).sentences == old
        bought(maker, ctx)
        assert shopper_reply(ctx.service, ["confirmation"], ctx.service.total()).sentences == [
            change.sentence
        ]
        assert ctx.service.confirmed is None
        assert shopper_reply(ctx.service, [change.kind]).sentences == change.now
        never_told = context(maker, query).service
        for _ in range(change.after):
            shopper_reply(never_told, ["delivery" if change.kind != "delivery" else "rating"])
        assert shopper_reply(never_told, [change.kind]).sentences == change.now  # and nothing is taken back
        assert shopper_reply(never_told, [change.kind]).sentences == change.now


def test_words_of_a_model_tell_what_is_allowed_and_no_more(maker: ServiceMaker, talks: list[Query]) -> None:
    for query in talks:
        case, state = case_of(query), context(maker, query).service
        order, reason = case.slots["order"], case.slots["reason"]
        assert wrong_words(state, order, f"Well, {' '.join(order)}") is None
        assert str(wrong_words(state, order, "Hm.")).startswith("it leaves out: ")
        more = wrong_words(state, order, " ".join([*order, *reason]))
        assert more is not None and more.startswith("it gives away: ")
        state.heard += reason  # what he told before may be told again
        assert wrong_words(state, order, " ".join([*order, *reason])) is None


def test_a_number_is_told_by_its_noun(talks: list[Query], maker: ServiceMaker) -> None:
    """ "That one" tells no quantity."""
    for query in talks:
        case, state = case_of(query), context(maker, query).service
        order = case.slots["order"]
        assert wrong_words(state, order, f"{' '.join(order)} That one, you know.") is None
        assert all(value not in {"one", "two", "three"} for own in case.values.values() for value in own)


def test_a_slow_shopper_is_waited_for(talks: list[Query], maker: ServiceMaker) -> None:
    """What he says is on record at once, so an answer cut off by a deadline would never be heard."""

    class Slow:
        def kinds(self, question: str) -> list[SlotKind]:
            return ["order"]

        def words(
            self, question: str, sentences: Sequence[str], wrong: Callable[[str], str | None]
        ) -> SpokenAnswer:
            time.sleep(0.2)
            return SpokenAnswer(" ".join(sentences), 0)

    ctx = replace(context(maker, talks[0]), deadline_s=0.01)
    ctx.service.voice = Slow()
    said = asyncio.run(call("ask_shopper", {"question": "Which order?"}, ctx))
    assert case_of(talks[0]).slots["order"][0] in said.text


def turns(count: int, talks: list[Query], maker: ServiceMaker) -> None:
    """Hold random turns against the script: every sentence is of a kind that was asked about, and none is taken back unsaid."""
    rng, turn = Random(83), 0
    while turn < count:
        query = rng.choice(talks)
        case, state = case_of(query), context(maker, query).service
        heard: dict[SlotKind, list[str]] = {}
        changed = False
        for _ in range(rng.randint(3, 12)):
            turn += 1
            about = rng.sample(KINDS, rng.randint(1, case.policy.asking))
            said = shopper_reply(state, about, rng.choice([None, 1.0])).sentences
            if case.change.sentence in said:
                assert not changed and case.change.kind in heard
                said, changed = [one for one in said if one != case.change.sentence], True
                heard[case.change.kind] = case.change.now
            allowed = {kind: [*case.slots.get(kind, ()), NOTHING.get(kind, "")] for kind in about}
            allowed[case.change.kind] = [*allowed.get(case.change.kind, ()), *case.change.now]
            of_talk = {EMPTY, NO_TOTAL, WRONG_TOTAL, OTHER, OWNED, YES} if "confirmation" in about else set()
            rest = [one for one in said if one not in of_talk]
            for one in rest:
                assert any(one in allowed[kind] for kind in about), (one, about)
            for kind in about:
                now = [one for one in rest if one in allowed[kind]]
                assert not now or heard.setdefault(kind, now) == now


def test_nothing_is_given_away_unasked(talks: list[Query], maker: ServiceMaker) -> None:
    turns(TURNS, talks, maker)


@pytest.mark.endurance
def test_nothing_is_given_away_unasked_in_ten_thousand_turns(talks: list[Query], maker: ServiceMaker) -> None:
    turns(10 * TURNS, talks, maker)


@pytest.mark.parametrize(
    "wrong", [lambda ctx: None, lambda ctx: ctx.session.update_user(ctx.session.user_id, {"first_name": "X"})]
)
def test_what_was_to_stay_untouched_decides(
    maker: ServiceMaker, talks: list[Query], wrong: Callable[[ToolContext], Any]
) -> None:
    query = talks[0]
    ctx = played(maker, query)
    wrong(ctx)
    form = gold_form(query, ctx.session.changes())
    assert ServiceOutcome(query, ctx.session.changes(), form).state == float(
        not any(not change.is_of_talk for change in ctx.session.changes())
    )
    bystander = next(one for one in case_of(query).orders[::-1] if untouched(one, query))
    tool = "cancel_order" if bystander.order_status == "Processing" else "return_items"
    call_sync(tool, {"order_id": bystander.order_id, "reason": "damaged"}, ctx)
    spoiled = ServiceOutcome(query, ctx.session.changes(), gold_form(query, ctx.session.changes()))
    assert (spoiled.state, spoiled.says_does, spoiled.policy) == (0, 1, 0)


def untouched(order: Order, query: Query) -> bool:
    return order.order_id not in {one.order_id for one in case_of(query).requests}
