"""Catalogues as shops export them: Shopify, a Google feed, and a messy CSV. Each counts what it planted; people's data are marked."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from xml.sax.saxutils import escape

PEOPLE = [
    (f"c{n:04d}-zq", f"Quintessa{n}", f"Vanderzwaag{n}", f"quintessa.v{n}@privatmail-zq.de", f"+49 170 55{n:05d}", f"Geheimweg {n}b")
    for n in range(40)
]  # fmt: skip
"""Id, first and last name, e-mail, telephone, street: none may be anywhere in what is made of a shop."""
NOTE = "please leave it with Mrs Zwetschkenbaum next door"
SECRETS = [part for person in PEOPLE for part in person] + [NOTE]
_KINDS = (
    ("Dog bed", "Pets > Dogs > Beds"), ("Cat tree", "Pets > Cats > Trees"), ("Bird feeder", "Garden > Birds > Feeders"),
    ("Desk lamp", "Home > Lighting > Lamps"), ("Steel bottle", "Kitchen > Drinks > Bottles"), ("Bread knife", "Kitchen > Knives"),
)  # fmt: skip
_LOOKS = ("soft", "large", "quiet", "folding", "washable", "small", "light", "warm", "solid", "slim")


def things(count: int, seed: int = 3) -> list[dict[str, str]]:
    """Products of which the title, the features and the price are told apart by their number."""
    rng = random.Random(seed)
    found = []
    for n in range(count):
        kind, path = _KINDS[n % len(_KINDS)]
        looks = rng.sample(_LOOKS, 3)
        found.append(
            {
                "id": f"{n:05d}",
                "title": f"{' '.join(looks[:2]).capitalize()} {kind.lower()} {n}",
                "path": path,
                "price": f"{rng.randrange(500, 20_000) / 100:.2f}",
                "text": f"A {looks[2]} {kind.lower()} for every day.\nMade to last.",
                "brand": f"Maker {n % 7}",
            }
        )
    return found


def sold(products: list[dict[str, str]], count: int, seed: int = 5) -> list[tuple[int, int, int, int]]:
    """Lines of orders: number of the order, person, product, day."""
    rng = random.Random(seed)
    return [
        (n, rng.randrange(len(PEOPLE)), rng.randrange(len(products)), rng.randrange(600))
        for n in range(count)
    ]


def day(number: int) -> date:
    return date(2023 + number // 360, number % 360 // 30 + 1, number % 30 % 28 + 1)


def write_csv(
    path: Path, rows: Iterable[Iterable[str]], *, encoding: str = "utf-8", separator: str = ","
) -> Path:
    with path.open("w", newline="", encoding=encoding) as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    return path


def shopify(folder: Path) -> list[Path]:
    """The exports of a Shopify store: a product has a row for each variant and for each further picture."""
    head = ["Handle", "Title", "Body (HTML)", "Vendor", "Product Category", "Type", "Tags", "Published", "Option1 Name", "Option1 Value", "Variant SKU", "Variant Price", "Image Src", "Status"]  # fmt: skip
    rows = [head]
    products = things(120)
    for n in range(0, len(products), 2):
        one = products[n]
        common = [
            f"thing-{n}",
            one["title"],
            f"<p>{one['text']}</p>",
            one["brand"],
            one["path"],
            "",
            "",
            "true",
            "Size",
        ]
        rows.append([*common, "S", one["id"], one["price"], f"https://img.example/{n}.jpg", "active"])
        rows.append(
            [f"thing-{n}", *[""] * 7, "", "L", products[n + 1]["id"], products[n + 1]["price"], "", ""]
        )
        rows.append([f"thing-{n}", *[""] * 11, f"https://img.example/{n}b.jpg", ""])
    head = ["Name", "Email", "Financial Status", "Fulfillment Status", "Currency", "Created at", "Lineitem quantity", "Lineitem name", "Lineitem sku", "Billing Name", "Billing Street", "Phone", "Notes", "Cancelled at"]  # fmt: skip
    orders = [head]
    for n, person, product, when in sold(products, 700):
        _, first, last, mail, phone, street = PEOPLE[person]
        placed = f"{day(when)} 10:11:12 -0500"
        whole = [f"#{1000 + n}", mail, "paid", ("fulfilled", "unfulfilled")[n % 9 == 0], "USD", placed]
        rest = [f"{first} {last}", street, phone, NOTE, placed if n % 50 == 0 else ""]
        orders.append([*whole, "1", "x", products[product]["id"], *rest])
        if n % 4 == 0:
            other = products[(product + 1) % len(products)]["id"]
            orders.append([f"#{1000 + n}", mail, "", "", "", placed, "2", "y", other, "", "", "", "", ""])
    return [write_csv(folder / "products_export.csv", rows), write_csv(folder / "orders_export.csv", orders)]


def google(folder: Path) -> list[Path]:
    """A Google Merchant feed as XML, with orders in a CSV file of the shop's own."""
    products = things(90, 7)
    items = [
        f"<item><g:id>{one['id']}</g:id><title>{escape(one['title'])}</title><description>{escape(one['text'])} &lt;b&gt;New&lt;/b&gt;</description>"
        f"<g:price>{one['price']} USD</g:price><g:product_type>{escape(one['path'])}</g:product_type><g:brand>{one['brand']}</g:brand>"
        f"<g:item_group_id>group{n // 3}</g:item_group_id><g:color>red</g:color>"
        "<g:shipping><g:country>US</g:country><g:price>4.00 USD</g:price></g:shipping></item>"
        for n, one in enumerate(products)
    ]
    feed = folder / "feed.xml"
    feed.write_text(
        '<?xml version="1.0"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>\n'
        + "\n".join(items)
        + "</channel></rss>",
        encoding="utf-8",
    )
    rows = [["order_id", "customer_id", "customer_name", "item_id", "ordered_at", "comment"]]
    for n, person, product, when in sold(products, 600, 9):
        who = PEOPLE[person]
        rows.append(
            [
                str(n),
                who[0],
                f"{who[1]} {who[2]}",
                products[product]["id"],
                f"{day(when)}",
                NOTE,
            ]
        )
    return [feed, write_csv(folder / "orders.csv", rows)]


