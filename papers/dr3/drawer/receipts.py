"""Papers of a purchase. An order history is as a shop exports it; receipts, invoices and delivery notes are PDF text in four layouts."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from datetime import timedelta
from io import StringIO
from random import Random

from drr.papers.dr3.case import BoughtItem
from drr.papers.dr3.drawer.brief import FileBrief
from drr.papers.dr3.drawer.goods import Sale, mail_domain, money, sale_of, shop_of
from drr.papers.dr3.drawer.pdf import GREY, INK, LETTER, SMALL, PaperMaker, PaperPages
from drr.papers.dr3.planning.scene import capital
from drr.papers.dr3.values import day_of, is_rest, long_date
from reportlab.lib.colors import HexColor

_HEADS = (
    {"order": "order_id", "day": "order_date", "arrived": "delivered", "title": "item", "quantity": "qty", "price": "unit_price", "status": "status"},
    {"order": "Order", "day": "Ordered on", "arrived": "Delivered on", "title": "Product", "quantity": "Quantity", "price": "Price", "status": "State"},
    {"order": "Order Number", "day": "Date", "arrived": "Arrived", "title": "Title", "quantity": "Units", "price": "Item Price", "status": "Status"},
)  # fmt: skip


def write_order_history(brief: FileBrief) -> bytes:
    """Write the order history without the columns that another file is to give."""
    rng, case = brief.rng, brief.case
    heads = rng.choice(_HEADS)
    arrived = brief.entry("day of delivery")
    left_out = {
        "day": brief.hides("purchase date"),
        "price": brief.hides("price paid"),
        "arrived": arrived is None,
    }
    columns = [one for one in heads if not left_out.get(one)]
    buffer = StringIO()
    table = csv.writer(buffer, lineterminator="\r\n")
    table.writerow([heads[one] for one in columns])
    for number, item in enumerate(case.purchases, 2):
        own = item.title == " ".join(case.owned.title.split()) and item.day == case.bought
        row = _row(item, brief)
        if own and case.thing.edition:
            row["title"] += f", {case.thing.edition}"
        if own and arrived is not None:
            row["arrived"] = arrived.value
        table.writerow([row[one] for one in columns])
        if own:
            for entry in brief.file.entries:
                brief.put(entry.fact, ", ".join(row[one] for one in columns), f"row={number}")
    return buffer.getvalue().encode()


def _row(item: BoughtItem, brief: FileBrief) -> dict[str, str]:
    arrived = item.day + timedelta(days=Random(f"{item.order_id}/days").randrange(2, 9))
    while is_rest(arrived):
        arrived += timedelta(days=1)
    return {
        "order": item.order_id,
        "day": item.day.isoformat(),
        "arrived": arrived.isoformat() if item.status == "Delivered" else "",
        "title": item.title,
        "quantity": str(item.quantity),
        "price": item.price,
        "status": item.status,
    }


def write_receipt(brief: FileBrief) -> bytes:
    layouts: tuple[Callable[[FileBrief, str], bytes], ...] = (_classic, _banner, _plain, _letter)
    return brief.rng.choice(layouts)(brief, _title(brief))


_DATED = {"delivery_note": "Order date", "invoice": "Invoice date", "receipt": "Date"}
"""Name of the day of sale on each kind of paper."""


def _title(brief: FileBrief) -> str:
    if brief.file.form == "delivery_note":
        handed = brief.entry("day of delivery") is not None
        return brief.rng.choice(
            ("Proof of delivery", "Delivery receipt") if handed else ("Delivery note", "Packing slip")
        )
    return "Invoice" if brief.file.form == "invoice" else brief.rng.choice(("Receipt", "Sales receipt"))


def _maker(brief: FileBrief, title: str) -> PaperMaker:
    """Return the maker of a paper that was made on the day of the sale. Where that day is for another file to
    give, it is the day when the parcel was packed; of what was handed over, the day of delivery."""
    rng = Random(f"{brief.case.seed}/{brief.case.task_id}/{brief.file.name}/made")
    days = rng.randint(2, 5) if brief.hides("purchase date") else 0
    arrived = brief.entry("day of delivery")
    day = brief.case.bought + timedelta(days=days)
    return PaperMaker(brief.case.seller, day if arrived is None else max(day, day_of(arrived.value)), title)


PaperRow = tuple[str, str, str | None]
"""Label, text, and the fact that it is."""


def _date_rows(brief: FileBrief) -> list[PaperRow]:
    rows: list[PaperRow] = []
    bought, arrived = brief.entry("purchase date"), brief.entry("day of delivery")
    if bought is not None:
        rows.append((_DATED[brief.file.form], bought.value, bought.fact))
    elif not brief.hides("purchase date"):
        rows.append((_DATED[brief.file.form], long_date(brief.case.bought), None))
    if arrived is not None:
        rows.append((arrived.label, arrived.value, arrived.fact))
        rows.append(("Signed for by", brief.case.shopper, None))
    return rows


def _number_rows(brief: FileBrief) -> list[PaperRow]:
    sold = [] if brief.file.form == "delivery_note" else [("Register", shop_of(brief).register, None)]
    return [("No.", shop_of(brief).number, None), *sold]


def _rows(paper: PaperPages, rows: Iterable[PaperRow], x: float, gap: float = 92, size: float = 9.5) -> None:
    for label, text, fact in rows:
        paper.line(label, size, color=GREY, x=x)
        paper.at(text, x + gap, size)
        if fact is not None:
            paper.fact(fact, f"{label} {text}")


def _goods(
    paper: PaperPages, brief: FileBrief, sale: Sale, widths: tuple[float, float, float], size: float = 9
) -> None:
    """Items, quantities, amounts; nothing of amounts on a delivery note."""
    priced = brief.file.form != "delivery_note"
    head = ("Item", "Qty", "Amount" if priced else "")
    rows = [(line.text, str(line.quantity), money(line.total) if priced else "") for line in sale.lines]
    paper.table([head, *rows], widths, size)
    paid = brief.entry("price paid")
    if paid is not None:
        own = next(line for line in sale.lines if line.own)
        paper.fact(paid.fact, f"{own.text} {own.quantity} {paid.value}")
    if priced:
        for label, amount in sale.sums:
            paper.line(label, 9.5, x=widths[0] + widths[1] - 70, bold=label == "Total")
            paper.at(money(amount), widths[0] + widths[1], 9.5, bold=label == "Total")


def _registered(
    paper: PaperPages, brief: FileBrief, gap: float, lead: str = "", x: float = 150, size: float = 9.5
) -> None:
    """Print what the paper says beside the purchase."""
    if brief.rest:
        paper.gap(gap)
        name = brief.case.thing.name
        paper.line(f"{lead}{name}" if lead else capital(name), 9 if lead else size, bold=True)
        _rows(paper, ((one.label, one.value, one.fact) for one in brief.rest), 0, x, size)


def _closing(brief: FileBrief) -> str:
    if brief.entry("day of delivery") is not None:
        last = "Received in good order, as signed."
    elif brief.file.form == "delivery_note":
        last = "Please check the contents on arrival."
    else:
        last = "Thank you for your business."
    return brief.rng.choice(
        (
            "Thank you for shopping with us. Please keep this for your records.",
            "Questions? Call us or quote the number above.",
            last,
        )
    )


def _classic(brief: FileBrief, title: str) -> bytes:
    paper = PaperPages(brief, LETTER, _maker(brief, title), "Times-Roman")
    paper.line(brief.case.seller, 20, bold=True)
    paper.line(f"{shop_of(brief).street} · store {shop_of(brief).store}", 9, color=GREY)
    paper.rule(1, INK)
    paper.gap(8)
    paper.line(title.upper(), 14, bold=True)
    paper.gap(6)
    _rows(paper, [*_date_rows(brief), *_number_rows(brief), ("Sold to", brief.case.shopper, None)], 0)
    paper.gap(14)
    _goods(paper, brief, sale_of(brief), (340, 60, 90))
    _registered(paper, brief, 16)
    paper.gap(26)
    paper.text(_closing(brief), 9, italic=True)
    return paper.done()


def _banner(brief: FileBrief, title: str) -> bytes:
    paper = PaperPages(brief, LETTER, _maker(brief, title), "Helvetica")
    paper.band(92, HexColor(brief.rng.choice(("#1f4e5f", "#5b2a3c", "#2f4a2b", "#3a3a6a", "#8a4b14"))))
    paper.y = paper.height - 50
    paper.at(brief.case.seller, 0, 19, bold=True, color=HexColor("#ffffff"))
    paper.at(title, 0, 15, color=HexColor("#ffffff"), right=True)
    paper.y = paper.height - 118
    _rows(paper, [*_number_rows(brief), *_date_rows(brief)], 250, 110)
    paper.gap(-14)
    paper.line("Customer", 8.5, color=GREY)
    paper.line(brief.case.shopper, 11, bold=True)
    paper.line(brief.case.state or "United States", 10)
    paper.gap(18)
    _goods(paper, brief, sale_of(brief), (330, 70, 90))
    _registered(paper, brief, 18, "Registered with this sale: ")
    paper.y = 90
    paper.rule()
    paper.line(_closing(brief), 8.5, color=GREY)
    paper.line(f"service@{mail_domain(brief.case)}", 8.5, color=GREY)
    return paper.done()


def _plain(brief: FileBrief, title: str) -> bytes:
    """Print as a till does on a half sheet."""
    paper = PaperPages(brief, SMALL, _maker(brief, title), "Courier", margin=34)
    paper.line(brief.case.seller, 14, bold=True, center=True)
    paper.line(f"{shop_of(brief).street} · store {shop_of(brief).store}", 9, center=True)
    paper.rule(0.8, INK)
    paper.line(title.upper(), 11, bold=True, center=True)
    paper.gap(6)
    _rows(paper, [*_number_rows(brief), *_date_rows(brief)], 0, 130, 9)
    paper.gap(8)
    _goods(paper, brief, sale_of(brief), (262, 28, 62), 7.5)
    _registered(paper, brief, 10, x=130, size=9)
    paper.rule(0.8, INK)
    paper.line(_closing(brief), 7.5, center=True)
    return paper.done()


def _letter(brief: FileBrief, title: str) -> bytes:
    """Two columns of address and numbers, as an office writes it."""
    paper = PaperPages(brief, LETTER, _maker(brief, title), "Helvetica", margin=64)
    top = paper.y
    paper.line(brief.case.seller, 12, bold=True)
    paper.line(f"{shop_of(brief).street} · store {shop_of(brief).store}", 9)
    paper.line(f"service@{mail_domain(brief.case)}", 9)
    paper.y = top
    _rows(paper, [*_date_rows(brief), *_number_rows(brief)], 270, 105, 9)
    paper.y = min(paper.y, top - 70)
    paper.gap(24)
    paper.line("To", 8.5, color=GREY)
    paper.line(brief.case.shopper, 10.5)
    paper.gap(22)
    paper.line(title, 17, bold=True)
    paper.gap(4)
    _goods(paper, brief, sale_of(brief), (310, 70, 90))
    _registered(paper, brief, 14)
    paper.gap(30)
    signed = brief.entry("day of delivery") is not None
    made = "" if signed else " Issued by our order system and valid without a signature."
    paper.text(f"{_closing(brief)}{made}", 8.5)
    return paper.done()
