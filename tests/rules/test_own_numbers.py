"""A shop made of a company's own files is asked by the company's own numbers: of its customers and of its orders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.eval.checks import check_report, figures_in
from drr.eval.checks.base import Subject
from drr.eval.checks.results import Check
from drr.eval.evidence.imported import ImportedReport
from drr.eval.foreign.returned import with_evidence
from drr.eval.tasks.mistakes import Brief

from tests.commands import Drr, drr

PRODUCTS = """\
Artikel-Nr.;Bezeichnung;Preis
W100;Wasserkocher aus Stahl;39,90 €
M100;Kaffeemühle aus Stahl;49,00 €
B200;Brotkasten aus Holz;25,00 €
"""
ORDERS = """\
Bestellung;Artikel-Nr.;Kunde;Datum;Stand
10023;W100;4711;15.03.2024;zugestellt
10024;M100;4711;02.04.2024;storniert
10025;M100;4711;20.04.2024;zugestellt
10025;B200;4711;20.04.2024;zugestellt
10026;M100;4711;21.04.2024;zugestellt
10026;B200;4711;22.04.2024;storniert
B-77/1;B200;4711;21.05.2024;zugestellt
7;B200;4711;11.06.2024;zugestellt
2023;W100;4711;11.07.2024;zugestellt
17.03.2024;W100;4711;12.07.2024;zugestellt
10031;M100;4711;12.08.2024;RTO
VA 104612;M100;4711;13.08.2024;zugestellt
5123456789012;M100;4711;14.08.2024;zugestellt
5123456789013;M100;4711;16.08.2024;zugestellt
5123456789013;B200;4711;15.08.2024;zugestellt
5123456789012345;M100;4713;17.08.2024;zugestellt
10099;B200;4712;01.05.2024;zugestellt
"""
MAP = """\
[products]
id = "Artikel-Nr."
title = "Bezeichnung"
price = "Preis"
language = "de"
[orders]
id = "Bestellung"
product = "Artikel-Nr."
user = "Kunde"
date = "Datum"
status = "Stand"
[orders.statuses]
zugestellt = "Delivered"
storniert = "Cancelled"
RTO = "Returned"
"wieder da" = "Returned"
"""


def made(folder: Path, *options: str, orders: str = ORDERS) -> Path:
    texts = {"p.csv": PRODUCTS, "o.csv": orders, "m.toml": MAP}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    tables = folder / "p.csv", folder / "o.csv"
    words = ("--map", folder / "m.toml", "--shop", folder / "shop", "--quiet", *options)
    assert drr("data", "ingest", *tables, *words) == 0
    return folder / "shop"


@pytest.fixture(scope="module", params=[[], ["--keep-personal"]], ids=["invented", "kept"])
def shop(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Shop]:
    place = made(tmp_path_factory.mktemp("own"), *request.param)
    with open_shop(str(place), resolve({}, environ={}).settings) as found:
        yield found


def facts(shop: Shop, report: str) -> Check:
    user = next(
        one.user_id for one in shop.store.iter_users() if len(shop.store.orders(one.user_id).items) > 1
    )
    subject = Subject(report, shop=shop, user_id=user)
    found = check_report(subject)
    assert {name for name, one in found.items() if one.status == "fail"} <= {"order_facts"}
    assert figures_in(subject, found)["of"] > 0
    for one in found["order_facts"].findings:
        assert 0 <= one.span[0] < one.span[1] <= len(report)
    return found["order_facts"]


FORMS = [
    "- Bestellnummer: 10023\n- Bestelldatum: {}\n- Bestellstatus: zugestellt",
    "- **Bestellnummer:** 10023\n- **Bestellt am:** {}",
    "**Bestellung 10023**\n- Bestelldatum: {}",
    "Auftragsnummer 10023\nKaufdatum: {}",
    "Order no. 10023\nOrder date: {}",
    "### Bestellung #10023\n- Bestelldatum: {}.",
    "| Bestellung | Bestelldatum |\n|---|---|\n| 10023 | {} |\n",
    "| Feld | Wert |\n|---|---|\n| Bestellnummer | 10023 |\n| Bestelldatum | {} |\n",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_report_names_an_order_by_the_shops_own_number(shop: Shop, form: str) -> None:
    right = facts(shop, form.format("15.03.2024"))
    assert (right.status, right.value["failed"]) == ("pass", 0)
    wrong = facts(shop, form.format("17.03.2024"))
    assert wrong.status == "fail"
    why = wrong.findings[0].why.replace("#", "")
    assert why == "Order 10023: 2024-03-17; record: 2024-03-15"


@pytest.mark.parametrize(
    ("report", "why"),
    [
        ("- Bestellnummer: 10024\n- Bestellstatus: zugestellt", "Order 10024: Delivered; record: Cancelled"),
        ("Bestellung 10025\nBestelldatum: 21.04.2024", "Order 10025: 2024-04-21; record: 2024-04-20"),
        ("- B-77/1\n  - Bestelldatum: 21.04.2024", "Order B-77/1: 2024-04-21; record: 2024-05-21"),
        ("- B-77/1: storniert", "Order B-77/1: Cancelled; record: Delivered"),
        ("Bestellnummer #7\nBestelldatum: 21.04.2024", "Order #7: 2024-04-21; record: 2024-06-11"),
    ],
)
def test_an_error_about_an_own_number_is_found(shop: Shop, report: str, why: str) -> None:
    assert [one.why for one in facts(shop, report).findings] == [why]


@pytest.mark.parametrize(
    "report",
    [
        "Der Wasserkocher hat 10023 Bewertungen, Stand 17.03.2024.",
        "Bestellung 7 Stück, dann kommt am 17.03.2024 die Ware.",
        "Bestellung 2023 geprüft am 17.03.2024.",
        "Bestellung 10099 (17.03.2024)",  # of another customer: a shop does not tell from whose
        "Bestellung 10026 (17.03.2024)",  # its lines are of two days
        "Die Bestellung kam am 17.03.2024 an.",
        "Bestellungen: 10023, Stand 17.03.2024",
        "Die Seite https://beispiel.example/x/10023 nennt den 17.03.2024.",
        "| Rang | Datum |\n|---|---|\n| 10023 | 17.03.2024 |\n",
    ],
)
def test_a_number_that_names_no_order_for_certain_is_none(shop: Shop, report: str) -> None:
    found = facts(shop, report)
    assert found.status != "fail" and "10023" not in str(found.remarks)


CITED = [
    "### [{text}](user://{user}/orders/{number})\n- Bestelldatum: {day}",
    "- Die Mühle [1] ({day})\n\n## Quellen\n\n[1] user://{user}/orders/{number}",
]


@pytest.mark.parametrize("form", CITED)
@pytest.mark.parametrize("user", ["", "4711"])
@pytest.mark.parametrize(
    ("number", "written", "day"),
    [
        ("10024", "10024", "2024-04-02"),
        ("B-77/1", "B-77/1", "2024-05-21"),
        ("B-77/1", "B-77%2F1", "2024-05-21"),
        ("VA 104612", "VA%20104612", "2024-08-13"),
        ("5123456789012", "5123456789012", "2024-08-14"),
    ],
)
def test_a_citation_names_an_order_by_the_shops_own_number(
    shop: Shop, form: str, user: str, number: str, written: str, day: str
) -> None:
    known = next(one for one in shop.store.iter_orders() if one.order_date.startswith(day))
    report = form.format(user=user or known.user_id, number=written, text=number, day=day)
    returned = frozenset({f"user://{known.user_id}/orders/{known.order_id}"})
    found = check_report(Subject(report, shop=shop, user_id=known.user_id, returned=returned))
    assert [name for name, one in found.items() if one.status == "fail"] == []
    if "Quellen" not in form:
        assert found["order_facts"].status == "pass"
        wrong = facts(shop, report.replace(day, "2024-03-17"))
        assert [one.why for one in wrong.findings] == [f"Order {number}: 2024-03-17; record: {day}"]


@pytest.mark.parametrize(
    "written",
    ["B-77", "VA", "10026", "10099", "5123456789012345", "9999", "99999999999999999", "5123456789013"],
)
def test_a_cited_number_of_no_known_order_is_open(shop: Shop, written: str) -> None:
    """It may be of a row that was left out, of another line, or cut off."""
    user = next(one for one in shop.store.iter_users() if len(shop.store.orders(one.user_id).items) > 1)
    for whose in (user.user_id, "4711", "K/4711"):
        for form in ("[Bestellung](user://{}/orders/{})", "Siehe user://{}/orders/{} dort."):
            report = form.format(whose, written)
            found = check_report(Subject(report, shop=shop, user_id=user.user_id))
            assert [name for name, one in found.items() if one.status == "fail"] == []


def test_an_address_of_another_customer_is_told(shop: Shop) -> None:
    user = next(one for one in shop.store.iter_users() if len(shop.store.orders(one.user_id).items) > 1)
    found = check_report(Subject("Siehe user://4712/orders/10099", shop=shop, user_id=user.user_id))
    assert [name for name, one in found.items() if one.status == "fail"] == ["privacy"]


def test_a_number_with_a_blank_is_read(shop: Shop) -> None:
    form = "- Bestellnummer: VA 104612\n- Bestelldatum: {}"
    assert facts(shop, form.format("13.08.2024")).status == "pass"
    (found,) = facts(shop, form.format("14.08.2024")).findings
    assert found.why == "Order VA 104612: 2024-08-14; record: 2024-08-13"
    assert facts(shop, form.replace("VA", "XX").format("14.08.2024")).status != "fail"


def test_a_long_number_whose_lines_differ_or_of_another_is_open(shop: Shop) -> None:
    for number in ("5123456789013", "5123456789014", "5123456789012345", "5123456789012346"):
        assert facts(shop, f"- Bestellung {number} (14.08.2024)").status != "fail"


def test_orders_beyond_the_first_five_hundred_are_read(tmp_path: Path) -> None:
    rows = "".join(
        f"{20000 + n};W100;4711;{1 + n % 28:02d}.{1 + n // 28 % 12:02d}.2023;zugestellt\n" for n in range(600)
    )
    with open_shop(str(made(tmp_path, orders=ORDERS + rows)), resolve({}, environ={}).settings) as shop:
        for n in (0, 300, 599):
            day = f"2023-{1 + n // 28 % 12:02d}-{1 + n % 28:02d}"
            assert facts(shop, f"- Bestellung {20000 + n}\n  - Bestelldatum: {day}").status == "pass"
            (found,) = facts(shop, f"- Bestellung {20000 + n}\n  - Bestelldatum: 2022-01-01").findings
            assert found.why == f"Order {20000 + n}: 2022-01-01; record: {day}"


@pytest.mark.parametrize(
    "form", ["- Bestellnummer: {}\n- Bestellstatus: {}", "| Bestellung | Status |\n|---|---|\n| {} | {} |\n"]
)
def test_states_are_read_in_the_words_of_the_mapping(shop: Shop, form: str) -> None:
    for word in ("RTO", "wieder da"):
        assert facts(shop, form.format("10031", word)).value["failed"] == 0
        assert facts(shop, form.format("10031", word)).value["checked"] == 2
        (found,) = facts(shop, form.format("10023", word)).findings
        assert found.why == f"Order 10023: {word.casefold()}; record: Delivered"
    assert facts(shop, "Bestellung 10023: das Paket ist wieder da, so steht es.").status != "fail"


def test_judges_are_told_which_order_a_number_names(shop: Shop) -> None:
    (order,) = (one for one in shop.store.iter_orders() if one.order_date.startswith("2024-03-15"))
    report = "# Antwort\n\nDie Ware ist da: Bestellung 10023 kam am 17.03.2024 an. Mehr gibt es nicht."
    brief = Brief.of(Subject(report, shop=shop, user_id=order.user_id), shop.shop_url)
    lines = [brief.line_of(one) for one in brief.statements.values()]
    assert [line for line in lines if f"W100, order {order.order_id}" in line] == [
        line for line in lines if "10023" in line
    ]
    call = {"kind": "api", "ok": True, "name": "orders", "result": "Bestellung 10023: zugestellt"}
    trace = ImportedReport.model_validate(
        {
            "system": "ours",
            "query": "Wo?",
            "report_markdown": report,
            "user_id": order.user_id,
            "tool_calls": [call],
        }
    )
    found = with_evidence(trace, shop).evidence or []
    assert [one.url for one in found] == [f"user://{order.user_id}/orders/{order.order_id}"]


def test_without_the_key_an_own_number_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = made(tmp_path)
    report = "Bestellung 10023 vom 17.03.2024"
    with open_shop(str(place), resolve({}, environ={}).settings) as shop:
        user = shop.store.sample_users(9, seed=1, min_orders=2)[0]
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
        assert check_report(Subject(report, shop=shop, user_id=user))["order_facts"].status != "fail"
        assert not (tmp_path / "elsewhere").exists()
        (tmp_path / "elsewhere" / "drr").mkdir(parents=True)
        (tmp_path / "elsewhere" / "drr" / "people.key").write_bytes(b"short")
        assert check_report(Subject(report, shop=shop, user_id=user))["order_facts"].status != "fail"


def test_commands_take_own_numbers(tmp_path: Path, drr: Drr) -> None:
    shop = made(tmp_path)
    user = drr.json("shop", "show", shop, "user", "4711")["user_id"]
    assert user.startswith("U")
    order = drr.json("shop", "show", shop, "order", "10023")
    assert (order["product_id"], order["order_date"][:10], order["user_id"]) == ("W100", "2024-03-15", user)
    several = drr.err("shop", "show", shop, "order", "10025", code=2)
    assert "2 lines" in several and several.count("\n") == 1
    assert "no order '10077'" in drr.err("shop", "show", shop, "order", "10077", code=2)
    call = "tools", "call", "get_order_details", "--shop", shop, "--user", "4711", "--args"
    assert order["order_id"] in drr.out(*call, '{"order_id": "10023"}')
    assert "several lines" in drr.err(*call, '{"order_id": "10025"}', code=1)
