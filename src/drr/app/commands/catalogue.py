"""The part of `drr data ingest` for a catalogue's own files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from drr.app.terminal import plain


def summary_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an ingest or its dry run tells, from their document."""
    recipe = found["recipe"]
    yield ", ".join(f"{count:,} {name}" for name, count in found["counts"].items())
    yield from (plain(f"{name}: {columns}") for name, columns in recipe["files"].items())
    yield plain(f"currency {recipe['currency']}, language {recipe['language']}, people {recipe['people']}")
    for label, counts in (("quarantined", found["quarantined"]), ("noted", found["notes"])):
        if counts:
            yield f"{label}: " + ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))
    if found["quarantine_file"]:
        yield f"lines and reasons: {found['quarantine_file']}"
    if not found["counts"]["users"]:
        yield "without orders or users nobody can ask here: add a file of orders"
    if "product" in found:
        yield "one product as agents see it:"
        yield from (f"  {plain(line)}" for line in (found["product"] or "").splitlines())
        yield "nothing was written; leave --dry-run out to make the shop"
    else:
        yield f"made {found['shop']}, its today is {found['as_of']}; next: drr shop info {found['shop']}"
