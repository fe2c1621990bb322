"""An order history as a shop exports it: all orders, one a row."""

from __future__ import annotations

import csv
from datetime import timedelta
from io import StringIO
from random import Random

from drr.papers.dr3.case import BoughtItem
from drr.papers.dr3.drawer.brief import FileBrief, FilePlaces, WrittenFile
from drr.papers.dr3.values import is_rest

_HEADS = (
    {"order": "order_id", "day": "order_date", "arrived": "delivered", "title": "item", "quantity": "qty", "price": "unit_price", "status": "status"},
    {"order": "Order", "day": "Ordered on", "arrived": "Delivered on", "title": "Product", "quantity": "Quantity", "price": "Price", "status": "State"},
    {"order": "Order Number", "day": "Date", "arrived": "Arrived", "title": "Title", "quantity": "Units", "price": "Item Price", "status": "Status"},
)  # fmt: skip


def write_order_history(brief: FileBrief) -> WrittenFile:
    """Write the order history without the columns that another file is to give."""
    places, rng, case = FilePlaces(brief.file.name), brief.rng, brief.case
    heads = rng.choice(_HEADS)
    arrived = brief.entry("day of delivery")
    columns = ["order", "day", "arrived", "title", "quantity", "price", "status"]
    left_out = {
        *(["day"] if brief.hides("purchase date") else []),
        *(["price"] if brief.hides("price paid") else []),
        *(["arrived"] if arrived is None else []),
    }
    columns = [one for one in columns if one not in left_out]
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
                places.put(entry.fact, ", ".join(row[one] for one in columns), f"row={number}")
    return WrittenFile(buffer.getvalue().encode(), places.found)


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
