"""Quick tests of one room, for `make quick ROOM=env`: the files that lean on it most, for half a minute.

A file leans on a room by its share in what the file imports of ours; the room's own come first. Where the time is up no further test
begins, and the last line says so.
"""

from __future__ import annotations

import ast
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.sources import ROOT, imports

MOST_FILES = 50
SECONDS = 18.0
"""From the first test on: then no other begins. Ten more go before it, and a few after."""
LANES = ("servers", "browser", "wheel", "ray", "doors", "slow", "long", "endurance", "hypothesis")
_LATE = "no time left"
_first: list[float] = []
"""When this worker began."""


def imported(path: Path) -> Counter[str]:
    """Count what a test file imports of each room, helpers of tests left out."""
    return Counter(name.split(".")[1] for _, name in imports(ast.parse(path.read_text(encoding="utf-8"))))


def claims_citing(room: str) -> list[Path]:
    """List the test files that import the room, who imports little else first."""
    counts = {path: imported(path) for path in sorted((ROOT / "tests").rglob("test_*.py"))}
    ranks = {
        path: (path.parent.name == room, of[room] / of.total(), of[room])
        for path, of in counts.items()
        if of[room]
    }
    return sorted(ranks, key=lambda path: ranks[path], reverse=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin nothing once the time is up."""
    _first[:] = _first or [time.monotonic()]
    if time.monotonic() > _first[0] + SECONDS:
        pytest.skip(_LATE)


class Tally:
    """The counts of what ran, and the files that it was of."""

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()
        self.late: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.partition("::")[0]
        if report.when == "call":
            self.ran[file] += 1
        elif report.skipped and _LATE in str(report.longrepr):
            self.late[file] += 1


def main(room: str) -> int:
    started = time.monotonic()
    files = claims_citing(room)[:MOST_FILES]
    if not files:
        print(f"no test imports a room called {room!r}; try ROOM=env")
        return 2
    tally, lanes = Tally(), " and ".join(f"not {lane}" for lane in LANES)
    options = [
        "-q", "-n", "2", "--dist", "loadfile", "-p", "tests.quick", "-p", "no:cacheprovider", "-m", lanes,
    ]  # fmt: skip
    code = pytest.main([*options, *map(str, files)], plugins=[tally])
    left = f"; {tally.late.total()} tests had no time left" if tally.late else ""
    print(
        f"{room}: ran {tally.ran.total()} tests of the {len(tally.ran)} files that lean on it most"
        f" in {time.monotonic() - started:.0f} s{left}; `make test` runs all"
    )
    return int(code)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1] if len(sys.argv) == 2 else ""))
