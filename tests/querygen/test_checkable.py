"""A checkable question carries its truth, code proves it over the whole shop, and nobody who answers sees it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast, get_args

import pytest
from drr.env.checkable import (
    Checkable,
    Constraint,
    ConstraintKind,
    ExpectedFact,
    Given,
    PlanStep,
    ShoppingNeed,
    distractors,
    meets_constraint,
    parse_figure,
    same_figure,
    satisfying_products,
)
from drr.env.entities import Product
from drr.env.query import Query, read_queries
from drr.env.settings import resolve
from drr.env.shop import Shop
from drr.env.web.open import open_web
from drr.querygen.checkable import TruthChecker, idle
from drr.querygen.composing import DEMANDS, QuestionMaker
from drr.querygen.drawing import NeedDraw, PointSource, need_form
from drr.querygen.figures import FactDraw
from drr.querygen.files import line_of
from drr.querygen.shelves import KindTable

from tests.app.conftest import truth_of
from tests.cases import table
from tests.commands import Drr

SEEDS = range(4000, 4012)


@pytest.fixture(scope="module")
def maker(shop: Shop) -> QuestionMaker:
    return QuestionMaker(shop, open_web(resolve({}, environ={}).settings, shop=shop))


@pytest.fixture(scope="module")
def made(maker: QuestionMaker) -> list[Query]:
    return [maker.make(seed) for seed in SEEDS]


def failing(checker: TruthChecker, query: Query) -> set[str]:
    return {name for name, result in checker.check(query).items() if result.status == "fail"}


def sources(maker: QuestionMaker, count: int, **more: Any) -> Iterator[PointSource]:
    for seed, user in enumerate(maker.users[:count]):
        own = (user, maker.checker.orders(user), maker.checker.shelves, maker.shop.store, maker.kinds, [])
        yield PointSource(Random(seed), maker.words, *own, **(more or {"absent": maker.absent}))


def test_the_same_seed_makes_the_same_bytes(maker: QuestionMaker, made: list[Query], shop: Shop) -> None:
    again = QuestionMaker(shop, maker.web)
    assert [line_of(again.make(seed)) for seed in SEEDS[:-5:-1]] == [line_of(one) for one in made[:-5:-1]]
    assert len({one.query for one in made}) == len(SEEDS)


def test_what_is_made_passes_every_check_and_comes_back_from_its_line(
    maker: QuestionMaker, made: list[Query], tmp_path: Path
) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text("".join(line_of(one) + "\n" for one in made))
    for query in read_queries(path):
        assert failing(maker.checker, query) == set()
        assert set(maker.checker.check(query)) == {
            "solvable", "unambiguous", "stated", "hidden", "reached", "axes",
        }  # fmt: skip


def test_a_record_without_truth_is_as_it_ever_was() -> None:
    query = Query(query="a bird feeder", user_id="U1")
    assert "checkable" not in json.loads(line_of(query))
    assert "checkable" not in query.model_dump()


def with_truth(query: Query, **changes: Any) -> Query:
    return query.model_copy(update={"checkable": truth_of(query).model_copy(update=changes)})


def with_need(query: Query, **changes: Any) -> Query:
    one, *others = truth_of(query).needs
    return with_truth(query, needs=[one.model_copy(update=changes), *others])


def with_fact(query: Query, **changes: Any) -> Query:
    one, *others = truth_of(query).facts
    return with_truth(query, facts=[one.model_copy(update=changes), *others])


def first(query: Query) -> ShoppingNeed:
    return truth_of(query).needs[0]


SPOILED: dict[str, tuple[str, Callable[[Query], Query]]] = {
    "a right product left out": ("unambiguous", lambda q: with_need(q, products=first(q).products[1:])),
    "a wrong product let in": ("unambiguous", lambda q: with_need(q, products=[*first(q).products, "B000000000"])),
    "a product that two needs share": ("solvable", lambda q: with_truth(q, needs=[first(q), first(q)])),
    "more picks than there are": ("solvable", lambda q: with_need(q, picks=99)),
    "a need said to have no answer": ("solvable", lambda q: with_need(q, refusal="not_sold")),
    "another figure": ("unambiguous", lambda q: with_fact(q, value=12345.67)),
    "a source that tells nothing": ("reached", lambda q: with_fact(q, sources=["http://nowhere.example/"])),
    "no plan": ("reached", lambda q: with_truth(q, plan=[])),
    "a plan with a call that is refused": (
        "reached",
        lambda q: with_truth(q, plan=[*truth_of(q).plan, PlanStep(tool="calculator", arguments={"expression": "1/"})]),
    ),
    "an id given away": (
        "hidden", lambda q: q.model_copy(update={"query": f"{q.query} Maybe {first(q).products[0]}?"})
    ),
    "nothing but refusals": (
        "solvable", lambda q: with_need(with_truth(q, needs=truth_of(q).needs[:1], facts=[]), products=[], refusal="nothing_fits"),
    ),
    "a figure given away": (
        "hidden", lambda q: q.model_copy(update={"query": f"{q.query} Is it ${truth_of(q).facts[0].value}?"})
    ),
    "a limit that nobody reads": (
        "stated",
        lambda q: with_need(q, constraints=[*first(q).constraints, Constraint(kind="price_min", value=0.01)]),
    ),
    "a budget that buys nothing": ("solvable", lambda q: with_truth(q, budget=0.01)),
    "a demand that decides nothing": (
        "hidden", lambda q: with_need(q, constraints=[*first(q).constraints, Constraint(kind="not_id", value="B0")])
    ),
    "an axis set by hand": (
        "axes", lambda q: with_truth(q, axes=truth_of(q).axes.model_copy(update={"hops": 9}))  # type: ignore[union-attr]
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", SPOILED)
def test_a_spoiled_record_is_found_out(maker: QuestionMaker, what: str) -> None:
    def is_whole(truth: Checkable) -> bool:
        facts = [(type(fact.value), fact.kind != "page") for fact in truth.facts[:1]]
        return facts == [(float, True)] and any(need.products for need in truth.needs[:1])

    sound = next(one for one in map(maker.make, range(5000, 5100)) if is_whole(truth_of(one)))
    check, spoil = SPOILED[what]
    assert failing(maker.checker, sound) == set()
    assert check in failing(maker.checker, spoil(sound))


def test_words_of_a_model_are_not_accused_of_lacking_what_templates_state(
    maker: QuestionMaker, made: list[Query]
) -> None:
    """Files of before 0.4 hold such questions, with the passages that state their demands."""
    truth = truth_of(made[0]).model_copy(update={"stated": ["a bird bath"]})
    worded = made[0].model_copy(update={"query": "I want a bird bath.", "checkable": truth})
    assert maker.checker.check(worded)["stated"].status == "none"


def test_a_figure_of_a_page_is_reached_where_its_row_and_column_give_it(maker: QuestionMaker) -> None:
    """The same number of another row, column or page tells nothing, though the plan returns it."""
    made = map(maker.make, range(5000, 5200))
    sound = next(q for q in made if [fact.kind for fact in truth_of(q).facts][:1] == ["page"])
    fact = truth_of(sound).facts[0]
    url, row, column = fact.subjects
    page = next(cell.page for cell in maker.cells if cell.page.url == url)
    others = [c for c in maker.cells if c.page is page and c.value != fact.value]
    other = next(page.url for page in (c.page for c in maker.cells) if page.url != url)
    assert "reached" not in failing(maker.checker, sound)
    for spoiled in (
        with_fact(sound, subjects=[url, next(c.row for c in others if c.row != row), column]),
        with_fact(sound, subjects=[url, row, "Another column"]),
        with_fact(sound, subjects=[other, row, column], sources=[other]),
    ):
        assert "reached" in failing(maker.checker, spoiled)


def test_a_need_that_a_search_without_constraints_meets_in_some_order_is_none(
    maker: QuestionMaker, made: list[Query]
) -> None:
    found = set[str]()
    for query in (one for one in made if truth_of(one).needs and first(one).products):
        shelf = maker.checker.shelves.of(first(query).category)
        cheapest = min((p for p in shelf if p.price is not None), key=lambda p: (p.price, p.product_id))
        spoiled = with_need(query, products=[cheapest.product_id], picks=1)
        found.add(maker.checker.check(spoiled)["hidden"].message or "")
    assert any("by price_asc" in one for one in found)


def test_what_luck_meets_is_found_out(maker: QuestionMaker, made: list[Query]) -> None:
    kind = maker.kinds[0]
    every = [one.product_id for one in maker.checker.shelves.of(kind)]
    truth = Checkable(needs=[ShoppingNeed(category=list(kind), products=every)])
    query = made[0].model_copy(update={"query": f"1. Any of {' > '.join(kind)}.", "checkable": truth})
    assert "a blind choice 100% of the time" in maker.checker.check(query)["hidden"].message


def test_every_kind_of_demand_is_drawn(maker: QuestionMaker) -> None:
    drawn = set[str]()
    for source in sources(maker, 40):
        demands = [DEMANDS[n % len(DEMANDS)] for n in range(240)]
        forms = [need_form(source.rng, (2, 3), demand)._replace(much={}) for demand in demands]
        points = filter(None, (NeedDraw(source, form).part(False) for form in forms))
        needs = [one.truth for one in points if isinstance(one.truth, ShoppingNeed)]
        drawn |= {one.kind for need in needs for one in need.constraints}
        drawn |= {f"given {kind}" for need in needs if need.anchor for kind in need.anchor.gives}
    assert drawn == {*get_args(ConstraintKind), *(f"given {kind}" for kind in get_args(Given))}


@pytest.mark.slow
def test_a_curriculum_rises(drr: Drr, shop_folder: Path, maker: QuestionMaker, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    words = ("--checkable", "--curriculum", "--shop", shop_folder, "--out", path, "--count", 5)
    drr.json("queries", "generate", *words)
    rows = read_queries(path)
    assert [maker.of_level(query, level) for level, query in enumerate(rows, 1)] == [True] * 5
    demanded = [{one.kind for need in truth_of(query).needs for one in need.constraints} for query in rows]
    assert all(kind in found for kind, found in zip(DEMANDS, demanded, strict=False))
    axes = [truth_of(query).axes for query in rows]
    precision = [one.precision for one in axes if one is not None]
    assert precision[0] <= 4 < 8 < precision[-1]


def test_what_a_need_hides_is_drawn_apart_from_its_form(maker: QuestionMaker) -> None:
    """Each form, at each axis alone, is met by needs with little of what misleads and by needs with much of it."""
    met = Counter[tuple[str, bool]]()
    for source in sources(maker, 60, middles=maker.middles):
        form = need_form(source.rng, (2,), None)
        for point in filter(None, (NeedDraw(source, form).part(False) for _ in range(400))):
            need = cast(ShoppingNeed, point.truth)
            found = distractors(need, maker.checker.shelves.of(need.category), source.owned)._asdict()
            assert {axis: found[axis] > middle for axis, middle in maker.middles.items()} == form.much
            met.update(form.much.items())
    assert set(met) == {(axis, much) for axis in maker.middles for much in (True, False)}


@pytest.mark.slow
def test_every_form_can_be_refused(maker: QuestionMaker) -> None:
    """A superlative, an exclusion and each kind of demand are refused as they are met, with as many picks and no demand to spare."""
    refused, met = set[str](), set[str]()
    for seed, source in enumerate(sources(maker, 200)):
        form = need_form(source.rng, (2, 3), DEMANDS[seed % len(DEMANDS)])._replace(much={})
        for seen, sides in ((refused, True), (met, False)):
            for point in filter(None, (NeedDraw(source, form).part(sides) for _ in range(150))):
                need = cast(ShoppingNeed, point.truth)
                shelf = maker.checker.shelves.of(need.category)
                assert (
                    bool(satisfying_products(need, shelf, source.owned)) == bool(need.products) == (not sides)
                )
                assert need.picks == form.picks and not (shelf and list(idle(need, shelf, source.owned)))
                read = any(step.tool == "get_product_details" for step in point.plan)
                asks = need.anchor or any(one.kind == "attribute" for one in need.constraints)
                assert read == bool(asks and shelf)  # as many calls lead to a refusal
                seen |= {one.kind for one in need.constraints} | {f"best {need.best}"}
                seen |= {f"given {kind}" for kind in need.anchor.gives} if need.anchor else set()
    asked = {*DEMANDS, "best cheapest", "best best_rated", *(f"given {one}" for one in get_args(Given))}
    assert asked <= met and asked <= refused


def test_no_need_is_open_to_a_maker_that_is_unknown(maker: QuestionMaker) -> None:
    """Who sells it may be known and who makes it not, so it might be of the maker that is asked for."""
    glow, other = lamp(store="Glow Co"), {"product_id": "B0OTHER"}
    asked = [Constraint(kind="brand_is", value="Glow Co"), Constraint(kind="price_max", value=25.0)]
    for shelf, is_open in (
        ([glow, lamp(**other)], False),
        ([glow, lamp(**other, details={})], True),
        ([glow, lamp(**other, details={}, price=26.0)], False),
        ([lamp(store="Glow Co", details={})], False),
    ):
        table = KindTable(shelf, {})
        assert table.open_to_makers([table.fitting(one) for one in asked]) == is_open
    shelves = maker.checker.shelves
    named = {name for product in shelves.products.values() for name, _ in shelves.stated(product)}
    assert not named & {"Brand", "Manufacturer"}


def test_a_budget_has_room_for_what_is_refused(maker: QuestionMaker) -> None:
    """A budget without it would give the refusal away, as would one below a limit that is met for less."""
    limits = [Constraint(kind="price_min", value=8000.5), Constraint(kind="rating_min", value=4.0)]
    thing = list(maker.kinds[0])
    dear = ShoppingNeed(category=thing, constraints=limits, picks=2, refusal="nothing_fits")
    assert maker.checker.shelves.least_budget(Checkable(needs=[dear])) == 16001.0
    shelves = maker.checker.shelves
    alike = sorted(p.price for p in shelves.of(thing[:1]) if p.price)
    cheap = dear.model_copy(update={"constraints": [], "picks": 1})
    assert maker.checker.shelves.least_budget(Checkable(needs=[cheap])) == alike[0]
    one = next(p for p in shelves.of(thing) if p.price)
    below = [Constraint(kind="price_max", value=900.5)]
    met = ShoppingNeed(category=thing, constraints=below, products=[one.product_id])
    assert maker.checker.shelves.least_budget(Checkable(needs=[met])) == 900.5


def needs_of(maker: QuestionMaker, refused: bool, count: int = 200) -> list[tuple[str, ShoppingNeed]]:
    found = []
    for number, source in enumerate(sources(maker, count)):
        form = need_form(source.rng, (2, 3), DEMANDS[number % len(DEMANDS)])._replace(much={})
        points = [NeedDraw(source, form).part(refused) for _ in range(30)]
        found += [(one.text, cast(ShoppingNeed, one.truth)) for one in points if one]
    return found


def test_kinds_not_sold_are_few_and_bear_values_of_no_kind_that_is_asked_for(maker: QuestionMaker) -> None:
    """Each would be asked for once, with the limits of a neighbour, and so betrayed by the set as a whole."""
    needs = [need for _, need in needs_of(maker, True)]
    absent = Counter(tuple(need.category) for need in needs if need.refusal == "not_sold")
    assert {*absent} <= {one.category for one in maker.absent}
    assert len(maker.absent) <= len(maker.kinds) / 5 and min(absent.values()) > 1
    lenders = {one.lender for one in maker.absent}
    assert len(lenders) == len(maker.absent) and not lenders & {tuple(need.category) for need in needs}


def test_a_detail_that_is_asked_for_has_two_values_and_one_spelling() -> None:
    def asked(*values: dict[str, str]) -> set[str | None]:
        shelf = [lamp(product_id=f"B{n}", details=own) for n, own in enumerate(values)]
        stated = Counter(pair for own in values for pair in own.items())
        return {one.demand.name for one in KindTable(shelf, stated).demands("attribute")}

    one, two = {"Number of Items": "1"}, {"Number of Items": "2"}
    assert asked(one, one, {}) == set()
    assert asked(one, one, two) == {"Number of Items"}
    assert asked(one, one, {"Number Of Items": "2"}) == set()


def test_no_demand_can_be_read_of_the_order_that_a_need_leans_on(maker: QuestionMaker) -> None:
    """Demands come before the order is named, what is compared with it after them; a superlative opens the need."""
    found = needs_of(maker, False)
    for text, need in found:
        given = need.anchor.gives if need.anchor else []
        kinds = {"attribute", "brand_is"}.difference(given)
        own = [one.value for one in need.constraints if one.kind in kinds]
        end = text.index("whose category path") if need.anchor else text.find(' other than "') % len(text)
        assert all(text.find(f"{one}", 0, end) > 0 for one in own)
        forms = [form for kind in given if kind != "category" for form in maker.words["given"][kind]]
        assert not forms or text.endswith(tuple(form.split("{name}")[-1] + "." for form in forms))
        if need.best:
            best = next(form for form in maker.words["best"][need.best] if form in text)
            assert text.index(best) < end and text.split(best)[0].count(",") <= (need.anchor is not None)
    assert {need.best for _, need in found} == {None, "cheapest", "best_rated"}


def test_the_cheapest_and_the_spend_are_asked_for_where_all_prices_are_known(maker: QuestionMaker) -> None:
    products = maker.checker.shelves.products
    cheapest = [need for _, need in needs_of(maker, False) if need.best == "cheapest"]
    for need in cheapest:
        if not {c.kind for c in need.constraints} & {"owned", "not_owned"}:
            fitting = need.model_copy(update={"best": None})
            shelf = maker.checker.shelves.of(need.category)
            assert all(p.price is not None for p in satisfying_products(fitting, shelf, ()))
    years = 0
    for source in sources(maker, 60):
        for point in filter(None, (FactDraw(source)._spend() for _ in range(8))):
            year = cast(ExpectedFact, point.truth).subjects[0]
            orders = [one for one in source.orders if one.order_date.startswith(year)]
            assert all(products[one.product_id].price is not None for one in orders)
            years += 1
    assert cheapest and years > 60


def test_a_budget_lies_below_the_sum_of_the_limits(maker: QuestionMaker) -> None:
    shelf = maker.checker.shelves.of(maker.kinds[0])
    price = next(p for p in shelf if p.price and p.price < 90)
    limit = [Constraint(kind="price_max", value=100.0)]
    met = ShoppingNeed(category=list(maker.kinds[0]), constraints=limit, products=[price.product_id])
    none = ShoppingNeed(category=list(maker.kinds[1]), constraints=limit, refusal="nothing_fits")
    for needs in ([met, none], [none, none]):
        drawn = {maker.budget(Checkable(needs=needs), Random(seed)) for seed in range(40)}
        assert len(drawn) > 5 and all(100 <= one <= 200 for one in drawn if one is not None)
    assert maker.budget(Checkable(needs=[met]), Random(1)) is None


def test_a_sentence_of_a_budget_is_short(maker: QuestionMaker) -> None:
    """One of eight words and more would recur in a set, as its figures are few."""
    forms = [*maker.words["budgets"], *maker.words["budget_of_one"]]
    assert max(len(form.split()) for form in forms) < 8


def test_the_best_of_one_is_no_demand() -> None:
    need = ShoppingNeed(category=["Lights", "Lamps"], best="cheapest")
    assert list(idle(need, [LAMP], ())) == ["cheapest"]
    assert not list(idle(need, [LAMP, lamp(product_id="B0DEAR", price=30.0)], ()))


def test_no_figure_is_nought_and_no_pick_is_free(maker: QuestionMaker, made: list[Query]) -> None:
    products = maker.checker.shelves.products
    assert any(product.price == 0 for product in products.values())
    assert all(fact.value for query in made for fact in truth_of(query).facts)
    needs = [need for query in made for need in truth_of(query).needs]
    assert all(products[one].price != 0 for need in needs for one in need.products)


def test_a_dataset_holds_the_truth_only_where_that_is_asked_for(
    drr: Drr, made: list[Query], tmp_path: Path
) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text("".join(line_of(one) + "\n" for one in made))
    drr.out("queries", "dataset", path, "--out", tmp_path / "open")
    drr.out("queries", "dataset", path, "--out", tmp_path / "told", "--with-truth")
    for file in (tmp_path / "open").iterdir():
        assert b"checkable" not in file.read_bytes()
    told, left = (read_queries(tmp_path / name / "queries.jsonl") for name in ("told", "open"))
    assert [one.checkable for one in told] == [one.checkable for one in made]
    assert [one.id for one in left] == [one.id for one in made]


@pytest.mark.slow
def test_commands_make_and_check_a_file(drr: Drr, shop_folder: Path, tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    words = ("queries", "generate", "--checkable", "--shop", shop_folder, "--seed", 91, "--count", 6)
    for path in files:
        document = drr.json(*words, "--out", path)
        assert document == {"schema": 1, "file": str(path), "questions": 6, "asked": 6}
    assert files[0].read_bytes() == files[1].read_bytes()
    found = drr.json("queries", "check", files[0], "--shop", shop_folder)
    assert found["failed"] == 0
    assert all(row["checks"]["reached"]["status"] == "pass" for row in found["queries"])
    rows = [json.loads(line) for line in files[0].read_text().splitlines()]
    rows[0]["checkable"]["plan"] = []
    files[1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "reached" in drr.out("queries", "check", files[1], "--shop", shop_folder, code=1)


def test_no_agent_is_given_the_truth(drr: Drr, shop_folder: Path, made: list[Query], tmp_path: Path) -> None:
    """All that a study keeps of its agents - requests, answers, tools' results - is searched for the plan's own words."""
    secret = "zebra-crossing-4711"
    step = PlanStep(tool="product_catalog_search", arguments={"query": secret})
    marked = [with_truth(one, plan=[step], budget=4711.4711) for one in made[:3]]
    path, study = tmp_path / "q.jsonl", tmp_path / "study"
    path.write_text("".join(line_of(one) + "\n" for one in marked))
    words = ("--shop", shop_folder, "--queries", path, "--variants", "react", "--model", "offline")
    drr.out("run", study, *words, "--quiet")
    kept = [file for file in study.rglob("*") if file.is_file() and file.name != "queries.jsonl"]
    everything = b"".join(file.read_bytes() for file in kept)
    assert marked[0].query.splitlines()[0].encode() in everything
    for word in (secret, "4711.4711", '"checkable"', '"refusal"'):
        assert word.encode() not in everything


LAMP = Product(
    product_id="B0LAMP", product_url="http://ecommerce.example/B0LAMP", title="Lamp", features=[], description=[],
    price=20.0, store="Lumen", categories=["Home", "Lights", "Lamps"],
    details={"Brand": "Glow Co", "Color": "Dark  Red", "Rank": {"Lamps": 3}}, average_rating=4.0,
    rating_number=None, category="Home",
)  # fmt: skip


def lamp(**changes: Any) -> Product:
    return LAMP.model_copy(update=changes)


@table("querygen", "test_a_constraint_is_decided_by_the_record_or_not_at_all")
def test_a_constraint_is_decided_by_the_record_or_not_at_all(
    constraint: dict[str, Any], expected: bool | None
) -> None:
    assert meets_constraint(LAMP, Constraint.model_validate(constraint), {"B0LAMP"}) is expected


def test_what_shares_the_first_place_is_all_named() -> None:
    twin, dear, none = lamp(product_id="B0TWIN"), lamp(product_id="B0DEAR", price=30.0), lamp(price=None)
    need = ShoppingNeed(category=["Lights", "Lamps"], best="cheapest")
    assert [one.product_id for one in satisfying_products(need, [LAMP, twin, dear, none], ())] == [
        "B0LAMP",
        "B0TWIN",
    ]
    assert satisfying_products(need, [none], ()) == []
    assert satisfying_products(ShoppingNeed(category=["Home", "Lamps"]), [LAMP], ()) == []


@pytest.mark.parametrize(
    ("expected", "given", "same"),
    [(1204.5, "$1,204.50", True), (1204.5, 1204.504, True), (1204.5, "1204.51", False), (3, True, False),
     (3, "three", False), ("2022-05-01", "2022-05-01T10:00", True), ("2022-05-01", 20220501, False), (3, "nan", False)],
)  # fmt: skip
def test_a_figure_is_the_same_to_half_a_cent_or_to_the_day(
    expected: float | str, given: object, same: bool
) -> None:
    assert same_figure(expected, given) is same
    assert parse_figure("inf") is None


@pytest.mark.parametrize(
    ("code", "language"), [("EUR", "de"), pytest.param("INR", "en", marks=pytest.mark.slow)]
)
def test_a_question_states_prices_in_the_shops_currency(
    maker: QuestionMaker, made: list[Query], shop: Shop, code: str, language: str
) -> None:
    recipe = {"currency": code, "rate": 1, "language": language}
    own = replace(shop, manifest=shop.manifest.model_copy(update={"recipe": recipe}))
    foreign, stated = QuestionMaker(own, maker.web), 0
    for seed, known in zip(SEEDS, made, strict=True):
        query = foreign.make(seed)
        assert "$" not in query.query and "dollars" not in query.query
        assert not failing(foreign.checker, query)
        stated += "$" in known.query
        if "dollars" not in known.query and query.checkable == known.checkable:
            assert query.query.count(
                own.manifest.money.text(1)[0 if code == "INR" else -1]
            ) == known.query.count("$")
    assert stated