MAP = """\
[products]
file = "artikel.csv"
id = "Artikelnummer"
title = "Bezeichnung"
price = "Preis"
category = "Warengruppe"
description = "Text"
brand = "Hersteller"
rate = 1.1
encoding = "cp1252"

[orders]
file = "bestellungen*.csv"
id = "Bestellung"
product = "Artikel"
user = "Kunde"
date = "Datum"
quantity = "Menge"
status = "Stand"

[orders.statuses]
versendet = "Shipped"
zugestellt = "Delivered"
offen = "Processing"

[users]
file = "kunden.csv"
id = "Kundennummer"
email = "Mail"
first_name = "Vorname"
last_name = "Nachname"
phone = "Telefon"
street = "Strasse"
"""
MESSY_QUARANTINE = {
    "id_twice": 1, "negative_price": 1, "no_id": 1, "no_title": 1, "wrong_number_of_cells": 1, "no_date": 1, "date_unreadable": 2,
    "date_out_of_range": 1, "no_user": 1, "quantity_unusable": 2, "order_twice": 3, "unknown_product": 5,
}  # fmt: skip
"""What was planted in the messy shop, by the reason for which it is refused."""


def messy(folder: Path) -> tuple[list[Path], Path]:
    """A German shop: semicolons, decimal commas, cp1252, zeros in front, HTML, a cell of 40,000 characters, 1,000 columns."""
    products = things(200, 11)
    extra = [f"Spalte {k}" for k in range(992)]
    rows = [
        [
            "Artikelnummer",
            "Bezeichnung",
            "Preis",
            "Warengruppe",
            "Text",
            "Hersteller",
            "Einkauf",
            "Lager",
            *extra,
        ]
    ]
    for n, one in enumerate(products):
        price = "" if n % 20 == 3 else one["price"].replace(".", ",") + " €"
        text = "<b>Gut</b> " * 4000 if n == 60 else f"<p>Für {one['text']}</p>"
        rows.append(
            [one["id"], one["title"], price, one["path"], text, one["brand"], "1,00", "7", *["x"] * 992]
        )
    rows[11][0] = rows[12][0] = "00050"
    rows[21][2], rows[31][0], rows[41][1], rows[51] = "-5,00", " ", "", rows[51][:40]
    orders = [["Bestellung", "Artikel", "Kunde", "Datum", "Menge", "Stand", "Bemerkung"]]
    forms = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y 10:11")
    usable = [one["id"] for n, one in enumerate(products) if n not in (10, 11, 20, 30, 40, 50)] + ["00050"]
    for n, person, _, when in sold(products, 900, 13):
        written = day(when).strftime(forms[n % 3])
        word = ("versendet", "zugestellt", "offen", "")[n % 4]
        orders.append(
            [f"B{n:06d}", usable[n % len(usable)], PEOPLE[person][0], written, str(1 + n % 3), word, NOTE]
        )
    orders[2][3], orders[3][3], orders[4][3], orders[5][3] = "", "31.02.2024", "soon", "2999-01-01"
    orders[6][2], orders[7][4], orders[8][4] = " ", "0", "two"
    for n in range(10, 15):
        orders[n][1] = "99999"
    orders += [orders[100], orders[101], orders[102]]
    users = [["Kundennummer", "Vorname", "Nachname", "Mail", "Telefon", "Strasse"]]
    users += [[who[0], who[1], who[2], who[3], who[4], who[5]] for who in PEOPLE]
    mapping = folder / "map.toml"
    mapping.write_text(MAP, encoding="utf-8")
    return [
        write_csv(folder / "artikel.csv", rows, encoding="cp1252", separator=";"),
        write_csv(folder / "bestellungen.csv", orders, encoding="utf-8-sig", separator=";"),
        write_csv(folder / "kunden.csv", users, separator="\t"),
    ], mapping
