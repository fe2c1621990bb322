"""Points on which records disagree: a rule says which one counts, and a twin differs in one record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from drr.env.content import Columns, UserRow
from drr.env.entities import Order, Product
from drr.env.points import PointTruth
from drr.env.query import Query, read_queries
from drr.env.session import Session
from drr.env.settings import resolve
from drr.env.shop import Manifest, Shop, open_shop, shop_writer
from drr.env.web.open import ShopWeb, open_web
from drr.env.web.sandbox import Document, Sandbox
from drr.querygen.joined.describing import described
from drr.querygen.joined.making import JoinedMaker
from drr.querygen.joined.proving import Proof
from drr.querygen.joined.solving import Undecided
from drr.querygen.joined.specification import OrderCondition, Record, Specification, StatedPoint
from drr.tools.base import context_for

from tests.app.conftest import truth_of
from tests.commands import Drr
from tests.shops import shop_of_axes

SETTINGS = resolve({}, environ={}).settings
USER = "AAAAAAAAAAAAAAAAAAAAAAAAAAAA"

# -- a shop that one screen shows

FILES = [("FIL1", "10 mm", 4.5, "Anna", "AN-100001"), ("FIL2", "12 mm", 4.0, "Anna", "AN-100002"),
         ("FIL3", "14 mm", 4.9, "Anna", None), ("FIL4", "12 mm", 4.8, "Berta", None)]  # fmt: skip
SHEET, OLDER, TEST = (
    "Anna: file data sheet, edition of May 2021",
    "Anna: file data sheet, edition of May 2018",
    "File on the bench: Ode laboratory, June 2022",
)
PAGES: dict[str, tuple[str, str, str]] = {
    SHEET: ("2021-05-20", "Length", "12 mm"),
    OLDER: ("2018-05-20", "Length", "10 mm"),
    TEST: ("2022-06-20", "Length", "14 mm"),
}


def web(changes: Mapping[str, str]) -> ShopWeb:
    """Return pages about one file, each with its row; an empty change leaves the page out."""
    pages = []
    for title, (day, head, cells) in PAGES.items():
        if told := changes.get(title, cells):
            table = f"|  | {head} |\n| --- |\n| Anna File, model AN-100001 | {told} |\n"
            url = f"https://{title.split()[0].strip(':').lower()}.example/{day}"
            pages.append(Document(url=url, title=title, text=f"Files.\n\n{table}", date=day))
    return ShopWeb(Sandbox(sorted(pages, key=lambda one: one.url)), SETTINGS.shop_url)


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    spec = str(tmp_path_factory.mktemp("little") / "shop")
    products = [
        Product(
            product_id=name, product_url=f"{SETTINGS.shop_url}/{name}", title=f"{maker} File", features=[], description=[],
            price=8.0, store=maker, categories=["Tools", "Files"],
            details={"Length": length} | ({"Item model number": model} if model else {}),
            average_rating=stars, rating_number=10, category="Tools",
        )
        for name, length, stars, maker, model in FILES
    ]  # fmt: skip
    order = {"order_id": "1000000000000001", "product_id": "FIL1", "user_id": USER}
    orders = [Order(**order, order_date="2019-03-01T00:00:00.000")]
    with shop_writer(spec, SETTINGS) as writer:
        writer.write_products(products)
        writer.write_users(
            [[UserRow(USER, "a@post.example", "Ada", "Lund", "5550100123", "9 Oak", "Troy", "NY", "12180")]]
        )
        writer.write_orders([Columns([one.product_id for one in products], [USER])(orders)])
        counts = {"products": len(products), "users": 1, "orders": len(orders)}
        writer.publish(Manifest(backend="", as_of="2022-06-20", content_hash="", counts=counts))
    with open_shop(spec, SETTINGS) as shop:
        yield shop


def one_with(by: Record, value: str, *makers: str) -> StatedPoint:
    return StatedPoint(
        by=by, name="Length", category=["Tools", "Files"], makers=list(makers or ("Anna",)), value=value
    )


def length(by: Record) -> StatedPoint:
    order = [OrderCondition(what="year", value="2019")]
    return StatedPoint(by=by, name="Length", unit="mm", order=order)


def said(point: PointTruth) -> object:
    return point.picks[0].product if point.picks else point.figure or point.status


CASES: dict[str, tuple[StatedPoint, Mapping[str, str], object]] = {
    "the newest sheet counts": (one_with("sheet", "12 mm"), {}, "FIL1"),
    "no sheet, so the listing": (one_with("sheet", "14 mm"), {}, "FIL3"),
    "two makers": (one_with("sheet", "12 mm", "Anna", "Berta"), {}, "FIL4"),
    "the listing alone says so": (one_with("sheet", "10 mm"), {}, "nothing_fits"),
    "its twin: the sheet says so too": (one_with("sheet", "10 mm"), {SHEET: "10 mm"}, "FIL1"),
    "the newest sheet states nothing": (one_with("sheet", "10 mm"), {SHEET: "not stated"}, "FIL1"),
    "a newer measurement counts": (one_with("newest", "12 mm"), {}, "FIL2"),
    "its twin: it was not looked at": (one_with("newest", "12 mm"), {TEST: "-"}, "FIL1"),
    "measured": (one_with("tested", "14 mm"), {}, "FIL1"),
    "another one may measure so": (one_with("tested", "12 mm"), {}, "cannot_be_told"),
    "by the sheet": (length("sheet"), {}, 12.0),
    "by the newest record": (length("newest"), {}, 14.0),
    "by a laboratory": (length("tested"), {}, 14.0),
    "its twin: by none": (length("tested"), {TEST: "-"}, "cannot_be_told"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_code_and_tools_give_the_answer_of_the_record_that_counts(name: str, little: Shop) -> None:
    point, changes, expected = CASES[name]
    pages = web(changes)
    right = JoinedMaker(little, pages).stated.point(point, USER)
    assert said(right) == expected
    of = Specification(stated=[point])
    assert Proof(of, context_for(Session(little, USER), pages)).points() == [right]
    assert "1. " in described(of)


def test_a_rule_decides_only_where_another_record_differs(little: Shop) -> None:
    all_agree = {SHEET: "10 mm", TEST: "10 mm"}
    truth = JoinedMaker(little, web({})).stated
    assert truth.outcome(length("newest"), USER) == "against"
    assert truth.outcome(length("tested"), USER) == "against"
    agreeing = JoinedMaker(little, web(all_agree)).stated
    assert agreeing.outcome(one_with("newest", "10 mm"), USER) is None
    assert truth.decides(one_with("sheet", "12 mm"), USER) == [True, True, True]
    assert truth.decides(one_with("sheet", "12 mm", "Anna", "Berta"), USER) == [False, False, True], (
        "FIL4 is right by each record"
    )


def test_records_of_one_day_that_disagree_stop_it(little: Shop) -> None:
    first = web({}).web
    assert isinstance(first, Sandbox)
    other = [
        one.model_copy(update={"url": f"{one.url}/2", "text": one.text.replace("12 mm", "11 mm")})
        for one in first.documents
        if one.title == SHEET
    ]
    both = ShopWeb(Sandbox([*first.documents, *other]), SETTINGS.shop_url)
    with pytest.raises(Undecided, match="one day"):
        JoinedMaker(little, both).stated.point(length("sheet"), USER)


# -- a made shop


AXES = (
    "real_kinds = true\nunknown_price = 0.1\nquestions = 0\n"
    "statuses = 0.15\ncities = 0.3\npage_values = 0.1\noutlets = 0.2\n"
)
LARGE = "products = 6000\nreviews = 60000\nkinds = 60\ncontradictions = 0.1\n" + AXES
SMALL = "products = 1200\nusers = 300\nreviews = 12000\nkinds = 12\ncontradictions = 0.4\n" + AXES


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shop_of_axes(tmp_path_factory.mktemp("stated"), LARGE)


@pytest.fixture(scope="module")
def maker(place: Path) -> Iterator[JoinedMaker]:
    with maker_of(place) as found:
        yield found


@contextmanager
def maker_of(place: Path) -> Iterator[JoinedMaker]:
    settings = resolve({"sandbox": place / "web"}, environ={}).settings
    with open_shop(str(place / "shop"), settings) as shop:
        yield JoinedMaker(shop, open_web(settings, shop=shop))


@pytest.fixture(scope="module")
def asked(maker: JoinedMaker) -> list[Query]:
    made = maker.questions(12, 24)
    assert not any(found.status == "fail" for one in made for found in maker.check(one).values())
    return made


@pytest.fixture(scope="module")
def pairs(asked: list[Query]) -> list[list[Query]]:
    twins = dict.fromkeys(truth_of(one).twin for one in asked if truth_of(one).twin)
    return [[one for one in asked if truth_of(one).twin == twin] for twin in twins]


def of(query: Query) -> Specification:
    return Specification.model_validate(truth_of(query).specification)


@pytest.mark.slow
def test_each_level_has_as_many_questions_and_half_of_them_are_twins(
    asked: list[Query], pairs: list[list[Query]]
) -> None:
    assert [truth_of(one).level for one in asked] == [level for level in range(1, 7) for _ in range(4)]
    assert [truth_of(pair[0]).level for pair in pairs] == [1, 2, 3, 4, 5, 6]
    assert all(len(pair) == 2 for pair in pairs)


@pytest.mark.slow
def test_questions_of_a_higher_level_mix_three_kinds_of_points_and_name_one_record(
    asked: list[Query],
) -> None:
    for query in asked:
        if (truth_of(query).level or 0) > 2:
            kinds = [
                len(of(query).needs),
                len(of(query).figures) + len(of(query).taken),
                len(of(query).stated),
            ]
            assert min(kinds) > 0
            assert 2 * max(kinds) <= sum(kinds)
            about_orders = [one for one in of(query).stated if not one.category]
            assert len(of(query).figures) + len(about_orders) <= 3
            assert len(of(query).stated) <= 2
        assert len({one.by for one in of(query).stated}) <= 1


@pytest.mark.slow
def test_no_two_questions_share_a_shopper_or_a_right_pick(asked: list[Query]) -> None:
    groups: dict[str, list[Query]] = {}
    for one in asked:
        groups.setdefault(truth_of(one).twin or one.id, []).append(one)
    users = [{one.user_id for one in group} for group in groups.values()]
    points = [[point for one in group for point in truth_of(one).points] for group in groups.values()]
    picks = [{pick.product for point in group for pick in point.picks} for group in points]
    for found in (users, picks):
        assert len(set[str]().union(*found)) == sum(map(len, found))


@pytest.mark.slow
def test_twins_differ_in_one_point_whose_answers_are_of_two_sorts(pairs: list[list[Query]]) -> None:
    for one, other in pairs:
        assert one.user_id == other.user_id
        assert truth_of(one).twin == truth_of(other).twin is not None
        points = [truth_of(query).points for query in (one, other)]
        changed = [at for at, (a, b) in enumerate(zip(*points, strict=True)) if a != b]
        assert len(changed) <= 1
        asked = [truth_of(query).specification["stated"] for query in (one, other)]  # type: ignore[index]
        assert sum(a != b for a, b in zip(*asked, strict=True)) == 1


@pytest.mark.slow
def test_refusals_are_a_fifth_of_the_points_from_the_second_level_on(asked: list[Query]) -> None:
    points = [[point.status == "answered" for point in truth_of(one).points] for one in asked]
    assert all(map(any, points))
    higher = [point for one in points[4:] for point in one]
    assert 0.15 <= higher.count(False) / len(higher) <= 0.3
    assert all(map(all, points[:4]))


PLANTED: dict[Record, tuple[str, ...]] = {
    "sheet": ("sheet",),
    "newest": ("sheet", "test"),
    "tested": ("test",),
}


def test_figures_are_those_that_were_planted(tmp_path: Path) -> None:
    place = shop_of_axes(tmp_path, SMALL)
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in (place / "planted.jsonl").read_text().splitlines()
    ]
    planted = {row["product"]: row for row in rows if row["axis"] == "contradictions"}
    with maker_of(place) as maker:
        bought = [
            (planted.get(x.product_id) if maker.stated.contested.get(x.product_id) else None, x)
            for user in maker.references.users
            for x in maker.references.history(user).orders
        ]
        told = set[Record]()
        for row, order in bought:
            chain = maker.references.chain_of(Random(1), order) if row else []
            for by, sources in PLANTED.items() if row and chain else ():
                stating = [one for one in row["says"] if one["source"] in sources]
                newest = max((one["date"] for one in stating), default="")
                values = {one["value"] for one in stating if one["date"] == newest}
                number, _, unit = next(iter(values), "").partition(" ")
                if len(values) == 1 and number.isdecimal():
                    point = StatedPoint(by=by, name=row["field"], unit=unit, order=chain)
                    found = maker.stated.point(point, order.user_id)
                    assert found.figure == float(number)
                    told.add(by)
    assert told == {*PLANTED}


@pytest.mark.slow
def test_the_command_writes_twins_among_the_kinds_and_proves_them_again(place: Path, drr: Drr) -> None:
    path = place / "q.jsonl"
    drr.out(
        "queries",
        "generate",
        "--joined",
        "--shop",
        place / "shop",
        "--sandbox",
        place / "web",
        "--out",
        path,
        "--count",
        24,
        "--seed",
        12,
    )
    assert sum(truth_of(one).twin is not None for one in read_queries(path)) == 12
    told = drr.out("queries", "check", path, "--shop", place / "shop", "--sandbox", place / "web")
    assert told.endswith("24 of 24 questions pass every check\n")
