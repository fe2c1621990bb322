"""A question whose points bind one another: code solves its specification, and the tools prove it by other code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product as every_choice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from drr.env.checkable import Checkable, Constraint
from drr.env.entities import Address, Order, Product, Slip
from drr.env.points import JointRule
from drr.env.query import Query, read_queries
from drr.env.session import Session
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.env.statistics import cents
from drr.env.web.open import open_web
from drr.querygen.files import line_of
from drr.querygen.joined.describing import described
from drr.querygen.joined.making import JoinedMaker
from drr.querygen.joined.needs import Dropped
from drr.querygen.joined.proving import Proof, Unproven
from drr.querygen.joined.references import History, JoinedDraft
from drr.querygen.joined.solving import Solver, Undecided, rule_value
from drr.querygen.joined.specification import (
    Concession,
    JoinedNeed,
    OrderCondition,
    OrderFigure,
    Specification,
    TakenDemand,
)
from drr.querygen.joined.tracing import OrderTrace
from drr.querygen.shelves import Shelves
from drr.tools.base import context_for
from drr.tools.registry import call_sync

from tests.app.conftest import truth_of
from tests.commands import Drr
from tests.querygen.conftest import JOINED_SEED
from tests.shops import write_rows

SETTINGS = resolve({}, environ={}).settings
RED, BLUE = (Constraint(kind="attribute", name="Color", value=one) for one in ("Red", "Blue"))


@pytest.fixture(scope="module")
def maker(joined: Path) -> Iterator[JoinedMaker]:
    with open_shop(str(joined / "shop"), SETTINGS) as shop:
        yield JoinedMaker(shop, open_web(SETTINGS, shop=shop))


@pytest.fixture(scope="module")
def written(joined: Path) -> list[Query]:
    return read_queries(joined / "q.jsonl")


def parts(query: Query, name: str) -> Any:
    return (truth_of(query).specification or {}).get(name, [])


@pytest.fixture(scope="module")
def mixed(maker: JoinedMaker) -> list[Query]:
    return maker.questions(15, 12)


@pytest.mark.slow
def test_questions_of_a_higher_level_mix_needs_figures_and_values_of_orders(mixed: list[Query]) -> None:
    high = [one for one in mixed if (truth_of(one).level or 0) > 2]
    for one in high:
        needs, references = parts(one, "needs"), [*parts(one, "figures"), *parts(one, "taken")]
        assert 0 < 2 * len(needs) <= len(needs) + len(references) + 1
        assert len(parts(one, "figures")) <= 3
    assert any(parts(one, "taken") for one in high)


@pytest.mark.slow
def test_an_order_is_named_by_its_kind_and_what_a_shopper_remembers(mixed: list[Query]) -> None:
    chains = [x["order"] for one in mixed for name in ("figures", "taken") for x in parts(one, name)]
    assert chains
    for chain in chains:
        first, *more = [one["what"] for one in chain]
        assert first == "kind"
        assert len(more) == 1 or {"year", "first", "last"} & {*more}
        assert len(more) < 3
        assert "Delivered" not in [one.get("value") for one in chain]
    spans = [x for one in mixed for x in parts(one, "figures") if x["what"] == "days_again"]
    assert all("again" in [one["what"] for one in span["order"]] for span in spans)
    told = [[one["what"] for one in chain] for chain in chains]
    assert sum("again" in one for one in told) == len(spans)


def test_one_question_is_one_errand(maker: JoinedMaker) -> None:
    drawer = maker.bundles
    sizes = Counter(drawer.kinds.values())
    for seed in range(8):
        drawn_for_one = drawer.errand(Random(seed), 1, [*sizes])
        assert len(drawn_for_one) == 1 or min(sizes[one] for one in drawn_for_one) == 1
    found = drawer.errand(Random(1), 3, [*sizes])
    assert 3 < sum(sizes[one] for one in found) < len(drawer.kinds)
    for of in drawn(maker, 2, 3, unmet=0, errand=found):
        assert {drawer.kinds[tuple(need.category)] for need in of.needs} <= found


@pytest.mark.slow
def test_each_need_has_a_demand_of_its_own(mixed: list[Query]) -> None:
    for one in mixed:
        taken = {x["point"] for x in parts(one, "taken")}
        bare = {at for at, need in enumerate(parts(one, "needs"), 1) if not need.get("constraints")}
        assert bare <= taken


@pytest.mark.slow
def test_a_maker_is_named_only_as_that_of_an_order_and_once(mixed: list[Query]) -> None:
    for one in mixed:
        stated = [x["kind"] for need in parts(one, "needs") for x in need.get("constraints", [])]
        assert "brand_is" not in stated
        assert [x["name"] for x in parts(one, "taken")].count("Brand") <= 1


def test_a_single_piece_has_a_price_and_several_a_budget(maker: JoinedMaker) -> None:
    for load in (1, 2):
        found = list(drawn(maker, load, 6, unmet=0))
        for of in found:
            pieces = sum(need.pieces for need in of.needs)
            limits = [x.kind for need in of.needs for x in need.constraints if x.kind == "price_max"]
            assert (of.budget is None, len(limits)) == (pieces == 1, int(pieces == 1))
        assert load > 1 or {need.pieces > 1 for of in found for need in of.needs} == {True, False}


@pytest.mark.slow
def test_no_value_of_an_order_stands_in_a_question_and_both_proofs_find_it(
    mixed: list[Query], maker: JoinedMaker
) -> None:
    for one in mixed:
        of = Specification.model_validate(truth_of(one).specification)
        found = maker.references.history(one.user_id).resolved(of)
        ctx = context_for(Session(maker.shop, one.user_id), maker.web)
        assert OrderTrace(lambda tool, asked, ctx=ctx: call_sync(tool, asked, ctx).data).resolved(of) == found
        added = [
            x
            for need, own in zip(found.needs, of.needs, strict=True)
            for x in need.constraints
            if x not in own.constraints
        ]
        assert len(added) == len(of.taken)
        assert maker.check(one)["deciding"].status == "pass"


@pytest.mark.parametrize("chain", ["again", "again last", "again first", "former_home last", "last"])
def test_records_and_tools_leave_the_same_orders(chain: str, maker: JoinedMaker) -> None:
    wanted = [OrderCondition.model_validate({"what": what}) for what in chain.split()]
    told = 0
    for user in maker.references.users[:25]:
        ctx = context_for(Session(maker.shop, user), maker.web)
        left = OrderTrace(lambda tool, asked, ctx=ctx: call_sync(tool, asked, ctx).data).left(wanted)
        found = maker.references.history(user).left(wanted)
        assert [row["order_id"] for row in left] == [one.order_id for one in found]
        told += bool(found)
    assert told


def test_each_level_has_its_load_and_every_question_is_proved_again(
    written: list[Query], joined: Path, drr: Drr
) -> None:
    truths = [truth_of(one) for one in written]
    taken = [len((one.specification or {}).get("taken", [])) for one in truths]
    assert [len(one.points) + count for one, count in zip(truths, taken, strict=True)] == [1, 2, 4, 6, 9, 12]
    assert [one.level for one in truths] == [1, 2, 3, 4, 5, 6]
    assert all(one.least == len(one.plan) >= 2 for one in truths)
    told = drr.out("queries", "check", joined / "q.jsonl", "--shop", joined / "shop")
    assert told.endswith("6 of 6 questions pass every check\n")


@pytest.mark.slow
def test_the_same_seed_makes_the_same_question(written: list[Query], maker: JoinedMaker) -> None:
    assert [line_of(one) for one in maker.questions(JOINED_SEED, 6)[:2]] == [
        line_of(one) for one in written[:2]
    ]


def test_the_print_names_no_id_and_says_that_no_model_worded_it(written: list[Query]) -> None:
    for one in written:
        assert "no model worded it" in one.query
        assert not any(pick.product in one.query for point in truth_of(one).points for pick in point.picks)


def drawn(
    maker: JoinedMaker, level: int, count: int, unmet: int | None = None, **within: Any
) -> Iterator[Specification]:
    for seed in range(60):
        if count:
            try:
                found = maker.bundles.draw(
                    Random(seed), level, level - 2 if unmet is None else unmet, **within
                )
            except (Dropped, Undecided):
                continue
            count -= 1
            yield found
    assert not count


def plainly(of: Specification, solver: Solver) -> tuple[list[str], int]:
    """Return the best set by trying every one."""
    points = solver.answered(of)
    for given_up in range(len(of.concessions) + 1):
        kept = []
        for chosen in every_choice(*(solver.offers(of, at, given_up) for at in points)):
            picked = dict(zip(points, (one.product for one in chosen), strict=True))
            for rule in of.rules:
                values = [rule_value(picked[at], rule.same or "") for at in rule.points]
                if len(set(values)) != 1 or None in values:
                    break
            else:
                cost = sum(one.cost for one in chosen)
                if cost <= cents(of.budget or 1e6):
                    stars = sum(one.stars for one in chosen)
                    kept.append((-stars, cost, [one.product_id for one in picked.values()]))
        if kept:
            return min(kept)[2], given_up
    return [], 0


def test_the_solver_finds_what_trying_every_set_finds(maker: JoinedMaker) -> None:
    for of in [*drawn(maker, 2, 4), *drawn(maker, 3, 2)]:
        right = maker.bundles.solver.solve(of)
        picks = [pick.product for point in right.points for pick in point.picks]
        assert (picks, right.given_up) == plainly(of, maker.bundles.solver)


def with_truth(query: Query, **changes: Any) -> Query:
    return query.model_copy(update={"checkable": truth_of(query).model_copy(update=changes)})


def test_a_spoiled_truth_fails(written: list[Query], maker: JoinedMaker) -> None:
    one, other = written[2], truth_of(written[3])

    def failing(query: Query) -> set[str]:
        return {name for name, result in maker.check(query).items() if result.status == "fail"}

    assert failing(one) == set()
    assert failing(with_truth(one, points=other.points)) == {"unambiguous", "reached"}
    assert failing(with_truth(one, rules=[])) == {"unambiguous"}
    assert failing(with_truth(one, plan=truth_of(one).plan[1:])) == {"reached"}
    assert failing(with_truth(one, least=1)) == {"reached"}
    assert failing(with_truth(one, specification=None)) == {"unambiguous"}
    easy = {**(truth_of(one).specification or {}), "budget": None, "rules": []}
    assert "deciding" in failing(with_truth(one, specification=easy))


def test_a_shop_with_few_products_of_a_kind_is_misuse(shop_folder: Path, tmp_path: Path, drr: Drr) -> None:
    code, _, err = drr(
        "queries", "generate", "--joined", "--shop", shop_folder, "--out", tmp_path / "q.jsonl"
    )
    assert code == 2
    assert "need 12 kinds of 60 products" in err


def test_a_truth_without_points_is_written_as_it_ever_was() -> None:
    assert not {"points", "rules", "specification"} & Checkable().model_dump().keys()


def test_references_single_out_orders_and_a_spoiled_condition_shows(maker: JoinedMaker) -> None:
    user = maker.references.users[0]
    history = maker.references.history(user)
    figures = maker.references.figures(JoinedDraft(Random(2), user, set(), set()), 3, 1)
    points = [history.point(one) for one in figures]
    assert sum(point.figure is None for point in points) == 1
    for figure in [one for one, point in zip(figures, points, strict=True) if point.figure]:
        assert len(history.left(figure.order)) == 1
        assert all(
            history.left([x for x in figure.order if x != one]) != history.left(figure.order)
            for one in figure.order
        )
    wide = OrderFigure(what="date", order=[OrderCondition(what="status", value="Delivered")])
    with pytest.raises(Undecided, match="two orders"):
        history.point(wide)
    with pytest.raises(Unproven, match="two orders"):
        Proof(Specification(figures=[wide]), context_for(Session(maker.shop, user), maker.web)).points()


def test_a_store_that_sells_what_others_make_is_no_maker(little: Shop) -> None:
    assert Shelves(little).makers == {"Anna", "Berta", "Carla"}


@pytest.mark.slow
def test_no_question_names_a_store_that_makes_nothing(mixed: list[Query], maker: JoinedMaker) -> None:
    shelves = maker.bundles.solver.shelves
    stores = {one.store for one in shelves.products.values() if one.store} - shelves.makers
    assert stores
    asked = [line for one in mixed for line in one.query.splitlines()]
    assert not [store for store in stores for line in asked if f"by {store}" in line]


HOME = Address(address1="1 Old Street", city="Salem", state="OR", zip="97301")
BOUGHT = [
    ("2015-01-05", "CUP1", HOME), ("2015-02-01", "POT1", HOME), ("2015-03-01", "POT2", HOME), ("2015-04-01", "CUP1", HOME),
    ("2017-05-01", "POT1", None), ("2017-05-09", "CUP2", None), ("2017-06-01", "POT2", None), ("2017-08-01", "LID1", None),
]  # fmt: skip
LEFT = {
    "again": ["2017-06-01", "2017-05-01", "2015-04-01"],
    "kind=Cups again": ["2015-04-01"],
    "kind=Pots year=2017 first": ["2017-05-01"],
    "kind=Cups former_home last": ["2015-04-01"],
    "last": ["2017-08-01"],
}


@pytest.mark.parametrize("chain", LEFT)
def test_a_history_leaves_the_orders_that_a_reader_would_name(chain: str, little: Shop) -> None:
    orders = [
        Order(order_id=day, product_id=name, user_id="U", order_date=f"{day}T10:00:00.000", slip=home and Slip(address=home))
        for day, name, home in reversed(BOUGHT)
    ]  # fmt: skip
    history = History("U", orders, {one.product_id: one for one in little.store.iter_products()})
    named = [one.partition("=") for one in chain.split()]
    wanted = [OrderCondition.model_validate({"what": what, "value": value}) for what, _, value in named]
    assert [one.order_id for one in history.left(wanted)] == LEFT[chain]


def test_a_demand_takes_its_value_from_an_order() -> None:
    taken = [
        TakenDemand(point=1, name="Brand", order=[OrderCondition(what="last")]),
        TakenDemand(point=1, name="Size", order=[OrderCondition(what="kind", value="Lids")]),
    ]
    of = Specification(needs=[JoinedNeed(category=["Cups"])], taken=taken)
    made, size = of.resolved(["Anna", "12 Count"]).needs[0].constraints
    assert (made.kind, made.value, size.name, size.value) == ("brand_is", "Anna", "Size", "12 Count")
    assert "Size as of the Lids that I ordered" in described(of)


# -- a shop that one screen shows

ROWS = [
    ("CUP1", "Cups", "Red", 10.0, 4.5, "Anna"),
    ("CUP2", "Cups", "Red", 8.0, 4.0, "Berta"),
    ("CUP3", "Cups", "Blue", 4.0, 4.9, "Anna"),
    ("CUP4", "Cups", None, 5.0, 4.8, "Berta"),
    ("LID1", "Lids", "Red", 5.0, 4.5, "Dora"),
    ("POT1", "Pots", "Red", 30.0, 4.5, "Anna"),
    ("POT2", "Pots", "Red", 20.0, 4.4, "Berta"),
    ("POT3", "Pots", "Red", 20.0, 4.4, "Carla"),
    ("POT4", "Pots", "Green", None, 4.9, "Berta"),
]


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    spec = str(tmp_path_factory.mktemp("little") / "shop")
    products = [
        Product(
            product_id=name, product_url="", title=f"{maker} {kind}", features=[], description=[], price=price,
            store=maker, categories=["Kitchen", kind], details=({"Color": color} if color else {}) | ({"Brand": "Berta"} if kind == "Lids" else {}),
            average_rating=stars, rating_number=10, category="Kitchen",
        )
        for name, kind, color, price, stars, maker in ROWS
    ]  # fmt: skip
    write_rows(spec, SETTINGS, products, [], [])
    with open_shop(spec, SETTINGS) as shop:
        yield shop


def need(kind: str, *constraints: Constraint, pieces: int = 1) -> JoinedNeed:
    return JoinedNeed(category=["Kitchen", kind], constraints=list(constraints), pieces=pieces)


TWO = [need("Cups", RED, pieces=2), need("Pots", RED)]
SAME = JointRule(points=[1, 2], same="Brand")
BLUE_TOO = Concession(point=1, constraint=RED, instead=BLUE)
ANSWERS: dict[str, tuple[Specification, list[str]]] = {
    "the most stars": (Specification(needs=TWO), ["CUP1", "POT1"]),
    "pieces count in the budget": (Specification(needs=TWO, rules=[SAME], budget=49), ["CUP2", "POT2"]),
    "one maker": (Specification(needs=TWO, rules=[SAME], budget=50), ["CUP1", "POT1"]),
    "no more is given up than it takes": (Specification(needs=TWO, budget=50, concessions=[BLUE_TOO]), ["CUP1", "POT1"]),
    "given up for the budget": (
        Specification(needs=TWO, rules=[SAME], budget=40, concessions=[BLUE_TOO]),
        ["CUP2", "POT2"],
    ),
    "another value will do": (Specification(needs=[need("Cups", RED)], budget=5, concessions=[BLUE_TOO]), ["CUP3"]),
    "nothing fits": (Specification(needs=[TWO[0], need("Pots", BLUE)]), ["CUP1", "nothing_fits"]),
    "a color is unknown": (
        Specification(needs=[TWO[1], need("Cups", Constraint(kind="attribute", name="Color", value="Grey"))]),
        ["POT1", "cannot_be_told"],
    ),
    "no price is known": (
        Specification(needs=[TWO[0], need("Pots", Constraint(kind="attribute", name="Color", value="Green"))]),
        ["CUP1", "cannot_be_told"],
    ),
    "the kind is not sold": (Specification(needs=[TWO[0], need("Pans", RED)]), ["CUP1", "not_sold"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_solver_and_tools_give_the_answer(name: str, little: Shop) -> None:
    of, expected = ANSWERS[name]
    right = Solver(Shelves(little)).solve(of)
    assert [one.picks[0].product if one.picks else one.status for one in right.points] == expected
    proof = Proof(of, context_for(Session(little, None), open_web(SETTINGS, shop=little)))
    assert proof.points() == right.points
    assert described(of).count("\n") > len(of.needs)


def test_a_tie_stops_solver_and_proof(little: Shop) -> None:
    of = Specification(needs=[need("Pots", RED)], budget=25)
    with pytest.raises(Undecided, match="tie"):
        Solver(Shelves(little)).solve(of)
    with pytest.raises(Unproven, match="tie"):
        Proof(of, context_for(Session(little, None), open_web(SETTINGS, shop=little))).points()


def test_two_rules_bind_no_point_together() -> None:
    with pytest.raises(ValueError, match="a point is bound twice"):
        Specification(needs=TWO, rules=[SAME, JointRule(points=[2, 1], same="Color")])
