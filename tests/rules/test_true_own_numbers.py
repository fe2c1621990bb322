"""True sentences beside a shop's own numbers of orders and customers, of which none may be accused."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject

from tests.cases import cases
from tests.commands import Drr

PRODUCTS = """\
SKU,Item,Price
LAP-1405,Tejas NoteLite Laptop,"₹54,990.00"
KBD-1203,Lipi Wireless Keyboard,"₹1,649.00"
MON-2700,Orion Office Monitor,"₹17,999.00"
"""
ORDERS = """\
Order No.,Order Date,Customer ID,SKU,Qty,Order Status
ORD-2211,14-Mar-2024,BKC-1127,LAP-1405,1,Delivered
ORD-2212,02-Apr-2024,BKC-1127,KBD-1203,2,Cancelled
ORD-2213,20-Apr-2024,BKC-1127,LAP-1405,1,In Transit
ORD-2213,20-Apr-2024,BKC-1127,KBD-1203,1,In Transit
ORD-2214,25-Apr-2024,BKC-1127,MON-2700,1,Packed
ORD-2215,26-Apr-2024,BKC-1127,MON-2700,1,Shipped
ORD-2216,12-Feb-2024,BKC-1127,KBD-1203,1,Returned
ORD-2290,26-Apr-2024,BKC-1130,MON-2700,1,Delivered
ORD-2291,27-Apr-2024,BKC-1131,MON-2700,1,Delivered
"""
MAP = """\
[products]
id = "SKU"
title = "Item"
price = "Price"
language = "{language}"
currency = "INR"
decimal = "."
[orders]
id = "Order No."
date = "Order Date"
user = "Customer ID"
product = "SKU"
quantity = "Qty"
status = "Order Status"
[orders.statuses]
"In Transit" = "Shipped"
Packed = "Processing"
versandt = "Delivered"
"""


def opened(folder: Path, drr: Drr, language: str, *options: str) -> str:
    texts = {"p.csv": PRODUCTS, "o.csv": ORDERS, "m.toml": MAP.format(language=language)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    tables = folder / "p.csv", folder / "o.csv"
    drr.out("data", "ingest", *tables, "--map", folder / "m.toml", "--shop", folder / "shop", *options)
    return str(folder / "shop")


def accused(shop: Shop, report: str) -> list[str]:
    user = next(
        one.user_id for one in shop.store.iter_users() if len(shop.store.orders(one.user_id).items) > 1
    )
    found = check_report(Subject(report, shop=shop, user_id=user))
    return [one.why for check in found.values() if check.status == "fail" for one in check.findings]


@pytest.mark.parametrize("options", [[], ["--keep-personal"]], ids=["invented", "kept"])
@pytest.mark.parametrize("language", ["en-IN", "de"])
def test_nothing_true_is_accused(tmp_path: Path, drr: Drr, language: str, options: list[str]) -> None:
    forms: list[str] = cases("rules", f"OWN_NUMBERS_{language[:2].upper()}")
    wrong: list[tuple[str, str]] = cases("rules", f"WRONG_OWN_NUMBERS_{language[:2].upper()}")
    with open_shop(opened(tmp_path, drr, language, *options), resolve({}, environ={}).settings) as shop:
        assert {form: why for form in forms if (why := accused(shop, form))} == {}
        assert {form: accused(shop, form) for form, _ in wrong} == {form: [why] for form, why in wrong}


@pytest.mark.parametrize("language", ["en-IN", "de", "pl"])
def test_what_may_be_of_another_event_is_open(tmp_path: Path, drr: Drr, language: str) -> None:
    words: dict[str, str] = cases("rules", "EVENT_WORDS")[language[:2]]
    known = {**words, "shop": "http://ecommerce.example/", "user": "BKC-1127"}
    forms = [form.format_map(known) for form in cases("rules", "BESIDE_AN_ORDER")]
    with open_shop(opened(tmp_path, drr, language), resolve({}, environ={}).settings) as shop:
        assert {form: why for form in forms if (why := accused(shop, form))} == {}
