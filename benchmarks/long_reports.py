"""Long reports: the CPU seconds of all rules on texts made to slow them, at 50 and 500 kB and a megabyte.

python -m benchmarks.long_reports [KIND ...] [--shop SHOP] [--megabyte] [--record]
"""

from __future__ import annotations

import argparse
from itertools import cycle, islice
from pathlib import Path
from time import process_time

from drr.env.entities import Product
from drr.env.shop import Shop
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject

from benchmarks.planted import sample_shop
from benchmarks.results import record, table

HEAD = "| Item | Price | Rating | Ratings |\n|---|---|---|---|\n"
KINDS: dict[str, tuple[str, str]] = {
    "a flat list of links": ("", "- {link}, ${price}\n"),
    "links alone in a list": ("", "- {link}\n"),
    "a link, then items": ("- {link}\n", "  - 4.3 stars from 71 ratings\n"),
    "items before a link": ("", "  - Price: ${price}\n  - {link}\n"),
    "ids below names": ("", "- {title}\n  - {id}\n  - ${price}\n"),
    "one line of links": ("", "{link}, ${price}, "),
    "one line of one link": ("{link} ", "$5.99, 4.3 stars, "),
    "one line of sentences": ("", "{link} costs ${price}. It has 71 ratings. "),
    "one line of ids": ("", "{id} ${price}, "),
    "one line of names": ("", "{title} and "),
    "one line of cells": ("", "| {link} | ${price} "),
    "a table": (HEAD, "| {link} | ${price} | 4.3 | 71 |\n"),
    "a table of one row": (HEAD + "| {link} |", " ${price} |"),
    "a table without links": (HEAD, "| A thing | ${price} | 4.3 | 71 |\n"),
    "labelled lines": ("{link}\n", "Price: ${price}\n"),
    "labels and ids": ("", "Price: ${price}\nID: {id}\n"),
    "headings": ("", "### {link}\n- **Price:** ${price}\n"),
    "items and totals": ("", "- {link}, ${price}\n\n**Total:** ${price}\n\n"),
    "sums": ("", "- A thing, ${price}\n- **Total:** ${price}\n"),
    "orders": ("", "- Order 5260828727296279: placed on 2016-06-23, delivered\n"),
    "sources": ("", "A thing costs ${price} [1].\n\n[1]: {url}\n"),
    "signs": ("", "$4**4**&period;9\u200b9 "),
}
"""What stands once, and what stands again and again."""


def long_text(head: str, again: str, products: list[Product], length: int) -> str:
    parts, size = list[str](), 0
    for one in cycle(products):
        url = f"http://ecommerce.example/{one.product_id}"
        known = {"id": one.product_id, "url": url, "title": one.title, "price": f"{one.price:.2f}"}
        part = (again if parts else head + again).format(link=f"[{one.title}]({url})", **known)
        parts.append(part)
        size += len(part)
        if size >= length:
            return "".join(parts)
    raise ValueError("no products")


def seconds(shop: Shop, text: str) -> float:
    began = process_time()
    check_report(
        Subject(text, query="A plan under $300 in total", shop=shop, user_id="AE0IFS55N7SP9CV1I60GN2ZPYN36")
    )
    return process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--megabyte", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    sizes = (50_000, 500_000, *([1_000_000] if options.megabyte else []))
    rows = []
    with sample_shop(options.shop) as shop:
        products = [one for one in islice(shop.store.iter_products(), 100) if one.price]
        for kind in options.kinds or KINDS:
            took = [seconds(shop, long_text(*KINDS[kind], products, size)) for size in sizes]
            rows.append([kind, *(f"{one:.2f}" for one in took), f"{took[1] / took[0]:.1f}x"])
            print(*rows[-1], sep="  ", flush=True)
    text = table(["500 kB of", *(f"{size // 1000} kB, s" for size in sizes), "growth"], rows)
    if options.record:
        record("Long reports", text)


if __name__ == "__main__":
    main()
