"""The part of `drr data ingest` for a catalogue's own files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from drr.app.console import tell
from drr.app.terminal import plain
from drr.data_ingest.catalogue.ingest import Preview
from drr.env.json_object import JsonObject
from drr.env.records.listing import product_page


def print_preview(arguments: argparse.Namespace, found: Preview) -> None:
    """Print what an ingest would do."""
    seen = None if found.product is None else product_page(found.product).text
    document = {**found._asdict(), "product": seen, "shop": arguments.shop}
    tell(arguments, document, *_preview_lines(found, seen))


def _preview_lines(found: Preview, seen: str | None) -> Iterator[str]:
    yield from _mapping_lines(found.mapping)
    rows = found.rows
    yield f"{rows['products']:,} products, {found.users:,} users, {rows['orders']:,} orders"
    yield from _counted("quarantined", found.quarantined)
    yield from _counted("noted", found.notes)
    yield "one product as agents see it:"
    yield from (f"  {plain(line)}" for line in (seen or "").splitlines())
    yield "nothing was written; leave --dry-run out to make the shop"


def _mapping_lines(mapping: JsonObject) -> Iterator[str]:
    for name, columns in mapping["files"].items():
        yield plain(f"{name}: {columns}")
    yield plain(f"currency {mapping['currency']}, language {mapping['language']}, people {mapping['people']}")


def print_summary(found: Mapping[str, Any]) -> None:
    """Print what an ingest did."""
    print(f"{found['shop']}: a shop, its today is {found['as_of']}")
    print("  " + ", ".join(f"{count:,} {name}" for name, count in found["counts"].items()))
    for line in (
        *_mapping_lines(found["recipe"]),
        *_counted("quarantined", found["quarantined"]),
        *_counted("noted", found["notes"]),
    ):
        print(f"  {line}")
    if found["quarantine_file"]:
        print(f"  lines and reasons: {found['quarantine_file']}")
    if not found["counts"]["users"]:
        print("  without orders or users nobody can ask here: add a file of orders")
    print(f"next: drr shop info {found['shop']}")


def _counted(label: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts := {name: count for name, count in counts.items() if count}:
        yield f"{label}: " + ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))
