"""`python -m benchmarks.security_tries`: every try of `tests/security`, and how many got through, as a table in RESULTS.md."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.results import record
from tests.security.tries import Tried, every_area, tried

HEADING = "Security, tried"


def write(results: Sequence[Tried]) -> None:
    tries, through = sum(one.tries for one in results), sum(len(one.got_through) for one in results)
    broken = [
        f" {one.area.name}: {one.area.said}, {len(one.got_through)} times."
        for one in results
        if one.got_through
    ]
    text = (
        f"**Of {tries:,} tries {through} got through.** Distinct inputs of `tests/security/tries_*.py`, in {len(results)} areas, each "
        f"against the code that a command runs.{''.join(broken)} The same areas, fewer tries each, are in `make test`."
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
