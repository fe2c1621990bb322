"""The command `drr papers aggregate`: summary figures of a protocol from anybody's raw scores."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import print_document
from drr.app.notices import notice
from drr.app.terminal import number, table
from drr.env.json_object import JsonObject
from drr.eval.stats import protocols
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.eval.stats.aggregate import AggregateDocument

_EXAMPLES = """\
Raw scores are JSONL, a row a line; docs/aggregate.md has the form of each protocol.

protocols:
{protocols}

examples:
  drr papers aggregate fact citations.jsonl
  drr papers aggregate fact verdicts.jsonl --json --ci
"""
SHOWN = 5


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    known = protocols()
    width = max(map(len, known))
    parser.epilog = _EXAMPLES.format(
        protocols="\n".join(f"  {name:<{width}}  {line}" for name, line in known.items())
    )
    add("protocol", metavar="PROTOCOL", choices=tuple(known), help="whose sums")
    add("file", metavar="FILE", type=Path, help="raw scores, JSONL")
    add("--ci", action="store_true", help="also 95 %% intervals, over tasks or questions")
    add("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.eval.stats.aggregate import aggregate

    document = aggregate(arguments.protocol, arguments.file, intervals=arguments.ci)
    print_document(
        arguments, {name: value for name, value in document.items() if name != "n_by_value"}, _text(document)
    )
    bad = document["bad_rows"]
    if bad:
        every = document["n"] + len(bad)
        first = f"line {bad[0]['line']}: {bad[0]['problem']}"
        notice(f"{arguments.file}: {len(bad):,} of {every:,} rows cannot be used; {first}")
    elif not document["n"]:
        notice(f"{arguments.file}: holds no row")
    return int(bool(bad) or not document["n"])


def _text(document: AggregateDocument) -> str:
    ours, printed = dict(_flat_values(document["values"])), dict(_flat_values(document["as_printed"]))
    spans = dict(_flat_values(document.get("intervals", {})))
    rows = []
    for name in dict.fromkeys((*ours, *printed)):
        counted = document["n_by_value"].get(name)
        low, high = spans.get(f"{name}.ci_low"), spans.get(f"{name}.ci_high")
        span = "" if low is None or high is None else f"[{number(low)}, {number(high)}]"
        if spans.get(f"{name}.all_equal"):
            span += " all equal" + ("" if counted is None else f" (n={counted})")
        shown = ["" if counted is None else f"{counted}", number(ours.get(name)), number(printed.get(name))]
        rows.append([name, *shown, *([span] if spans else [])])
    head = [document["protocol"], "rows", "value", "as printed", *(["95 %"] if spans else [])]
    bad = document["bad_rows"]
    counts = f"{many(document['n'], 'row')}, {document['n_unscored']:,} without an answer"
    parts = [table(head, rows), f"{counts}, {len(bad):,} that cannot be used." if bad else f"{counts}."]
    if bad:
        parts.append("\n".join(f"line {one['line']}: {one['problem']}" for one in bad[:SHOWN]))
        if len(bad) > SHOWN:
            parts.append(f"and {len(bad) - SHOWN:,} more; --json names all")
    return "\n\n".join(parts)


def _flat_values(values: JsonObject, before: str = "") -> Iterator[tuple[str, float | None]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat_values(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
