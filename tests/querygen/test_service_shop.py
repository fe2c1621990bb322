"""Talks under a policy that a shop could have: the shopper looks at what is proposed, and every end state is proved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
from drr.app.study.fresh_shops import make_shop
from drr.app.training.environment import Environment
from drr.data_ingest.fresh import ShopAxes
from drr.env.entities import Order, Product
from drr.env.errors import Misuse
from drr.env.progress import Quiet
from drr.env.query import Query, read_queries
from drr.env.service.case import ORDER_TOOLS, QUESTIONS, OrderRequest, Reason, ServiceCase
from drr.env.service.clauses import FAULTY, Act, broken_by, kind_of, refund_of
from drr.env.service.policies import ReturnTerms, ShopPolicy
from drr.env.service.served import ServedForm, ServedOutcome, served_form
from drr.env.service.shopper import DONE, GONE, LEAVING, NOTHING, YES, shopper_reply, wrong_words
from drr.env.service.state import ServiceState
from drr.env.session import Session
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.env.web.open import open_web
from drr.eval.rewards.components import reward, solved
from drr.eval.rewards.rewarded import Rewarded
from drr.querygen.files import line_of
from drr.querygen.service_shop import ShopTalks, talks_of
from drr.tools.base import ToolContext, ToolError, context_for
from drr.tools.registry import call_sync

from tests.commands import Drr

REASONS: tuple[Reason, ...] = get_args(Reason)


AXES = ShopAxes(
    products=900, users=400, reviews=9000, kinds=70, pages=3, questions=3, talks=2, real_kinds=True, unknown_price=0.1, sells="general"
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talks") / "made"
    make_shop(41, AXES, folder, resolve({}, environ={}).settings, Quiet())
    return folder


@pytest.fixture(scope="module")
def maker(made: Path) -> Iterator[ShopTalks]:
    settings = resolve({}, environ={}).settings
    with open_shop(str(made / "shop"), settings) as shop:
        yield ShopTalks(shop, open_web(settings, shop=shop))


@pytest.fixture(scope="module")
def talks(maker: ShopTalks) -> list[Query]:
    return [maker.make(seed) for seed in range(40)]


@pytest.fixture(scope="module")
def many(maker: ShopTalks, talks: list[Query]) -> list[Query]:
    """So many that what is rare comes in them too."""
    return [*talks, *(maker.make(f"twins:{number}") for number in range(60))]


def case_of(query: Query) -> ServiceCase:
    assert query.service is not None
    return query.service


def requests(talks: list[Query]) -> list[tuple[Query, OrderRequest]]:
    return [(query, one) for query in talks for one in case_of(query).requests]


def context(maker: ShopTalks, query: Query) -> ToolContext:
    return context_for(Session(maker.shop, query.user_id, case=query.service), maker.web)


def played(maker: ShopTalks, query: Query, *, until: str = "") -> ToolContext:
    """A session in which the gold path was called, up to a tool."""
    ctx = context(maker, query)
    assert query.checkable is not None
    for step in query.checkable.plan:
        if step.tool == until:
            break
        call_sync(step.tool, step.arguments, ctx)
    return ctx


def filled(maker: ShopTalks, query: Query) -> ToolContext:
    """A session with the right cart, which he has not seen yet."""
    ctx = context(maker, query)
    assert query.checkable is not None
    for step in query.checkable.plan:
        if step.tool == "add_to_cart":
            call_sync(step.tool, step.arguments, ctx)
    return ctx


def total_of(state: ServiceState) -> float:
    wanted = state.case.purchase.voucher
    holds = wanted is not None and state.goods() >= state.case.policy.least
    return state.total(wanted if holds else None)


def said_of(state: ServiceState, total: float | None = None) -> list[str]:
    about_total = total_of(state) if total is None else total
    return shopper_reply(state, ["confirmation"], about_total).sentences


def test_a_seed_makes_the_same_talk_and_a_file_keeps_it(maker: ShopTalks, talks: list[Query]) -> None:
    again = talks_of(maker.shop, maker.web, 2)
    assert [line_of(again.make(seed)) for seed in range(3)] == [line_of(one) for one in talks[:3]]
    assert all(Query.model_validate_json(line_of(one)) == one for one in talks)
    assert {len(case_of(one).requests) for one in talks} <= {2, 3, 4, 5}


def test_the_question_has_the_whole_policy_and_no_wish_and_no_id(
    maker: ShopTalks, talks: list[Query]
) -> None:
    for query in talks:
        case = case_of(query)
        assert isinstance(case.policy, ShopPolicy) and case.policy.handbook in query.query
        told = [one for said in (*case.slots.values(), case.change.now) for one in said]
        assert not any(one in query.query for one in told)
        assert not any(one.order_id in " ".join([query.query, *told]) for one in case.requests if one.action != "voucher")  # fmt: skip
        assert {*ORDER_TOOLS} < {*query.tools}
        points = [line[:2] for line in query.query.split("\n") if line[1:3] == ". " and line[0].isdigit()]
        assert points == [f"{at}." for at in range(1, 2 + len(case.requests))]


def test_every_kind_of_wish_comes_and_the_gold_path_earns_all(maker: ShopTalks, talks: list[Query]) -> None:
    found = {
        (one.action, bool(one.refusals), one.withdrawn, one.pieces is not None) for _, one in requests(talks)
    }
    assert {
        ("return", False, False, True),
        ("cancel", False, False, False),
        ("cancel", True, False, False),
        ("readdress", False, False, False),
        ("voucher", True, False, False),
        ("return", True, False, False),
    } <= found
    for query in talks:
        ctx = played(maker, query)
        form = served_form(query, ctx.session.changes())
        items = [
            f"- {one.point}: {one.act} {' '.join(f'{n} x {of}' for of, n in one.pieces.items())} {one.clause or ''} "
            f"{'' if one.money is None else f'${one.money:.2f}'}"
            for one in form.wishes
        ]
        report = "\n".join(["## Wishes", *items])
        answer = Rewarded(query, report, form, (), ctx.session.changes())
        assert reward(answer)["total"] == 1 and solved(answer), report
        silent = Rewarded(query, "All done.", form, (), ctx.session.changes())
        assert reward(silent)["total"] == pytest.approx(0.2)
        again = Session(maker.shop, query.user_id, case=query.service)
        again.resume(ctx.session.changes())
        assert again.service and ctx.session.service
        assert again.service.orders == ctx.session.service.orders


def test_damaged_goods_always_come_back(maker: ShopTalks, talks: list[Query]) -> None:
    """Forty-one of a hundred policies refused them."""
    policy, product = maker.shop_policy, maker.priced[0]
    barred = next(one for one in maker.priced if kind_of(one) in (*policy.hygiene, *policy.final))
    for reason in REASONS:
        for days, always in ((365, reason in FAULTY), (366, False)):
            assert _forbidden(maker, talks[0], product, reason, days=days) == ([] if always else ["window"])
        gone = _forbidden(maker, talks[0], barred, reason, days=1)
        assert bool(gone) == (reason not in FAULTY)
    sealed = _forbidden(maker, talks[0], barred, "no longer needed", days=1, opened=False)
    assert sealed == (["final"] if kind_of(barred) in policy.final else [])


def test_an_order_is_judged_by_the_edition_of_its_day(maker: ShopTalks, talks: list[Query]) -> None:
    first, second = (ReturnTerms(since=maker.today - timedelta(age), days=days, short=14, percent=percent) for age, days, percent in ((40, 30, 20), (400, 60, 10)))  # fmt: skip
    product = maker.priced[0]
    policy = maker.shop_policy.model_copy(
        update={
            "terms": [first, second],
            "shorter": [],
            "hygiene": [],
            "final": [],
            "fee": [kind_of(product)],
        }
    )
    query = talks[0].model_copy(update={"service": case_of(talks[0]).model_copy(update={"policy": policy})})
    for age, late in ((30, False), (31, True), (40, True), (41, False), (60, False), (61, True)):
        found = _forbidden(maker, query, product, "no longer needed", days=age)
        assert found == (["window"] if late else []), age
        state = ServiceState(case_of(query), maker.shop, query.user_id)
        order = _order(maker, query, product, age)
        back = refund_of(state, order, product, 1, is_return=True, reason="no longer needed")
        assert product.price and back == round(product.price * (0.9 if age > 40 else 0.8), 2)


def _forbidden(
    maker: ShopTalks, query: Query, product: Product, reason: Reason, *, days: int, opened: bool = True
) -> list[str]:
    order = _order(maker, query, product, days)
    wish = OrderRequest(action="return", order_id="7", reason=reason, opened=opened)
    case = case_of(query).model_copy(update={"requests": [wish], "orders": [order]})
    state = ServiceState(case, maker.shop, query.user_id)
    found = broken_by(state, Act("return", order=order, product=product, reason=reason))
    return [one.name for one in found if one.name in ("window", "hygiene", "final")]


def _order(maker: ShopTalks, query: Query, product: Product, age: int) -> Order:
    return Order(
        order_id="7",
        product_id=product.product_id,
        user_id=query.user_id,
        order_date=f"{maker.today - timedelta(age)}T10:00:00.000",
        order_status="Delivered",
    )


def test_he_names_what_is_wrong_with_a_cart(maker: ShopTalks, talks: list[Query]) -> None:
    for query in talks:
        ctx = filled(maker, query)
        state, case = ctx.service, case_of(query)
        product = next(iter(state.cart))
        right = dict(state.cart)
        state.cart = {**right, product: right[product] + 1}
        wanted = case.change.now if case.change.kind == "quantity" else case.slots["quantity"]
        (words, *rest) = said_of(state)
        assert f"{right[product] + 1} of " in words and rest == wanted, "more pieces, which he names"
        state.cart = right
        (words, *rest) = said_of(state, total_of(state) + 1)
        assert "the cart does not come to that" in words and not rest
        assert said_of(state) == [YES] and state.confirmed is not None


def test_he_agrees_to_no_other_product(maker: ShopTalks, talks: list[Query]) -> None:
    """Another color: he says what he wants in its place, once asked or not."""
    wrong = 0
    for query in talks:
        assert query.checkable is not None
        need, ctx = query.checkable.needs[0], filled(maker, query)
        state = ctx.service
        pieces = next(iter(state.cart.values()))
        shelf = maker.base.checker.shelves.of(need.category)
        other = [one for one in shelf if one.price and one.product_id not in need.products and state.stock(one.product_id) >= pieces]  # fmt: skip
        for one in other[:2]:
            state.cart = {one.product_id: pieces, **dict(list(state.cart.items())[1:])}
            state.wrong = 0
            said = shopper_reply(state, ["confirmation"], state.total())
            assert not said.agreed and " ".join(one.title.split()[:8]) in said.sentences[0]
            told = [*case_of(query).change.now, *NOTHING.values()]
            told += [line for own in case_of(query).slots.values() for line in own]
            assert len(said.sentences) > 1 and set(said.sentences[1:]) <= set(told)
            left = wrong_words(state, said.sentences, "I do not want that.")
            known = [v for line in said.sentences[1:] for v in case_of(query).values.get(line, ())]
            assert (left or "").startswith("it leaves out") == bool(known), "a model must name it too"
            wrong += 1
    assert wrong > 20


def test_three_wrong_proposals_end_the_talk(maker: ShopTalks, talks: list[Query]) -> None:
    ctx = filled(maker, talks[0])
    state = ctx.service
    said = [said_of(state, 1.0), shopper_reply(state, ["confirmation"]).sentences, said_of(state, 2.0)]
    assert [LEAVING in one for one in said] == [False, False, True] and "You do not tell the total" in said[
        1
    ][0]
    assert said_of(state) == [GONE] and state.confirmed is None
    assert shopper_reply(state, ["budget"]).sentences == [GONE] and "budget" not in state.asked


def test_he_looks_at_orders_too(maker: ShopTalks, talks: list[Query]) -> None:
    checked = set()
    for query, one in requests(talks):
        ctx, told = context(maker, query), " ".join(case_of(query).slots["order"])
        order = ctx.service.order(one.order_id)
        if order is None or order.user_id != query.user_id:
            continue
        wrong: list[dict[str, Any]] = [{"act": "cancel" if one.action == "return" else "return"}]
        if one.pieces:
            wrong.append({"act": "return", "pieces": one.pieces + 1, "money": 1.0})
        if one.address:
            wrong.append({"act": "readdress", **_to(one, city="Nowhere")})
        for arguments in wrong:
            said = call_sync("propose_to_shopper", {"order_id": one.order_id, **arguments}, ctx).data
            assert not said["agreed"] and ctx.service.agreed == {}
            assert one.withdrawn or (
                set(said["sentences"][1:]) <= set(case_of(query).slots["order"]) and told
            )
            checked.add(arguments["act"] if "pieces" not in arguments else "pieces")
        right = {"act": one.action, **({"pieces": one.pieces} if one.pieces else {})}
        right |= _to(one) if one.address else {}
        right |= {"money": 1e5} if one.free else {}
        ctx.service.wrong = 0
        if one.action in QUESTIONS:
            continue
        said = call_sync("propose_to_shopper", {"order_id": one.order_id, **right}, ctx).data
        assert said["sentences"] == [DONE] if not one.withdrawn else not said["agreed"]
    assert checked == {"cancel", "return", "pieces", "readdress"}


def _to(one: OrderRequest, **other: str) -> dict[str, str]:
    assert one.address is not None
    to = one.address
    return {"street": to.address1, "city": to.city, "state": to.state, "zip_code": to.zip, **other}


def test_an_act_that_he_did_not_agree_to_breaks_the_policy(maker: ShopTalks, talks: list[Query]) -> None:
    query, one = next(
        (query, one) for query, one in requests(talks)
        if one.action == "return" and not one.refusals and not one.withdrawn and one.pieces is None
    )  # fmt: skip
    for told in (None, 0.5):
        ctx = context(maker, query)
        call_sync("ask_shopper", {"question": "Why?", "about": ["reason"]}, ctx)
        if told is not None:  # a sum that does not come back, such as one without the fee
            call_sync("propose_to_shopper", {"order_id": one.order_id, "act": "return", "money": told}, ctx)
        call_sync("return_items", {"order_id": one.order_id, "reason": one.reason}, ctx)
        outcome = ServedOutcome(query, ctx.session.changes(), None)
        assert outcome.kept["confirm"] is False and outcome.policy == 0


def test_what_nobody_asked_for_and_what_was_taken_back_break_the_policy(
    maker: ShopTalks, talks: list[Query]
) -> None:
    for query in talks[:8]:
        ctx, case = played(maker, query), case_of(query)
        spoken = {one.order_id for one in case.requests if not one.withdrawn}
        order = next((one for one in case.orders if one.order_id not in spoken), None)
        if order is None:
            continue
        tool = "return_items" if order.order_status == "Delivered" else "cancel_order"
        call_sync(tool, {"order_id": order.order_id, "reason": "damaged"}, ctx)
        outcome = ServedOutcome(query, ctx.session.changes(), None)
        assert outcome.kept["asked"] is False and outcome.policy == outcome.state == 0


def test_the_shop_stops_what_its_tools_can_see(maker: ShopTalks, talks: list[Query]) -> None:
    for query, one in requests(talks):
        ctx = context(maker, query)
        if one.refusals == ["voucher"]:
            call, clause = ("view_cart", {"voucher": one.order_id}), "voucher"
        elif "account" in one.refusals or "sent" in one.refusals:
            clause = one.refusals[0]
            name = "cancel_order" if one.action == "cancel" else "return_items"
            call = (name, {"order_id": one.order_id, "reason": "damaged"})
        else:
            continue
        with pytest.raises(ToolError, match=f"Clause {clause} of the policy"):
            call_sync(*call, ctx)


def test_a_made_shop_has_such_talks_and_they_are_checked(drr: Drr, made: Path) -> None:
    found = read_queries(made / "queries.jsonl")
    assert [case_of(one).version for one in found] == [2, 2, 2]
    assert drr.json("queries", "check", made / "queries.jsonl", "--shop", made / "shop")["failed"] == 0


def test_no_model_words_a_talk(drr: Drr, made: Path, tmp_path: Path) -> None:
    own = ("--shop", made / "shop", "--out", tmp_path / "o", "--writer", "m:w", "--readers", "m:r")
    said = drr.err("queries", "word", made / "queries.jsonl", *own)
    assert "models word joined questions only" in said


def test_a_shop_whose_goods_no_policy_names_has_none(shop: Shop) -> None:
    with pytest.raises(Misuse, match="make a shop with the axis `real_kinds`"):
        ShopTalks(shop, open_web(resolve({}, environ={}).settings, shop=shop)).make(1)


def test_a_yes_is_for_one_act_and_for_one_address(maker: ShopTalks, talks: list[Query]) -> None:
    query, one = next((query, one) for query, one in requests(talks) if one.address and not one.refusals)
    for city, asked in (("Nowhere", False), (_to(one)["city"].upper(), True)):
        ctx = context(maker, query)
        call_sync("change_address", {"order_id": one.order_id, **_to(one, city=city)}, ctx)
        assert ServedOutcome(query, ctx.session.changes(), None).kept["asked"] is asked
    query = next(one for one in talks if case_of(one).purchase.voucher is None)
    ctx = filled(maker, query)
    state, cart = ctx.service, dict(ctx.service.cart)
    assert said_of(state) == [YES]
    for kept in (True, False):
        state.cart = dict(cart)
        call_sync("checkout", {}, ctx)
        assert ServedOutcome(query, ctx.session.changes(), None).kept["confirm"] is kept


def test_a_family_or_a_voucher_tells_nothing_yet(maker: ShopTalks, many: list[Query]) -> None:
    """Refusing every family order and every voucher unread would have been right each time."""
    found = {"family": set[bool](), "voucher": set[bool]()}
    for query in many:
        outcome = ServedOutcome(query, played(maker, query).session.changes(), None)
        points = [line for line in query.query.split("\n") if line[:1].isdigit()]
        for point, one in zip(points[1:], case_of(query).requests, strict=False):
            for name in found:
                if name in point:
                    found[name].add(bool(outcome.refusals(one)))
    assert found == {"family": {True, False}, "voucher": {True, False}}


def test_who_ignores_the_policy_cannot_tell_what_it_forbids(maker: ShopTalks, many: list[Query]) -> None:
    """A script that did what the tools let it do earned half of a talk, as 38 of 65 refusals were of what is not sent yet."""
    forbidden, allowed = Counter[str](), Counter[str]()
    for query, one in requests(many):
        state = ServiceState(case_of(query), maker.shop, query.user_id)
        order = state.order(one.order_id)
        kind = kind_of(None if order is None else maker.shop.store.product(order.product_id))
        age, policy = 0 if order is None else state.age(order), maker.shop_policy
        forbidden.update(one.refusals)
        twins = {
            "window": order is not None and policy.terms_of(order.placed_at.date()).short < age,
            "hygiene": kind in policy.hygiene,
            "final": kind in policy.final,
            "fee": kind in policy.fee or one.free,
        }
        twins = {name: is_twin and one.action == "return" for name, is_twin in twins.items()}
        twins |= {name: one.action == name for name in QUESTIONS}
        allowed.update([name for name, is_twin in twins.items() if is_twin and not one.refusals])
    sold = {kind_of(one) for one in maker.priced}
    named = {"window", *QUESTIONS} | {
        name for name in ("hygiene", "final", "fee") if sold & {*getattr(maker.shop_policy, name)}
    }
    assert len(named) > 4 and all(forbidden[one] > 3 and allowed[one] > 3 for one in named), (
        forbidden,
        allowed,
    )
    assert 4 * forbidden["sent"] <= forbidden.total()


def test_he_keeps_what_does_not_come_back_for_all_of_his_money(maker: ShopTalks, many: list[Query]) -> None:
    found = set()
    for query, one in requests(many):
        if one.free:
            ctx = context(maker, query)
            order = ctx.service.order(one.order_id)
            assert order is not None
            product = maker.shop.store.product(order.product_id)
            money = refund_of(ctx.service, order, product, order.quantity, is_return=True, reason=one.reason)
            proposal = {"order_id": one.order_id, "act": "return", "money": money}
            agreed = call_sync("propose_to_shopper", proposal, ctx).data["agreed"]
            assert agreed == ("fee" not in one.refusals)
            found.add(agreed)
    assert found == {True, False}


def test_an_environment_plays_such_talks_and_asks_for_their_form(made: Path) -> None:
    (query, *_) = read_queries(made / "queries.jsonl")
    assert query.checkable is not None
    with Environment(str(made / "shop"), queries=made / "queries.jsonl") as env:
        first = env.reset(query=query.id)
        assert first.form == ServedForm.model_json_schema() and "`ordered`" not in first.instructions
        assert {*ORDER_TOOLS} <= {tool["function"]["name"] for tool in first.tools}
        for step in query.checkable.plan:
            env.step({"tool": step.tool, "arguments": step.arguments})
        form = served_form(query, env.episode.session.changes)
        _, paid, *_ = env.step({"report": "Done.", "form": form.model_dump()})
        assert paid == pytest.approx(0.2)
