"""`python -m benchmarks.security_tries`: every try of `tests/security`, and how many got through, as a table in RESULTS.md."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.results import record, table
from tests.security.tries import Tried, every_area, tried

HEADING = "Security, tried"


def write(results: Sequence[Tried]) -> None:
    rows = [(one.area.name, one.area.said, f"{one.tries:,}", len(one.got_through)) for one in results]
    tries, through = sum(one.tries for one in results), sum(len(one.got_through) for one in results)
    text = (
        "Distinct inputs of `tests/security/tries_*.py`, each against the code that a command runs; an input that was made twice counts once. "
        "The same areas, 25 tries each, and every expression, are in `make test`.\n\n"
    )
    text += table(
        ("area", "it would be a success", "tries", "got through"), [*rows, ("all", "", f"{tries:,}", through)]
    )
    record(HEADING, text)


def main() -> int:
    results = [tried(area) for area in every_area()]
    write(results)
    for result in results:
        for one in result.got_through[:20]:
            print(f"{result.area.name}: {one}", file=sys.stderr)
    return 1 if any(result.got_through for result in results) else 0


if __name__ == "__main__":
    raise SystemExit(main())
