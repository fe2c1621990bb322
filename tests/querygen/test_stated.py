"""Points on which records disagree: a rule says which one counts, and a twin differs in one record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from drr.env.content import Columns, UserRow
from drr.env.entities import Order, Product, Slip
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
from tests.commands import Drr, drr

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
ONE, ONE_OLDER, TWO = (
    "Una Outlet: file, price list 3 of May 2022",
    "Una Outlet: file, price list 3 of May 2021",
    "Duo Outlet: file, price list 4 of May 2022",
)
PAGES: dict[str, tuple[str, str, str]] = {
    SHEET: ("2021-05-20", "Length", "12 mm"),
    OLDER: ("2018-05-20", "Length", "10 mm"),
    TEST: ("2022-06-20", "Length", "14 mm"),
    ONE: ("2022-05-15", "Price ($) | Shipping ($) | Pieces in stock", "9.00 | 3.99 | 5"),
    ONE_OLDER: ("2021-05-15", "Price ($) | Shipping ($) | Pieces in stock", "5.00 | 0.00 | 3"),
    TWO: ("2022-05-15", "Price ($) | Shipping ($) | Pieces in stock", "8.00 | 0.00 | 0"),
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
    slip = Slip(sold_as="Anna File (Length: 16 mm)")
    order = {"order_id": "1000000000000001", "product_id": "FIL1", "user_id": USER}
    orders = [Order(**order, order_date="2019-03-01T00:00:00.000", slip=slip)]
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
    return StatedPoint(
        by=by, name=None if by == "offers" else "Length", unit="" if by == "offers" else "mm", order=order
    )


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
    "as sold": (length("sold"), {}, 16.0),
    "by the sheet of that day": (length("then"), {}, 10.0),
    "its twin: no sheet is so old": (length("then"), {OLDER: ""}, "cannot_be_told"),
    "shipping counts, sold out does not": (length("offers"), {}, 12.99),
    "its twin: the other has pieces": (length("offers"), {TWO: "8.00 | 0.00 | 2"}, 8.0),
    "all are sold out": (length("offers"), {ONE: "9.00 | 3.99 | 0"}, "nothing_fits"),
    "no list": (length("offers"), {ONE: "", ONE_OLDER: "", TWO: ""}, "nothing_fits"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_code_and_tools_give_the_answer_of_the_record_that_counts(name: str, little: Shop) -> None:
    point, changes, expected = CASES[name]
    pages = web(changes)
    right = JoinedMaker(little, pages).stated.truth.point(point, USER)
    assert said(right) == expected
    of = Specification(stated=[point])
    assert Proof(of, context_for(Session(little, USER), pages)).points() == [right]
    assert "1. " in described(of)


def test_a_rule_decides_only_where_another_record_differs(little: Shop) -> None:
    all_agree = {SHEET: "10 mm", TEST: "10 mm"}
    truth = JoinedMaker(little, web({})).stated.truth
    assert truth.outcome(length("newest"), USER) == "against"
    assert truth.outcome(length("then"), USER) == "along"
    assert truth.outcome(length("tested"), USER) == "against"
    agreeing = JoinedMaker(little, web(all_agree)).stated.truth
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
        JoinedMaker(little, both).stated.truth.point(length("sheet"), USER)


# -- a made shop


AXES = (
    "products = 2600\nreviews = 40000\nkinds = 20\nreal_kinds = true\nunknown_price = 0.1\nquestions = 0\n"
    "statuses = 0.15\ncities = 0.3\ncontradictions = 0.1\npage_values = 0.1\noutlets = 0.2\n"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stated")
    (folder / "axes.toml").write_text(AXES)
    assert (
        drr("shop", "make", "--seed", 3, "--axes", folder / "axes.toml", "--out", folder / "made", "--quiet")
        == 0
    )
    return folder / "made"


@pytest.fixture(scope="module")
def pairs(place: Path) -> list[list[Query]]:
    settings = resolve({"sandbox": place / "web"}, environ={}).settings
    with open_shop(str(place / "shop"), settings) as shop:
        maker = JoinedMaker(shop, open_web(settings, shop=shop))
        made = [maker._made(f"5:{level}:{at}", level, None) for level in (1, 2, 3) for at in range(5)]
        assert not any(
            found.status == "fail" for pair in made for one in pair for found in maker.check(one).values()
        )
        return [pair for pair in made if pair]


def test_twins_differ_in_one_point_whose_answers_are_of_two_sorts(pairs: list[list[Query]]) -> None:
    assert len(pairs) >= 8
    for one, other in pairs:
        assert one.user_id == other.user_id
        assert truth_of(one).twin == truth_of(other).twin is not None
        points = [truth_of(query).points for query in (one, other)]
        changed = [at for at, (a, b) in enumerate(zip(*points, strict=True)) if a != b]
        assert len(changed) <= 1
        asked = [truth_of(query).specification["stated"] for query in (one, other)]  # type: ignore[index]
        assert sum(a != b for a, b in zip(*asked, strict=True)) == 1


def test_refusals_are_a_fifth_of_the_points_from_the_second_level_on(pairs: list[list[Query]]) -> None:
    points = [
        point for pair in pairs for one in pair for point in truth_of(one).points if truth_of(one).level != 1
    ]
    assert 0.15 <= sum(point.status != "answered" for point in points) / len(points) <= 0.3
    assert all(
        truth_of(pair[0]).points[0].status == "answered" for pair in pairs if truth_of(pair[0]).level == 1
    )


def test_figures_are_those_that_were_planted(pairs: list[list[Query]], place: Path) -> None:
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in (place / "planted.jsonl").read_text().splitlines()
    ]
    said_at = {
        (one["url"], one["value"].split()[0])
        for row in rows
        if row["axis"] == "contradictions"
        for one in row["says"]
        if "url" in one
    }
    found = 0
    for pair in pairs:
        for query in pair:
            of = Specification.model_validate(truth_of(query).specification)
            for asked, point in zip(of.stated, truth_of(query).points, strict=True):
                if asked.by == "tested" and point.figure is not None:
                    found += 1
                    assert (point.sources[0], f"{point.figure:g}") in said_at
    assert found > 0


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
    )
    twins = [truth_of(one).twin for one in read_queries(path)]
    assert sum(one is not None for one in twins) == 12
    assert all(twins[at] == twins[at + 1] for at in range(2, 24, 4))
    told = drr.out("queries", "check", path, "--shop", place / "shop", "--sandbox", place / "web")
    assert told.endswith("24 of 24 questions pass every check\n")
