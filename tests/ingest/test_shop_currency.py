"""A shop's own currency is what its tools, pages and agents print: the euro of a German shop, the rupee of an Indian one."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pytest
from drr.app.session import ToolSession
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.shop_world import Listings
from drr.env.world import Holdings
from drr.eval.tasks.support_items import contradicted_figures, decide_support
from drr.tools.registry import EVERY
from drr.wording.currency import DOLLARS, Currency
from pyarrow import parquet

from tests.commands import Drr
from tests.eval.nursery import Judge, message, sentences
from tests.wire import Request, Say, Wire

SHOPS = {
    "EUR": ("de", ["27,30 €", "1.249,00 €", "9,99 €"], ("27,30 €", "1.249,00 €")),
    "INR": ("en", ["₹27.30", "₹1,249.00", "₹9.99"], ("₹27.30", "₹1,249.00")),
    "PLN": ("pl", ["27,30 zł", "1249,00 zł", "9,99 zł"], ("27,30 zł", "1\xa0249,00 zł")),
}
NAMES = ("Kettle of steel", "Copper lamp", "Wall hook")


def made(folder: Path, drr: Drr, code: str) -> Path:
    language, prices, _ = SHOPS[code]
    products, orders, told = (folder / name for name in ("p.csv", "o.csv", "map.toml"))
    rows = [f"P{k};{name};{price}" for k, (name, price) in enumerate(zip(NAMES, prices, strict=True))]
    products.write_text("\n".join(["id;title;price", *rows]) + "\n", "utf-8")
    bought = [f"{k};P{k % 3};u{k % 2};2024-03-1{k};2" for k in range(6)]
    orders.write_text("\n".join(["order_id;product_id;user_id;date;quantity", *bought]) + "\n", "utf-8")
    told.write_text(f'[products]\ncurrency = "{code}"\nrate = 1\nlanguage = "{language}"\n')
    shop = folder / "shop"
    drr.json("data", "ingest", products, orders, "--map", told, "--shop", shop, "--quiet")
    return shop


@pytest.mark.parametrize("named", ["ZZZ", "eur", "€", 5, ["EUR"], "<b>EUR", "XXX"])
def test_a_shop_whose_currency_is_no_code_does_not_open(tmp_path: Path, drr: Drr, named: object) -> None:
    place = made(tmp_path, drr, "EUR")
    manifest = json.loads((place / "manifest.json").read_text("utf-8"))
    for code, is_known in ((named, False), ("HRK", True), ("EUR", True), (None, True)):
        told = {name: value for name, value in manifest.items() if name != "seal"}
        told["recipe"] = manifest["recipe"] | {"currency": code}
        (place / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
        if is_known:
            assert drr.json("shop", "info", place)["counts"]["products"] == len(NAMES)
        else:
            assert "is no code of a currency that CLDR has" in drr.err("shop", "info", place, code=1)
    asked = tmp_path / "q.jsonl"
    asked.write_text(json.dumps({"query": "Which?", "user_id": "u0", "currency": "ZZZ"}), encoding="utf-8")
    words = ("run", tmp_path / "s", "--shop", place, "--queries", asked, "--dry-run", "--variants", "react")
    assert "no code of a currency" in drr.err(*words, code=2)


@pytest.fixture(params=SHOPS)
def code(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def place(tmp_path: Path, drr: Drr, code: str) -> Path:
    return made(tmp_path, drr, code)


@pytest.fixture
def shop(place: Path) -> Iterator[Shop]:
    with open_shop(str(place), Settings()) as opened:
        yield opened


def test_every_tool_prints_the_shops_currency(shop: Shop, code: str) -> None:
    small, large = SHOPS[code][2]
    user = next(one.user_id for one in shop.store.iter_orders() if one.product_id == "P0")
    session = ToolSession(shop, user, Settings(), open_access=True)
    listed = session.call("get_user_orders")
    asked = [
        (session.call("product_catalog_search", query="kettle", max_price=1249), (small, f"up to {large}")),
        (session.call("get_product_details", product_id="P1"), (large,)),
        (session.call("get_product_details", product_id="P1", part="short"), (large,)),
        (listed, (small,)),
        *(
            (session.call("get_order_details", order_id=one["order_id"]), ("in all",))
            for one in listed.data["items"]
        ),
        (session.call("get_user_statistics"), ("Spend: ", small)),
    ]
    for reply, said in asked:
        assert reply.ok and all(one in reply.text for one in said) and "$" not in reply.text, reply.text
        assert reply.data["currency"] == code
    page = asyncio.run(session.world.web.read(f"{shop.shop_url}/P0"))
    assert small in str(page.markdown) and "$" not in str(page.markdown)
    refused = session.call("product_catalog_search", query="kettle", min_price=2, max_price=1)
    assert not refused.ok and "$" not in refused.text
    for tool in session.tools.values():
        told = tool.description.replace("without $", "") + json.dumps(tool.schema)
        assert "$" not in told and "dollar" not in told, tool.name
    assert f"in {code}" in json.dumps(session.tools["product_catalog_search"].schema)


def test_dollars_are_written_as_ever(shop: Shop) -> None:
    assert DOLLARS.text(1234.5) == Currency("USD", "de").text(1234.5) == "$1,234.50"
    for tool in EVERY.values():
        assert tool.in_currency(DOLLARS) is tool


@pytest.mark.parametrize(
    ("code", "language", "written"),
    [
        ("EUR", "de", "1.234.567,50 €"), ("EUR", "fr", "1\u202f234\u202f567,50 €"), ("EUR", "nl", "€ 1.234.567,50"),
        ("INR", "en", "₹1,234,567.50"), ("INR", "en-IN", "₹12,34,567.50"), ("CHF", "de-CH", "CHF 1’234’567.50"),
        ("CHF", "en", "CHF 1,234,567.50"), ("JPY", "ja", "￥1,234,568"), ("PLN", "pl", "1\u00a0234\u00a0567,50 zł"),
        ("EUR", None, "1,234,567.50 EUR"), ("EUR", "xx", "1,234,567.50 EUR"), ("BRL", "pt", "R$ 1.234.567,50"),
    ],
)  # fmt: skip
def test_an_amount_is_written_as_the_language_writes_it(
    code: str, language: str | None, written: str
) -> None:
    assert Currency(code, language).text(1234567.5) == written


def test_the_terminal_prints_the_shops_currency(place: Path, drr: Drr, code: str) -> None:
    small, large = SHOPS[code][2]
    assert small in (found := drr.out("shop", "search", place, "kettle")) and "$" not in found
    assert drr.json("shop", "search", place, "kettle")["currency"] == code
    assert drr.json("shop", "show", place, "product", "P1")["currency"] == code
    user = drr.json("shop", "users", place, "--min-orders", "1")["users"][0]["user_id"]
    told = drr.out("shop", "profile", "--shop", place, "--user", user)
    assert (small in told or large in told) and "$" not in told


def test_an_offline_answer_says_the_shops_currency(place: Path, drr: Drr, code: str) -> None:
    user = drr.json("shop", "users", place, "--min-orders", "1")["users"][0]["user_id"]
    asked = ("ask", "Which kettle is there?", "--shop", place, "--user", user, "--model", "offline")
    found = drr.out(*asked)
    assert "27.30" in found and code in found and "$" not in found.replace("$0.0000", ""), found
    assert ("It can write only English." in found) == (code != "INR")


def test_the_commerce_protocol_names_the_shops_currency(shop: Shop, code: str) -> None:
    from drr.extras.ucp.documents import catalog_product, minor_units

    record = ToolSession(shop, None, Settings()).call("get_product_details", product_id="P0").data
    price = catalog_product(record, whole=True)["price_range"]["min"]
    assert price == {"amount": 2730, "currency": code}
    assert minor_units(500, "JPY") == 500 and minor_units(12.5, "JPY") is None


def test_prompts_ask_for_figures_in_the_shops_currency(place: Path, code: str) -> None:
    from drr.agents.brief import asking_for_form
    from drr.agents.runner import load_prompts
    from drr.app.training.episode import ACTING
    from drr.app.training.episode_tasks import APART

    with open_shop(str(place), Settings()) as shop:
        money = shop.manifest.money
    prompts, task = load_prompts(), APART
    texts = [
        asking_for_form(prompts, money)["answer_form"],
        asking_for_form(prompts, money, "points")["answer_form"],
        task.instructions(ACTING, money),
    ]
    for text in texts:
        assert f"in {code}" in text and "$" not in text and "dollar" not in text
    assert "in US dollars" in task.instructions(ACTING)
    assert asking_for_form(prompts)["answer_form"] == f"\n\n{prompts['answer_form'].text.rstrip()}"


POLISH = """id,title,price,currency,language
P0,Czajnik ze stali,"27,30",PLN,pl
P1,Lampa z miedzi,"1249,00",PLN,pl
"""


def polish(folder: Path, drr: Drr, form: str) -> Path:
    """A shop whose own files name currency and language."""
    rows = list(csv.DictReader(POLISH.splitlines()))
    products = folder / f"p.{form}"
    if form == "parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), products)
    else:
        lines = map(json.dumps, rows)
        products.write_text(POLISH if form == "csv" else "\n".join(lines), encoding="utf-8")
    (folder / "o.csv").write_text("product_id,user_id,date\nP0,u1,2024-03-10\n")
    (told := folder / "map.toml").write_text("[products]\nrate = 1\n")
    asked = (products, folder / "o.csv", "--map", told, "--shop", folder / "shop", "--quiet")
    drr.json("data", "ingest", *asked)
    return folder / "shop"


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_currency_and_language_survive_files_and_copies(tmp_path: Path, drr: Drr, form: str) -> None:
    place = polish(tmp_path, drr, form)
    drr.out("shop", "copy", place, tmp_path / "copy", "--quiet")
    for one in (place, tmp_path / "copy"):
        with open_shop(str(one), Settings()) as shop:
            assert (shop.manifest.money, shop.manifest.language) == (Currency("PLN", "pl"), "pl")
            assert [product.price for product in shop.store.iter_products()] == [27.3, 1249]
        assert "27,30 zł" in drr.out("shop", "search", one, "czajniki")


def test_currency_and_language_of_questions_survive_their_exports(tmp_path: Path, drr: Drr) -> None:
    place, asked, folder, study = (
        polish(tmp_path, drr, "csv"),
        *(tmp_path / one for one in ("q.jsonl", "set", "study")),
    )
    own = {"currency": "PLN", "language": "pl"}
    asked.write_text(json.dumps({"query": "Jaki czajnik do 30 zł?", "user_id": "u1", **own}) + "\n")
    drr.out("queries", "dataset", asked, "--out", folder, "--quiet")
    drr.out(
        "run", study, "--shop", place, "--queries", folder / "queries.jsonl", "--variants", "react", "--quiet"
    )
    drr.out("study", "export", study, "--out", tmp_path / "tables", "--quiet")
    lines = [json.loads((at / "queries.jsonl").read_text("utf-8")) for at in (folder, study)]
    for one in (*lines, *parquet.read_table(folder / "queries.parquet").to_pylist()):
        assert {name: one[name] for name in own} == own
    unit = json.loads((tmp_path / "tables" / "units.jsonl").read_text("utf-8"))
    (row,) = parquet.read_table(tmp_path / "tables" / "units.parquet").to_pylist()
    assert unit["key_fields"]["currency"] == json.loads(row["key_fields"])["currency"] == "PLN pl"


def test_a_shop_of_before_is_in_dollars_and_english(tmp_path: Path, drr: Drr) -> None:
    """A manifest that names neither is one of a shop made before they were kept."""
    (products := tmp_path / "p.csv").write_text("id,title,price\nP0,Copper lamp,27.30 USD\n")
    drr.json("data", "ingest", products, "--shop", place := tmp_path / "shop", "--quiet")
    file = place / "manifest.json"
    manifest = json.loads(file.read_text("utf-8"))
    manifest["recipe"] = {"preset": "own files"}
    del manifest["seal"]
    file.write_text(json.dumps(manifest), encoding="utf-8")
    with open_shop(str(place), Settings()) as shop:
        assert (shop.manifest.money, shop.manifest.currency, shop.manifest.language) == (DOLLARS, None, None)
        tools = ToolSession(shop, None, Settings(), open_access=True)
        assert tools.tools["product_catalog_search"] is EVERY["product_catalog_search"]
    assert "$27.30" in drr.out("shop", "search", place, "lamps")


@pytest.mark.parametrize("limit", ["hasta $30", "por menos de 30 dólares", "under $30"])
def test_a_search_of_a_spanish_shop_in_dollars_reads_its_limit(tmp_path: Path, drr: Drr, limit: str) -> None:
    (products := tmp_path / "p.csv").write_text("id,title,price\nP0,Lámpara,$27.30\nP1,Lámpara,$45.00\n")
    (told := tmp_path / "m.toml").write_text('[products]\ncurrency = "USD"\nlanguage = "es"\n')
    drr.json("data", "ingest", products, "--map", told, "--shop", place := tmp_path / "shop", "--quiet")
    found = drr.out("shop", "search", place, f"lámpara {limit}")
    assert "P0" in found and "P1" not in found and "$27.30" in found
    with open_shop(str(place), Settings()) as shop:
        assert shop.manifest.money == DOLLARS


JUDGED = "faithfulness,mistakes,points,recall"


def asked_of_a_judge(folder: Path, place: Path, drr: Drr, code: str) -> list[str]:
    """Return all that a judge was sent about a report."""
    small, large = SHOPS[code][2]
    url = Settings().shop_url
    user = drr.json("shop", "users", place, "--min-orders", "1")["users"][0]["user_id"]
    lines = [
        f"# Answer\n\nThe kettle costs {large} and boils fast [1].",
        f"You paid {small} for it once, which was little [2].",
        f"Together {large} is the sum of it all [3].",
        f"[1] Kettle of steel {url}/P0\n[2] Orders user://{user}/orders\n[3] Numbers user://{user}/statistics\n",
    ]
    head = f"---\nquestion: A kettle for at most {large} in total?\nsystem: ours\nuser: {user}\n---\n"
    (folder / "a.md").write_text(head + "\n\n".join(lines), "utf-8")
    drr.out("study", "import", folder / "mine", folder / "a.md", "--shop", place, "--quiet")
    with Wire(judge := Judge(claims=sentences, instead=told_nothing)) as wire:
        words = (
            "--judge",
            "anthropic:claude-sonnet-5-5",
            "--base-url",
            wire.url,
            "--quiet",
            "--what",
            JUDGED,
        )
        drr("judge", folder / "mine", *words)
    return judge.messages


def told_nothing(task: str, request: Request) -> Say | None:
    """Answer what is no request about claims, support or grades with an empty form."""
    return None if task != "claims" or "Sources the report cites:" in message(request) else Say("{}")


def test_judges_are_shown_the_shops_currency(tmp_path: Path, place: Path, drr: Drr, code: str) -> None:
    small, large = SHOPS[code][2]
    sent = asked_of_a_judge(tmp_path, place, drr, code)
    assert [one for one in sent if "$" in one] == []
    for said in (
        f"Price: {small}",
        f"{small} each",
        "Item price: mean",
        f"currency: {code}",
        f"at most {large}",
    ):
        assert any(said in one for one in sent), said


def test_code_decides_on_a_price_in_the_shops_currency(shop: Shop, code: str) -> None:
    small, large = SHOPS[code][2]
    source = Listings(Holdings(shop=shop)).text(f"{shop.shop_url}/P0", ())
    right, wrong = (decide_support(f"Kettle of steel costs {one}.", [source]) for one in (small, large))
    assert right is not None and right.status == "full" and source.text is not None
    assert [source.text[slice(*one)] for one in right.spans] == [f"Price: {small}"]
    assert wrong is not None and wrong.reason == f"the record says otherwise: {large} (price {small})"
    assert contradicted_figures(f"Price: {large}", [source]) == [f"{large} (price {small})"]


def test_findings_of_rules_state_the_shops_currency(place: Path, drr: Drr, code: str) -> None:
    small, large = SHOPS[code][2]
    report = place.with_name("b.md")
    table = f"| Product | Price |\n| --- | --- |\n| [Kettle of steel]({Settings().shop_url}/P0) | {large} |\n| Total | {small} |\n"
    report.write_text(f"# Plan\n\n{table}", "utf-8")
    asked = ("judges", "check", report, "--shop", place, "--budget", "20")
    _, told, _ = drr(*asked)
    assert "$" not in told and f"record: {small}" in " ".join(told.split()), told
    found = json.loads(drr(*asked, "--json")[1])["rules"]
    assert found["price"]["evidence"] == [f"Price: {large}; record: {small}"]
    assert found["budget"]["value"]["currency"] == code and "$" not in json.dumps(found)
