"""The axes of what a made shop tells in several places: statuses, cities, contradictions, values of pages, outlets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from drr.app.study.fresh_shops import make_shop
from drr.data_ingest.fresh import ShopAxes, read_axes
from drr.data_ingest.planted import NOT_STATED
from drr.env.entities import Order
from drr.env.errors import Misuse
from drr.env.progress import Quiet
from drr.env.session import Session
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.env.web.open import open_web
from drr.env.web.sandbox import open_sandbox, table_rows
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject
from drr.tools.base import ToolContext, context_for
from drr.tools.registry import call_sync

from tests.commands import Drr

SETTINGS = resolve({}, environ={}).settings
SIZES = ShopAxes(products=500, users=80, reviews=9000, kinds=20, pages=6, questions=0, real_kinds=True)
SHARES = {"statuses": 0.3, "cities": 0.5, "contradictions": 0.2, "page_values": 0.2, "outlets": 0.4}
AXES = SIZES.model_copy(update=SHARES)
Rows = Mapping[str, list[Any]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("axes") / "made"
    make_shop(9, AXES, folder, SETTINGS, Quiet())
    return folder


@pytest.fixture(scope="module")
def shop(made: Path) -> Iterator[Shop]:
    with open_shop(str(made / "shop"), SETTINGS) as opened:
        yield opened


@pytest.fixture(scope="module")
def orders(shop: Shop) -> list[Order]:
    return list(shop.store.iter_orders())


@pytest.fixture(scope="module")
def planted(made: Path) -> Rows:
    rows = [json.loads(line) for line in (made / "planted.jsonl").read_text().splitlines()]
    return {axis: [row for row in rows if row["axis"] == axis] for axis in SHARES}


def context(shop: Shop, made: Path, user_id: str | None = None) -> ToolContext:
    settings = resolve({"sandbox": made / "web"}, environ={}).settings
    return context_for(Session(shop, user_id), open_web(settings, shop=shop))


def test_a_shop_without_these_axes_is_that_of_before_them(drr: Drr, tmp_path: Path) -> None:
    sizes = "products = 120\nusers = 40\nreviews = 1500\nkinds = 10\npages = 12\nquestions = 0\n"
    (tmp_path / "axes.toml").write_text(sizes + "real_kinds = true\nunknown_price = 0.1\n")
    drr.out("shop", "make", "--seed", 5, "--axes", tmp_path / "axes.toml", "--out", tmp_path / "a")
    told = (tmp_path / "a" / "made.json").read_bytes()
    assert sha256(told).hexdigest()[:12] == "8c6fe9370a59"
    assert json.loads(told)["shop"][:12] == "5e195fa84ca9"
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "made.json", "queries.jsonl", "shop", "web",
    ]  # fmt: skip
    with open_shop(str(tmp_path / "a" / "shop"), SETTINGS) as shop:
        assert "axes" not in shop.manifest.recipe
        assert {(one.order_status, one.quantity, one.slip) for one in shop.store.iter_orders()} == {
            ("Delivered", 1, None)
        }


def test_the_same_seed_makes_the_same_shop_and_manifest_and_info_name_the_axes(
    made: Path, drr: Drr, tmp_path: Path
) -> None:
    text = "\n".join(
        f"{name} = {str(value).lower()}" for name, value in AXES.model_dump().items() if value is not None
    )
    (tmp_path / "axes.toml").write_text(text)
    drr.out("shop", "make", "--seed", 9, "--axes", tmp_path / "axes.toml", "--out", tmp_path / "again")
    for name in ("made.json", "planted.jsonl", "web/documents.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes()
    drr.out("shop", "check", made / "shop")
    assert drr.json("shop", "info", made / "shop")["recipe"]["axes"] == SHARES
    assert "statuses 0.3, cities 0.5" in drr.out("shop", "info", made / "shop")
    other = make_shop(10, AXES, tmp_path / "other", SETTINGS, Quiet())
    assert other["planted"] != json.loads((made / "made.json").read_text())["planted"]


def test_a_shop_by_another_backend_would_have_the_same_orders(orders: list[Order]) -> None:
    from drr.env.content import Columns
    from drr.env.servers.documents import order_documents, order_of

    products, users = sorted({one.product_id for one in orders}), sorted({one.user_id for one in orders})
    columns = Columns(products, users)(orders)
    assert [order_of(row) for row in order_documents(columns, products, users)] == orders


def test_shares_of_orders_hold(orders: list[Order], shop: Shop) -> None:
    share = {
        name: sum(one.order_status == name for one in orders) / len(orders)
        for name in ("Delivered", "Returned")
    }
    assert abs(share["Delivered"] - 0.7) < 0.02
    assert 0.15 < share["Returned"] < 0.22
    assert abs(sum(one.quantity > 1 for one in orders) / len(orders) - 0.3) < 0.02
    assert {one.quantity for one in orders} == {1, 2, 3, 4, 5, 6}
    newest = max(one.placed_at for one in orders)
    pending = [one for one in orders if one.order_status in ("Processing", "Shipped")]
    assert len(pending) > 5
    assert all((newest - one.placed_at).days < 45 for one in pending)


def test_movers_ordered_to_one_former_home_until_a_day_and_gifts_go_to_few_others(
    orders: list[Order], shop: Shop
) -> None:
    movers = givers = busy = 0
    for user_id, rows in groupby(orders, key=lambda one: one.user_id):
        own = [*rows][::-1]
        user = shop.store.user(user_id)
        assert user is not None
        gifts = {(one.slip.recipient, one.slip.address) for one in own if one.slip and one.slip.recipient}
        assert len(gifts) <= 3 and len(dict(gifts)) == len(gifts)
        homes = [
            one.slip.address if one.slip else None for one in own if not (one.slip and one.slip.recipient)
        ]
        changes = [new for new, _ in groupby(homes)]
        assert len(changes) <= 2 and (not changes or changes[-1] is None)
        if len(own) >= 10:
            busy, movers, givers = busy + 1, movers + (len(changes) == 2), givers + bool(gifts)
        if len(changes) == 2:
            assert changes[0] is not None and changes[0].city != user.address.city
    assert busy > 40
    assert 0.3 < movers / busy < 0.7
    assert 0.3 < givers / busy < 0.7


def test_shares_of_products_hold(planted: Rows) -> None:
    count = AXES.products
    differing = [row for row in planted["contradictions"] if not row["agrees"]]
    agreeing = [row for row in planted["contradictions"] if row["agrees"]]
    assert 0.13 < len(differing) / count < 0.24
    assert 0.13 < len(agreeing) / count < 0.24
    assert 0.13 < len(planted["page_values"]) / count < 0.24
    assert (
        0.1 < sum(row["value"] is None for row in planted["page_values"]) / len(planted["page_values"]) < 0.4
    )
    assert 0.33 < len(planted["outlets"]) / count < 0.47
    for row in planted["contradictions"]:
        edition = max(one["date"] for one in row["says"] if one["source"] == "sheet")
        today = {one["value"] for one in row["says"] if one["source"] != "sheet" or one["date"] == edition}
        assert row["agrees"] == (len({one["value"] for one in row["says"]}) == 1)
        assert row["agrees"] == (len(today) == 1), "an older edition alone is no contradiction"
        assert {"details", "sheet", "test"} <= {one["source"] for one in row["says"]}


def test_tools_show_what_each_source_of_a_contradiction_says(
    shop: Shop, made: Path, planted: Rows, orders: list[Order]
) -> None:
    ctx, web = context(shop, made), {page.url: page for page in open_sandbox(made / "web").documents}
    former = 0
    for row in planted["contradictions"]:
        product = shop.store.product(row["product"])
        assert product is not None
        for one in row["says"]:
            source, value, field = one["source"], one["value"], row["field"]
            if source == "details":
                assert product.details[field] == value
            elif source in ("title", "text"):
                text = (
                    product.title
                    if source == "title"
                    else " ".join([*product.features, *product.description])
                )
                assert value.casefold() in text.casefold()
            elif source == "order":
                own = [order for order in orders if order.product_id == row["product"]]
                assert all(
                    (order.slip is not None and order.slip.sold_as is not None)
                    == (order.order_date < one["before"])
                    for order in own
                )
                said = [order.slip.sold_as for order in own if order.slip and order.slip.sold_as]
                assert all(f"({field}: {value})" in text for text in said)
                former += bool(said)
            else:
                page = web[one["url"]]
                assert page.date == one["date"]
                head, *rows = table_rows(page)
                cells = next(cells for cells in rows if cells[0] == row["name"])
                assert cells[head.index(field)] == value
    assert former > 10
    row = next(row for row in planted["contradictions"] if not row["agrees"])
    model = row["name"].rpartition(" ")[2]
    shown = call_sync("get_product_details", {"product_id": row["product"]}, ctx)
    assert model in shown.text
    found = call_sync("web_search", {"query": f"{row['name']} {row['field']} data sheet"}, ctx)
    assert {one["url"] for one in row["says"] if one["source"] == "sheet"} & {
        one.url for one in found.sources
    }


def test_a_value_of_a_page_is_nowhere_in_the_shop(shop: Shop, made: Path, planted: Rows) -> None:
    web = {page.url: page for page in open_sandbox(made / "web").documents}
    for row in planted["page_values"]:
        product = shop.store.product(row["product"])
        assert product is not None
        assert row["field"] not in product.details
        head, *rows = table_rows(web[row["url"]])
        cells = next(cells for cells in rows if cells[0] == row["name"])
        assert cells[head.index(row["field"])] == (row["value"] or NOT_STATED)
        assert web[row["url"]].date == row["date"]
        if row["value"] is not None:
            texts = [product.title, *product.features, *product.description, json.dumps(product.details)]
            said = re.compile(rf"(?<![\w.]){re.escape(row['value'])}(?!\w)", re.IGNORECASE)
            assert not [text for text in texts if said.search(text)]


def test_outlets_list_a_product_at_their_own_price_and_day(shop: Shop, made: Path, planted: Rows) -> None:
    web = {page.url: page for page in open_sandbox(made / "web").documents}
    others, out = 0, 0
    for row in planted["outlets"]:
        product = shop.store.product(row["product"])
        assert product is not None
        for offer in row["offers"]:
            page = web[offer["url"]]
            _, *rows = table_rows(page)
            cells = next(cells for cells in rows if cells[0] == row["name"])
            assert cells[1:] == [f"{offer['price']:.2f}", f"{offer['shipping']:.2f}", str(offer["pieces"])]
            assert page.date == offer["date"]
            others += offer["price"] != product.price
            out += not offer["pieces"]
    count = sum(len(row["offers"]) for row in planted["outlets"])
    assert others > 0.97 * count
    assert 0.08 < out / count < 0.25
    assert any(
        len(row["offers"]) > len({one["url"].split("/")[2] for one in row["offers"]})
        for row in planted["outlets"]
    )


def test_nothing_that_an_agent_opens_tells_what_was_planted(made: Path) -> None:
    served = b"".join(path.read_bytes() for path in sorted((made / "web").iterdir()))
    assert b'"agrees"' not in served and b"planted" not in served
    assert (made / "planted.jsonl").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("real", ["true", "false"])
def test_questions_and_talks_still_come_of_such_a_shop(drr: Drr, tmp_path: Path, real: str) -> None:
    sizes = "products = 150\nusers = 40\nreviews = 1500\nkinds = 10\npages = 12\nquestions = 4\n"
    shares = "".join(f"{name} = {share}\n" for name, share in SHARES.items())
    (tmp_path / "axes.toml").write_text(f"{sizes}{shares}real_kinds = {real}\n")
    drr.out("shop", "make", "--seed", 3, "--axes", tmp_path / "axes.toml", "--out", tmp_path / "a")
    checked = ("queries", "check", tmp_path / "a" / "queries.jsonl", "--shop", tmp_path / "a" / "shop")
    drr.out(*checked, "--sandbox", tmp_path / "a" / "web")


@pytest.mark.parametrize(
    ("axes", "wrong"),
    [
        ("statuses = 1.2", "statuses: "),
        ('cities = "many"', "cities: "),
        ("outlets = -0.1", "outlets: "),
        ("contradictions = 0.6\npage_values = 0.5", "together at most 1"),
    ],
)
def test_shares_that_make_no_sense_are_refused(drr: Drr, tmp_path: Path, axes: str, wrong: str) -> None:
    (tmp_path / "axes.toml").write_text(axes)
    said = drr.err("shop", "make", "--seed", 1, "--axes", tmp_path / "axes.toml", "--out", tmp_path / "out")
    assert wrong in said and "Traceback" not in said
    with pytest.raises(Misuse):
        read_axes(tmp_path / "axes.toml", "small")


def test_a_place_to_which_an_order_went_is_not_held_against_a_report(shop: Shop, orders: list[Order]) -> None:
    sent = next(one for one in orders if one.slip and one.slip.address)
    assert sent.slip is not None and sent.slip.address is not None
    went = sent.slip.address
    for place, status in (
        (f"{went.city}, {went.state} {went.zip}", "unverifiable"),
        ("Hilo, HI 96711", "fail"),
    ):
        subject = Subject(f"Your delivery address: {place}\n", shop=shop, user_id=sent.user_id)
        assert check_report(subject)["profile_facts"].status == status
